import { sql } from '@bailiff/prisma';
import type { Transaction } from '#src/database/transaction.ts';

const end = sql.statement({
  parameters: [sql.text, sql.text.orNull],
  columns: { closed: sql.arrayOf(sql.text), cancelled: sql.int },
  text: 'SELECT closed, cancelled FROM end_windows(ARRAY[$1], $2)',
});

/**
 * Ends one window of a token that the caller has locked, or all of them, and cancels what they admitted and nobody has
 * begun. Returns the ids of those that were open, and how many calls were cancelled.
 */
export function endWindows(
  tx: Transaction,
  tokenId: string,
  windowId: string | null,
): Promise<{ closed: string[]; cancelled: number }> {
  return end.only(tx, [tokenId, windowId]);
}
