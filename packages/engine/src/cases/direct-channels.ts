import { type Database, sql } from '@bailiff/prisma';

const channelOf = sql.statement({
  parameters: [sql.text],
  columns: { channel_id: sql.text },
  text: 'SELECT channel_id FROM direct_channels WHERE user_id = $1',
});

/** The channel of the bot's conversation with a person. Null if none was opened within half a year. */
export async function directChannelOf(db: Database, userId: string): Promise<string | null> {
  const known = await channelOf.first(db.pool, [userId]);
  return known?.channel_id ?? null;
}

const keepChannel = sql.command({
  parameters: [sql.text, sql.text],
  text: `INSERT INTO direct_channels (user_id, channel_id) VALUES ($1, $2)
    ON CONFLICT (user_id) DO UPDATE SET channel_id = EXCLUDED.channel_id, opened_at = EXCLUDED.opened_at`,
});

/** Remembers the channel of a conversation that was opened. Another process may have opened it too. */
export async function keepDirectChannel(db: Database, userId: string, channelId: string): Promise<void> {
  await keepChannel.run(db.pool, [userId, channelId]);
}
