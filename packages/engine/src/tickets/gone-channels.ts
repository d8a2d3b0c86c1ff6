import { type Database, sql } from '@bailiff/prisma';

const openWithout = sql.statement({
  parameters: [sql.text, sql.arrayOf(sql.text)],
  columns: { channel_id: sql.text.neverNull },
  text: `SELECT channel_id FROM tickets
    WHERE guild_id = $1 AND status <> 'closed' AND channel_id IS NOT NULL AND NOT channel_id = ANY ($2)
    ORDER BY id LIMIT 100`,
});

/** Channels of tickets that have not ended, other than these; at most a hundred. */
export async function ticketsWithoutChannel(
  db: Database,
  guildId: string,
  channelIds: readonly string[],
): Promise<string[]> {
  return (await openWithout.all(db.pool, [guildId, channelIds])).map(({ channel_id }) => channel_id);
}

const closeOfChannel = sql.command({
  parameters: [sql.text, sql.text, sql.text],
  text: `UPDATE tickets SET status = 'closed', closed_at = clock_timestamp(), close_reason = $3,
      close_asked_at = NULL, close_asked_by = NULL, closes_at = NULL, close_agreed_at = NULL
    WHERE guild_id = $1 AND channel_id = $2 AND status <> 'closed' AND NOT EXISTS (
      SELECT FROM actions WHERE guild_id = $1 AND target_id = tickets.id AND operation = 'tickets.close'
        AND state IN ('pending', 'running', 'unknown'))`,
});

/**
 * Closes the ticket of a channel that was deleted by hand. A ticket that is being closed in Bailiff is left to that.
 *
 * @returns whether there was one
 */
export async function closeTicketOfChannel(
  db: Database,
  guildId: string,
  channelId: string,
  reason: string,
): Promise<boolean> {
  return (await closeOfChannel.run(db.pool, [guildId, channelId, reason])) > 0;
}
