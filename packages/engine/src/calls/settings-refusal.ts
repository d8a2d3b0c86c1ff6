import { ApiError, type Call, type ForbiddenReason, isCommandAllowed } from '@bailiff/core';
import { type Database, sql } from '@bailiff/prisma';
import { forbidden } from './action-errors.ts';

const policyOfServer = sql.statement({
  parameters: [sql.text, sql.text],
  // The column is never null, but Prisma cannot express that for a list.
  columns: { allow: sql.arrayOf(sql.text).neverNull, deny: sql.arrayOf(sql.text).neverNull },
  text: 'SELECT allow_patterns AS allow, deny_patterns AS deny FROM game_servers WHERE id = $1 AND guild_id = $2',
});

/**
 * Why the guild's own settings deny a call, for any caller and any open window. Null if they allow it. The call is
 * refused after its Idempotency-Key was looked up and before its window is (SQL `admit_call`).
 */
export async function settingsDenial(
  db: Database,
  guildId: string,
  call: Call,
): Promise<ForbiddenReason | null> {
  if (call.operation !== 'servers.rcon') return null;
  const { serverId, command } = call.input;
  const policy = await policyOfServer.first(db.pool, [serverId, guildId]);
  return policy === null || isCommandAllowed(policy, command) ? null : 'COMMAND_NOT_ALLOWED';
}

/** The refusal of a call that the guild's own settings deny. */
export function deniedBySettings(reason: ForbiddenReason): ApiError<'FORBIDDEN'> {
  const { message } = forbidden(reason);
  return new ApiError('FORBIDDEN', message, { details: { reason } });
}
