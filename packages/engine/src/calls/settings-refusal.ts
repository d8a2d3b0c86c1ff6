import { ApiError, type Call, isCommandAllowed } from '@bailiff/core';
import { type Database, sql } from '@bailiff/prisma';
import { forbidden } from './action-errors.ts';

const policyOfServer = sql.statement({
  parameters: [sql.text, sql.text],
  // The column is never null, but Prisma cannot express that for a list.
  columns: { allow: sql.arrayOf(sql.text).neverNull, deny: sql.arrayOf(sql.text).neverNull },
  text: 'SELECT allow_patterns AS allow, deny_patterns AS deny FROM game_servers WHERE id = $1 AND guild_id = $2',
});

/**
 * The refusal that follows from the guild's own settings, for any caller and any open window. Null if they allow the
 * call. Checked after the capability and before the window (decisions: Game servers).
 */
export async function settingsRefusal(
  db: Database,
  guildId: string,
  call: Call,
): Promise<ApiError<'FORBIDDEN'> | null> {
  if (call.operation !== 'servers.rcon') return null;
  const { serverId, command } = call.input;
  const policy = await policyOfServer.first(db.pool, [serverId, guildId]);
  if (policy === null || isCommandAllowed(policy, command)) return null;
  const { message } = forbidden('COMMAND_NOT_ALLOWED');
  return new ApiError('FORBIDDEN', message, { details: { reason: 'COMMAND_NOT_ALLOWED' } });
}
