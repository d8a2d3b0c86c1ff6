import { ApiError, type InputOf, isCommandAllowed, type OperationName } from '@bailiff/core';
import type { Database } from '@bailiff/prisma';
import { forbidden } from './action-errors.ts';

/**
 * What the guild's own settings forbid, whoever asks and whatever window is open: judged after the capability and
 * before the window (decisions: Operations, game servers). Null when nothing stands against the call.
 */
export async function settingsRefusal(
  db: Database,
  call: { operation: OperationName; guildId: string; input: object },
): Promise<ApiError<'FORBIDDEN'> | null> {
  if (call.operation !== 'servers.rcon') return null;
  const { serverId, command } = call.input as InputOf<'servers.rcon'>;
  const { rows } = await db.pool.query<{ allow: string[]; deny: string[] }>({
    name: 'command_policy',
    text: 'SELECT allow_patterns AS allow, deny_patterns AS deny FROM game_servers WHERE id = $1 AND guild_id = $2',
    values: [serverId, call.guildId],
  });
  const [policy] = rows;
  if (policy === undefined || isCommandAllowed(policy, command)) return null;
  const { message } = forbidden('COMMAND_NOT_ALLOWED');
  return new ApiError('FORBIDDEN', message, { details: { reason: 'COMMAND_NOT_ALLOWED' } });
}
