import type { BotOperation } from '@bailiff/core';
import { type Database, sql } from '@bailiff/prisma';
import { forbidden, notFound } from '#src/calls/action-errors.ts';
import type { Action, ActionError } from '#src/calls/actions.ts';
import { isOfMany } from '#src/cases/many-effects.ts';
import { dueMeasure, type MeasureKey, roleSubject } from '#src/guilds/measures.ts';
import { isOfEscalation } from './escalation-actions.ts';

/**
 * Why an action that claims to be the system's is not; null if it is. The system only lifts expired bans, ends
 * measures whose time is over, closes tickets whose opener was asked, carries out escalations, and does one by one what
 * a mass action asks for. A record that falsely claims to be the system's is not performed.
 */
export async function flawOfSystemAction(
  db: Database,
  action: Action<BotOperation>,
): Promise<ActionError | null> {
  if (await isOfMany(db, action)) return null;
  if (action.operation === 'bans.lift') {
    const { userId } = action.input;
    return (await hasExpiredBan(db, action.guildId, userId)) ? null : notFound('expired_ban', userId);
  }
  if (action.operation === 'tickets.close') {
    const { ticket_id: id } = action.input;
    return (await isDueToClose(db, action.guildId, id)) ? null : notFound('due_change', id);
  }
  const key = measureEndedBy(action);
  if (key !== null) {
    const due = await dueMeasure(db, key);
    const fits =
      due !== null &&
      (action.operation !== 'channels.slowmode' || due.before.seconds === action.input.slowmode_seconds);
    return fits ? null : notFound('due_change', key.subjectId);
  }
  return (await isOfEscalation(db, action)) ? null : forbidden('NOT_DUE');
}

/** The measure that an action of the system ends; null for an action that ends none. */
function measureEndedBy({ guildId, operation, input }: Action<BotOperation>): MeasureKey | null {
  if (operation === 'channels.unlock') return { guildId, kind: 'lock', subjectId: input.channelId };
  if (operation === 'channels.reopen') return { guildId, kind: 'lock', subjectId: guildId };
  if (operation === 'roles.end') {
    const { user_id: userId, role_id: roleId } = input;
    return { guildId, kind: 'role', subjectId: roleSubject({ userId, roleId }) };
  }
  if (operation === 'channels.slowmode') return { guildId, kind: 'slowmode', subjectId: input.channel_id };
  return null;
}

// A second is allowed in both: the queue found the job due by a clock that may have stepped back a little since.
const overdueBan = sql.command({
  parameters: [sql.text, sql.text],
  text: `SELECT FROM cases WHERE guild_id = $1 AND user_id = $2 AND kind IN ('ban', 'softban')
    AND case_is_overdue(ended_at, expires_at - interval '1 second') LIMIT 1`,
});

async function hasExpiredBan({ pool }: Database, guildId: string, userId: string): Promise<boolean> {
  return (await overdueBan.run(pool, [guildId, userId])) === 1;
}

const dueTicket = sql.command({
  parameters: [sql.text, sql.text],
  text: `SELECT FROM tickets WHERE guild_id = $1 AND id = $2 AND status <> 'closed' AND close_asked_at IS NOT NULL
    AND closes_at <= clock_timestamp() + interval '1 second'`,
});

async function isDueToClose({ pool }: Database, guildId: string, ticketId: string): Promise<boolean> {
  return (await dueTicket.run(pool, [guildId, ticketId])) === 1;
}
