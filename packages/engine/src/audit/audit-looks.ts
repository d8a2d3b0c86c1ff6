import { Bindings, type Database, sql } from '@bailiff/prisma';
import { patience } from '#src/database/database-errors.ts';
import { LONGEST_PAGE_MS, lookInTurn, pageInTurn, stepInTurn } from '#src/database/in-turn.ts';

/** Rows that one statement looks at: some milliseconds. With fewer, planning would be most of the work. */
const LOOKED_AT = 1_000;
/** PostgreSQL's code for a statement that took too long. */
const QUERY_CANCELED = '57014';

/** Rows of one part of the audit log that fit several filters. */
export interface Looks {
  /** The conditions that an index serves, for rows beside the last one, and those that these rows must fulfil too. */
  readonly conditions: (
    bindings: Bindings,
    beside: Place | undefined,
  ) => {
    readonly indexed: readonly string[];
    readonly others: readonly string[];
  };
  readonly order: 'ASC' | 'DESC';
  readonly limit: number;
}

type Turn = <T>(run: () => Promise<T>) => Promise<T>;

/** How the statements of a list take turns with those of others, and how long they may take in all. */
export interface Pace {
  readonly longestMs: number;
  /** Runs a statement that reads a page through an index. */
  readonly ofPage: Turn;
  /** Runs one of the statements that look for rows which fit several filters. */
  readonly ofLook: Turn;
}

/** For a page that somebody waits for. A guild has one look at a time, and two statements of pages. */
export function paceOfPage(db: Database, guildId: string): Pace {
  const forStore = patience(LONGEST_PAGE_MS);
  const ofLook: Turn = (run) => lookInTurn(db, guildId, forStore, run);
  return { longestMs: LONGEST_PAGE_MS, ofPage: (run) => pageInTurn(db, guildId, run), ofLook };
}

/** For an export: every statement is a step, after which it rests. */
export function paceOfExport(db: Database, guildId: string): Pace {
  const step: Turn = (run) => stepInTurn(db, guildId, patience(Number.POSITIVE_INFINITY), run);
  return { longestMs: Number.POSITIVE_INFINITY, ofPage: step, ofLook: step };
}

/** A row by its id and time. */
export interface Place {
  readonly id: string;
  readonly at: Date;
}

const LOOK = {
  ids: sql.arrayOf(sql.text),
  times: sql.arrayOf(sql.timestamptz),
  looked: sql.int,
  last_id: sql.text.orNull,
  last_at: sql.timestamptz.orNull,
};

const looks = sql.family('looks for rows of the audit log that fit several filters', 500);

/**
 * The first rows that fit all filters. An index serves one filter, and two that are common can exclude each other: then
 * every row of that index would be read. Each statement looks at no more than {@link LOOKED_AT} of them, so that other
 * guilds have their turn.
 *
 * @throws TooManyRows if that takes too long
 */
export async function rowsThatFit(
  { pool }: Pick<Database, 'pool'>,
  { conditions, order, limit }: Looks,
  { longestMs, ofLook }: Pace,
): Promise<Place[]> {
  const startedAt = performance.now();
  const found: Place[] = [];
  let beside: Place | undefined;
  do {
    if (performance.now() - startedAt > longestMs) throw new TooManyRows();
    const bindings = new Bindings();
    const { indexed, others } = conditions(bindings, beside);
    const sorted = `at ${order}, id ${order}`;
    const text = `SELECT coalesce(array_agg(id ORDER BY ${sorted}) FILTER (WHERE fits), '{}') AS ids,
        coalesce(array_agg(at ORDER BY ${sorted}) FILTER (WHERE fits), '{}') AS times,
        count(*)::int AS looked, (array_agg(id ORDER BY ${sorted}))[count(*)] AS last_id,
        (array_agg(at ORDER BY ${sorted}))[count(*)] AS last_at
      FROM (SELECT id, at, ${others.join(' AND ')} AS fits
        FROM (SELECT * FROM audit WHERE ${indexed.join(' AND ')} ORDER BY ${sorted} LIMIT ${LOOKED_AT}) AS audit
        OFFSET 0) AS looked`;
    const { parameters, values } = bindings;
    const statement = looks.statement({ parameters, columns: LOOK, text, prepared: false });
    const { ids, times, looked, last_id: id, last_at: at } = await ofLook(() => statement.only(pool, values));
    found.push(...ids.flatMap((id, index) => (times[index] === undefined ? [] : [{ id, at: times[index] }])));
    beside = looked < LOOKED_AT || id === null || at === null ? undefined : { id, at };
  } while (beside !== undefined && found.length < limit);
  return found.slice(0, limit);
}

/** Rows of several parts, in one order. */
export function sortedBy(order: Looks['order'], places: readonly Place[]): Place[] {
  const older = (one: Place, other: Place) =>
    one.at.getTime() - other.at.getTime() || (one.id < other.id ? -1 : 1);
  return places.toSorted((one, other) => (order === 'ASC' ? older(one, other) : older(other, one)));
}

/** More rows had to be looked at than anybody waits for. */
export class TooManyRows extends Error {
  /** As that of a statement which PostgreSQL ended for the same reason. */
  readonly code = QUERY_CANCELED;

  constructor() {
    super('Too many rows fit one of the filters and not the others.');
  }
}
