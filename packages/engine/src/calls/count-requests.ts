import { type RowOf, sql, type ValuesOf } from '@bailiff/prisma';

/** A request to count in a window. */
export interface CountedRequest {
  /** The window, and what is counted in it. */
  readonly key: string;
  readonly points: number;
  /** How many points the window admits. */
  readonly most: number;
  readonly windowMs: number;
}

/** What a window holds. */
export interface Count {
  /** The points in it, those of this request included, admitted or not. */
  readonly points: number;
  /** The milliseconds until the oldest of them no longer count. */
  readonly msLeft: number;
}

/** The parameters of the SQL function `count_requests`. */
export const COUNTING = [
  sql.arrayOf(sql.text),
  sql.arrayOf(sql.int),
  sql.arrayOf(sql.int),
  sql.arrayOf(sql.bigint),
] as const;

/** What it returns for each key. */
export const COUNTED = { key: sql.text, points: sql.int, ms_left: sql.float };

/** The values of {@link COUNTING} for requests that arrived together: each key once. */
export function countingOf(requests: readonly CountedRequest[]): ValuesOf<typeof COUNTING> {
  const byKey = new Map<string, CountedRequest>();
  for (const each of requests) {
    byKey.set(each.key, { ...each, points: each.points + (byKey.get(each.key)?.points ?? 0) });
  }
  const keys = [...byKey.values()];
  return [
    keys.map(({ key }) => key),
    keys.map(({ points }) => points),
    keys.map(({ most }) => most),
    keys.map(({ windowMs }) => windowMs),
  ];
}

/** The count of each of these requests at its own turn: the last one of a key gets the number in the row. */
export function countsInTurn(
  requests: readonly CountedRequest[],
  rows: readonly RowOf<typeof COUNTED>[],
): Count[] {
  const left = new Map(rows.map(({ key, points, ms_left }) => [key, { points, msLeft: ms_left }]));
  return requests
    .toReversed()
    .map(({ key, points }) => {
      const count = left.get(key);
      if (count === undefined) throw new Error('A counted request has no row');
      left.set(key, { ...count, points: count.points - points });
      return count;
    })
    .toReversed();
}
