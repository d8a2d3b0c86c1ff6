import { ApiError } from '@bailiff/core';
import { DatabaseTooSlow, patience } from '@bailiff/engine/database/database-errors';
import type { downloadInTurn } from '@bailiff/engine/database/in-turn';
import type { Database } from '@bailiff/prisma';

/**
 * Waits until something that a person's connection decides the length of may begin. Returns what ends it.
 *
 * @param owner takes turns with others: a guild or a person
 * @param wait.others what the error says that others of the owner do
 * @throws ApiError RATE_LIMITED if others of the same owner take too long
 */
export async function beginInTurn(
  takeTurn: typeof downloadInTurn,
  db: Database,
  owner: string,
  { waitMs, others }: { readonly waitMs: number; readonly others: string },
): Promise<() => void> {
  const forTurn = patience(waitMs);
  const ended = Promise.withResolvers<void>();
  const begun = new Promise<void>((resolve, reject) => {
    takeTurn(db, owner, forTurn, () => {
      resolve();
      return ended.promise;
    }).catch(reject);
  });
  try {
    await forTurn.within(begun);
  } catch (error) {
    ended.resolve();
    if (!(error instanceof DatabaseTooSlow)) throw error;
    const details = { scope: 'session' as const, retry_after_seconds: 5 };
    throw new ApiError('RATE_LIMITED', others, { details });
  }
  return ended.resolve;
}
