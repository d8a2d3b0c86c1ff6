import { shardIsAlive } from '@bailiff/engine/guilds/gateway-shards';
import { type Database, sql } from '@bailiff/prisma';
import type { Logger } from './log.ts';
import type { Mirror } from './mirror.ts';

/** The channel on which processes of the bot ask each other to compare a guild, and say that they have begun. */
export const COMPARISONS = 'comparisons';

interface Notice {
  readonly kind: 'asked' | 'begun';
  readonly guildId: string;
}

const ANSWER_TIMEOUT_MS = 5_000;

/** Compares guilds with Discord: any process can be asked, and the process that follows the guild's events does it. */
export interface Comparisons {
  /**
   * Resolves once the comparison has begun. Nobody waits for its end: the list of a large guild takes minutes.
   *
   * @throws Error if the process that follows the guild does not confirm in time; the queue tries again
   */
  compare(guildId: string): Promise<void>;
  /** Call this with each message on the channel. */
  hear(payload: string): void;
}

const notify = sql.command({ parameters: [sql.text, sql.text], text: 'SELECT pg_notify($1, $2)' });

export function createComparisons({
  db,
  mirror,
  log,
}: {
  readonly db: Database;
  readonly mirror: Pick<Mirror, 'shardOf' | 'reconcile'>;
  readonly log: Logger;
}): Comparisons {
  const waiting = new Map<string, Set<() => void>>();
  const send = (notice: Notice) => notify.run(db.pool, [COMPARISONS, JSON.stringify(notice)]);

  const ask = async (guildId: string): Promise<void> => {
    const answered = Promise.withResolvers<boolean>();
    const resolve = () => answered.resolve(true);
    const timer = setTimeout(() => answered.resolve(false), ANSWER_TIMEOUT_MS);
    const others = waiting.get(guildId) ?? new Set();
    waiting.set(guildId, others.add(resolve));
    try {
      await send({ kind: 'asked', guildId });
      if (await answered.promise) return;
      throw new Error(`The process that follows guild ${guildId} did not take its comparison up in time.`);
    } finally {
      clearTimeout(timer);
      others.delete(resolve);
      if (others.size === 0) waiting.delete(guildId);
    }
  };

  const answer = async (guildId: string): Promise<void> => {
    mirror.reconcile(guildId);
    await send({ kind: 'begun', guildId });
  };

  return {
    compare: async (guildId) => {
      const shard = mirror.shardOf(guildId);
      if (shard.isOurs) return mirror.reconcile(guildId);
      // A process that is away compares all of its guilds when it comes back.
      if (await shardIsAlive(db, shard.id)) await ask(guildId);
    },
    hear: (payload) => {
      const { kind, guildId }: Notice = JSON.parse(payload);
      if (kind === 'begun') for (const resolve of waiting.get(guildId) ?? []) resolve();
      else if (mirror.shardOf(guildId).isOurs) {
        answer(guildId).catch((error: unknown) =>
          log.error({ err: error, guild_id: guildId }, 'a comparison that was asked for was not answered'),
        );
      }
    },
  };
}
