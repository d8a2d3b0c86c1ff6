'use client';

import { clsx } from 'clsx';
import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { CallFailure } from '#components/call-api.ts';
import { searchTrouble } from '#components/people/search-state.tsx';
import { usePeopleSearch } from '#components/people/use-people-search.ts';
import { pressLinkTo } from '#components/pressed-link.ts';
import { ACTIVE_OPTION } from '#components/ui/active-option.ts';
import { DialogPopup } from '#components/ui/dialog-popup.tsx';
import { CONTROL } from '#components/ui/field.tsx';
import { isComposing } from '#components/ui/is-composing.ts';
import { useApi } from '#components/use-call.ts';
import { type PaletteItem, paletteItems, personWanted } from '#src/palette.ts';
import type { ShortcutsProps } from './shortcuts.tsx';

type Props = Omit<ShortcutsProps, 'enabled'> & { onHelp: () => void; onClose: () => void };

/**
 * A field that leads anywhere in a guild: pages, people, cases and tokens, and actions on people. It is a combobox with
 * a list of options (ARIA Authoring Practices).
 */
export function Palette({ onHelp, onClose, ...props }: Props) {
  const { guildId, pages, settings, acts, mayFindPeople, mayReadCases } = props;
  const t = useTranslations('shortcuts');
  const say = useTranslations('people');
  const list = useId();
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const wanted = mayFindPeople ? personWanted(text, acts) : null;
  const search = usePeopleSearch(guildId, wanted);
  const isSearching = wanted !== null && (search.isSearching || search.of !== wanted);
  const items = paletteItems({
    text,
    base: `/guilds/${guildId}`,
    pages,
    settings,
    acts: mayFindPeople ? acts : [],
    // Enter must not choose somebody whom an earlier text found.
    people: search.of === wanted ? search.people : [],
    tokens: useTokens(props),
    caseLabel: (number) => t('case', { number }),
    canReadCases: mayReadCases,
  });
  const at = Math.min(active, items.length - 1);
  const current = items[at];
  const write = (next: string) => {
    setText(next);
    setActive(0);
  };
  const choose = ({ leads }: PaletteItem) => {
    if ('text' in leads) return write(leads.text);
    onClose();
    pressLinkTo(leads.href);
  };
  const press = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0 && items.length > 0) setActive((at + step + items.length) % items.length);
    else if (event.key === 'Enter' && current !== undefined) choose(current);
    else return;
    event.preventDefault();
  };
  const trouble = isSearching ? null : searchTrouble(search, say);
  return (
    <DialogPopup open onOpenChange={onClose} title={t('title')}>
      <input
        type="text"
        role="combobox"
        aria-label={t('field')}
        aria-expanded
        aria-controls={list}
        aria-activedescendant={current === undefined ? undefined : `${list}-${current.key}`}
        aria-autocomplete="list"
        autoComplete="off"
        placeholder={t('field')}
        maxLength={100}
        value={text}
        onChange={({ target }) => write(target.value)}
        onKeyDown={press}
        className={clsx(CONTROL, 'h-10')}
      />
      <div
        id={list}
        role="listbox"
        aria-label={t('title')}
        tabIndex={-1}
        className="mt-3 h-72 overflow-y-auto"
      >
        {items.map((item) => (
          <Option
            key={item.key}
            id={`${list}-${item.key}`}
            item={item}
            kind={t(`groups.${item.group}`)}
            active={item === current}
            onChoose={() => choose(item)}
          />
        ))}
      </div>
      <div className="mt-3 flex items-center justify-between gap-3">
        <p role="status" className="text-ink-soft text-xs">
          {isSearching ? t('searching') : t('found', { count: items.length })}
          {trouble === null ? null : <span className="text-warn block">{trouble}</span>}
        </p>
        <button type="button" onClick={onHelp} className="text-accent text-xs underline">
          {t('help')}
        </button>
      </div>
    </DialogPopup>
  );
}

function Option({
  id,
  item,
  kind,
  active,
  onChoose,
}: {
  id: string;
  item: PaletteItem;
  kind: string;
  active: boolean;
  onChoose: () => void;
}) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox has the focus and hears the keys
    <div
      ref={(element) => {
        if (active) element?.scrollIntoView({ block: 'nearest' });
      }}
      id={id}
      role="option"
      aria-selected={active}
      tabIndex={-1}
      onClick={onChoose}
      className={clsx(
        'hover:bg-raised flex min-h-10 cursor-pointer items-center gap-2 rounded-md px-2.5',
        active && ACTIVE_OPTION,
      )}
    >
      <span className="min-w-0 truncate">{item.label}</span>
      {item.detail === undefined ? null : (
        <span className="text-ink-soft min-w-0 truncate text-xs">{item.detail}</span>
      )}
      <span className="text-ink-soft ml-auto shrink-0 text-xs">{kind}</span>
    </div>
  );
}

interface TokenName {
  readonly id: string;
  readonly name: string;
}

/** The guild's tokens, for its owner; none until they have come, or if they do not come. */
function useTokens({
  guildId,
  mayReadTokens,
}: Pick<Props, 'guildId' | 'mayReadTokens'>): readonly TokenName[] {
  const api = useApi();
  const [tokens, setTokens] = useState<readonly TokenName[]>([]);
  useEffect(() => {
    if (!mayReadTokens) return;
    void api<{ data: readonly TokenName[] }>('GET', `/api/api-tokens?guild_id=${guildId}`).then((answer) => {
      if (!(answer instanceof CallFailure)) setTokens(answer.data);
    });
  }, [api, guildId, mayReadTokens]);
  return tokens;
}
