'use client';

import { useEffect, useState } from 'react';
import { CallFailure } from '#components/call-api.ts';
import { useApi } from '#components/use-call.ts';
import type { PeopleWire, PersonWire } from '#src/person-wire.ts';

/** How long nothing is typed before a search begins. */
const PAUSE_MS = 150;

export interface PeopleSearch {
  /** Those whom the database has at once, then also those whom Discord finds. */
  readonly people: readonly PersonWire[];
  /** What was searched for; null before the first answer. */
  readonly of: string | null;
  readonly isSearching: boolean;
  /** Undefined until the bot was asked. */
  readonly discord?: PeopleWire['discord'];
  /** Why nothing was found out. */
  readonly problem?: string;
}

const NOTHING: PeopleSearch = { people: [], of: null, isSearching: false };

/** The people of a guild who match a text while it is typed; null searches nothing. */
export function usePeopleSearch(guildId: string, text: string | null): PeopleSearch {
  const api = useApi();
  const [search, setSearch] = useState(NOTHING);
  useEffect(() => {
    if (text === null) {
      setSearch(NOTHING);
      return;
    }
    const stale = new AbortController();
    const ask = async (isKnownOnly: boolean) => {
      const query = new URLSearchParams({ query: text, ...(isKnownOnly ? { known: 'only' } : {}) });
      const path = `/api/guilds/${guildId}/people?${query}`;
      const answer = await api<PeopleWire>('GET', path, undefined, stale.signal);
      if (stale.signal.aborted) return;
      const isLast = !isKnownOnly;
      setSearch((before) => {
        if (answer instanceof CallFailure)
          return isLast ? { ...before, of: text, isSearching: false, problem: answer.message } : before;
        if (isLast)
          return {
            people: merged(before, answer, text),
            of: text,
            isSearching: false,
            discord: answer.discord,
          };
        return before.isSearching ? { people: answer.data, of: text, isSearching: true } : before;
      });
    };
    setSearch(({ people, of }) => ({ people, of, isSearching: true }));
    const pause = setTimeout(() => {
      void ask(true);
      void ask(false);
    }, PAUSE_MS);
    return () => {
      clearTimeout(pause);
      stale.abort();
    };
  }, [api, guildId, text]);
  return search;
}

/** Those whom the same search has shown stay where they are: nobody chooses another because a row moved. */
function merged(before: PeopleSearch, { data }: PeopleWire, text: string): readonly PersonWire[] {
  const shown = before.of === text ? before.people : [];
  const byId = new Map(data.map((person) => [person.user_id, person]));
  const stay = shown.map((person) => byId.get(person.user_id) ?? person);
  const ids = new Set(shown.map((person) => person.user_id));
  return [...stay, ...data.filter((person) => !ids.has(person.user_id))];
}
