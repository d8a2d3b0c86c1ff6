import { setTimeout as delay } from 'node:timers/promises';
import { mutedMembers } from '@bailiff/engine/cases/cases';
import {
  distrustGuild,
  guildLeft,
  guildsOfShard,
  isWanted,
  type MirroredMember,
  memberLeft,
  moderatesAnew,
  putGuild,
  putMember,
  putRoles,
  removeRole,
  replaceMembers,
  wantedMembers,
} from '@bailiff/engine/guilds/mirror';
import type { Database, GuildTier } from '@bailiff/prisma';
import {
  type APIGuild,
  type Client,
  GatewayDispatchEvents as Event,
  RESTJSONErrorCodes,
  Routes,
} from 'discord.js';
import { type Connection, Connections } from './connections.ts';
import { type DiscordApi, DiscordFailure } from './discord-api.ts';
import { lacksTimeout } from './jobs.ts';
import type { Logger } from './log.ts';
import {
  allMembers,
  descriptionOf,
  type GuildDescription,
  memberOf,
  roleOf,
  type WireGuild,
  type WireMember,
  type WireRole,
} from './mirror-reads.ts';
import { retryMirrorWrite } from './mirror-retry.ts';
import { Slots } from './slots.ts';

export interface MirrorSettings {
  readonly db: Database;
  readonly api: DiscordApi;
  readonly client: Client;
  readonly log: Logger;
  /** Tier of a new guild. */
  readonly defaultTier: GuildTier;
  /** Called for members who join a guild, and for muted members without a timeout. May time them out again. */
  readonly renewMutes: (guildId: string, userId: string) => Promise<void>;
}

interface GuildState {
  readonly id: string;
  readonly shardId: number;
  /** Pending writes, executed one after the other in the order of their events. */
  queue: Promise<void>;
  unavailable: boolean;
  /** Incremented by each event about the guild or its roles. */
  revision: number;
  /** Members from events that arrived while the member list is being read. Null: they left. */
  changes: Map<string, MirroredMember | null> | null;
  isDirty: boolean;
  /** Whether its name, owner and roles must be read too. GUILD_CREATE contains them. */
  needsDescription: boolean;
  comparing: Promise<void> | null;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** Limits on the pool's ten connections, so that a start with thousands of guilds leaves some to waiting people. */
const COMPARED_AT_ONCE = 3;
const WRITTEN_AT_ONCE = 3;
const BOT_IS_OUT: readonly number[] = [RESTJSONErrorCodes.UnknownGuild, RESTJSONErrorCodes.MissingAccess];

/**
 * Keeps guilds, roles and the members that matter in the database in step with Discord (decisions: Capabilities).
 *
 * It follows raw dispatches, because discord.js does not pass on those of uncached members and of a resuming shard
 * (hazards H21). It compares with Discord's REST API after every connection. A guild is not trusted until it was
 * compared, nor after its connection is lost.
 */
export class Mirror {
  readonly #settings: MirrorSettings;
  readonly #connections: Connections;
  readonly #guilds = new Map<string, GuildState>();
  readonly #comparisons = new Slots(COMPARED_AT_ONCE);
  readonly #writes = new Slots(WRITTEN_AT_ONCE);
  readonly #closed = new AbortController();

  constructor(settings: MirrorSettings) {
    this.#settings = settings;
    this.#connections = new Connections({ ...settings, signal: this.#closed.signal });
    this.#follow(settings.client);
  }

  /** Resolves once no guild is waiting to be compared with Discord. */
  async settled(): Promise<void> {
    const pending = () => [...this.#guilds.values()].flatMap(({ comparing }) => comparing ?? []);
    await Promise.all([...this.#guilds.values()].map(({ queue }) => queue));
    for (let work = pending(); work.length > 0; work = pending()) await Promise.all(work);
  }

  /** The shard of a guild, and whether this process follows its events. */
  shardOf(guildId: string): { id: number; isOurs: boolean } {
    return this.#connections.shardOf(guildId);
  }

  /**
   * Compares one of this process's guilds now, because the mirror does not know holders of newly granted roles yet.
   * Only the process that follows a guild's events can do this: otherwise older data could overwrite an event's.
   */
  async reconcile(guildId: string): Promise<void> {
    const guild = this.#guild(guildId, this.shardOf(guildId).id);
    guild.needsDescription = true;
    await this.#compareSoon(guild);
  }

  /** Stops following events. The guilds of this process are not trusted from then on. */
  async close(): Promise<void> {
    this.#closed.abort();
    this.#connections.stop();
    await Promise.all([...this.#guilds.values()].flatMap(({ queue, comparing }) => [queue, comparing]));
    await this.#connections.end();
  }

  #follow(client: Client): void {
    const { ws } = client;
    ws.on(Event.Ready, (data: { guilds: { id: string }[] }, shardId) =>
      this.#onReady(this.#connections.of(shardId), data.guilds),
    );
    ws.on(Event.Resumed, (_data, shardId) => this.#onResumed(this.#connections.of(shardId)));

    const on = <Data extends { id: string } | { guild_id: string }>(
      event: Event,
      handle: (guild: GuildState, data: Data) => void,
    ) =>
      ws.on(event, (data: Data, shardId) => {
        this.#connections.alive(this.#connections.of(shardId));
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
      this.#write(guild, () => this.#settings.renewMutes(guild.id, data.user.id));
    });
    on(Event.GuildMemberUpdate, (guild, data: OfGuild & WireMember) => this.#onMember(guild, memberOf(data)));
    on(Event.GuildMemberRemove, (guild, data: OfGuild & { user: { id: string } }) =>
      this.#onMemberRemove(guild, data.user.id),
    );
  }

  // ── Connections ─────────────────────────────────────────────────────────────────────────────────────────────────────

  #onReady(connection: Connection, listed: readonly { id: string }[]): void {
    this.#connections.greet(connection);
    const { db } = this.#settings;
    const ids = new Set(listed.map(({ id }) => id));
    void this.#retryWrite(async () => {
      await connection.distrusted;
      await this.#connections.beat(connection);
      // Guilds that removed the bot while it was away are not listed, and never will be.
      for (const id of await guildsOfShard(db, connection.shardId, this.#connections.shardCount))
        if (!ids.has(id)) await guildLeft(db, id);
    });
  }

  #onResumed(connection: Connection): void {
    this.#connections.greet(connection);
    void this.#retryWrite(async () => {
      await connection.distrusted;
      await this.#connections.beat(connection);
      for (const id of await guildsOfShard(
        this.#settings.db,
        connection.shardId,
        this.#connections.shardCount,
      )) {
        const guild = this.#guild(id, connection.shardId);
        guild.needsDescription = true;
        void this.#compareSoon(guild);
      }
    });
  }

  // ── Events ──────────────────────────────────────────────────────────────────────────────────────────────────────────

  #onGuildCreate(guild: GuildState, data: WireGuild & { unavailable?: boolean }): void {
    if (data.unavailable === true) return;
    guild.unavailable = false;
    guild.revision += 1;
    this.#describe(guild, data);
    void this.#compareSoon(guild);
  }

  #onGuildUpdate(guild: GuildState, data: WireGuild): void {
    guild.revision += 1;
    this.#describe(guild, data);
    // A new owner must be in the mirror, whoever it is.
    void this.#compareSoon(guild);
  }

  /** An outage is not a departure (hazards H22). */
  #onGuildDelete(guild: GuildState, { unavailable }: { id: string; unavailable?: boolean }): void {
    const { db } = this.#settings;
    guild.revision += 1;
    guild.unavailable = true;
    this.#write(guild, () => (unavailable === true ? distrustGuild(db, guild.id) : guildLeft(db, guild.id)));
    if (unavailable !== true) void this.#forget(guild);
  }

  async #forget(guild: GuildState): Promise<void> {
    await guild.queue;
    // The bot may have been invited again meanwhile.
    if (guild.unavailable) this.#guilds.delete(guild.id);
  }

  #onRole(guild: GuildState, role: WireRole): void {
    guild.revision += 1;
    const { db } = this.#settings;
    const mirrored = roleOf(role);
    this.#write(guild, async () => {
      const makesModerators = await moderatesAnew(db, guild.id, mirrored);
      await putRoles(db.pool, guild.id, [mirrored], { complete: false });
      if (makesModerators) void this.#compareSoon(guild);
    });
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

  /**
   * Reads the needed parts of the event at once, because a start brings thousands of them, with all their channels and
   * members.
   */
  #describe(guild: GuildState, data: WireGuild): void {
    const description = descriptionOf(data, guild.shardId);
    this.#write(guild, () => this.#putDescription(guild, description));
  }

  async #putDescription(guild: GuildState, { described, roles }: GuildDescription): Promise<void> {
    const { db, defaultTier } = this.#settings;
    if (!roles.some(({ id }) => id === guild.id)) {
      // If this were accepted as the list of roles, everybody would lose their grants (hazards H22).
      throw new Error(`Discord described guild ${guild.id} without its role @everyone.`);
    }
    await putGuild(db.pool, described, defaultTier);
    await putRoles(db.pool, guild.id, roles, { complete: true });
  }

  /** Writes in the order of the events. A failed write makes the guild untrusted until it was compared again. */
  #write(guild: GuildState, work: () => Promise<void>): void {
    guild.queue = guild.queue
      .then(() => this.#connections.of(guild.shardId).distrusted)
      .then(() => this.#writes.run(work))
      .catch(async (error: unknown) => {
        this.#settings.log.error({ err: error, guild_id: guild.id }, 'mirror could not follow an event');
        await this.#retryWrite(() => distrustGuild(this.#settings.db, guild.id));
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
        await this.#comparisons.run(() => this.#compare(guild));
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
    const connection = this.#connections.of(guild.shardId);
    const { generation } = connection;
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
      const muted = await mutedMembers(db, guild.id);
      const unmuted: string[] = [];
      const members = new Map<string, MirroredMember>();
      for await (const { member, timedOutUntil } of allMembers(api, guild.id, this.#botUserId(), signal)) {
        if (isWanted(wanted, member)) members.set(member.userId, member);
        if (lacksTimeout(muted.get(member.userId), timedOutUntil)) unmuted.push(member.userId);
      }
      for (const userId of unmuted) await this.#settings.renewMutes(guild.id, userId);
      const missing = await this.#afterEvents(guild, async () => {
        if (guild.revision !== revision) {
          // The guild changed while it was read, so the data may be older than the event's.
          guild.isDirty = true;
        } else if (description !== null) {
          await this.#putDescription(guild, descriptionOf(description, guild.shardId));
          guild.needsDescription = false;
        }
        for (const [userId, member] of changes) {
          members.delete(userId);
          if (member !== null && isWanted(wanted, member)) members.set(userId, member);
        }
        guild.changes = null;
        const trusted =
          connection.connected &&
          connection.generation === generation &&
          !guild.unavailable &&
          !guild.isDirty;
        return replaceMembers(db, guild.id, [...members.values()], { issuerIds: wanted.issuerIds, trusted });
      });
      if (connection.generation !== generation || guild.unavailable) await distrustGuild(db, guild.id);
      for (const userId of missing) await this.#revokeIfGone(guild, userId);
    } finally {
      guild.changes = null;
    }
  }

  /** Runs after everything that is queued, and before anything queued later. */
  #afterEvents<T>(guild: GuildState, work: () => Promise<T>): Promise<T> {
    const result = guild.queue.then(work);
    guild.queue = result.then(
      () => {},
      () => {},
    );
    return result;
  }

  /** An issuer who is in no list may still be a member. Only Discord's definite answer counts (hazards H22). */
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

  #botUserId(): string {
    return this.#settings.client.user?.id ?? '';
  }

  #retryWrite(work: () => Promise<void>): Promise<void> {
    return retryMirrorWrite(work, { signal: this.#closed.signal, log: this.#settings.log });
  }
}
