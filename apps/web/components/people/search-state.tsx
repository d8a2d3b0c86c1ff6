'use client';

import { useTranslations } from 'use-intl/react';
import type { PeopleSearch } from './use-people-search.ts';

/** How far a search is, for everybody, and for screen readers also how many people it found. */
export function SearchState({
  search: { people, isSearching, discord, problem, of },
  nobody,
}: {
  search: PeopleSearch;
  /** What is said when nobody is found. */
  nobody: string;
}) {
  const t = useTranslations('people');
  const count = people.length;
  const state =
    problem ??
    (isSearching || of === null
      ? t('searching')
      : discord === 'no_answer'
        ? t('discordAway')
        : discord === 'limited'
          ? t('limited')
          : count === 0
            ? nobody
            : null);
  return (
    <div role="status">
      {state === null ? null : <p className="text-ink-soft px-3 py-2 text-xs">{state}</p>}
      {count === 0 ? null : <span className="sr-only">{t('found', { count })}</span>}
    </div>
  );
}
