import { type Client, GatewayDispatchEvents as Event, Options } from 'discord.js';

/**
 * Caches that discord.js lets one bound (docs/discord.md: What is kept in memory). Of people only the bot itself is kept:
 * what must be known of others is in the mirror, or comes along with what they do.
 */
export const CACHES = Options.cacheWithLimits({
  ApplicationCommandManager: 0,
  ApplicationEmojiManager: 0,
  AutoModerationRuleManager: 0,
  BaseGuildEmojiManager: 0,
  DMMessageManager: 0,
  EntitlementManager: 0,
  GuildBanManager: 0,
  GuildEmojiManager: 0,
  GuildForumThreadManager: 0,
  GuildInviteManager: 0,
  GuildMemberManager: { maxSize: 0, keepOverLimit: (member) => member.id === member.client.user.id },
  GuildMessageManager: 0,
  GuildScheduledEventManager: 0,
  GuildStickerManager: 0,
  GuildTextThreadManager: 0,
  MessageManager: 0,
  PresenceManager: 0,
  ReactionManager: 0,
  ReactionUserManager: 0,
  StageInstanceManager: 0,
  ThreadManager: 0,
  ThreadMemberManager: 0,
  UserManager: { maxSize: 0, keepOverLimit: (user) => user.id === user.client.user.id },
  VoiceStateManager: 0,
});

interface Packet {
  readonly t: string;
  readonly d: unknown;
}

/** What of discord.js is not in its types: the way from an event to its caches. */
interface Inside {
  readonly ws: { handlePacket(packet?: Packet, shard?: unknown): boolean };
  readonly actions: { readonly InteractionCreate: { handle(data: object): void } };
}

interface WireGuild {
  readonly id: string;
  readonly name: string;
  readonly icon: string | null;
  readonly owner_id: string;
  readonly unavailable?: boolean;
}

/** A guild without its channels, roles and members; without the empty lists the library would call it unavailable. */
function nameOnly({ id, name, icon, owner_id, unavailable = false }: WireGuild): object {
  return { id, name, icon, owner_id, unavailable, features: [], channels: [], roles: [], members: [] };
}

const whole = (data: unknown) => data;

/** The events that the library's caches are shown, and how much of each; who listens to `client.ws` hears everything. */
const SHOWN: Readonly<Record<string, (data: never) => unknown>> = {
  [Event.Ready]: whole,
  [Event.Resumed]: whole,
  [Event.GuildCreate]: nameOnly,
  [Event.GuildUpdate]: nameOnly,
  [Event.GuildDelete]: whole,
};

/**
 * Keeps those caches of discord.js empty that have no bounds: channels and roles it keeps, all of them, whatever it is told.
 * Here they never reach it, and what an interaction brings along is dropped once the interaction has it.
 *
 * Interactions do not wait until every shard of the process is connected, as they would: people wait three seconds.
 */
export function keepLittle(client: Client): void {
  const { ws, actions } = client as unknown as Inside;
  const handle = ws.handlePacket.bind(ws);
  ws.handlePacket = (packet, shard) => {
    if (packet === undefined) return handle();
    if (packet.t === Event.InteractionCreate) {
      const interaction = packet.d as { guild_id?: string };
      actions.InteractionCreate.handle(interaction);
      forgetResolved(client, interaction.guild_id);
      return true;
    }
    const show = SHOWN[packet.t];
    return show === undefined || handle({ ...packet, d: show(packet.d as never) }, shard);
  };
}

function forgetResolved(client: Client, guildId: string | undefined): void {
  client.channels.cache.clear();
  const guild = guildId === undefined ? undefined : client.guilds.cache.get(guildId);
  guild?.channels.cache.clear();
  guild?.roles.cache.clear();
}
