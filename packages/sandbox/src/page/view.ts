import {
  ApplicationCommandType,
  AuditLogEvent,
  ChannelType,
  PermissionFlagsBits as Permission,
} from 'discord-api-types/v10';
import { mayUse } from '#src/control/interactions.ts';
import { shownMembers } from '#src/control/state.ts';
import type { Channel, Guild, Member } from '#src/model.ts';
import { byRank, channelPermissions, guildPermissions, isTimedOut } from '#src/permissions.ts';
import { compareIds, snowflakeTime } from '#src/snowflake.ts';
import type { World } from '#src/world.ts';
import { commandItems, menuItems } from './command-items.ts';
import { messageItems } from './message-items.ts';
import { colorOf, nameOf, personName } from './names.ts';
import type { ChannelItem, MemberItem, Panel, PanelName, Person, Place, View } from './wire.ts';

const PANELS: readonly PanelName[] = ['bans', 'audit', 'server', 'dms'];
const MOST_ROWS = 200;

/** Everything the page shows to the person of the query. Null in a world without a guild. */
export function readView(world: World, query: URLSearchParams, hasDashboard: boolean): View | null {
  const [sample] = world.guilds.values();
  const guild = world.guilds.get(query.get('guild') ?? '') ?? sample;
  const owner = world.findUser(guild?.ownerId ?? '');
  if (!guild || !owner) return null;
  const asked = world.findUser(query.get('as') ?? '');
  const user = asked && guild.members.has(asked.id) ? asked : owner;
  const member = guild.members.get(user.id);
  if (!member) return null;
  const channels = visibleChannels(guild, member);
  const name = query.get('view');
  const panel = PANELS.find((each) => each === name) ?? null;
  const channel = name === 'dm' ? world.dms.get(user.id) : chosen(channels, query.get('channel'));
  const place = placeOf(world, guild, member, name === 'dm', channel);
  const shown =
    channel === undefined
      ? { messages: [], hasOlder: false }
      : messageItems(world, guild, user, channel, query);
  const locale = query.get('locale') ?? 'en-US';
  const usable = [...world.commands.values()].filter(
    (command) =>
      (command.guild_id === undefined || command.guild_id === guild.id) &&
      channel !== undefined &&
      mayUse(world.guildOfChannel(channel), channel, user, command),
  );
  const of = (type: ApplicationCommandType) => usable.filter((command) => command.type === type);
  const members = shownMembers(guild);
  return {
    guild: { id: guild.id, name: guild.name },
    guilds: [...world.guilds.values()].slice(0, MOST_ROWS).map(({ id, name }) => ({ id, name })),
    me: {
      ...person(world, guild, member),
      isOwner: user.id === guild.ownerId,
      mayManageMessages:
        channel?.guildId === guild.id &&
        (channelPermissions(guild, channel, member) & Permission.ManageMessages) !== 0n,
    },
    people: people(world, guild, members),
    channels: channels.map((each) => channelItem(each)),
    dm: { lastMessageId: lastId(world.dms.get(user.id)), accepts: user.acceptsDms },
    conversations: [...world.dms.values()].flatMap((dm) => {
      const userId = dm.recipientId ?? '';
      if (!guild.members.has(userId) || dm.messages.size === 0) return [];
      return [{ userId, name: nameOf(world, guild, userId), count: dm.messages.size }];
    }),
    place,
    ...shown,
    commands: commandItems(of(ApplicationCommandType.ChatInput), locale),
    userMenus: menuItems(of(ApplicationCommandType.User), locale),
    messageMenus: menuItems(of(ApplicationCommandType.Message), locale),
    members: members.map((each) => memberItem(guild, each)),
    memberCount: guild.members.size,
    roles: [...guild.roles.values()].map(({ id, name, color }) => ({ id, name, color })),
    names: Object.fromEntries([...world.users.keys()].map((id) => [id, nameOf(world, guild, id)])),
    panel: panel === null ? null : { name: panel, rows: ROWS[panel](world, guild) },
    bot: { id: world.bot.id, name: nameOf(world, guild, world.bot.id) },
    hasDashboard,
  };
}

function visibleChannels(guild: Guild, member: Member): Channel[] {
  const seen = [...guild.channels.values()].filter(
    (channel) =>
      channel.thread?.archived !== true &&
      (channelPermissions(guild, channel, member) & Permission.ViewChannel) !== 0n,
  );
  return inOrder(seen, new Set(seen.map(({ id }) => id)), null);
}

/** Channels as Discord lists them: those of no category first, then each category with its own, threads under theirs. */
function inOrder(channels: readonly Channel[], ids: ReadonlySet<string>, parentId: string | null): Channel[] {
  const isCategory = ({ type }: Channel) => type === ChannelType.GuildCategory;
  return channels
    .filter((channel) => (ids.has(channel.parentId ?? '') ? channel.parentId : null) === parentId)
    .toSorted(
      (one, other) => Number(isCategory(one)) - Number(isCategory(other)) || one.position - other.position,
    )
    .flatMap((channel) => [channel, ...inOrder(channels, ids, channel.id)]);
}

function chosen(channels: readonly Channel[], id: string | null): Channel | undefined {
  const readable = channels.filter(({ type }) => type !== ChannelType.GuildCategory);
  const general = readable.find(({ name }) => name === 'general');
  return readable.find((channel) => channel.id === id) ?? general ?? readable[0];
}

function placeOf(
  world: World,
  guild: Guild,
  member: Member,
  isDm: boolean,
  channel: Channel | undefined,
): Place {
  const nobody = { topic: '', cannotWrite: null };
  if (isDm) {
    return { kind: 'dm', id: channel?.id ?? 'dm', name: nameOf(world, guild, world.bot.id), ...nobody };
  }
  if (!channel)
    return { kind: 'nothing', id: '', name: 'No channel', ...nobody, cannotWrite: 'You see no channel.' };
  const mayWrite = (channelPermissions(guild, channel, member) & Permission.SendMessages) !== 0n;
  const cannotWrite = isTimedOut(member)
    ? `You are timed out until ${member.timeoutUntil?.slice(0, 16).replace('T', ' ')} UTC.`
    : member.pending
      ? 'You have not passed the membership screening yet.'
      : mayWrite && channel.type !== ChannelType.GuildForum
        ? null
        : 'You may not write in this channel.';
  return { kind: 'channel', id: channel.id, name: channel.name, topic: channel.topic ?? '', cannotWrite };
}

const KINDS: Partial<Record<ChannelType, ChannelItem['kind']>> = {
  [ChannelType.GuildCategory]: 'category',
  [ChannelType.GuildAnnouncement]: 'announcement',
  [ChannelType.GuildVoice]: 'voice',
  [ChannelType.GuildStageVoice]: 'voice',
  [ChannelType.GuildForum]: 'forum',
};

function channelItem(channel: Channel): ChannelItem {
  const kind = channel.thread === null ? (KINDS[channel.type] ?? 'text') : 'thread';
  return {
    id: channel.id,
    name: channel.name,
    kind,
    parentId: channel.parentId,
    lastMessageId: lastId(channel),
  };
}

function lastId(channel: Channel | undefined): string | null {
  let last: string | null = null;
  for (const id of channel?.messages.keys() ?? []) if (last === null || compareIds(id, last) > 0) last = id;
  return last;
}

function people(world: World, guild: Guild, members: readonly Member[]): Person[] {
  const named = Object.values(world.people);
  const place = ({ user }: Member) => (named.includes(user.id) ? named.indexOf(user.id) : named.length);
  return members
    .filter(({ user }) => !user.bot)
    .toSorted((one, other) => place(one) - place(other))
    .map((member) => person(world, guild, member));
}

function person(world: World, guild: Guild, member: Member): Person {
  const { id } = member.user;
  const part = Object.keys(world.people).find((key) => world.people[key] === id) ?? '';
  return {
    id,
    name: nameOf(world, guild, id),
    part: (part || 'member').replaceAll('_', ' '),
    may: mayOf(guild, member),
  };
}

/** What the switcher says of each permission, in this order. */
const PERMISSION_WORDS: readonly (readonly [bigint, string])[] = [
  [Permission.BanMembers, 'ban'],
  [Permission.KickMembers, 'kick'],
  [Permission.ModerateMembers, 'time out'],
  [Permission.ManageMessages, 'delete messages'],
  [Permission.ViewAuditLog, 'read the audit log'],
];

function mayOf(guild: Guild, member: Member): string {
  if (member.user.id === guild.ownerId) return 'Owns the server and may do everything.';
  const bits = guildPermissions(guild, member);
  if ((bits & Permission.Administrator) !== 0n) return 'Administrator: may do everything.';
  if (isTimedOut(member)) return 'Timed out: may read, and not write.';
  const may = PERMISSION_WORDS.filter(([bit]) => (bits & bit) !== 0n).map(([, word]) => word);
  if (may.length === 0) return 'May write, open tickets and read.';
  return `May ${new Intl.ListFormat('en').format(may)}.`;
}

function memberItem(guild: Guild, member: Member): MemberItem {
  const { user } = member;
  const roles = member.roleIds
    .flatMap((id) => guild.roles.get(id) ?? [])
    .toSorted(byRank)
    .toReversed();
  return {
    id: user.id,
    name: personName(user, member),
    username: user.username,
    color: colorOf(guild, member),
    bot: user.bot,
    roles: roles.map(({ name }) => name),
    group: user.id === guild.ownerId ? 'Owner' : (roles.find(({ hoist }) => hoist)?.name ?? 'Members'),
    timedOutUntil: isTimedOut(member) ? member.timeoutUntil : null,
  };
}

const ROWS: Readonly<Record<PanelName, (world: World, guild: Guild) => Panel['rows']>> = {
  dms: () => [],
  bans: (world, guild) =>
    [...guild.bans.values()].slice(-MOST_ROWS).map(({ user, reason, bannedBy }) => ({
      id: user.id,
      at: null,
      cells: [personName(user), reason ?? '—', nameOf(world, guild, bannedBy)],
    })),
  audit: (world, guild) =>
    guild.auditLog
      .slice(-MOST_ROWS)
      .toReversed()
      .map((entry) => ({
        id: entry.id,
        at: new Date(snowflakeTime(entry.id)).toISOString(),
        cells: [
          AuditLogEvent[entry.action_type],
          nameOf(world, guild, entry.user_id),
          nameOf(world, guild, entry.target_id),
          entry.reason ?? '—',
        ],
      })),
  server: ({ serverCommands }) =>
    serverCommands
      .slice(-MOST_ROWS)
      .map(({ at, server, command, outputBytes }, index) => ({
        id: String(index),
        at,
        cells: [server, command, String(outputBytes)],
      }))
      .toReversed(),
};
