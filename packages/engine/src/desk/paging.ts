/** Where a page of a list begins, and the most rows it has. A mark identifies each row. */
export interface PageStart<Mark> {
  /** Rows older than this one. */
  readonly before?: Mark | undefined;
  /** Rows newer than this one; wins over `before`. */
  readonly after?: Mark | undefined;
  readonly limit: number;
}

/** A page of a list, newest first. */
export interface Page<Row, Mark = number> {
  readonly rows: readonly Row[];
  /** `before` of the next page. Null if this is the last page. */
  readonly older: Mark | null;
  /** `after` of the previous page. Null if this is the first page. */
  readonly newer: Mark | null;
}

/** The page of a list with filters that nothing can match. */
export const EMPTY_PAGE = { rows: [], older: null, newer: null } as const satisfies Page<never, never>;

/**
 * The page made from the rows read for it: one row more than the limit, next to `before` or `after`. Rows read with
 * `after` come oldest first.
 */
export function pageOf<Row, Mark>(
  read: readonly Row[],
  { before, after, limit }: PageStart<Mark>,
  markOf: (row: Row) => Mark,
): Page<Row, Mark> {
  const hasMore = read.length > limit;
  const kept = read.slice(0, limit);
  const rows = after === undefined ? kept : kept.toReversed();
  const [first] = rows;
  const last = rows.at(-1);
  const hasNewer = after === undefined ? before !== undefined : hasMore;
  const hasOlder = after === undefined ? hasMore : true;
  return {
    rows,
    newer: hasNewer && first !== undefined ? markOf(first) : null,
    older: hasOlder && last !== undefined ? markOf(last) : null,
  };
}
