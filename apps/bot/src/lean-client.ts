import { Snowflake } from '@bailiff/core';
import {
  type CacheFactory,
  type Client,
  GatewayDispatchEvents as Event,
  LimitedCollection,
  Options,
} from 'discord.js';
import { storableIn } from './storable.ts';

/** The managers of discord.js that keep nothing. */
const FORGETFUL: ReadonlySet<string> = new Set([
  'ApplicationCommandManager',
  'ApplicationEmojiManager',
  'AutoModerationRuleManager',
  'BaseGuildEmojiManager',
  'DMMessageManager',
  'EntitlementManager',
  'GuildBanManager',
  'GuildEmojiManager',
  'GuildForumThreadManager',
  'GuildInviteManager',
  'GuildMessageManager',
  'GuildScheduledEventManager',
  'GuildStickerManager',
  'GuildTextThreadManager',
  'MessageManager',
  'PresenceManager',
  'ReactionManager',
  'ReactionUserManager',
  'StageInstanceManager',
  'ThreadManager',
  'ThreadMemberManager',
  'VoiceStateManager',
]);
/** It stays empty, so one is enough for all managers; a guild has ten of them. */
const NOTHING = new LimitedCollection<never, never>({ maxSize: 0 });
const ONLY_THE_BOT = Options.cacheWithLimits({
  GuildMemberManager: { maxSize: 0, keepOverLimit: (member) => member.id === member.client.user.id },
  UserManager: { maxSize: 0, keepOverLimit: (user) => user.id === user.client.user.id },
});

/**
 * Caches that discord.js lets a client choose (docs/discord.md: What is kept in memory). Only the bot itself is kept as a
 * user: data about others is in the mirror, or arrives with their events.
 */
export const CACHES: CacheFactory = (type, holds, manager) =>
  FORGETFUL.has(manager.name) || FORGETFUL.has(type.name) ? NOTHING : ONLY_THE_BOT(type, holds, manager);

/** Parts of discord.js without types: how events reach its caches. */
interface Inside {
  readonly ws: {
    handlePacket(packet?: Packet, shard?: unknown): boolean;
    emit(event: string, ...data: unknown[]): boolean;
  };
  readonly actions: { readonly InteractionCreate: { handle(data: object): void } };
}

/** A shard of discord.js, as far as it counts what has arrived. */
interface InsideShard {
  onReadyPacket(data: { guilds: readonly never[] }): void;
  checkReady(): void;
}

/** An event of the gateway, with the data that is used here. */
type Packet =
  | { readonly t: Event.InteractionCreate; readonly d: WireInteraction }
  | { readonly t: Event.GuildCreate | Event.GuildUpdate; readonly d: WireGuild }
  | { readonly t: Event.Ready | Event.Resumed | Event.GuildDelete | 'another event'; readonly d: unknown };

interface WireInteraction {
  readonly guild_id?: string;
  readonly data?: { readonly resolved?: { readonly messages?: Readonly<Record<string, WireMessage>> } };
}

interface WireMessage {
  readonly channel_id: string;
  readonly poll?: object;
}

interface WireGuild {
  readonly id: string;
  readonly name: string;
  readonly icon: string | null;
  readonly owner_id: string;
  readonly unavailable?: boolean;
}

/** The field that names the guild of an event, of the events about guilds that are listened to. */
const GUILD_IN: Readonly<Partial<Record<string, 'id' | 'guild_id'>>> = {
  [Event.GuildCreate]: 'id',
  [Event.GuildUpdate]: 'id',
  [Event.GuildDelete]: 'id',
  [Event.GuildRoleCreate]: 'guild_id',
  [Event.GuildRoleUpdate]: 'guild_id',
  [Event.GuildRoleDelete]: 'guild_id',
  [Event.ChannelCreate]: 'guild_id',
  [Event.ChannelUpdate]: 'guild_id',
  [Event.ChannelDelete]: 'guild_id',
  [Event.GuildMemberAdd]: 'guild_id',
  [Event.GuildMemberUpdate]: 'guild_id',
  [Event.GuildMemberRemove]: 'guild_id',
  [Event.GuildBanAdd]: 'guild_id',
  [Event.GuildBanRemove]: 'guild_id',
  [Event.GuildAuditLogEntryCreate]: 'guild_id',
};

/** @throws Error if an event about a guild names none: nobody may ask Discord about it */
function requireGuild(event: string, data: unknown): void {
  const field = GUILD_IN[event];
  if (field === undefined) return;
  const named: unknown = Object(data)[field];
  if (!Snowflake.safeParse(named).success) throw new Error(`its ${field} is no id of a guild`);
}

/**
 * A guild without its channels, roles and members. Empty lists remain, because otherwise the library treats it as
 * unavailable.
 */
function nameOnly({ id, name, icon, owner_id, unavailable = false }: WireGuild): WireGuild {
  const none = { features: [], channels: [], roles: [], members: [] };
  return { id, name, icon, owner_id, unavailable, ...none };
}

/** Whether this process answers commands now. A promise only where that must be found out first. */
export type MayAnswer = () => true | Promise<boolean>;

/**
 * Keeps discord.js's unlimited caches empty: it caches all channels and roles, whatever its settings. Here they never
 * reach it, and the data that comes with an interaction is dropped once the interaction has it.
 *
 * Interactions are handled before every shard of the process is connected, which the library would wait for: people
 * wait three seconds only.
 */
export function keepLittle(client: Client, mayAnswer: MayAnswer = () => true): void {
  const { ws, actions } = client as unknown as Inside;
  const handle = ws.handlePacket.bind(ws);
  const emit = ws.emit.bind(ws);
  const guarded = (event: string | undefined, work: () => boolean) => {
    try {
      return work();
    } catch (error) {
      client.emit('error', new Error(`The gateway's event ${event} could not be used`, { cause: error }));
      return false;
    }
  };
  // An event that lacks a field must not end the process, whoever listens to it.
  ws.emit = (event, ...data) =>
    guarded(event, () => {
      requireGuild(event, data[0]);
      return emit(event, ...data.map(storableIn));
    });
  ws.handlePacket = (packet, shard) => guarded(packet?.t, () => take(packet, shard));

  function interact(data: WireInteraction): boolean {
    const answer = () => {
      placePolls(data);
      // Whoever listens reads what came with it at once.
      actions.InteractionCreate.handle(data);
      forgetResolved(client, data.guild_id);
      return true;
    };
    const isOurs = mayAnswer();
    if (isOurs === true) return answer();
    void isOurs.then((isSo) => isSo && guarded(Event.InteractionCreate, answer));
    return true;
  }

  function take(packet: Packet | undefined, shard: unknown): boolean {
    if (packet === undefined) return handle();
    switch (packet.t) {
      case Event.InteractionCreate:
        return interact(packet.d);
      case Event.GuildCreate:
      case Event.GuildUpdate:
        return handle({ ...packet, d: nameOnly(packet.d) }, shard);
      case Event.Ready:
      case Event.Resumed:
      case Event.GuildDelete:
        return handle(packet, shard);
      // Listeners of `client.ws` receive every event; the library's caches receive no other.
      default:
        return true;
    }
  }
}

/** Says of each poll where it is: the library would look for its channel among those that it keeps. */
function placePolls({ data }: WireInteraction): void {
  for (const { channel_id, poll } of Object.values(data?.resolved?.messages ?? {})) {
    if (poll !== undefined) Object.assign(poll, { channel_id });
  }
}

function forgetResolved(client: Client, guildId: string | undefined): void {
  client.channels.cache.clear();
  const guild = guildId === undefined ? undefined : client.guilds.cache.get(guildId);
  guild?.channels.cache.clear();
  guild?.roles.cache.clear();
}

type Known =
  | { readonly user: { readonly id: string; readonly username: string }; readonly applicationId: string }
  | {
      readonly guild: { readonly id: string; readonly name: string; readonly owner_id: string };
      readonly shardId: number;
    };

/** Tells discord.js what it would learn when a session begins, for one that is resumed. */
export function introduce(client: Client, known: Known): void {
  const { ws } = client as unknown as Inside;
  if ('guild' in known) {
    const { guild, shardId } = known;
    ws.handlePacket({ t: Event.GuildCreate, d: { ...guild, icon: null } }, { id: shardId });
    return;
  }
  const { user, applicationId } = known;
  const d = { user, application: { id: applicationId, flags: 0 }, guilds: [] };
  ws.handlePacket({ t: Event.Ready, d }, { id: 0, checkReady: () => {} });
}

/** Lets a resumed shard count as ready: it waits for no guild. The library knows this only of one that has begun. */
export function readyShard(client: Client, shardId: number): void {
  const shard = client.ws.shards.get(shardId) as InsideShard | undefined;
  shard?.onReadyPacket({ guilds: [] });
  shard?.checkReady();
}
