import { ApiError, entryOf, type OperationName } from '@bailiff/core';
import { sql } from '@bailiff/prisma';
import type { Engine } from '#src/engine.ts';
import { COUNTED, COUNTING, countingOf } from './count-requests.ts';

/** As many as a member's own limits let succeed within an hour: 30 tickets, 5 reports, 5 codes. */
const MOST_ASKED = 40;
const ASKED_WITHIN_MS = 60 * 60_000;

const countAsked = sql.statement({
  parameters: COUNTING,
  columns: COUNTED,
  text: 'SELECT key, points, ms_left FROM count_requests($1, $2, $3, $4)',
});

/**
 * Counts what everybody in a guild may ask for without a capability. Each call leaves an action and two rows of the
 * audit log, also where it is refused, so a member who never stops would bury what others did.
 *
 * @throws ApiError RATE_LIMITED. Nothing is recorded then
 */
export async function countAskOfMember(
  { db }: Pick<Engine, 'db'>,
  { operation, guildId, userId }: { operation: OperationName; guildId: string; userId: string },
): Promise<void> {
  if (entryOf(operation).capability !== 'none') return;
  const key = `asks:${guildId}:${userId}`;
  const counted = { key, points: 1, most: MOST_ASKED, windowMs: ASKED_WITHIN_MS };
  const { points, ms_left } = await countAsked.only(db.pool, countingOf([counted]));
  if (points <= MOST_ASKED) return;
  const seconds = Math.max(1, Math.ceil(ms_left / 1000));
  throw new ApiError('RATE_LIMITED', `You have asked too often here. Try again in ${seconds} s.`, {
    details: { scope: 'session', retry_after_seconds: seconds },
  });
}
