import { Snowflake } from './ids.ts';

/** A user whom a list names, or a part of it that names nobody. */
export interface NamedInList {
  /** The line of the list, from 1. */
  readonly line: number;
  readonly userId: string | null;
}

/** Ids in whatever is around them: a mention, brackets, the address of a profile. */
const DIGITS = /\d{17,}/g;
/** What begins like an id or a mention. Other words beside an id, such as a name, are passed over. */
const MEANT_AS_ID = /^(?:\d|<@)/;

/**
 * The users whom a list names, by ids or mentions, in its order: separated by spaces, commas or lines. A line without
 * any, or what only looks like one, names nobody.
 */
export function readPeopleList(list: string): NamedInList[] {
  return list.split(/\r\n|\r|\n/).flatMap((text, index) => {
    const words = text.split(/[\s,;]+/).filter(Boolean);
    const named = words.flatMap((word) => {
      const numbers = word.match(DIGITS) ?? (MEANT_AS_ID.test(word) ? [word] : []);
      return numbers.map((number) => (Snowflake.safeParse(number).success ? number : null));
    });
    const all = words.length > 0 && named.length === 0 ? [null] : named;
    return all.map((userId) => ({ line: index + 1, userId }));
  });
}
