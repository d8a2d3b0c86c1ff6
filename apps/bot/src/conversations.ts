import { tell } from '@bailiff/engine/calls/dashboard-call';
import {
  type ChannelLook,
  type Conversation,
  conversationPage,
  MESSAGES_OF_PAGE,
  tellConversation,
  tellOfLook,
} from '@bailiff/engine/tickets/conversations';
import type { Database } from '@bailiff/prisma';
import { type APIMessage, type Client, GatewayDispatchEvents as Event, Routes } from 'discord.js';
import { z } from 'zod';
import { DiscordFailure } from './discord-api.ts';
import { usualRefusal } from './discord-errors.ts';
import type { Logger } from './log.ts';
import { archived } from './performers/archived-message.ts';
import { depsIn, type PerformerDeps } from './performers/deps.ts';
import { readableFor } from './readable-message.ts';

/** Nobody waits for the answer any more. */
const TOO_LATE_MS = 4_000;
/** Nobody who looks waits longer for Discord's limits. */
const LONGEST_WAIT_MS = 2_000;

const ConversationJob = z.object({
  guild_id: z.string(),
  channel_id: z.string(),
  user_id: z.string(),
  before: z.string().nullable(),
  request_id: z.string(),
  asked_at: z.string(),
});

/**
 * The job that reads what stands in a ticket's channel for somebody who waits.
 *
 * @param lookAt follows a channel whose events come to this process, before it is read: nothing written after that is
 *   missed. Other processes are told of the look.
 */
export function conversationTasks(
  deps: PerformerDeps,
  lookAt: (look: ChannelLook) => void,
  timeoutMs: number,
) {
  return {
    read_conversation: (payload: unknown) => {
      const job = ConversationJob.parse(payload);
      const follow = async (look: ChannelLook) => {
        lookAt(look);
        await tellOfLook(deps.db.pool, look);
      };
      return answerConversation(depsIn(deps, job.guild_id), job, follow, AbortSignal.timeout(timeoutMs));
    },
  };
}

/**
 * Reads what stands in a ticket's channel for somebody who looks at its page, and tells them: the messages that Discord
 * lists at this moment, if it shows the person the channel.
 */
async function answerConversation(
  deps: PerformerDeps,
  {
    guild_id: guildId,
    channel_id: channelId,
    user_id: userId,
    before,
    request_id: requestId,
    asked_at,
  }: z.output<typeof ConversationJob>,
  follow: (look: ChannelLook) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  if (Date.now() - Date.parse(asked_at) > TOO_LATE_MS) return;
  const read = async (): Promise<Conversation> => {
    const found = await readableFor(deps, { guildId, channelId, userId }, signal);
    if ('refusal' in found) return { error: found.refusal };
    await follow({ channelId, userId, isShown: found.isReadable });
    if (!found.isReadable) return { isHidden: true };
    const listed = await deps.api.get<APIMessage[]>(Routes.channelMessages(channelId), {
      query: { limit: String(MESSAGES_OF_PAGE), ...(before === null ? {} : { before }) },
      longestWaitMs: LONGEST_WAIT_MS,
      signal,
    });
    return conversationPage(listed.map(archived));
  };
  const conversation = await read().catch((error: unknown) => {
    if (error instanceof DiscordFailure) return { error: usualRefusal(error) };
    throw error;
  });
  await tellConversation(deps.db.pool, requestId, conversation);
}

/** How long a channel is followed after somebody has looked at it. Their page looks again each minute. */
const FOLLOWED_MS = 3 * 60_000;
const MOST_FOLLOWED = 2_000;
/** So that their ids fit into a notification. */
const MOST_READERS = 100;
/** Messages within this time are told of once. */
const GATHERED_MS = 500;

const CHANGES = [
  Event.MessageCreate,
  Event.MessageUpdate,
  Event.MessageDelete,
  Event.MessageDeleteBulk,
] as const;

export interface ConversationWatch {
  /** Follows a channel for some minutes, because somebody looks at it whom Discord shows it; for others no more. */
  look(look: ChannelLook): void;
  close(): Promise<void>;
}

/**
 * Tells open pages when something is written, edited or deleted in a channel that somebody looks at. It says in which
 * channel and for whom, and not what: each page asks for that itself. Others must not learn when a ticket that Discord
 * does not show them is written in.
 */
export function followConversations({
  client,
  db,
  log,
}: {
  readonly client: Client;
  readonly db: Database;
  readonly log: Logger;
}): ConversationWatch {
  /** Until when each channel is followed for each of its readers; what was looked at last is at the end. */
  const readers = new Map<string, Map<string, number>>();
  const waiting = new Map<string, NodeJS.Timeout>();

  const readersOf = (channelId: string): string[] => {
    const now = performance.now();
    return [...(readers.get(channelId) ?? [])].filter(([, end]) => end >= now).map(([userId]) => userId);
  };
  const announce = (guildId: string, channelId: string) => {
    waiting.delete(channelId);
    const userIds = readersOf(channelId);
    if (userIds.length === 0) return;
    tell(db.pool, 'conversation', guildId, { id: channelId, user_ids: userIds }).catch((err: unknown) => {
      // Pages look again within a minute.
      log.warn({ err, guild_id: guildId }, 'open pages were not told of a message in a ticket');
    });
  };
  const changed = ({
    guild_id: guildId,
    channel_id: channelId,
  }: {
    guild_id?: string;
    channel_id: string;
  }) => {
    if (guildId === undefined || !readers.has(channelId) || waiting.has(channelId)) return;
    if (readersOf(channelId).length === 0) readers.delete(channelId);
    else waiting.set(channelId, setTimeout(announce, GATHERED_MS, guildId, channelId));
  };
  for (const event of CHANGES) client.ws.on(event, changed);

  return {
    look({ channelId, userId, isShown }) {
      const ofChannel = readers.get(channelId) ?? new Map<string, number>();
      ofChannel.delete(userId);
      if (isShown) ofChannel.set(userId, performance.now() + FOLLOWED_MS);
      dropOldest(ofChannel, MOST_READERS);
      readers.delete(channelId);
      if (ofChannel.size > 0) readers.set(channelId, ofChannel);
      dropOldest(readers, MOST_FOLLOWED);
    },
    async close() {
      readers.clear();
      for (const timer of waiting.values()) clearTimeout(timer);
      waiting.clear();
    },
  };
}

function dropOldest(map: Map<string, unknown>, most: number): void {
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
}
