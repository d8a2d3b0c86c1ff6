import { setTimeout as delay } from 'node:timers/promises';
import {
  beatShard,
  distrustGuild,
  distrustShard,
  endShard,
  guildLeft,
  guildsOfShard,
  isWanted,
  type MirroredMember,
  memberLeft,
  putGuild,
  putMember,
  putRoles,
  removeRole,
  replaceMembers,
  wantedMembers,
} from '@bailiff/engine';
import type { Database } from '@bailiff/prisma';
import {
  type APIGuild,
  type Client,
  GatewayDispatchEvents as Event,
  RESTJSONErrorCodes,
  Routes,
} from 'discord.js';
import { type DiscordApi, DiscordFailure } from './discord-api.ts';
import type { Logger } from './log.ts';
import {
  allMembers,
  guildOf,
  memberOf,
  roleOf,
  type WireGuild,
  type WireMember,
  type WireRole,
} from './mirror-reads.ts';
import { Slots } from './slots.ts';

export interface MirrorSettings {
  readonly db: Database;
  readonly api: DiscordApi;
  readonly client: Client;
  readonly log: Logger;
  /** Tier of a guild that is new. */
  readonly defaultTier: string;
  /** Hears of everybody who joins a guild. */
  readonly onJoin: (guildId: string, userId: string) => Promise<void>;
}

/** One connection to the gateway. */
interface Shard {
  readonly id: number;
  /** Raised whenever the connection is lost: what was begun before must not be trusted after. */
  generation: number;
  connected: boolean;
  /** READY or RESUMED has come on this connection. */
  greeted: boolean;
  /** Resolves once the guilds of the shard are untrusted in the database; all writing waits for it. */
  distrusted: Promise<void> | null;
  /** Monotonic time at which the connection was last known to be alive, in milliseconds. */
  aliveAtMs: number;
  lastPing: number;
}

interface GuildState {
  readonly id: string;
  readonly shardId: number;
  /** Writes, one after the other in the order of their events. */
  queue: Promise<void>;
  unavailable: boolean;
  /** Raised by each event about the guild or its roles. */
  revision: number;
  /** Members that events told of while the list of members is being read; null: they left. */
  changes: Map<string, MirroredMember | null> | null;
  isDirty: boolean;
  /** Its name, owner and roles need to be read too; GUILD_CREATE brings them along. */
  needsDescription: boolean;
  comparing: Promise<void> | null;
}

const BEAT_INTERVAL_MS = 5_000;
/** Discord asks for a heartbeat every 41 s; without an acknowledgement for longer the connection counts as dead. */
const LONGEST_SILENCE_MS = 60_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
const COMPARED_AT_ONCE = 3;
const BOT_IS_OUT: readonly number[] = [RESTJSONErrorCodes.UnknownGuild, RESTJSONErrorCodes.MissingAccess];

/**
 * Keeps guilds, roles and the members that matter in the database as Discord says they are (decisions: Capabilities).
 *
 * It follows raw dispatches, because discord.js keeps those of uncached members and of a resuming shard to itself
 * (hazards H21), and compares with Discord's REST API after every connection. Until a guild was compared, and from the
 * moment its connection is lost, it is not trusted.
 */
export class Mirror {
  readonly #settings: MirrorSettings;
  readonly #shards = new Map<number, Shard>();
  readonly #guilds = new Map<string, GuildState>();
  readonly #slots = new Slots(COMPARED_AT_ONCE);
  readonly #closed = new AbortController();
  readonly #beats: NodeJS.Timeout;

  constructor(settings: MirrorSettings) {
    this.#settings = settings;
    this.#follow(settings.client);
    this.#beats = setInterval(() => this.#beatAll(), BEAT_INTERVAL_MS);
    this.#beats.unref();
  }

  /** Resolves once no guild waits to be compared with Discord. */
  async settled(): Promise<void> {
    const pending = () => [...this.#guilds.values()].flatMap(({ comparing }) => comparing ?? []);
    await Promise.all([...this.#guilds.values()].map(({ queue }) => queue));
    for (let work = pending(); work.length > 0; work = pending()) await Promise.all(work);
  }

  /** Compares one guild now: roles that were granted something have holders the mirror does not know yet. */
  async reconcile(guildId: string): Promise<void> {
    const shardId = Number((BigInt(guildId) >> 22n) % BigInt(this.#shardCount()));
    const guild = this.#guild(guildId, shardId);
    guild.needsDescription = true;
    await this.#compareSoon(guild);
  }

  /** Ends following; the guilds of this process are not trusted from here on. */
  async close(): Promise<void> {
    this.#closed.abort();
    clearInterval(this.#beats);
    await Promise.all([...this.#guilds.values()].flatMap(({ queue, comparing }) => [queue, comparing]));
    await Promise.all([...this.#shards.keys()].map((id) => endShard(this.#settings.db, id)));
  }

  #follow(client: Client): void {
    const { ws } = client;
    ws.on(Event.Ready, (data: { guilds: { id: string }[] }, shardId) =>
      this.#onReady(this.#shard(shardId), data.guilds),
    );
    ws.on(Event.Resumed, (_data, shardId) => this.#onResumed(this.#shard(shardId)));
    client.on('shardReconnecting', (shardId) => this.#onLost(shardId));
    client.on('shardDisconnect', (_close, shardId) => this.#onLost(shardId));

    const on = <Data extends { id: string } | { guild_id: string }>(
      event: Event,
      handle: (guild: GuildState, data: Data) => void,
    ) =>
      ws.on(event, (data: Data, shardId) => {
        this.#alive(this.#shard(shardId));
        handle(this.#guild('guild_id' in data ? data.guild_id : data.id, shardId), data);
      });
    type OfGuild = { guild_id: string };
    on(Event.GuildCreate, this.#onGuildCreate.bind(this));
    on(Event.GuildUpdate, this.#onGuildUpdate.bind(this));
    on(Event.GuildDelete, this.#onGuildDelete.bind(this));
    for (const event of [Event.GuildRoleCreate, Event.GuildRoleUpdate]) {
      on(event, (guild, { role }: OfGuild & { role: WireRole }) => this.#onRole(guild, role));
    }
    on(Event.GuildRoleDelete, (guild, data: OfGuild & { role_id: string }) => {
      guild.revision += 1;
      this.#write(guild, () => removeRole(this.#settings.db, guild.id, data.role_id));
    });
    on(Event.GuildMemberAdd, (guild, data: OfGuild & WireMember) => {
      this.#onMember(guild, memberOf(data));
      this.#write(guild, () => this.#settings.onJoin(guild.id, data.user.id));
    });
    on(Event.GuildMemberUpdate, (guild, data: OfGuild & WireMember) => this.#onMember(guild, memberOf(data)));
    on(Event.GuildMemberRemove, (guild, data: OfGuild & { user: { id: string } }) =>
      this.#onMemberRemove(guild, data.user.id),
    );
  }

  // ── Connections ─────────────────────────────────────────────────────────────────────────────────────────────────────

  #onReady(shard: Shard, listed: readonly { id: string }[]): void {
    this.#greet(shard);
    const { db } = this.#settings;
    const ids = new Set(listed.map(({ id }) => id));
    void this.#stubbornly(async () => {
      await shard.distrusted;
      await this.#beat(shard);
      // Guilds the bot was removed from while it was away are not listed, and never will be.
      for (const id of await guildsOfShard(db, shard.id, this.#shardCount()))
        if (!ids.has(id)) await guildLeft(db, id);
    });
  }

  #onResumed(shard: Shard): void {
    this.#greet(shard);
    void this.#stubbornly(async () => {
      await shard.distrusted;
      await this.#beat(shard);
      for (const id of await guildsOfShard(this.#settings.db, shard.id, this.#shardCount())) {
        const guild = this.#guild(id, shard.id);
        guild.needsDescription = true;
        void this.#compareSoon(guild);
      }
    });
  }

  #greet(shard: Shard): void {
    if (shard.greeted) this.#onLost(shard.id);
    this.#alive(shard);
    shard.greeted = true;
  }

  #onLost(shardId: number): void {
    const shard = this.#shard(shardId);
    shard.generation += 1;
    shard.connected = false;
    shard.greeted = false;
    shard.distrusted = this.#distrust(shard);
  }

  /** Notes a sign of life. The first one of a connection makes everything known before it untrusted. */
  #alive(shard: Shard): void {
    shard.aliveAtMs = performance.now();
    shard.connected = true;
    shard.distrusted ??= this.#distrust(shard);
  }

  #distrust(shard: Shard): Promise<void> {
    return this.#stubbornly(() => distrustShard(this.#settings.db, shard.id, this.#shardCount()));
  }

  #beatAll(): void {
    for (const shard of this.#shards.values()) {
      const lastPing = this.#settings.client.ws.shards.get(shard.id)?.lastPingTimestamp ?? shard.lastPing;
      if (lastPing !== shard.lastPing) {
        // A heartbeat was acknowledged since the last look; that look is the latest moment it is proof of.
        shard.aliveAtMs = Math.max(shard.aliveAtMs, performance.now() - BEAT_INTERVAL_MS);
        shard.lastPing = lastPing;
      }
      this.#beat(shard).catch((error: unknown) =>
        this.#settings.log.error({ err: error }, 'heartbeat not written'),
      );
    }
  }

  async #beat(shard: Shard): Promise<void> {
    const silentMs = performance.now() - shard.aliveAtMs;
    const botUserId = this.#settings.client.user?.id;
    if (!shard.connected || !shard.greeted || silentMs > LONGEST_SILENCE_MS || botUserId === undefined)
      return;
    await beatShard(this.#settings.db, {
      shardId: shard.id,
      shardCount: this.#shardCount(),
      botUserId,
      ageSeconds: silentMs / 1000,
    });
  }

  // ── Events ──────────────────────────────────────────────────────────────────────────────────────────────────────────

  #onGuildCreate(guild: GuildState, data: WireGuild & { unavailable?: boolean }): void {
    if (data.unavailable === true) return;
    guild.unavailable = false;
    guild.revision += 1;
    this.#write(guild, () => this.#putDescription(guild, data));
    void this.#compareSoon(guild);
  }

  #onGuildUpdate(guild: GuildState, data: WireGuild): void {
    guild.revision += 1;
    this.#write(guild, () => this.#putDescription(guild, data));
    // A new owner matters, whoever it is.
    void this.#compareSoon(guild);
  }

  /** An outage is not a departure (hazards H22). */
  #onGuildDelete(guild: GuildState, { unavailable }: { id: string; unavailable?: boolean }): void {
    const { db } = this.#settings;
    guild.revision += 1;
    guild.unavailable = true;
    this.#write(guild, () => (unavailable === true ? distrustGuild(db, guild.id) : guildLeft(db, guild.id)));
  }

  #onRole(guild: GuildState, role: WireRole): void {
    guild.revision += 1;
    this.#write(guild, () => putRoles(this.#settings.db.pool, guild.id, [roleOf(role)], { complete: false }));
  }

  #onMember(guild: GuildState, member: MirroredMember): void {
    guild.changes?.set(member.userId, member);
    this.#write(guild, () => putMember(this.#settings.db, guild.id, member, this.#botUserId()));
  }

  #onMemberRemove(guild: GuildState, userId: string): void {
    guild.changes?.set(userId, null);
    this.#write(guild, () => this.#memberLeft(guild, userId));
  }

  async #memberLeft(guild: GuildState, userId: string): Promise<void> {
    const revoked = await memberLeft(this.#settings.db, guild.id, userId);
    if (revoked.length > 0) {
      this.#settings.log.info(
        { guild_id: guild.id, user_id: userId, revoked },
        'issuer left, tokens revoked',
      );
    }
  }

  async #putDescription(guild: GuildState, data: WireGuild): Promise<void> {
    const { db, defaultTier } = this.#settings;
    if (!data.roles.some(({ id }) => id === guild.id)) {
      // Taken for the list of roles it would take everybody's grants away (hazards H22).
      throw new Error(`Discord described guild ${guild.id} without its role @everyone.`);
    }
    await putGuild(db.pool, guildOf(data, guild.shardId), defaultTier);
    await putRoles(db.pool, guild.id, data.roles.map(roleOf), { complete: true });
  }

  /** Writes in the order of the events. What cannot be written makes the guild untrusted until it was compared again. */
  #write(guild: GuildState, work: () => Promise<void>): void {
    guild.queue = guild.queue
      .then(() => this.#shard(guild.shardId).distrusted)
      .then(work)
      .catch(async (error: unknown) => {
        this.#settings.log.error({ err: error, guild_id: guild.id }, 'mirror could not follow an event');
        await this.#stubbornly(() => distrustGuild(this.#settings.db, guild.id));
        guild.needsDescription = true;
        void this.#compareSoon(guild);
      });
  }

  // ── Comparing ───────────────────────────────────────────────────────────────────────────────────────────────────────

  #compareSoon(guild: GuildState): Promise<void> {
    guild.isDirty = true;
    guild.comparing ??= this.#compareUntilClean(guild).finally(() => {
      guild.comparing = null;
    });
    return guild.comparing;
  }

  async #compareUntilClean(guild: GuildState): Promise<void> {
    const { signal } = this.#closed;
    for (let pauseMs = FIRST_PAUSE_MS; guild.isDirty && !guild.unavailable && !signal.aborted; ) {
      guild.isDirty = false;
      try {
        await this.#slots.run(() => this.#compare(guild));
        pauseMs = FIRST_PAUSE_MS;
      } catch (error) {
        if (signal.aborted || (error instanceof DiscordFailure && BOT_IS_OUT.includes(error.code ?? 0)))
          return;
        this.#settings.log.warn(
          { err: error, guild_id: guild.id, pause_ms: pauseMs },
          'guild could not be compared',
        );
        guild.isDirty = true;
        await delay(pauseMs, undefined, { signal }).catch(() => {});
        pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
      }
    }
  }

  async #compare(guild: GuildState): Promise<void> {
    const { api, db } = this.#settings;
    const { signal } = this.#closed;
    const shard = this.#shard(guild.shardId);
    const { generation } = shard;
    await guild.queue;
    const { revision } = guild;
    const changes = new Map<string, MirroredMember | null>();
    guild.changes = changes;
    try {
      const description = guild.needsDescription
        ? await api.get<APIGuild>(Routes.guild(guild.id), {
            signal: AbortSignal.any([signal, AbortSignal.timeout(10_000)]),
          })
        : null;
      const wanted = await wantedMembers(db, guild.id, this.#botUserId());
      if (description !== null) wanted.userIds.add(description.owner_id);
      const members = new Map<string, MirroredMember>();
      for await (const member of allMembers(api, guild.id, this.#botUserId(), signal)) {
        if (isWanted(wanted, member)) members.set(member.userId, member);
      }
      const missing = await this.#afterEvents(guild, async () => {
        if (guild.revision !== revision) {
          // The guild changed while it was read: what was read of it may be older than what the event said.
          guild.isDirty = true;
        } else if (description !== null) {
          await this.#putDescription(guild, description);
          guild.needsDescription = false;
        }
        for (const [userId, member] of changes) {
          members.delete(userId);
          if (member !== null && isWanted(wanted, member)) members.set(userId, member);
        }
        guild.changes = null;
        const trusted =
          shard.connected && shard.generation === generation && !guild.unavailable && !guild.isDirty;
        return replaceMembers(db, guild.id, [...members.values()], { issuerIds: wanted.issuerIds, trusted });
      });
      if (shard.generation !== generation || guild.unavailable) await distrustGuild(db, guild.id);
      for (const userId of missing) await this.#revokeIfGone(guild, userId);
    } finally {
      guild.changes = null;
    }
  }

  /** Runs after everything that is queued, and before everything that comes. */
  #afterEvents<T>(guild: GuildState, work: () => Promise<T>): Promise<T> {
    const result = guild.queue.then(work);
    guild.queue = result.then(
      () => {},
      () => {},
    );
    return result;
  }

  /** An issuer who is in no list may still be a member; only Discord's definite word counts (hazards H22). */
  async #revokeIfGone(guild: GuildState, userId: string): Promise<void> {
    const signal = AbortSignal.any([this.#closed.signal, AbortSignal.timeout(10_000)]);
    const gone = await this.#settings.api.get(Routes.guildMember(guild.id, userId), { signal }).then(
      () => false,
      (error: unknown) => {
        if (error instanceof DiscordFailure && error.code === RESTJSONErrorCodes.UnknownMember) return true;
        throw error;
      },
    );
    if (gone) await this.#afterEvents(guild, () => this.#memberLeft(guild, userId));
    else guild.isDirty = true;
  }

  // ── Bookkeeping ─────────────────────────────────────────────────────────────────────────────────────────────────────

  #shard(id: number): Shard {
    let shard = this.#shards.get(id);
    if (shard === undefined) {
      shard = {
        id,
        generation: 0,
        connected: false,
        greeted: false,
        distrusted: null,
        aliveAtMs: 0,
        lastPing: -1,
      };
      this.#shards.set(id, shard);
    }
    return shard;
  }

  #guild(id: string, shardId: number): GuildState {
    let guild = this.#guilds.get(id);
    if (guild === undefined) {
      guild = {
        id,
        shardId,
        queue: Promise.resolve(),
        unavailable: false,
        revision: 0,
        changes: null,
        isDirty: false,
        needsDescription: false,
        comparing: null,
      };
      this.#guilds.set(id, guild);
    }
    return guild;
  }

  #shardCount(): number {
    return this.#settings.client.options.shardCount ?? 1;
  }

  #botUserId(): string {
    return this.#settings.client.user?.id ?? '';
  }

  async #stubbornly(work: () => Promise<void>): Promise<void> {
    const { signal } = this.#closed;
    for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      try {
        await work();
        return;
      } catch (error) {
        this.#settings.log.error({ err: error, pause_ms: pauseMs }, 'mirror could not write; trying again');
        await delay(pauseMs, undefined, { signal }).catch(() => {});
      }
    }
  }
}
