import { watchedPeople, wordsKeeper } from '@bailiff/engine/guilds/words-alerts';
import type { Database } from '@bailiff/prisma';
import {
  type Client,
  GatewayDispatchEvents as Event,
  type GatewayMessageCreateDispatchData,
  MessageType,
  messageLink,
} from 'discord.js';
import { z } from 'zod';
import { postCasesOf } from './join-alerts.ts';
import type { Logger } from './log.ts';
import type { LogChannelDeps } from './log-channel.ts';

/** How often the people are read anew: who has a new case, and who has written more than a day ago. */
const REFRESHED_EVERY_MS = 600_000;
/** Settings that change within this time share a statement: a start brings thousands of such notifications. */
const GATHERED_MS = 1_000;
/**
 * Most people that a process watches, about 20 MB. Beyond that, some are left out in the guilds with the most, and the
 * log says so: no guild takes the places of another.
 */
const MOST_WATCHED = 200_000;

/** Messages that a person writes; others say that something happened. */
const WRITTEN: ReadonlySet<MessageType> = new Set([MessageType.Default, MessageType.Reply]);

export interface WordsWatch {
  /** Reads soon whom to watch in a guild, because its settings have changed. */
  refresh(guildId: string | undefined): void;
  close(): Promise<void>;
}

interface WordsSettings {
  readonly client: Client;
  readonly db: Database;
  readonly log: Logger;
  readonly shardCount: () => number;
  /** What tests may change. */
  readonly mostWatched?: number;
}

/**
 * Notes from now on when people with cases write, in guilds that are told of it after a silence. A message of anybody
 * else costs a look into a set, and one of theirs a statement once a day.
 */
export function followWords({
  client,
  db,
  log,
  shardCount,
  mostWatched = MOST_WATCHED,
}: WordsSettings): WordsWatch {
  const note = wordsKeeper(db);
  const watched = new Map<string, Set<string>>();
  let waiting: Set<string> | 'all' = new Set();
  let soon: NodeJS.Timeout | undefined;
  let running = Promise.resolve();

  client.ws.on(Event.MessageCreate, (data: GatewayMessageCreateDispatchData) => {
    const guildId = data.guild_id;
    if (guildId === undefined || !WRITTEN.has(data.type)) return;
    const userId = data.author.id;
    const people = watched.get(guildId);
    // Who is noted is not looked at again before a day has gone by.
    if (people?.delete(userId) !== true) return;
    note({ guildId, userId, channelId: data.channel_id, messageId: data.id }).catch((err: unknown) => {
      // Their next message is noted instead.
      people.add(userId);
      log.warn({ err, guild_id: guildId }, 'a message of somebody with cases is not noted');
    });
  });
  const later = () => {
    soon ??= setTimeout(() => {
      soon = undefined;
      running = running.then(read);
    }, GATHERED_MS);
    soon.unref();
  };
  const all = () => {
    waiting = 'all';
    later();
  };
  const every = setInterval(all, REFRESHED_EVERY_MS);
  every.unref();
  for (const event of [Event.Ready, Event.Resumed] as const) client.ws.on(event, all);

  async function read(): Promise<void> {
    const guildIds = waiting === 'all' ? null : [...waiting];
    waiting = new Set();
    const shards = { shardIds: [...client.ws.shards.keys()], shardCount: shardCount() };
    const left = new Set(guildIds ?? watched.keys());
    try {
      for await (const { guildId, userIds } of watchedPeople(db, { ...shards, guildIds })) {
        left.delete(guildId);
        watch(guildId, userIds);
      }
      for (const guildId of left) watched.delete(guildId);
    } catch (err) {
      log.warn({ err }, 'whose messages to note is not read; trying again in ten minutes');
    }
  }

  function watch(guildId: string, userIds: readonly string[]): void {
    watched.delete(guildId);
    if (userIds.length > 0) watched.set(guildId, new Set(userIds));
    let count = 0;
    for (const { size } of watched.values()) count += size;
    if (count <= mostWatched) return;
    const sizes = Array.from(watched.values(), ({ size }) => size);
    const share = shareOf(sizes, mostWatched);
    if (userIds.length > share)
      log.warn({ guild_id: guildId, most: share }, 'too many people with cases to watch their messages');
    for (const people of watched.values()) {
      if (people.size <= share) continue;
      for (const userId of [...people].slice(share)) people.delete(userId);
    }
  }

  return {
    refresh: (guildId) => {
      if (guildId === undefined) return;
      if (waiting !== 'all') waiting.add(guildId);
      later();
    },
    close: async () => {
      clearInterval(every);
      clearTimeout(soon);
      await running;
    },
  };
}

/** The most people of one guild for which there is room if all guilds have as many at most. */
function shareOf(sizes: readonly number[], room: number): number {
  let left = room;
  for (const [index, size] of sizes.toSorted((a, b) => a - b).entries()) {
    const share = Math.floor(left / (sizes.length - index));
    if (size > share) return share;
    left -= size;
  }
  return Number.POSITIVE_INFINITY;
}

const WordsJob = z.object({
  guild_id: z.string(),
  user_id: z.string(),
  channel_id: z.string(),
  message_id: z.string(),
  days: z.int(),
});

/** The job that tells moderators of somebody with cases who has written after a silence. */
export function wordsTasks(deps: LogChannelDeps, timeoutMs: number) {
  return {
    post_words: async (payload: unknown) => {
      const { guild_id: guildId, user_id: userId, channel_id, message_id, days } = WordsJob.parse(payload);
      const url = messageLink(channel_id, message_id, guildId);
      await postCasesOf(
        deps,
        { guildId, userId, about: message_id },
        (t, count) => t('log.wroteAgain', { user: `<@${userId}>`, id: userId, url, days, count }),
        timeoutMs,
      );
    },
  };
}
