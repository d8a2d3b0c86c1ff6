import { createHash } from 'node:crypto';
import { translator } from '@bailiff/messages';
import { sql } from '@bailiff/prisma';
import { RESTJSONErrorCodes as Code, Routes } from 'discord.js';
import { z } from 'zod';
import { DiscordFailure } from './discord-api.ts';
import { depsIn, type PerformerDeps } from './performers/deps.ts';
import { guildLocale } from './performers/guild-locale.ts';

const JOB_TIMEOUT_MS = 8_000;

const TicketJob = z.object({ ticket_id: z.string() });

/** The jobs that write into the channels of tickets. */
export function ticketTasks(deps: PerformerDeps) {
  return {
    announce_assignment: (payload: unknown) =>
      announceAssignment(deps, TicketJob.parse(payload).ticket_id, AbortSignal.timeout(JOB_TIMEOUT_MS)),
  };
}

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
async function announceAssignment(deps: PerformerDeps, ticketId: string, signal: AbortSignal): Promise<void> {
  const ticket = await assignedTicket.first(deps.db.pool, [ticketId]);
  if (ticket === null) return;
  const { guild_id, channel_id, claimed_by: userId, claimed_at, assigned_by: by } = ticket;
  const t = translator(await guildLocale(deps, guild_id), 'notices');
  // If the answer is lost, a repetition makes no second message.
  const nonce = createHash('sha256')
    .update(`${ticketId} ${claimed_at.toISOString()}`)
    .digest('hex')
    .slice(0, 25);
  const body = {
    content: t('tickets.assigned', { who: `<@${userId}>`, by: `<@${by}>` }),
    allowed_mentions: { users: [userId] },
    nonce,
    enforce_nonce: true,
  };
  try {
    await depsIn(deps, guild_id).api.send('POST', Routes.channelMessages(channel_id), { signal, body });
  } catch (error) {
    if (error instanceof DiscordFailure && error.code === Code.UnknownChannel) return;
    throw error;
  }
}
