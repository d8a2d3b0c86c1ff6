import { beatShard, distrustShard, endShard } from '@bailiff/engine/guilds/mirror';
import type { Database } from '@bailiff/prisma';
import type { Client } from 'discord.js';
import type { Logger } from './log.ts';
import { retryMirrorWrite } from './mirror-retry.ts';
import { shardOf } from './shards.ts';

/** One connection to the gateway. */
export interface Connection {
  readonly shardId: number;
  /** Incremented whenever the connection is lost: results of work begun before must not be trusted after. */
  generation: number;
  connected: boolean;
  /** Whether READY or RESUMED has arrived on this connection. */
  greeted: boolean;
  /** Resolves once the guilds of the shard are marked as not trusted in the database. All writes wait for it. */
  distrusted: Promise<void> | null;
  /** Monotonic time at which the connection was last known to be alive, in milliseconds. */
  aliveAtMs: number;
  lastPing: number;
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

/** Records which shards of this process are alive. The mirror of a guild is fresh only while its shard is alive. */
export class Connections {
  readonly #settings: ConnectionSettings;
  readonly #byShard = new Map<number, Connection>();
  readonly #beats: NodeJS.Timeout;

  constructor(settings: ConnectionSettings) {
    this.#settings = settings;
    const { client } = settings;
    client.on('shardReconnecting', (shardId) => this.#lost(this.of(shardId)));
    client.on('shardDisconnect', (_close, shardId) => this.#lost(this.of(shardId)));
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
        generation: 0,
        connected: false,
        greeted: false,
        distrusted: null,
        aliveAtMs: 0,
        lastPing: -1,
      };
      this.#byShard.set(shardId, connection);
    }
    return connection;
  }

  /** Records that READY or RESUMED has arrived. */
  greet(connection: Connection): void {
    if (connection.greeted) this.#lost(connection);
    this.alive(connection);
    connection.greeted = true;
  }

  /** Records a sign of life. The first one of a connection marks all earlier data as not trusted. */
  alive(connection: Connection): void {
    connection.aliveAtMs = performance.now();
    connection.connected = true;
    connection.distrusted ??= this.#distrust(connection);
  }

  async beat(connection: Connection): Promise<void> {
    const { db, client } = this.#settings;
    const silentMs = performance.now() - connection.aliveAtMs;
    const botUserId = client.user?.id;
    if (!connection.connected || !connection.greeted || silentMs > LONGEST_SILENCE_MS) return;
    if (botUserId === undefined) return;
    const { shardId } = connection;
    await beatShard(db, { shardId, shardCount: this.shardCount, botUserId, ageSeconds: silentMs / 1000 });
  }

  /** Stops writing heartbeats. */
  stop(): void {
    clearInterval(this.#beats);
  }

  /** Removes the heartbeats. From then on the guilds of this process are not trusted. */
  async end(): Promise<void> {
    await Promise.all([...this.#byShard.keys()].map((shardId) => endShard(this.#settings.db, shardId)));
  }

  #lost(connection: Connection): void {
    connection.generation += 1;
    connection.connected = false;
    connection.greeted = false;
    connection.distrusted = this.#distrust(connection);
  }

  #distrust({ shardId }: Connection): Promise<void> {
    const { db } = this.#settings;
    return retryMirrorWrite(() => distrustShard(db, shardId, this.shardCount), this.#settings);
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
      this.beat(connection).catch((error: unknown) => log.error({ err: error }, 'heartbeat not written'));
    }
  }
}
