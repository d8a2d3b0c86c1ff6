import { ChannelType, OverwriteType, PermissionFlagsBits } from 'discord-api-types/v10';
import type { Channel, Guild, Member, Thread, User, WireUser } from './model.ts';
import { compareIds, snowflakeTime, wireTime } from './snowflake.ts';
import type { World } from './world.ts';

/** Converts the model to the formats of Discord's OpenAPI document. */

export function userPayload(user: User): WireUser {
  return {
    id: user.id,
    username: user.username,
    avatar: null,
    discriminator: user.bot ? '0001' : '0',
    public_flags: 0,
    flags: 0,
    ...(user.bot ? { bot: true } : {}),
    banner: null,
    accent_color: null,
    global_name: user.globalName,
    avatar_decoration_data: null,
    collectibles: null,
    primary_guild: null,
  };
}

/** The author of a webhook's message. */
export function webhookPayload({ id, name }: { readonly id: string; readonly name: string }): WireUser {
  return userPayload({ id, username: name, globalName: null, bot: true, email: null, acceptsDms: false });
}

/** A user's own account, which has more fields than others can see. */
export function ownUserPayload(user: User, withEmail: boolean) {
  return {
    ...userPayload(user),
    locale: 'en-US',
    premium_type: 0,
    verified: true,
    ...(withEmail ? { email: user.email } : {}),
  };
}

/** A message of a guild without what the Message Content Intent is for, unless the bot wrote it or is mentioned in it. */
export function withoutContent<Shown extends object>(world: World, message: Shown & MaybeAuthored): Shown {
  const isForBot =
    message.author?.id === world.bot.id || message.mentions?.some(({ id }) => id === world.bot.id) === true;
  if (isForBot) return message;
  const snapshots = message.message_snapshots?.map((each) => ({ message: { ...each.message, ...HIDDEN } }));
  return {
    ...message,
    ...HIDDEN,
    poll: undefined,
    ...(snapshots === undefined ? {} : { message_snapshots: snapshots }),
  };
}

const HIDDEN = { content: '', embeds: [], attachments: [], components: [] };

interface MaybeAuthored {
  readonly author?: { readonly id: string };
  readonly mentions?: readonly { readonly id: string }[];
  readonly message_snapshots?: readonly { readonly message: object }[];
}

/** A member without its user, as messages and `resolved` carry it. */
export function partialMemberPayload(member: Member) {
  return {
    avatar: null,
    banner: null,
    communication_disabled_until: member.timeoutUntil,
    flags: 0,
    joined_at: member.joinedAt,
    nick: member.nick,
    pending: member.pending,
    premium_since: null,
    roles: [...member.roleIds],
  };
}

export function memberPayload(member: Member) {
  return { ...partialMemberPayload(member), user: userPayload(member.user), mute: false, deaf: false };
}

function lastMessageId(channel: Channel): string | null {
  let last: string | null = null;
  for (const id of channel.messages.keys()) if (last === null || compareIds(id, last) > 0) last = id;
  return last;
}

function lastPin(channel: Channel): string | null {
  return [...channel.pins.values()].toSorted().at(-1) ?? null;
}

/** A thread, which has no position and no overwrites of its own. */
function threadPayload(channel: Channel, thread: Thread) {
  return {
    id: channel.id,
    type: channel.type,
    guild_id: channel.guildId ?? '',
    name: channel.name,
    parent_id: channel.parentId,
    owner_id: thread.ownerId,
    flags: 0,
    nsfw: channel.nsfw,
    rate_limit_per_user: channel.rateLimitPerUser,
    last_message_id: lastMessageId(channel),
    last_pin_timestamp: lastPin(channel),
    message_count: channel.messages.size,
    total_message_sent: channel.messages.size,
    member_count: thread.memberIds.size,
    thread_metadata: {
      archived: thread.archived,
      archive_timestamp: wireTime(snowflakeTime(channel.id)),
      auto_archive_duration: 4320,
      locked: thread.locked,
      ...(channel.type === ChannelType.PrivateThread ? { invitable: true } : {}),
    },
  };
}

/** Channels for announcements have none: Discord takes one and sets nothing. */
export function hasSlowmode(type: ChannelType): boolean {
  return type !== ChannelType.GuildAnnouncement;
}

export function guildChannelPayload(channel: Channel) {
  if (channel.thread !== null) return threadPayload(channel, channel.thread);
  const base = {
    id: channel.id,
    type: channel.type,
    guild_id: channel.guildId ?? '',
    name: channel.name,
    position: channel.position,
    parent_id: channel.parentId,
    permission_overwrites: channel.overwrites.map((overwrite) => ({ ...overwrite })),
    flags: 0,
  };
  if (channel.type === ChannelType.GuildCategory) return base;
  return {
    ...base,
    topic: channel.topic,
    nsfw: channel.nsfw,
    ...(hasSlowmode(channel.type) ? { rate_limit_per_user: channel.rateLimitPerUser } : {}),
    last_message_id: lastMessageId(channel),
    last_pin_timestamp: lastPin(channel),
  };
}

const HIDDEN_NAME = '___hidden___';
const CHANNEL_OBFUSCATED = 1 << 17;

/**
 * A channel in an event: of one that the bot may not view Discord keeps the place and hides the rest
 * (docs.discord.com/developers/resources/channel#channel-object-obfuscated-channels, since 2026-11-16).
 */
export function announcedChannelPayload(world: World, channel: Channel) {
  if (channel.thread !== null || world.botSees(channel)) return guildChannelPayload(channel);
  const guildId = channel.guildId ?? '';
  const deny = String(PermissionFlagsBits.ViewChannel);
  return {
    id: channel.id,
    type: channel.type,
    guild_id: guildId,
    name: HIDDEN_NAME,
    position: channel.position,
    parent_id: channel.parentId,
    permission_overwrites: [{ id: guildId, type: OverwriteType.Role, allow: '0', deny }],
    flags: CHANNEL_OBFUSCATED,
  };
}

export function dmChannelPayload(channel: Channel, recipient: User) {
  return {
    id: channel.id,
    type: ChannelType.DM,
    flags: 0,
    last_message_id: lastMessageId(channel),
    recipients: [userPayload(recipient)],
  };
}

export function guildPayload(guild: Guild) {
  const [rulesId = null, updatesId = rulesId] = guild.communityChannelIds;
  return {
    id: guild.id,
    name: guild.name,
    icon: null,
    description: null,
    home_header: null,
    splash: null,
    discovery_splash: null,
    features: guild.communityChannelIds.size > 0 ? ['COMMUNITY'] : [],
    banner: null,
    owner_id: guild.ownerId,
    application_id: null,
    region: 'us-central',
    afk_channel_id: null,
    afk_timeout: 300,
    system_channel_id: null,
    system_channel_flags: 0,
    widget_enabled: false,
    widget_channel_id: null,
    verification_level: guild.verificationLevel,
    roles: [...guild.roles.values()].map((role) => ({ ...role })),
    default_message_notifications: 1,
    mfa_level: guild.requiresTwoFactor ? 1 : 0,
    explicit_content_filter: 2,
    max_presences: null,
    max_members: 25_000_000,
    max_stage_video_channel_users: 50,
    max_video_channel_users: 25,
    vanity_url_code: null,
    premium_tier: 0,
    premium_subscription_count: 0,
    preferred_locale: guild.preferredLocale,
    rules_channel_id: rulesId,
    safety_alerts_channel_id: null,
    public_updates_channel_id: updatesId,
    premium_progress_bar_enabled: false,
    nsfw: false,
    nsfw_level: 0,
    emojis: [],
    stickers: [],
    incidents_data: null,
  };
}
