import {
  caseKind,
  caseWordsIn,
  decodeCursor,
  encodeCursor,
  type InputOf,
  MOST_CASE_WORDS,
  type OutputOf,
} from '@bailiff/core';
import { Bindings, type CaseKind, sql } from '@bailiff/prisma';
import { startOfPage } from '#src/calls/paging.ts';
import type { Read } from '#src/calls/readers.ts';
import type { PageStart } from '#src/desk/paging.ts';
import { CASE, CASE_COLUMNS, caseWire, IN_FORCE } from './cases.ts';

/** Filters for the list of cases. Absent fields filter nothing. */
export interface CaseFilters {
  readonly kind?: CaseKind | undefined;
  readonly standing?: CaseStanding | undefined;
  /** The user that the cases are about. */
  readonly userId?: string | undefined;
  readonly issuedBy?: string | undefined;
  /** Issued at this time or later. */
  readonly from?: Date | undefined;
  /** Issued before this time. */
  readonly until?: Date | undefined;
  /** Words, or beginnings of words, that must all occur in the case's reason, category or in-game identity. */
  readonly words?: string | undefined;
}

/** Overdue: a ban that has run out and that the bot could not lift. Such a ban has ended for people, but it stands. */
export const CASE_STANDINGS = ['in_force', 'ended', 'overdue'] as const;
export type CaseStanding = (typeof CASE_STANDINGS)[number];

/**
 * The case next to which a page begins. It may be gone, as the undoing of an import deletes cases. Then its time says
 * where it was, and a page that knows its number only begins with the newest: it must not seem to be the last.
 */
export interface CasePlace {
  readonly number: number;
  readonly issuedAt?: Date | undefined;
}

/** Which cases a page shows. */
export interface CaseSearch {
  readonly guildId: string;
  /** The kinds that the reader may read. */
  readonly kinds: readonly CaseKind[];
  readonly filters: CaseFilters;
  readonly start: PageStart<CasePlace>;
}

/** How many cases a search for words may look at. */
export interface SearchBounds {
  /** At most this many of the newest cases are read before the index of words is used. */
  readonly newest: number;
  /** At most this many of the cases that the index of words names are read; 0 does not use the index. */
  readonly indexed: number;
}

/**
 * SQL of the cases of a page, and one that shows whether another page follows, with a column `found` that is true. If a
 * search for words may look at no more cases, a last row that is not found says how far it has looked.
 *
 * The best plan depends on the values, from one moderator's three cases to a million strikes, so it is not to be prepared.
 */
export function caseSearchText(search: CaseSearch, bindings: Bindings, bounds: SearchBounds): string {
  const { kind, words: typed } = search.filters;
  const among = { ...search, kinds: search.kinds.filter((each) => kind === undefined || kind === each) };
  const conditions = conditionsOf(among, bindings).join(' AND ');
  const wanted = among.start.limit + 1;
  const words = caseWordsIn(typed ?? '').slice(0, MOST_CASE_WORDS);
  if (among.kinds.length === 0)
    return `SELECT true AS found, ${CASE_COLUMNS} FROM cases WHERE ${conditions} AND false`;
  if (words.length === 0)
    return `SELECT true AS found, * FROM (${newestText(among, conditions, wanted)}) AS page`;
  const text = (value: string) => bindings.bind(sql.text, value);
  // The beginnings of words, each behind the guild's id and in lower case, as those of the cases are.
  const named = `case_search_words(${text(among.guildId)}, ${text(words.join(' '))}, NULL, NULL, NULL)::text`;
  const query = `(replace(${named}, $$' '$$, $$':* & '$$) || ':*')::tsquery`;
  return wordsText(among, {
    conditions,
    contains: words.map((word) => `strpos(text, lower(${text(word)})) > 0`).join(' AND '),
    match: `case_search_words(guild_id, reason, category, player_name, in_game_id) @@ ${query}`,
    kinds: bindings.bind(sql.arrayOf(sql.text), among.kinds),
    bounds,
  });
}

/**
 * Searches the newest cases for common words and uses the index for others: a scan of all cases for a rare word takes
 * seconds, and so does sorting all cases with a common one. `far` is only read if the newest are not enough. If even the
 * index names too many, the page has what was found among the newest, and a last row that is not found says how far
 * that is.
 */
function wordsText(
  search: CaseSearch,
  given: {
    readonly conditions: string;
    /** Whether the text of a case, in lower case, has the words somewhere. It costs a tenth of `match`. */
    readonly contains: string;
    readonly match: string;
    readonly kinds: string;
    readonly bounds: SearchBounds;
  },
): string {
  const { conditions, contains, match, kinds, bounds } = given;
  const wanted = search.start.limit + 1;
  const order = orderOf(search.start);
  const columns = sql.names(CASE);
  const isEnough = `((SELECT count(*) FROM near) = ${wanted} OR (SELECT count(*) FROM newest) < ${bounds.newest})`;
  const isTooMuch = `(SELECT count(*) FROM far) = ${bounds.indexed}`;
  return `WITH newest AS MATERIALIZED (${newestText(search, conditions, bounds.newest)}),
      near AS MATERIALIZED (SELECT ${columns} FROM newest, LATERAL (SELECT lower(
          concat_ws(' ', reason, category, player_name, in_game_id)) AS text OFFSET 0) AS lowered
        WHERE ${contains} AND ${match} ${order} LIMIT ${wanted}),
      far AS MATERIALIZED (SELECT * FROM cases WHERE ${match} LIMIT ${bounds.indexed})
    SELECT * FROM (
      (SELECT true AS found, ${columns} FROM near WHERE ${isEnough} OR ${isTooMuch})
      UNION ALL
      (SELECT true, ${columns} FROM (SELECT ${CASE_COLUMNS} FROM far) AS far
       WHERE NOT (${isEnough} OR ${isTooMuch}) AND ${conditions} AND kind::text = ANY (${kinds})
         AND ${standingOf(search.filters)} ${order} LIMIT ${wanted})
      UNION ALL
      (SELECT false, ${columns} FROM newest WHERE NOT ${isEnough} AND ${isTooMuch}
       ${order} LIMIT 1 OFFSET ${bounds.newest - 1})
    ) AS page ${order}`;
}

/** Reads each kind and standing through its own index, then takes the newest of all these. */
function newestText(search: CaseSearch, conditions: string, limit: number): string {
  const order = `${orderOf(search.start)} LIMIT ${limit}`;
  const parts = search.kinds.flatMap((kind) =>
    partsOf(kind, search.filters.standing).map(
      (part) =>
        `(SELECT ${CASE_COLUMNS} FROM cases WHERE ${conditions} AND kind = '${kind}' AND ${part} ${order})`,
    ),
  );
  return `SELECT * FROM (${parts.join(' UNION ALL ')}) AS found ${order}`;
}

function orderOf({ after }: PageStart<CasePlace>): string {
  const direction = after === undefined ? 'DESC' : 'ASC';
  return `ORDER BY issued_at ${direction}, case_number ${direction}`;
}

function conditionsOf(
  { guildId, filters, start: { before, after } }: CaseSearch,
  bindings: Bindings,
): string[] {
  const guild = bindings.bind(sql.text, guildId);
  const from = after ?? before;
  return [
    `guild_id = ${guild}`,
    ...(filters.userId === undefined ? [] : [`user_id = ${bindings.bind(sql.text, filters.userId)}`]),
    ...(filters.issuedBy === undefined ? [] : [`issued_by = ${bindings.bind(sql.text, filters.issuedBy)}`]),
    ...(filters.from === undefined ? [] : [`issued_at >= ${bindings.bind(sql.timestamptz, filters.from)}`]),
    ...(filters.until === undefined ? [] : [`issued_at < ${bindings.bind(sql.timestamptz, filters.until)}`]),
    ...(from === undefined ? [] : [nextTo(from, after !== undefined, guild, bindings)]),
  ];
}

function nextTo(
  { number, issuedAt }: CasePlace,
  isAfter: boolean,
  guild: string,
  bindings: Bindings,
): string {
  const place = bindings.bind(sql.int, number);
  const at =
    issuedAt === undefined
      ? `coalesce((SELECT issued_at FROM cases WHERE guild_id = ${guild} AND case_number = ${place}), 'infinity')`
      : bindings.bind(sql.timestamptz, issuedAt);
  return `(issued_at, case_number) ${isAfter ? '>' : '<'} (${at}, ${place})`;
}

const ENDED = 'ended_at IS NOT NULL';
export const LASTING = 'ended_at IS NULL AND expires_at IS NULL';
// That `expires_at` is not null follows. Said as well, the planner expects far fewer rows.
export const RUNNING = 'ended_at IS NULL AND expires_at > now()';
const EXPIRED = 'ended_at IS NULL AND expires_at <= now()';
export const NOT_LIFTED = 'ended_at IS NULL AND end_failed_at IS NOT NULL';

/** The SQL of a standing in parts, each with an index: a strike or warning has no term, a mute always has one. */
export function partsOf(kind: CaseKind, standing: CaseStanding | undefined): readonly string[] {
  if (standing === undefined) return ['true'];
  const { term, endedInTimeBy } = caseKind(kind);
  if (standing === 'overdue') return [endedInTimeBy === 'bot' ? NOT_LIFTED : 'false'];
  const hasTerm = term !== 'none';
  if (standing === 'ended') return hasTerm ? [ENDED, EXPIRED] : [ENDED];
  return [...(term === 'always' ? [] : [LASTING]), ...(hasTerm ? [RUNNING] : [])];
}

function standingOf({ standing }: CaseFilters): string {
  if (standing === 'overdue') return `${NOT_LIFTED} AND kind IN ('ban', 'softban')`;
  return standing === undefined ? 'true' : standing === 'ended' ? `NOT ${IN_FORCE}` : IN_FORCE;
}

type SearchInput = InputOf<'cases.search'>;

// A button in chat has no room for the time.
const LIST = { name: 'cases.search', byTime: 'or_not', byNumber: true } as const;

/** The cursor of the page after a case, for a search with these filters. */
export function caseSearchCursor(
  guildId: string,
  filters: Omit<SearchInput, 'limit'>,
  { number, issuedAt }: CasePlace,
) {
  const after = issuedAt === undefined ? String(number) : `${number}@${issuedAt.getTime()}`;
  return encodeCursor({ list: LIST.name, guildId, filters, after });
}

/** The number of the case after which the page of a cursor begins. */
export function caseOfCursor(guildId: string, filters: Partial<SearchInput>, cursor: string): number {
  return Number(decodeCursor(cursor, { list: LIST.name, guildId, filters })?.split('@')[0]);
}

/**
 * A page of the cases of these kinds that a search finds.
 *
 * @throws ApiError VALIDATION_FAILED as {@link startOfPage} does
 */
export function searchCases(
  guildId: string,
  input: SearchInput,
  kinds: readonly CaseKind[],
): Read<typeof CASE, OutputOf<'cases.search'>> {
  const { limit, active, since, until } = input;
  const after = startOfPage(LIST, guildId, input);
  const bindings = new Bindings();
  const text = caseSearchText(
    {
      guildId,
      kinds,
      filters: {
        kind: input.kind,
        standing: active === undefined ? undefined : active ? 'in_force' : 'ended',
        userId: input.user_id,
        issuedBy: input.issued_by,
        from: since === undefined ? undefined : new Date(since),
        until: until === undefined ? undefined : new Date(until),
        words: input.words,
      },
      start: {
        limit,
        ...(after === null ? {} : { before: { number: Number(after.id), issuedAt: after.at ?? undefined } }),
      },
    },
    bindings,
    { newest: 200, indexed: 1_000 },
  );
  return {
    ...bindings,
    columns: CASE,
    text: `SELECT found, ${sql.names(CASE)} FROM (${text}) AS page`,
    isPrepared: false,
    mayBeEmpty: true,
    isQuick: false,
    answer: (rows, { lookedTo }) => {
      const last = rows.length > limit ? rows[limit - 1] : lookedTo;
      return {
        data: rows.slice(0, limit).map(caseWire),
        next_cursor:
          last === undefined
            ? null
            : caseSearchCursor(guildId, input, { number: last.case_number, issuedAt: last.issued_at }),
      };
    },
  };
}
