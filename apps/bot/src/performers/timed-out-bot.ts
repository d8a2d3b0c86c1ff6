import { forbidden } from '@bailiff/engine/calls/action-errors';
import type { ActionError } from '@bailiff/engine/calls/actions';
import type { PerformerDeps } from './deps.ts';
import { findMember } from './members.ts';

/**
 * How an action ended, with the true reason if the bot is timed out in the guild: Discord refuses what it does then as if
 * its role lacked the permission. Who is told that would look for a permission that is there.
 */
export async function sayingIfTimedOut<Ended extends object>(
  deps: PerformerDeps,
  guildId: string,
  ended: Ended,
  signal: AbortSignal,
): Promise<Ended> {
  if (!lacksPermission(ended)) return ended;
  // If it cannot be read, what Discord said stays.
  const bot = await findMember(deps, guildId, deps.botUserId, signal).catch(() => null);
  const isTimedOut = Date.parse(bot?.communication_disabled_until ?? '') > Date.now();
  return isTimedOut ? { ...ended, error: forbidden('BOT_TIMED_OUT') } : ended;
}

function lacksPermission(ended: object): boolean {
  if (!('state' in ended && ended.state === 'failed' && 'error' in ended)) return false;
  const { details } = ended.error as ActionError;
  return details !== undefined && 'reason' in details && details.reason === 'BOT_MISSING_PERMISSION';
}
