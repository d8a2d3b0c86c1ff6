import { translator } from '@bailiff/messages';
import { sql } from '@bailiff/prisma';
import { type APIMessage, RESTJSONErrorCodes as Code, Routes } from 'discord.js';
import { isDeletedSince, sentOnce } from './direct-message.ts';
import { DiscordFailure } from './discord-api.ts';
import { depsIn, type PerformerDeps } from './performers/deps.ts';
import { guildLocale } from './performers/guild-locale.ts';

const assignedTicket = sql.statement({
  parameters: [sql.text],
  columns: {
    guild_id: sql.text,
    channel_id: sql.text.neverNull,
    claimed_by: sql.text.neverNull,
    claimed_at: sql.timestamptz.neverNull,
    assigned_by: sql.text.neverNull,
  },
  text: `SELECT guild_id, channel_id, claimed_by, claimed_at, assigned_by FROM tickets
    WHERE id = $1 AND status = 'claimed' AND channel_id IS NOT NULL AND assigned_by IS NOT NULL`,
});

/** Says in a ticket's channel who takes care of it, and mentions them. If it changed hands again, only the last. */
export async function announceAssignment(
  deps: PerformerDeps,
  ticketId: string,
  signal: AbortSignal,
): Promise<void> {
  const ticket = await assignedTicket.first(deps.db.pool, [ticketId]);
  if (ticket === null) return;
  const { guild_id, claimed_by: userId, claimed_at, assigned_by: by } = ticket;
  const t = translator(await guildLocale(deps, guild_id), 'notices');
  await postInTicket(deps, ticket, signal, {
    content: t('tickets.assigned', { who: `<@${userId}>`, by: `<@${by}>` }),
    allowed_mentions: { users: [userId] },
    ...sentOnce(momentOf(ticketId, claimed_at), ticket.channel_id),
  });
}

/** The id of what happened to a ticket then, for {@link sentOnce}. */
export function momentOf(ticketId: string, at: Date): string {
  return `${ticketId} ${at.toISOString()}`;
}

/** Posts a message in a ticket's channel. Null if the channel is gone, or somebody has deleted the message since. */
export async function postInTicket(
  deps: PerformerDeps,
  { guild_id, channel_id }: { readonly guild_id: string; readonly channel_id: string },
  signal: AbortSignal,
  body: object,
): Promise<APIMessage | null> {
  const { api } = depsIn(deps, guild_id);
  try {
    // Discord answers with the message.
    return (await api.send('POST', Routes.channelMessages(channel_id), { signal, body })) as APIMessage;
  } catch (error) {
    if (isDeletedSince(error)) return null;
    if (error instanceof DiscordFailure && error.code === Code.UnknownChannel) return null;
    throw error;
  }
}
