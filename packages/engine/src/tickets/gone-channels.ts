import { type Database, sql } from '@bailiff/prisma';

const MOST_AT_ONCE = 100;

const openWithout = sql.statement({
  parameters: [sql.text, sql.arrayOf(sql.text), sql.text],
  columns: { id: sql.text, channel_id: sql.text.neverNull },
  text: `SELECT id, channel_id FROM tickets
    WHERE guild_id = $1 AND status <> 'closed' AND channel_id IS NOT NULL AND NOT channel_id = ANY ($2) AND id > $3
    ORDER BY id LIMIT ${MOST_AT_ONCE}`,
});

/** Channels of tickets that have not ended, other than these. A hundred at a time are in memory. */
export async function* ticketsWithoutChannel(
  db: Database,
  guildId: string,
  channelIds: readonly string[],
): AsyncGenerator<string> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const tickets = await openWithout.all(db.pool, [guildId, channelIds, after]);
    for (const { channel_id } of tickets) yield channel_id;
    after = tickets[MOST_AT_ONCE - 1]?.id;
  }
}

const closeOfChannel = sql.command({
  parameters: [sql.text, sql.text, sql.text],
  text: `UPDATE tickets SET status = 'closed', closed_at = clock_timestamp(), close_reason = $3, is_cut = true,
      close_asked_at = NULL, close_asked_by = NULL, closes_at = NULL, close_agreed_at = NULL
    WHERE guild_id = $1 AND channel_id = $2 AND status <> 'closed' AND NOT EXISTS (
      SELECT FROM actions WHERE guild_id = $1 AND target_id = tickets.id AND operation = 'tickets.close'
        AND state IN ('pending', 'running', 'unknown') AND looked_at IS DISTINCT FROM 'infinity')`,
});

/**
 * Closes the ticket of a channel that was deleted by hand. What was written there is missing in its transcript. A ticket
 * that is being closed in Bailiff is left to that.
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
