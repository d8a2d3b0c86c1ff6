import { sql } from '@bailiff/prisma';
import type { Transaction } from '#src/database/transaction.ts';

const closeWindows = sql.statement({
  parameters: [sql.text, sql.text.orNull],
  columns: { id: sql.text, was_open: sql.bool },
  // Those that admitted one call are closed already, and the call may not have been taken up.
  text: `WITH found AS (
      SELECT id, NOT window_is_over(expires_at, closed_at) AS was_open FROM windows
      WHERE token_id = $1 AND ($2::text IS NULL OR id = $2) AND expires_at > clock_timestamp()),
    closed AS (UPDATE windows SET closed_at = clock_timestamp() WHERE id IN (SELECT id FROM found WHERE was_open))
    SELECT id, was_open FROM found`,
});

const cancelInWindows = sql.statement({
  parameters: [sql.arrayOf(sql.text)],
  columns: { cancelled: sql.int },
  text: 'SELECT cancel_in_windows($1) AS cancelled',
});

/**
 * Ends one window of a token that the caller has locked, or all of them, and cancels what they admitted and nobody has
 * begun. Returns the ids of those that were open, and how many calls were cancelled.
 */
export async function endWindows(
  tx: Transaction,
  tokenId: string,
  windowId: string | null,
): Promise<{ closed: string[]; cancelled: number }> {
  const found = await closeWindows.all(tx, [tokenId, windowId]);
  const { cancelled } = await cancelInWindows.only(tx, [found.map(({ id }) => id)]);
  return { closed: found.filter(({ was_open }) => was_open).map(({ id }) => id), cancelled };
}
