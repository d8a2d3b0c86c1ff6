import { CASE_KIND_NAMES, type Call, callOf, type InputOf, type OutputOf } from '@bailiff/core';
import { caseOfCursor, caseSearchCursor } from '@bailiff/engine/cases/case-search';
import { translator } from '@bailiff/messages';
import type { Reply, Spoken } from './answers.ts';
import { caseLine, pageReply } from './case-pages.ts';
import { PAGE_ITEMS } from './fields.ts';

type SearchInput = InputOf<'cases.search'>;

/** A page of the cases that a search found. */
export function searchReply(
  { data, next_cursor }: OutputOf<'cases.search'>,
  input: SearchInput,
  { guildId, locale, marks }: Spoken,
): Reply {
  const t = translator(locale, 'chat');
  if (data.length === 0 && next_cursor === null) return { content: t('search.none') };
  const lines = data.map(
    (shown) => [shown.case_number, caseLine(locale, shown, marks?.get(shown.id))] as const,
  );
  const page = {
    head: t(data.length === 0 ? 'search.noneYet' : 'search.head'),
    lines,
    isFirst: input.cursor === undefined,
    hasOlder: next_cursor !== null,
    ...(next_cursor === null ? {} : { lookedTo: caseOfCursor(guildId, input, next_cursor) }),
  };
  return pageReply(locale, page, (before) => searchId(input, before));
}

const RADIX = 36;
const MINUTE_MS = 60_000;
const ANY = '-';
const SEARCH_BUTTON =
  /^page:s:([0-9a-z-])([01-]):(\w{0,13}):(\w{0,13}):(\w{0,6}):(\w{0,6}):(\w{0,6}):(.{0,40})$/su;

/**
 * The id of a button to a page of a search, without the part that all pages share. Discord allows 100 characters, and
 * the longest search needs 99. Times are in minutes.
 */
function searchId({ kind, active, user_id, issued_by, since, until, words }: SearchInput, before: string) {
  const idOf = (id: string | undefined) => (id === undefined ? '' : BigInt(id).toString(RADIX));
  const minuteOf = (at: string | undefined) =>
    at === undefined ? '' : Math.floor(Date.parse(at) / MINUTE_MS).toString(RADIX);
  const kindMark = kind === undefined ? ANY : CASE_KIND_NAMES.indexOf(kind).toString(RADIX);
  const activeMark = active === undefined ? ANY : String(Number(active));
  const number = before === '' ? '' : Number(before).toString(RADIX);
  const people = [idOf(user_id), idOf(issued_by)];
  return ['s', kindMark + activeMark, ...people, minuteOf(since), minuteOf(until), number, words ?? ''].join(
    ':',
  );
}

/** What a button beneath a page of found cases shows. Null for others. */
export function searchOfButton(customId: string, guildId: string): Call<'cases.search'> | null {
  const [
    matched,
    kindMark = ANY,
    activeMark = ANY,
    user = '',
    issuer = '',
    since = '',
    until = '',
    before = '',
    words,
  ] = SEARCH_BUTTON.exec(customId) ?? [];
  if (matched === undefined) return null;
  const filters = {
    kind: CASE_KIND_NAMES[Number.parseInt(kindMark, RADIX)],
    active: activeMark === ANY ? undefined : activeMark === '1',
    user_id: idIn(user),
    issued_by: idIn(issuer),
    since: timeIn(since),
    until: timeIn(until),
    words: words === '' ? undefined : words,
  };
  const cursor =
    before === ''
      ? undefined
      : caseSearchCursor(guildId, filters, { number: Number.parseInt(before, RADIX) });
  return callOf('cases.search', { ...filters, limit: PAGE_ITEMS, cursor });
}

function idIn(mark: string): string | undefined {
  if (mark === '') return undefined;
  return String(
    [...mark].reduce((id, digit) => id * BigInt(RADIX) + BigInt(Number.parseInt(digit, RADIX)), 0n),
  );
}

function timeIn(mark: string): string | undefined {
  return mark === '' ? undefined : new Date(Number.parseInt(mark, RADIX) * MINUTE_MS).toISOString();
}
