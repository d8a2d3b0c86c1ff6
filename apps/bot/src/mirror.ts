import { putChannel, removeChannel, replaceChannels } from '@bailiff/engine/guilds/channels';
import { AWAITED, guildsOfShard, UNHURRIED } from '@bailiff/engine/guilds/gateway-shards';
import {
  distrustGuild,
  followMembers,
  guildLeft,
  isMirrored,
  type MirroredMember,
  moderatesAnew,
  putRoles,
  removeRole,
} from '@bailiff/engine/guilds/mirror';
import { type Client, GatewayDispatchEvents as Event } from 'discord.js';
import { type Connection, Connections } from './connections.ts';
import { GuildComparer } from './guild-comparer.ts';
import { followMemberEvents } from './member-events.ts';
import {
  channelOf,
  descriptionOf,
  memberOf,
  roleOf,
  type WireChannel,
  type WireGuild,
  type WireMember,
  type WireRole,
} from './mirror-reads.ts';
import { MirrorWrites } from './mirror-writes.ts';
import {
  botUserId,
  type GuildState,
  goOnFrom,
  hasOutage,
  isBeingCompared,
  type LeftGuild,
  type MirrorSettings,
  markUnavailable,
  newGuildState,
  putDescription,
  removeMembers,
} from './mirrored-guild.ts';

type Described = WireGuild & { readonly channels: readonly WireChannel[]; unavailable?: boolean };

/** Any other event is about a guild that is known. */
const BEGINS_OR_ENDS: ReadonlySet<Event> = new Set([Event.GuildCreate, Event.GuildDelete]);
const MOST_MEMBERS_AT_ONCE = 500;

/**
 * Keeps guilds, roles and the members that matter in the database in step with Discord (decisions: Capabilities).
 *
 * It follows raw dispatches, because discord.js does not pass on those of uncached members and of a resuming shard
 * (hazards H21). When a session begins, no guild is trusted until it was compared with Discord's REST API. A connection
 * that is lost and resumed has missed nothing.
 */
export class Mirror {
  readonly #settings: MirrorSettings;
  readonly #connections: Connections;
  readonly #guilds = new Map<string, GuildState>();
  readonly #comparer: GuildComparer;
  readonly #writes: MirrorWrites;
  readonly #closed = new AbortController();
  #isHandedOver = false;

  constructor(settings: MirrorSettings) {
    this.#settings = settings;
    this.#connections = new Connections({ ...settings, signal: this.#closed.signal });
    this.#comparer = new GuildComparer(settings, this.#connections, this.#closed.signal);
    this.#writes = new MirrorWrites(settings, this.#connections, this.#comparer, this.#closed.signal);
    this.#follow(settings.client);
  }

  /** Resolves once no guild is waiting to be compared with Discord. */
  async settled(): Promise<void> {
    const pending = () => [...this.#guilds.values()].flatMap(({ comparing }) => comparing ?? []);
    await Promise.all([...this.#guilds.values()].map(({ queue }) => queue));
    for (let work = pending(); work.length > 0; work = pending()) await Promise.all(work);
  }

  /** Resolves once no guild counts as trusted for what an earlier session knew. */
  begun(): Promise<void> {
    return this.#connections.begun();
  }

  /** The shard of a guild, and whether this process follows its events. */
  shardOf(guildId: string): { id: number; isOurs: boolean } {
    return this.#connections.shardOf(guildId);
  }

  /**
   * Begins to compare one of this process's guilds, because the mirror does not know holders of newly granted roles
   * yet. Only the process that follows a guild's events can do this: otherwise older data could overwrite an event's.
   * Does nothing about a guild that the bot has left.
   */
  reconcile(guildId: string): void {
    const guild = this.#guilds.get(guildId);
    if (guild === undefined) return;
    guild.needsDescription = true;
    void this.#comparer.compare(guild);
  }

  /** Knows a guild as another process has left it, whose session is then resumed. */
  goOnWith(id: string, shardId: number, left: LeftGuild): void {
    this.#connections.of(shardId).guildIds.add(id);
    goOnFrom(this.#guild(id, shardId), left);
  }

  /**
   * Follows no events after `release`, and resolves once those before are written, or cannot be. The guilds stay trusted;
   * those that must not be are named.
   */
  async handOver<Sessions>(release: () => Promise<Sessions>) {
    this.#isHandedOver = true;
    await this.#connections.handOver();
    const sessions = await release();
    const idsOf = (fits: (guild: GuildState) => boolean) =>
      [...this.#guilds.values()].filter(fits).map(({ id }) => id);
    const before = idsOf(isBeingCompared);
    await this.#stop();
    const untrusted = this.#connections.untrusted();
    const removedBot = untrusted.filter((id) => this.#guilds.get(id)?.hasRemovedBot);
    // Those that the bot has left meanwhile need no comparison.
    const comparing = new Set([...before, ...idsOf(isBeingCompared)].filter((id) => this.#guilds.has(id)));
    for (const id of untrusted) comparing.add(id);
    return { sessions, comparing: [...comparing], untrusted, removedBot, unavailable: idsOf(hasOutage) };
  }

  /** Stops following events. The guilds of this process are not trusted from then on, unless another one goes on. */
  async close(): Promise<void> {
    await this.#stop();
    if (!this.#isHandedOver && !this.#settings.lost.aborted) await this.#connections.end();
  }

  async #stop(): Promise<void> {
    this.#closed.abort();
    this.#connections.stop();
    await Promise.all([...this.#guilds.values()].flatMap(({ queue, comparing }) => [queue, comparing]));
  }

  #follow(client: Client): void {
    const { ws } = client;
    followMemberEvents(this.#settings);
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
        const id = 'guild_id' in data ? data.guild_id : data.id;
        const guild = BEGINS_OR_ENDS.has(event) ? this.#guild(id, shardId) : this.#guilds.get(id);
        // Its GUILD_CREATE says everything, or it was the last to come of a guild that the bot has left.
        if (guild === undefined) return;
        try {
          handle(guild, data);
        } catch (error) {
          this.#writes.misread(guild, new Error(`The event ${event} could not be used`, { cause: error }));
        }
      });
    type OfGuild = { guild_id: string };
    on(Event.GuildCreate, this.#onGuildCreate.bind(this));
    on(Event.GuildUpdate, this.#onGuildUpdate.bind(this));
    on(Event.GuildDelete, this.#onGuildDelete.bind(this));
    for (const event of [Event.GuildRoleCreate, Event.GuildRoleUpdate]) {
      on(event, (guild, { role }: OfGuild & { role: WireRole }) => this.#onRole(guild, role));
    }
    on(Event.GuildRoleDelete, (guild, data: OfGuild & { role_id: string }) => {
      guild.changed?.roleIds.add(data.role_id);
      this.#writes.add(guild, () => removeRole(this.#settings.db, guild.id, data.role_id));
    });
    for (const event of [Event.ChannelCreate, Event.ChannelUpdate]) {
      on(event, (guild, channel: OfGuild & WireChannel) => this.#onChannel(guild, channel));
    }
    on(Event.ChannelDelete, (guild, { id }: OfGuild & WireChannel) => {
      guild.changed?.channelIds.add(id);
      this.#writes.add(guild, () => removeChannel(this.#settings.db.pool, guild.id, id));
    });
    on(Event.GuildMemberAdd, (guild, data: OfGuild & WireMember) => {
      this.#onMember(guild, memberOf(data));
      this.#writes.add(guild, () => this.#settings.renewMutes(guild.id, data.user.id));
    });
    on(Event.GuildMemberUpdate, (guild, data: OfGuild & WireMember) => this.#onMember(guild, memberOf(data)));
    on(Event.GuildMemberRemove, (guild, data: OfGuild & { user: { id: string } }) =>
      this.#onMemberRemove(guild, data.user.id),
    );
    ws.on(Event.InteractionCreate, ({ guild_id: id = '' }: { guild_id?: string }) => {
      const guild = this.#guilds.get(id);
      // Somebody waits for this guild: it is compared before the others.
      if (guild !== undefined) guild.rank = AWAITED;
    });
  }

  // ── Connections ─────────────────────────────────────────────────────────────────────────────────────────────────────

  #onReady(connection: Connection, listed: readonly { id: string }[]): void {
    const begun = this.#connections.begin(
      connection,
      listed.map(({ id }) => id),
    );
    const { db } = this.#settings;
    for (const guild of this.#guildsOf(connection)) {
      guild.problem = null;
      guild.rank = UNHURRIED;
      if (!connection.guildIds.has(guild.id)) this.#onGuildDelete(guild, { id: guild.id });
    }
    void this.#writes.retry(async () => {
      await begun;
      const known = await guildsOfShard(db, connection.shardId, this.#connections.shardCount);
      for (const [id, rank] of known) {
        // Guilds that removed the bot while it was away are not listed, and never will be.
        if (!connection.guildIds.has(id)) await guildLeft(db, id);
        else this.#guild(id, connection.shardId).rank = rank;
      }
      await this.#connections.follow(connection, 'begun');
    });
  }

  /** All events that were missed have arrived. They are written before the heartbeat goes on. */
  #onResumed(connection: Connection): void {
    const { session } = connection;
    const guilds = this.#guildsOf(connection);
    const written = guilds.map(({ queue }) => queue);
    void this.#writes.retry(async () => {
      await Promise.all(written);
      if (connection.session === session) await this.#connections.follow(connection, 'resumed');
    });
    for (const guild of guilds) if (guild.isDirty) void this.#comparer.compare(guild);
  }

  #guildsOf({ shardId }: Connection): GuildState[] {
    return [...this.#guilds.values()].filter((guild) => guild.shardId === shardId);
  }

  // ── Events ──────────────────────────────────────────────────────────────────────────────────────────────────────────

  #onGuildCreate(guild: GuildState, data: Described): void {
    if (data.unavailable === true) return void this.#onGuildDelete(guild, data);
    guild.unavailable = false;
    guild.hasRemovedBot = false;
    this.#connections.of(guild.shardId).guildIds.add(guild.id);
    this.#describe(guild, data);
    const channels = data.channels.map((channel) => channelOf(channel, botUserId(this.#settings)));
    if (guild.changed !== null) guild.changed.channels = true;
    this.#writes.add(guild, () => replaceChannels(this.#settings.db.pool, guild.id, channels, new Set()));
    void this.#comparer.compare(guild);
  }

  #onGuildUpdate(guild: GuildState, data: WireGuild): void {
    this.#describe(guild, data);
    // A new owner must be in the mirror, whoever it is.
    this.#writes.add(guild, async () => {
      if (!(await isMirrored(this.#settings.db, guild.id, data.owner_id)))
        void this.#comparer.learnMember(guild, data.owner_id);
    });
  }

  /** An outage is not a departure (hazards H22). One that a session begins with comes as a guild without anything. */
  #onGuildDelete(guild: GuildState, { unavailable }: { id: string; unavailable?: boolean }): void {
    const { db } = this.#settings;
    const hasRemovedBot = unavailable !== true;
    markUnavailable(guild, hasRemovedBot);
    this.#writes.add(guild, () =>
      hasRemovedBot ? guildLeft(db, guild.id) : distrustGuild(db, guild.id, 'outage'),
    );
    if (hasRemovedBot) void this.#forget(guild);
  }

  async #forget(guild: GuildState): Promise<void> {
    await guild.queue;
    const { untrusted } = this.#connections.of(guild.shardId);
    // The bot may have been invited again meanwhile, or its removal may not be written and is handed over.
    if (guild.hasRemovedBot && !untrusted.has(guild.id)) this.#guilds.delete(guild.id);
  }

  #onRole(guild: GuildState, role: WireRole): void {
    guild.changed?.roleIds.add(role.id);
    const { db } = this.#settings;
    const mirrored = roleOf(role);
    this.#writes.add(guild, async () => {
      const makesModerators = await moderatesAnew(db, guild.id, mirrored);
      await putRoles(db.pool, guild.id, [mirrored]);
      if (makesModerators) void this.#comparer.compare(guild);
    });
  }

  #onChannel(guild: GuildState, channel: WireChannel): void {
    guild.changed?.channelIds.add(channel.id);
    const mirrored = channelOf(channel, botUserId(this.#settings));
    this.#writes.add(guild, () => putChannel(this.#settings.db.pool, guild.id, mirrored));
  }

  #onMember(guild: GuildState, member: MirroredMember): void {
    guild.changed?.userIds.add(member.userId);
    const waiting = guild.members;
    if (waiting !== null && waiting.size < MOST_MEMBERS_AT_ONCE) {
      // What the later event does not say is as the earlier one said.
      waiting.set(member.userId, { ...waiting.get(member.userId), ...member });
      return;
    }
    // Members of later events join this write while it waits. A resume brings thousands of them at once.
    const members = new Map([[member.userId, member]]);
    guild.members = members;
    guild.leaving = null;
    this.#writes.add(guild, async () => {
      if (guild.members === members) guild.members = null;
      await followMembers(this.#settings.db, guild.id, [...members.values()], botUserId(this.#settings));
    });
  }

  #onMemberRemove(guild: GuildState, userId: string): void {
    guild.changed?.userIds.add(userId);
    const waiting = guild.leaving;
    if (waiting !== null && waiting.size < MOST_MEMBERS_AT_ONCE) {
      waiting.add(userId);
      return;
    }
    // Discord prunes thousands at once.
    const leaving = new Set([userId]);
    guild.leaving = leaving;
    // Whoever joins again is written after this.
    guild.members = null;
    this.#writes.add(guild, async () => {
      if (guild.leaving === leaving) guild.leaving = null;
      await removeMembers(this.#settings, guild.id, [...leaving]);
    });
  }

  /**
   * Reads the needed parts of the event at once, because a start brings thousands of them, with all their channels and
   * members.
   */
  #describe(guild: GuildState, data: WireGuild): void {
    if (guild.changed !== null) guild.changed.guild = true;
    guild.described.abort();
    guild.described = new AbortController();
    const description = descriptionOf(data, guild.shardId);
    this.#writes.add(guild, () => putDescription(this.#settings, description));
  }

  // ── Bookkeeping ─────────────────────────────────────────────────────────────────────────────────────────────────────

  #guild(id: string, shardId: number): GuildState {
    const guild = this.#guilds.get(id) ?? newGuildState(id, shardId);
    this.#guilds.set(id, guild);
    return guild;
  }
}
