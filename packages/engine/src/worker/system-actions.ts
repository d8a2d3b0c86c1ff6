import type { BotOperation } from '@bailiff/core';
import { type Database, sql } from '@bailiff/prisma';
import { forbidden, notFound } from '#src/calls/action-errors.ts';
import type { Action, ActionError } from '#src/calls/actions.ts';
import { isOfEscalation } from './escalation-actions.ts';

/**
 * Why an action that claims to be the system's is not; null if it is. The system only lifts expired bans and carries
 * out escalations. A record that falsely claims to be the system's is not performed.
 */
export async function flawOfSystemAction(
  db: Database,
  action: Action<BotOperation>,
): Promise<ActionError | null> {
  if (action.operation === 'bans.lift') {
    const { userId } = action.input;
    return (await hasExpiredBan(db, action.guildId, userId)) ? null : notFound('expired_ban', userId);
  }
  return (await isOfEscalation(db, action)) ? null : forbidden('NOT_DUE');
}

const overdueBan = sql.command({
  parameters: [sql.text, sql.text],
  text: `SELECT FROM cases WHERE guild_id = $1 AND user_id = $2 AND kind = 'ban'
    AND case_is_overdue(ended_at, expires_at) LIMIT 1`,
});

async function hasExpiredBan({ pool }: Database, guildId: string, userId: string): Promise<boolean> {
  return (await overdueBan.run(pool, [guildId, userId])) === 1;
}
