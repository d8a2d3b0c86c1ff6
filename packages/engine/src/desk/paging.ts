/** Where a page of a list begins, and how many rows it has at most; rows are told apart by a mark of their own. */
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
  /** `before` of the next page; null where this one is the last. */
  readonly older: Mark | null;
  /** `after` of the page before; null where this one is the first. */
  readonly newer: Mark | null;
}

/**
 * The page out of what was read for it: one row more than fits, beginning next to `before` or `after`. What was read
 * from `after` on comes oldest first.
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
