import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  ApplicationCommandType,
  AuditLogEvent,
  ChannelType,
  PermissionFlagsBits,
} from 'discord-api-types/v10';
import { sendHtml } from '#src/http.ts';
import type { Channel, Guild, Message, User } from '#src/model.ts';
import { byRank, channelPermissions, isTimedOut } from '#src/permissions.ts';
import { newestFirst } from '#src/rest/messages.ts';
import { compareIds, snowflakeTime } from '#src/snowflake.ts';
import type { World } from '#src/world.ts';
import { commandForms, messageHtml, sending, table, text, time } from './parts.ts';
import { SCRIPT, STYLE } from './style.ts';

const SHOWN_MESSAGES = 60;
const VIEWS = {
  members: 'Members',
  bans: 'Bans',
  dms: 'Direct messages',
  audit: 'Audit log',
  server: 'Game server',
} as const;

type View = keyof typeof VIEWS | 'channel';

/** The page in the address: as which user, which guild, which view. */
interface PageRequest {
  readonly world: World;
  readonly guild: Guild;
  readonly user: User;
  readonly view: View;
  readonly channel: Channel | undefined;
}

/** Serves `/` and attachments. Returns whether the path was one of them. */
export async function servePage(
  world: World,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<boolean> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return false;
  const file = world.files.get(url.pathname);
  if (file) {
    // Downloads only: an uploaded file must not run as a page of this origin.
    response
      .writeHead(200, {
        'Content-Type': file.contentType,
        'Content-Disposition': 'attachment',
        'X-Content-Type-Options': 'nosniff',
      })
      .end(file.bytes);
    return true;
  }
  if (url.pathname !== '/') return false;
  const page = readPageRequest(world, url.searchParams);
  if (!page) return false;
  sendHtml(response, 200, pageHtml(page));
  return true;
}

function readPageRequest(world: World, query: URLSearchParams): PageRequest | null {
  const [sample] = world.guilds.values();
  const guild = world.guilds.get(query.get('guild') ?? '') ?? sample;
  const owner = world.users.get(guild?.ownerId ?? '');
  if (!guild || !owner) return null;
  const asked = world.users.get(query.get('as') ?? '');
  const user = asked && guild.members.has(asked.id) ? asked : owner;
  const name = query.get('view') ?? '';
  const view: View = Object.hasOwn(VIEWS, name) ? (name as keyof typeof VIEWS) : 'channel';
  const visible = visibleChannels(guild, user);
  const general = visible.find((channel) => channel.name === 'general');
  const channel = visible.find((each) => each.id === query.get('channel')) ?? general ?? visible[0];
  return { world, guild, user, view, channel };
}

function visibleChannels(guild: Guild, user: User): Channel[] {
  const member = guild.members.get(user.id);
  if (!member) return [];
  return [...guild.channels.values()].filter(
    (channel) => (channelPermissions(guild, channel, member) & PermissionFlagsBits.ViewChannel) !== 0n,
  );
}

function nameOf(world: World, guild: Guild, id: string | null): string {
  if (id === null) return 'nobody';
  const user = world.users.get(id);
  const person = guild.members.get(id)?.nick ?? user?.globalName ?? user?.username;
  return person ?? guild.roles.get(id)?.name ?? guild.channels.get(id)?.name ?? id;
}

function linkTo(page: PageRequest, to: { view?: string; channel?: string; guild?: string }): string {
  const query = new URLSearchParams({ guild: to.guild ?? page.guild.id, as: page.user.id });
  if (to.view) query.set('view', to.view);
  if (to.channel) query.set('channel', to.channel);
  return `/?${text(query.toString())}`;
}

function pageHtml(page: PageRequest): string {
  const { world, guild, user, view, channel } = page;
  const title = view === 'channel' ? `#${channel?.name ?? 'no channel'}` : VIEWS[view];
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(title)} · ${text(guild.name)} · Sandbox</title><link rel="icon" href="data:,"><style>${STYLE}</style></head>
<body data-user="${text(user.id)}" data-change="${world.changes}">
<header class="top"><h1>${text(guild.name)}</h1><span class="soft">offline Discord</span>${pickers(page)}</header>
${navigation(page)}<main id="content" data-view="${page.view}" tabindex="-1">${content(page)}</main><aside id="side" aria-label="Members">${side(page)}</aside>
<div id="notice" role="status"></div><script>${SCRIPT}</script></body></html>`;
}

function pickers(page: PageRequest): string {
  const { world, guild, user } = page;
  const named = Object.entries(world.people).map(([key, id]) => ({ id, key: key.replaceAll('_', ' ') }));
  const others = [...guild.members.values()]
    .filter((member) => !member.user.bot && !named.some((person) => person.id === member.user.id))
    .map((member) => ({ id: member.user.id, key: '' }));
  const people = [...named.filter((person) => guild.members.has(person.id)), ...others].map(({ id, key }) => {
    const label = `${nameOf(world, guild, id)}${key ? ` (${key})` : ''}`;
    return `<option value="${text(id)}"${id === user.id ? ' selected' : ''}>${text(label)}</option>`;
  });
  const guilds = [...world.guilds.values()].map(
    (each) =>
      `<option value="${text(each.id)}"${each.id === guild.id ? ' selected' : ''}>${text(each.name)}</option>`,
  );
  return `<form><select aria-label="Guild" data-go="guild">${guilds.join('')}</select>
<select aria-label="Acting as" data-go="as">${people.join('')}</select>
<button type="button" class="danger" ${sending('members', { action: 'leave', user: user.id, guild_id: guild.id })}>Leave guild</button></form>`;
}

function navigation(page: PageRequest): string {
  const channels = inOrder(visibleChannels(page.guild, page.user)).map((channel) => {
    if (channel.type === ChannelType.GuildCategory) return `<span>${text(channel.name)}</span>`;
    const current = page.view === 'channel' && channel.id === page.channel?.id ? ' aria-current="page"' : '';
    return `<a href="${linkTo(page, { channel: channel.id })}"${current}># ${text(channel.name)}</a>`;
  });
  const views = Object.entries(VIEWS).map(
    ([view, label]) =>
      `<a href="${linkTo(page, { view })}"${page.view === view ? ' aria-current="page"' : ''}>${label}</a>`,
  );
  return `<nav aria-label="Channels and views">${channels.join('')}<span>Guild</span>${views.join('')}</nav>`;
}

/** Channels as Discord lists them: those of no category first, then each category with its own. */
function inOrder(channels: readonly Channel[], parentId: string | null = null): Channel[] {
  const ids = new Set(channels.map(({ id }) => id));
  const parentOf = (channel: Channel) => (ids.has(channel.parentId ?? '') ? channel.parentId : null);
  const isCategory = ({ type }: Channel) => type === ChannelType.GuildCategory;
  return channels
    .filter((channel) => parentOf(channel) === parentId)
    .toSorted((one, other) => Number(isCategory(one)) - Number(isCategory(other)))
    .flatMap((channel) => [
      channel,
      ...inOrder(channels, channel.id).filter((each) => each.parentId === channel.id),
    ]);
}

function content(page: PageRequest): string {
  switch (page.view) {
    case 'channel':
      return channelView(page);
    case 'members':
      return membersView(page);
    case 'bans':
      return bansView(page);
    case 'dms':
      return dmsView(page);
    case 'audit':
      return auditView(page);
    case 'server':
      return serverView(page);
  }
}

/** Messages of the channel, including those that only this person sees. */
function seenMessages(
  { world, user }: PageRequest,
  channel: Channel,
): { message: Message; ephemeral: boolean }[] {
  const own = [...world.interactions.values()].filter((each) => each.userId === user.id);
  const hidden = [...world.ephemeral.values()].filter(
    (message) =>
      message.channel_id === channel.id &&
      own.some((each) => each.responses.some((response) => response.message?.id === message.id)),
  );
  return [
    ...newestFirst(channel)
      .slice(0, SHOWN_MESSAGES)
      .map((message) => ({ message, ephemeral: false })),
    ...hidden.map((message) => ({ message, ephemeral: true })),
  ].toSorted((a, b) => compareIds(a.message.id, b.message.id));
}

function messageList(page: PageRequest, channel: Channel): string {
  const { world, guild, user } = page;
  const menus = [...world.commands.values()].filter(
    (command) => command.type === ApplicationCommandType.Message,
  );
  const items = seenMessages(page, channel).map(({ message, ephemeral }) =>
    messageHtml(message, {
      userId: user.id,
      nameOf: (id) => nameOf(world, guild, id),
      menus: ephemeral || message.author.bot ? [] : menus,
      ephemeral,
    }),
  );
  return `<ol data-live>${items.join('') || '<li class="soft">Nothing has been written here.</li>'}</ol>`;
}

function composer(page: PageRequest, channel: string): string {
  const body = { user: page.user.id, channel, guild_id: page.guild.id };
  return `<form class="compose" ${sending('messages', body)}><input name="content" required maxlength="2000" autocomplete="off"
aria-label="Message" placeholder="Write as ${text(nameOf(page.world, page.guild, page.user.id))}"><button class="primary">Send</button></form>`;
}

function channelView(page: PageRequest): string {
  const { world, guild, user, channel } = page;
  if (!channel) return '<h2>No channel</h2><p class="soft">This person sees none.</p>';
  const commands = [...world.commands.values()].filter(
    (command) =>
      command.type === ApplicationCommandType.ChatInput &&
      (command.guild_id === undefined || command.guild_id === guild.id),
  );
  const items = (all: Iterable<{ id: string; name: string }>) =>
    [...all].map(({ id, name }) => ({ id, name }));
  const view = {
    userId: user.id,
    channelId: channel.id,
    users: [...guild.members.keys()].map((id) => ({ id, name: nameOf(world, guild, id) })),
    channels: items(guild.channels.values()),
    roles: items(guild.roles.values()),
  };
  return `<h2># ${text(channel.name)} <span class="soft">${text(channel.topic)}</span></h2>${messageList(page, channel)}
${composer(page, channel.id)}<section aria-label="Slash commands">${commandForms(commands, view)}</section>`;
}

function membersView(page: PageRequest): string {
  const { world, guild, user } = page;
  const menus = [...world.commands.values()].filter(
    (command) => command.type === ApplicationCommandType.User,
  );
  const rows = [...guild.members.values()].map((member) => {
    const roles = member.roleIds.map((id) => guild.roles.get(id)?.name ?? id).join(', ');
    const state = isTimedOut(member)
      ? `<span class="warn">timed out until ${time(member.timeoutUntil ?? '')}</span>`
      : '';
    const actions = menus.map((command) => {
      const body = {
        type: 'user_menu',
        user: user.id,
        command: command.name,
        target: member.user.id,
        guild_id: guild.id,
      };
      return `<button ${sending('interactions', body)}>${text(command.name)}</button>`;
    });
    const owner = member.user.id === guild.ownerId ? ' <span class="tag">owner</span>' : '';
    const bot = member.user.bot ? ' <span class="tag">bot</span>' : '';
    return [
      `${text(nameOf(world, guild, member.user.id))}${owner}${bot}<br><span class="soft">${text(member.user.id)}</span>`,
      text(roles),
      state,
      `<div class="row">${actions.join('')}</div>`,
    ];
  });
  return `<h2>Members</h2><div data-live>${table(`${rows.length} members`, ['Member', 'Roles', 'Timeout', 'Apps'], rows, 'Nobody.')}</div>`;
}

function bansView({ world, guild }: PageRequest): string {
  const rows = [...guild.bans.values()].map((ban) => [
    text(ban.user.globalName ?? ban.user.username),
    text(ban.reason ?? '—'),
    text(nameOf(world, guild, ban.bannedBy)),
    `<button ${sending('bans', { action: 'unban', user: ban.user.id, guild_id: guild.id })}>Unban</button>`,
  ]);
  return `<h2>Bans</h2><div data-live>${table(`${rows.length} bans`, ['User', 'Reason', 'By', ''], rows, 'Nobody is banned.')}</div>`;
}

function dmsView(page: PageRequest): string {
  const { world, guild, user } = page;
  const own = world.dms.get(user.id);
  const name = text(nameOf(world, guild, user.id));
  const toggle = sending('members', { action: user.acceptsDms ? 'close_dms' : 'open_dms', user: user.id });
  const others = [...world.dms.values()].filter((dm) => dm.recipientId !== user.id);
  const rows = others.map((dm) => [text(nameOf(world, guild, dm.recipientId)), String(dm.messages.size)]);
  return `<h2>Direct messages of ${name} with the bot</h2>${own ? messageList(page, own) : '<p class="soft">None yet.</p>'}
${composer(page, 'dm')}<p><button ${toggle}>${user.acceptsDms ? 'Close' : 'Open'} direct messages</button></p>
<h2>Others</h2><div data-live>${table('Who else the bot wrote to', ['Person', 'Messages'], rows, 'The bot wrote to nobody else.')}</div>`;
}

function auditView({ world, guild }: PageRequest): string {
  const rows = guild.auditLog
    .toReversed()
    .map((entry) => [
      time(new Date(snowflakeTime(entry.id)).toISOString()),
      text(AuditLogEvent[entry.action_type]),
      text(nameOf(world, guild, entry.user_id)),
      text(guild.channels.get(entry.target_id ?? '')?.name ?? nameOf(world, guild, entry.target_id)),
      text(entry.reason ?? '—'),
    ]);
  return `<h2>Audit log</h2><div data-live>${table(`${rows.length} entries, newest first`, ['Time', 'What', 'By', 'Target', 'Reason'], rows, 'Nothing has been done yet.')}</div>`;
}

function serverView({ world }: PageRequest): string {
  const rows = world.serverCommands
    .toReversed()
    .map((each) => [
      time(each.at),
      text(each.server),
      `<code>${text(each.command)}</code>`,
      String(each.outputBytes),
    ]);
  return `<h2>Game server</h2><div data-live>${table('Commands it received', ['Time', 'Server', 'Command', 'Bytes answered'], rows, 'No command has reached the game server.')}</div>`;
}

/** Members by their highest shown role, as a chat client lists them. */
function side({ world, guild }: PageRequest): string {
  const hoisted = [...guild.roles.values()]
    .filter((role) => role.hoist)
    .toSorted(byRank)
    .toReversed();
  const groups = new Map<string, string[]>();
  for (const member of guild.members.values()) {
    const role = hoisted.find((each) => member.roleIds.includes(each.id));
    const group = member.user.id === guild.ownerId ? 'Owner' : (role?.name ?? 'Members');
    const mark = isTimedOut(member)
      ? ' <span class="warn">timed out</span>'
      : member.user.bot
        ? ' <span class="tag">bot</span>'
        : '';
    groups.set(group, [
      ...(groups.get(group) ?? []),
      `<li>${text(nameOf(world, guild, member.user.id))}${mark}</li>`,
    ]);
  }
  const order = ['Owner', ...hoisted.map((role) => role.name), 'Members'];
  return order
    .flatMap((name) => {
      const members = groups.get(name);
      return members
        ? [`<h2>${text(name)} <span class="soft">${members.length}</span></h2><ul>${members.join('')}</ul>`]
        : [];
    })
    .join('');
}
