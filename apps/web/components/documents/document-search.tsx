'use client';

import { clsx } from 'clsx';
import { type KeyboardEvent, useId, useRef, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { ACTIVE_OPTION } from '#components/ui/active-option.ts';
import { isComposing } from '#components/ui/is-composing.ts';
import { Link } from '#components/ui/link.tsx';
import { SearchField } from '#components/ui/search-field.tsx';
import { type Section, searchSections } from '#src/documents/search.ts';

const MOST_HITS = 8;

/**
 * The search field of the documentation. What it searches in is loaded when somebody uses it; without scripts, and with
 * Enter, the server searches.
 */
export function DocumentSearch({ defaultValue }: { defaultValue?: string }) {
  const t = useTranslations('docs');
  const list = useId();
  const asked = useRef(false);
  const [sections, setSections] = useState<readonly Section[] | 'failed'>([]);
  const [query, setQuery] = useState('');
  const [chosen, setChosen] = useState(-1);

  const load = async () => {
    if (asked.current) return;
    asked.current = true;
    try {
      const answer = await fetch('/docs/search.json');
      if (!answer.ok) throw new Error(`The server answered ${answer.status}.`);
      setSections(await answer.json());
    } catch {
      // Tried again when the field is entered again.
      asked.current = false;
      setSections('failed');
    }
  };
  const hits = sections === 'failed' ? [] : searchSections(sections, query, MOST_HITS);
  const isLoaded = sections !== 'failed' && sections.length > 0;
  const isOpen = query.trim() !== '' && (isLoaded || sections === 'failed');
  const optionId = (index: number) => `${list}-${index}`;
  const close = () => {
    setQuery('');
    setChosen(-1);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    if (event.key === 'Escape') return close();
    if (event.key === 'Enter' && chosen >= 0) {
      event.preventDefault();
      return document.getElementById(optionId(chosen))?.click();
    }
    if ((event.key !== 'ArrowDown' && event.key !== 'ArrowUp') || hits.length === 0) return;
    event.preventDefault();
    const next = event.key === 'ArrowDown' ? chosen + 1 : Math.max(chosen, 0) - 1 + hits.length;
    setChosen(next % hits.length);
  };
  return (
    <search>
      <form action="/docs/search" className="relative">
        <SearchField
          label={t('search')}
          defaultValue={defaultValue}
          role="combobox"
          autoComplete="off"
          aria-expanded={isOpen}
          aria-controls={list}
          aria-autocomplete="list"
          aria-activedescendant={chosen >= 0 ? optionId(chosen) : undefined}
          onFocus={() => void load()}
          onKeyDown={onKeyDown}
          onChange={({ currentTarget }) => {
            setQuery(currentTarget.value);
            setChosen(-1);
          }}
        />
        <p role="status" className="sr-only">
          {isOpen && sections !== 'failed' ? t('found', { count: hits.length }) : ''}
        </p>
        <div
          className={clsx(
            'border-line-strong bg-surface absolute top-full z-30 mt-1 max-h-[70dvh] w-full overflow-y-auto rounded-md border shadow-lg',
            !isOpen && 'hidden',
          )}
        >
          {isOpen && hits.length === 0 ? (
            <p className="text-ink-soft px-3 py-2">
              {t(sections === 'failed' ? 'searchFailed' : 'notFound')}
            </p>
          ) : null}
          <div id={list} role="listbox" aria-label={t('searchTitle')} lang="en">
            {hits.map(({ href, heading, document: title, excerpt }, index) => (
              <Link
                key={href}
                id={optionId(index)}
                role="option"
                aria-selected={index === chosen}
                tabIndex={-1}
                href={href}
                onClick={close}
                className={clsx(
                  'block px-3 py-2 no-underline',
                  index === chosen ? ACTIVE_OPTION : 'hover:bg-raised',
                )}
              >
                <span className="font-medium">{heading}</span>
                {title === heading ? null : <span className="text-ink-soft text-xs"> · {title}</span>}
                <span className="text-ink-soft block text-xs wrap-anywhere">{excerpt}</span>
              </Link>
            ))}
          </div>
        </div>
      </form>
    </search>
  );
}
