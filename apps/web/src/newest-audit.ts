import { fitsAudit } from './audit-filter.ts';
import type { AuditParameters } from './audit-query.ts';
import type { AuditRow } from './audit-row.ts';

interface List {
  /** The rows that the server rendered, of the first page. */
  readonly rows: readonly AuditRow[];
  /** The filter in the page's address, without a search. */
  readonly given: AuditParameters;
  /** The largest number of rows to show. */
  readonly most: number;
}

/**
 * What a list of the newest rows has to remember of all that it has heard, with what is new: the rows that fit, and the
 * outcomes of calls that were rendered, which may not fit.
 */
export function rememberAudit(
  heard: readonly AuditRow[],
  news: readonly AuditRow[],
  { rows, given, most }: List,
): readonly AuditRow[] {
  const rendered = new Set(rows.map(keyOf));
  return (
    newestFirst([...heard, ...news])
      .filter((row) => rendered.has(keyOf(row)) || fitsAudit(row, given))
      // At most as many as were rendered do not fit, and one more than are shown says that there are more.
      .slice(0, rows.length + most + 1)
  );
}

/** The newest rows, and whether there are more than are shown. */
export function newestAudit(
  heard: readonly AuditRow[],
  { rows, given, most }: List,
): { readonly shown: readonly AuditRow[]; readonly hasMore: boolean } {
  const fitting = newestFirst([...rows, ...heard]).filter((row) => fitsAudit(row, given));
  return { shown: fitting.slice(0, most), hasMore: fitting.length > most };
}

function newestFirst(rows: readonly AuditRow[]): readonly AuditRow[] {
  const latest = new Map<string, AuditRow>();
  for (const row of rows.toSorted((a, b) => compare(a.at, b.at) || compare(a.id, b.id))) {
    // Only the outcome of a call is listed, at its own time, as when the list is read again.
    latest.delete(keyOf(row));
    latest.set(keyOf(row), row);
  }
  return [...latest.values()].toReversed();
}

/** The call of a row, or the row itself if it is of none. */
function keyOf({ actionId, id }: AuditRow): string {
  return actionId ?? id;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
