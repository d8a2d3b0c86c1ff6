import { beatShard, distrustShard, endShard, shardLost } from '@bailiff/engine/guilds/gateway-shards';
import type { Database } from '@bailiff/prisma';
import type { Client } from 'discord.js';
import type { Logger } from './log.ts';
import { retryMirrorWrite } from './mirror-retry.ts';
import { shardOf } from './shards.ts';

/** One shard's connection to the gateway. */
export interface Connection {
  readonly shardId: number;
  /** Counts sessions. Events between two sessions may be lost, so what was read in one is not trusted in the next. */
  session: number;
  /** The guilds of the session: those that it began with, and those that have come since. */
  guildIds: Set<string>;
  /**
   * Whether the mirror has every event so far: the session has begun, or the events that a resume replays are written.
   */
  followed: boolean;
  /** Resolves once the session's guilds are marked as not trusted in the database. All writes wait for it. */
  distrusted: Promise<void>;
  /**
   * The guilds that must be marked as not trusted and are not yet. While there are any, nobody writes that the shard is
   * alive: the mirror of all its guilds is not fresh soon.
   */
  readonly untrusted: Set<string>;
  /** Monotonic time at which the connection was last known to be alive, in milliseconds. */
  aliveAtMs: number;
  lastPing: number;
  /** Monotonic time at which it was lost. Null while it is there. */
  lostAtMs: number | null;
}

export interface ConnectionSettings {
  readonly db: Database;
  readonly client: Client;
  readonly log: Logger;
  /** Ends all retries. */
  readonly signal: AbortSignal;
}

const BEAT_INTERVAL_MS = 5_000;
/**
 * Discord asks for a heartbeat every 41 s. A connection without an acknowledgement for longer than this counts as dead.
 */
const LONGEST_SILENCE_MS = 60_000;

/**
 * Records which shards of this process are alive. The mirror of a guild is fresh only while its shard is alive. A
 * connection that is lost and resumed within a minute changes nothing: Discord repeats the events that were missed.
 */
export class Connections {
  readonly #settings: ConnectionSettings;
  readonly #byShard = new Map<number, Connection>();
  readonly #beats: NodeJS.Timeout;

  constructor(settings: ConnectionSettings) {
    this.#settings = settings;
    const { client } = settings;
    client.on('shardReconnecting', (shardId) => this.#lost(this.of(shardId)));
    client.on('shardDisconnect', (_close, shardId) => this.#lost(this.of(shardId)));
    client.on('shardError', (error, shardId) => this.#failed(this.of(shardId), error));
    this.#beats = setInterval(() => this.#beatAll(), BEAT_INTERVAL_MS);
    this.#beats.unref();
  }

  /** The number of shards of the bot, in all processes. */
  get shardCount(): number {
    return this.#settings.client.options.shardCount ?? 1;
  }

  /** The shard of a guild, and whether this process follows its events. */
  shardOf(guildId: string): { id: number; isOurs: boolean } {
    const id = shardOf(guildId, this.shardCount);
    return { id, isOurs: this.#settings.client.ws.shards.has(id) };
  }

  of(shardId: number): Connection {
    let connection = this.#byShard.get(shardId);
    if (connection === undefined) {
      connection = {
        shardId,
        session: 0,
        guildIds: new Set(),
        followed: false,
        distrusted: Promise.resolve(),
        untrusted: new Set(),
        aliveAtMs: 0,
        lastPing: -1,
        lostAtMs: null,
      };
      this.#byShard.set(shardId, connection);
    }
    return connection;
  }

  /** A new session begins. What the mirror has is not trusted until it was compared in this session. */
  begin(connection: Connection, guildIds: Iterable<string>): Promise<void> {
    connection.session += 1;
    connection.guildIds = new Set(guildIds);
    connection.followed = false;
    this.alive(connection);
    for (const id of connection.guildIds) connection.untrusted.add(id);
    connection.distrusted = retryMirrorWrite(async () => {
      await distrustShard(this.#settings.db, connection.shardId, this.shardCount);
      connection.untrusted.clear();
    }, this.#settings);
    return connection.distrusted;
  }

  /** Resolves once the guilds of all sessions that have begun are marked as not trusted. */
  async begun(): Promise<void> {
    await Promise.all([...this.#byShard.values()].map(({ distrusted }) => distrusted));
  }

  /** The guilds that must be marked as not trusted and are not yet. */
  untrusted(): string[] {
    return [...this.#byShard.values()].flatMap(({ untrusted }) => [...untrusted]);
  }

  /** Records a sign of life. */
  alive(connection: Connection): void {
    connection.aliveAtMs = performance.now();
  }

  /** From now on the mirror has all events of the session up to now, and the shard's heartbeat says so. */
  async follow(connection: Connection, how: 'begun' | 'resumed'): Promise<void> {
    this.alive(connection);
    connection.followed = true;
    const { lostAtMs, shardId } = connection;
    connection.lostAtMs = null;
    if (lostAtMs !== null) {
      const lostMs = Math.round(performance.now() - lostAtMs);
      this.#settings.log.info(
        { shard_id: shardId, lost_ms: lostMs, session: how },
        'the connection to the gateway is back',
      );
    }
    await this.#beat(connection);
  }

  /** Stops writing heartbeats. */
  stop(): void {
    clearInterval(this.#beats);
  }

  /**
   * Writes no more heartbeats, because another process goes on. As after a lost connection, the guilds stay trusted for
   * a minute.
   */
  async handOver(): Promise<void> {
    this.stop();
    for (const connection of this.#byShard.values()) {
      connection.followed = false;
      connection.lostAtMs ??= performance.now();
    }
    await Promise.all([...this.#byShard.keys()].map((shardId) => shardLost(this.#settings.db, shardId)));
  }

  /** Removes the heartbeats. From then on the guilds of this process are not trusted. */
  async end(): Promise<void> {
    await Promise.all([...this.#byShard.keys()].map((shardId) => endShard(this.#settings.db, shardId)));
  }

  async #beat(connection: Connection): Promise<void> {
    const { db, client } = this.#settings;
    const silentMs = performance.now() - connection.aliveAtMs;
    const botUserId = client.user?.id;
    if (!connection.followed || silentMs > LONGEST_SILENCE_MS || botUserId === undefined) return;
    if (connection.untrusted.size > 0) return;
    const { shardId } = connection;
    await beatShard(db, { shardId, shardCount: this.shardCount, botUserId, ageSeconds: silentMs / 1000 });
  }

  /** One line in the log for each loss, however often connecting fails until the end of it. */
  #lost(connection: Connection): void {
    connection.followed = false;
    if (connection.lostAtMs !== null || this.#settings.signal.aborted) return;
    connection.lostAtMs = performance.now();
    const { db, log } = this.#settings;
    log.warn({ shard_id: connection.shardId }, 'the connection to the gateway is lost; connecting again');
    void retryMirrorWrite(async () => {
      if (connection.lostAtMs !== null) await shardLost(db, connection.shardId);
    }, this.#settings);
  }

  #failed({ shardId, lostAtMs }: Connection, error: Error): void {
    const { log } = this.#settings;
    if (lostAtMs === null) log.warn({ err: error, shard_id: shardId }, 'gateway error');
    else log.debug({ err: error, shard_id: shardId }, 'gateway error');
  }

  #beatAll(): void {
    const { client, log } = this.#settings;
    for (const connection of this.#byShard.values()) {
      const lastPing = client.ws.shards.get(connection.shardId)?.lastPingTimestamp ?? connection.lastPing;
      if (lastPing !== connection.lastPing) {
        // A heartbeat was acknowledged since the last check. That check is the latest time for which it proves the
        // connection alive.
        connection.aliveAtMs = Math.max(connection.aliveAtMs, performance.now() - BEAT_INTERVAL_MS);
        connection.lastPing = lastPing;
      }
      this.#beat(connection).catch((error: unknown) => log.error({ err: error }, 'heartbeat not written'));
    }
  }
}
