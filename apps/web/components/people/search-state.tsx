'use client';

import type { Translator } from '@bailiff/messages';
import { useTranslations } from 'use-intl/react';
import type { PeopleSearch } from './use-people-search.ts';

/** How far a search is, for everybody, and for screen readers also how many people it found. */
export function SearchState({
  search,
  nobody,
}: {
  search: PeopleSearch;
  /** What is said when nobody is found. */
  nobody: string;
}) {
  const t = useTranslations('people');
  const count = search.people.length;
  const trouble = searchTrouble(search, t);
  const isLooking = search.isSearching || search.of === null;
  const state = isLooking ? (search.problem ?? t('searching')) : (trouble ?? (count === 0 ? nobody : null));
  return (
    <div role="status">
      {state === null ? null : <p className="text-ink-soft px-3 py-2 text-xs">{state}</p>}
      {count === 0 ? null : <span className="sr-only">{t('found', { count })}</span>}
    </div>
  );
}

/** Why a search has not found everybody; null if it has. */
export function searchTrouble({ discord, problem }: PeopleSearch, t: Translator<'people'>): string | null {
  if (problem !== undefined) return problem;
  if (discord === 'no_answer') return t('discordAway');
  return discord === 'limited' ? t('limited') : null;
}
