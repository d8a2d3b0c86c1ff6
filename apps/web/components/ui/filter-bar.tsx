'use client';

import { clsx } from 'clsx';
import { ChevronDown, X } from 'lucide-react';
import { usePathname, useRouter, useSearchParams } from 'next/navigation';
import {
  type FormEvent,
  type ReactNode,
  useEffect,
  useEffectEvent,
  useId,
  useRef,
  useState,
  useTransition,
} from 'react';
import { useTranslations } from 'use-intl/react';
import type { FilterChip } from '#src/list-filters.ts';
import { Button, buttonClass } from './button.tsx';
import { Link } from './link.tsx';

/**
 * The form with the filters of a list, which it keeps in the page's address, and a chip for each filter that is set.
 * A choice applies at once, and a text when it is left or with Enter. On a phone the fields are behind a button; the
 * search and the chips are not.
 */
export function FilterBar({
  label,
  chips,
  clearHref,
  search,
  children,
}: {
  label: string;
  chips: readonly FilterChip[];
  /** The address of the list without filters. */
  clearHref: string;
  search: ReactNode;
  /** The fields besides the search. */
  children?: ReactNode;
}) {
  const t = useTranslations('ui');
  const path = usePathname();
  const router = useRouter();
  const form = useRef<HTMLFormElement>(null);
  const chipList = useRef<HTMLUListElement>(null);
  const fields = useId();
  const [chosenOpen, setOpen] = useState<boolean | null>(null);
  const open = chosenOpen ?? chips.some(({ wrong }) => wrong);
  const [going, startGoing] = useTransition();
  const address = useSearchParams();
  /** Whether a text was typed that is not in the address yet. */
  const isTyped = useRef(false);
  /** Whether it is said that the list has changed. It is not while a choice is on its way, so that each is told of. */
  const [isTold, setTold] = useState(false);
  const apply = () => {
    if (form.current === null) return;
    isTyped.current = false;
    setTold(false);
    const filled = [...new FormData(form.current)].flatMap(([name, value]) =>
      typeof value === 'string' && value.trim() !== '' ? [[name, value.trim()]] : [],
    );
    const query = new URLSearchParams(filled);
    startGoing(() => router.push(query.size === 0 ? path : `${path}?${query}`));
  };
  const isFirst = useRef(true);
  const removed = useRef(false);
  const follow = useEffectEvent((query: URLSearchParams) => {
    const controls = [...(form.current?.elements ?? [])].filter(isControl);
    if (isFirst.current) {
      // Somebody may have been quicker than the script, and is heard next (src/early-input-script.ts).
      isFirst.current = false;
      return;
    }
    setTold(true);
    for (const each of controls)
      if (!isTyped.current || each !== document.activeElement) each.value = query.get(each.name) ?? '';
    if (!removed.current) return;
    removed.current = false;
    const next = chipList.current?.querySelector('a') ?? controls.find(({ type }) => type !== 'hidden');
    next?.focus();
  });
  // The address also changes in other ways, such as going back. While a choice is on its way, the fields are ahead of it.
  useEffect(() => {
    if (!going) follow(address);
  }, [address, going]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    apply();
  };
  const set = chips.filter(({ name }) => name !== 'q').length;
  return (
    <search aria-label={label} className="mb-3 block">
      <form
        ref={form}
        method="get"
        action={path}
        aria-busy={going}
        onSubmit={submit}
        onChange={({ target }) => {
          if (isChoice(target)) apply();
          else isTyped.current = true;
        }}
        onBlur={() => isTyped.current && apply()}
        className="flex flex-wrap items-start gap-2"
      >
        {/* In line with the fields, which have their labels above. */}
        <div className={clsx('flex min-w-0 flex-1 basis-56', children !== undefined && 'md:mt-4.5')}>
          {search}
        </div>
        {children === undefined ? null : (
          <>
            <Button
              aria-expanded={open}
              aria-controls={fields}
              onClick={() => setOpen(!open)}
              className="md:hidden"
            >
              {set === 0 ? t('filters') : t('filtersSet', { count: set })}
              <ChevronDown aria-hidden size={16} className={clsx(open && 'rotate-180')} />
            </Button>
            <div id={fields} className={clsx('flex flex-wrap items-start gap-2', !open && 'max-md:hidden')}>
              {children}
            </div>
          </>
        )}
        {/* Enter in a field needs it. */}
        <button type="submit" hidden />
      </form>
      {chips.length === 0 ? null : (
        <div className="mt-2 flex flex-wrap items-center gap-1.5">
          <ul ref={chipList} aria-label={t('filtersChosen')} className="contents">
            {chips.map(({ name, text, href, wrong }) => (
              <li key={name} className="min-w-0">
                <Link
                  href={href}
                  onClick={() => {
                    removed.current = true;
                    setTold(false);
                  }}
                  className={clsx(
                    'inline-flex min-h-7 max-w-full items-center gap-1 rounded-full border px-2.5 text-xs no-underline',
                    wrong ? 'border-danger text-danger' : 'border-line-strong hover:bg-raised',
                  )}
                >
                  <span className="truncate">{text}</span>
                  <span className="sr-only">({t('removeFilter')})</span>
                  <X aria-hidden size={14} className="shrink-0" />
                </Link>
              </li>
            ))}
          </ul>
          <Link href={clearHref} onClick={() => setTold(false)} className={buttonClass('quiet', 'small')}>
            {t('clearFilters')}
          </Link>
        </div>
      )}
      <p role="status" className="sr-only">
        {isTold ? t('listChanged') : ''}
      </p>
    </search>
  );
}

type Control = HTMLInputElement | HTMLSelectElement;

/** A control with a value that the address keeps. */
function isControl(element: EventTarget): element is Control {
  return (element instanceof HTMLInputElement || element instanceof HTMLSelectElement) && element.name !== '';
}

/** A control whose every value is whole. A day is, once its year has four digits. */
function isChoice(element: EventTarget): boolean {
  return (
    element instanceof HTMLSelectElement ||
    (element instanceof HTMLInputElement && element.type === 'date' && element.validity.valid)
  );
}
