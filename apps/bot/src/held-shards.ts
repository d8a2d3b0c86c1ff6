import type { ChannelLook } from '@bailiff/engine/tickets/conversations';
import type { Database } from '@bailiff/prisma';
import type { DiscordRefusal } from './discord.ts';
import {
  type ConnectedShards,
  type FollowedShards,
  type FollowSettings,
  followShards,
} from './follow-shards.ts';
import { type Handover, handoverOf } from './handover.ts';
import type { Mirror } from './mirror.ts';
import { retryUntilAborted } from './retry.ts';
import { ShardLease, ShardsLost } from './shard-lease.ts';
import { type Shards, shardOf } from './shards.ts';

export interface HeldShardsSettings
  extends Omit<FollowSettings, 'shards' | 'holderId' | 'handover' | 'lost' | 'mayAnswer' | 'onRefusal'> {
  /** The shards that this process is meant for. */
  readonly home: Shards;
  /** For the lease alone. */
  readonly leaseDb: Pick<Database, 'pool'>;
  /** Under which this process takes shards, unless it goes on with those of another one. */
  readonly processId: string;
  /** The `application_name` of a connection that this process keeps. */
  readonly session: string;
  readonly onFatal: (reason: DiscordRefusal | ShardsLost) => void;
}

/** What follows once some of the shards are connected. */
export interface FirstShards {
  readonly first: ConnectedShards;
  /** Resolves once all of them are connected and every guild is compared. */
  settled(): Promise<void>;
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/** The shards that this process has: those that it is meant for, and those of processes that were lost. */
export class HeldShards implements Pick<Mirror, 'shardOf' | 'reconcile'> {
  readonly #settings: HeldShardsSettings;
  readonly #lease: ShardLease;
  readonly #followed = new Set<FollowedShards>();
  readonly #givenBack = new WeakSet<FollowedShards>();
  /** By the id of a shard that was taken later: ends the attempts to follow it. */
  readonly #attempts = new Map<number, AbortController>();
  readonly #taken = Promise.withResolvers<readonly number[]>();
  #hasBegun = false;

  constructor(settings: HeldShardsSettings) {
    this.#settings = settings;
    const { home, leaseDb, processId, session, log, reads, onFatal } = settings;
    this.#lease = new ShardLease({
      db: leaseDb,
      id: processId,
      session,
      home,
      log,
      onTaken: (shardIds) => this.#onTaken(shardIds),
      isReading: () => reads.isBusy,
      onOthersReading: (others) => reads.shareWith(others),
      onGiveBack: (shardId) => this.#giveBack(shardId),
      onLost: () => onFatal(new ShardsLost()),
    });
  }

  /** Takes shards, or goes on with those that are handed over, and connects. Waits while other processes have all. */
  async begin(handover: Handover | null): Promise<FirstShards> {
    const { signal } = this.#settings;
    const handed = (await this.#lease.begin(handover?.holderId)) ?? [];
    if (handed.length > 0) this.#taken.resolve(handed);
    const aborted = Promise.withResolvers<never>();
    signal.addEventListener('abort', () => aborted.reject(signal.reason), { once: true });
    const shardIds = await Promise.race([this.#taken.promise, aborted.promise]);
    signal.throwIfAborted();
    this.#hasBegun = true;
    const [first, ...others] = this.#groups(shardIds).map((ids) =>
      this.#follow(ids, handoverOf(handover, ids)),
    );
    if (first === undefined) throw new Error('A bot was given no shards.');
    const beside = Promise.all(
      others.map(async (followed) => {
        try {
          const connected = await followed.connect();
          await connected.beginChat();
          await connected.settled();
        } catch (error) {
          if (!this.#givenBack.has(followed)) throw error;
        }
      }),
    );
    beside.catch(() => {});
    const connected = await first.connect();
    return {
      first: connected,
      settled: async () => {
        await Promise.all([connected.settled(), beside]);
      },
    };
  }

  /** The shard of a guild, and whether this process follows its events. */
  shardOf(guildId: string): { id: number; isOurs: boolean } {
    const id = shardOf(guildId, this.#settings.home.count);
    return { id, isOurs: this.#mirrorOf(id)?.shardOf(guildId).isOurs ?? false };
  }

  reconcile(guildId: string): void {
    this.#mirrorOf(this.shardOf(guildId).id)?.reconcile(guildId);
  }

  /** Closes all connections so that another process can go on with them, under the same lease. */
  async handOver(): Promise<Handover> {
    const [first, ...others] = [...this.#followed];
    if (first === undefined) throw new Error('The bot is not connected to Discord yet.');
    const left = await first.handOver();
    const more = await Promise.all(others.map((followed) => followed.handOver()));
    return {
      ...left,
      sessions: [left, ...more].flatMap(({ sessions }) => sessions),
      comparing: [left, ...more].flatMap(({ comparing }) => comparing),
      untrusted: [left, ...more].flatMap(({ untrusted = [] }) => untrusted),
      removedBot: [left, ...more].flatMap(({ removedBot = [] }) => removedBot),
      unavailable: [left, ...more].flatMap(({ unavailable = [] }) => unavailable),
      ticketsWaitIn: [left, ...more].flatMap(({ ticketsWaitIn = [] }) => ticketsWaitIn),
      holderId: await this.#lease.handOver(),
    };
  }

  /** Reads soon whose messages to note in a guild, because its settings have changed. */
  refreshWords(guildId: string | undefined): void {
    if (guildId === undefined) return;
    const id = shardOf(guildId, this.#settings.home.count);
    [...this.#followed].find(({ shardIds }) => shardIds.includes(id))?.refreshWords(guildId);
  }

  /** Follows a ticket's channel for some minutes, because somebody looks at it. Its shard may be another process's. */
  lookAt(look: ChannelLook): void {
    for (const followed of this.#followed) followed.lookAt(look);
  }

  /** Answers no more commands. Resolves when the running ones are answered. */
  async endChats(): Promise<void> {
    await Promise.all([...this.#followed].map((followed) => followed.endChat()));
  }

  /** Ends everything, and leaves the shards to others. */
  async close(): Promise<void> {
    await Promise.all([...this.#followed].map((followed) => followed.stop()));
    await this.#lease.close();
  }

  #mirrorOf(shardId: number): Mirror | undefined {
    return [...this.#followed].find(({ shardIds }) => shardIds.includes(shardId))?.mirror;
  }

  /** Its own shards together, and each of the others by itself, because that one may be given back. */
  #groups(shardIds: readonly number[]): (readonly number[])[] {
    const { ids } = this.#settings.home;
    const own = shardIds.filter((id) => ids.includes(id));
    const guests = shardIds.filter((id) => !ids.includes(id)).map((id) => [id]);
    return own.length === 0 ? guests : [own, ...guests];
  }

  #follow(ids: readonly number[], handover: Handover | null): FollowedShards {
    const { home, onFatal } = this.#settings;
    const followed = followShards({
      ...this.#settings,
      shards: { ids, count: home.count },
      holderId: this.#lease.id,
      handover,
      lost: this.#lease.signal,
      mayAnswer: () => this.#lease.mayAnswer(),
      onRefusal: onFatal,
    });
    this.#followed.add(followed);
    return followed;
  }

  #onTaken(shardIds: readonly number[]): void {
    if (!this.#hasBegun) this.#taken.resolve(shardIds);
    else for (const ids of this.#groups(shardIds)) void this.#followMore(ids);
  }

  /** Follows further shards. Those that are followed already notice nothing, whatever happens. */
  async #followMore(ids: readonly number[]): Promise<void> {
    const { signal, log } = this.#settings;
    const attempts = new AbortController();
    for (const shardId of ids) this.#attempts.set(shardId, attempts);
    await retryUntilAborted(
      async () => {
        const followed = this.#follow(ids, null);
        try {
          const connected = await followed.connect();
          await connected.beginChat();
        } catch (error) {
          this.#followed.delete(followed);
          await followed.stop();
          throw error;
        }
      },
      {
        signal: AbortSignal.any([signal, this.#lease.signal, attempts.signal]),
        firstPauseMs: FIRST_PAUSE_MS,
        longestPauseMs: LONGEST_PAUSE_MS,
        onFailure: (err, pause_ms) =>
          log.error(
            { err, pause_ms, shards: ids },
            'shards of a lost process are not connected; trying again',
          ),
      },
    );
  }

  async #giveBack(shardId: number): Promise<void> {
    // It may not be connected yet, and must not be once it is another process's.
    this.#attempts.get(shardId)?.abort();
    this.#attempts.delete(shardId);
    const followed = [...this.#followed].find(({ shardIds }) => shardIds.includes(shardId));
    if (followed === undefined) return;
    this.#givenBack.add(followed);
    await followed.stop();
    this.#followed.delete(followed);
  }
}
