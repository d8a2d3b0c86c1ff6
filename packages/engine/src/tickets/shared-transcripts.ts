import { type Database, sql, TargetNoticeState } from '@bailiff/prisma';
import { memberNames } from '#src/guilds/guilds.ts';
import { openerJob } from './opener-jobs.ts';
import type { TranscriptMessage } from './ticket-list.ts';
import { TICKET, TICKET_COLUMNS } from './tickets.ts';
import type { SharedTranscript } from './transcript-page.ts';

const sharedTicket = sql.statement({
  parameters: [sql.text, sql.int],
  columns: {
    ...TICKET,
    guild_name: sql.text,
    transcript: sql.jsonb<readonly TranscriptMessage[]>().neverNull,
    is_cut: sql.bool,
  },
  text: `SELECT ${TICKET_COLUMNS}, transcript, is_cut, (SELECT name FROM guilds WHERE guilds.id = guild_id) AS guild_name
    FROM tickets WHERE guild_id = $1 AND number = $2 AND transcript IS NOT NULL`,
});

/** What the opener of a ticket may read of it. Null if there is no transcript. The caller decides who may see it. */
export async function sharedTranscript(
  db: Database,
  guildId: string,
  number: number,
): Promise<SharedTranscript | null> {
  const row = await sharedTicket.first(db.pool, [guildId, number]);
  if (row === null) return null;
  return {
    guildName: row.guild_name,
    number,
    subject: row.subject,
    category: row.category,
    answers: row.answers,
    openedAt: row.opened_at,
    closedAt: row.closed_at,
    messages: row.transcript,
    isCut: row.is_cut,
    names: await namesMentioned(db, guildId, row.transcript),
  };
}

/** Most people and roles who are looked up. The others are shown by id. */
const MOST_MENTIONED = 2_000;

async function namesMentioned(
  db: Database,
  guildId: string,
  messages: readonly TranscriptMessage[],
): Promise<Record<string, string>> {
  const ids = new Set<string>();
  for (const { text } of messages) {
    for (const [, id = ''] of text.matchAll(/<@[!&]?(\d{17,20})>/g)) {
      if (ids.size < MOST_MENTIONED) ids.add(id);
    }
  }
  if (ids.size === 0) return {};
  const people = await memberNames(db, guildId, [...ids]);
  const roles = await db.prisma.role.findMany({ where: { guildId }, select: { id: true, name: true } });
  return { ...people, ...Object.fromEntries(roles.map(({ id, name }) => [id, name])) };
}

/** Queues the message that brings a closed ticket's transcript to its opener. */
export const transcriptJob = openerJob('send_transcript', "s.sends_transcript AND t.transcript <> '[]'");

const claim = sql.statement({
  parameters: [sql.text],
  columns: { guild_id: sql.text, number: sql.int, opened_by: sql.text, closed_at: sql.timestamptz.neverNull },
  text: `UPDATE tickets SET transcript_notice = 'sending'
    WHERE id = $1 AND status = 'closed' AND transcript_notice IS NULL
    RETURNING guild_id, number, opened_by, closed_at`,
});

/** Claims the message with the transcript. Null if it was claimed before: there is never a second one of a closing. */
export function claimTranscript(db: Database, ticketId: string) {
  return claim.first(db.pool, [ticketId]);
}

const settle = sql.command({
  parameters: [sql.text, sql.oneOf({ TargetNoticeState }).orNull, sql.timestamptz],
  text: 'UPDATE tickets SET transcript_notice = $2 WHERE id = $1 AND closed_at = $3',
});

/** Records what became of the message. Null gives it back to another attempt. */
export async function settleTranscript(
  db: Database,
  ticketId: string,
  closedAt: Date,
  notice: TargetNoticeState | null,
): Promise<void> {
  await settle.run(db.pool, [ticketId, notice, closedAt]);
}
