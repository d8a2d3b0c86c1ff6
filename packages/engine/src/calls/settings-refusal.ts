import { ApiError, type Call, isCommandAllowed } from '@bailiff/core';
import { type Database, sql } from '@bailiff/prisma';
import { forbidden } from './action-errors.ts';

const policyOfServer = sql.statement({
  parameters: [sql.text, sql.text],
  // Nobody writes null there; Prisma cannot say so of a list.
  columns: { allow: sql.arrayOf(sql.text).neverNull, deny: sql.arrayOf(sql.text).neverNull },
  text: 'SELECT allow_patterns AS allow, deny_patterns AS deny FROM game_servers WHERE id = $1 AND guild_id = $2',
});

/**
 * What the guild's own settings forbid, whoever asks and whatever window is open: judged after the capability and
 * before the window (decisions: Game servers). Null when nothing stands against the call.
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
