import type { ChannelItem, View } from '../src/page/wire.ts';
import { go, linkTo, post } from './client.ts';
import { type Child, h, part, redraw } from './dom.ts';
import { confirmFirst, type MenuEntry, notify, openMenu } from './overlays.ts';
import { showSteps } from './steps.ts';

/** The guild at the left: channels with what is unread, direct messages, and the guild's own lists. */

const MARKS: Readonly<Record<ChannelItem['kind'], string>> = {
  category: '',
  text: '#',
  announcement: '!',
  voice: '♪',
  forum: '≡',
  thread: '↳',
};
const PANELS: Readonly<Record<string, string>> = { bans: 'Bans', audit: 'Audit log', server: 'Game server' };

/** The newest message that a person has seen in each place, kept in the browser. */
type Seen = Record<string, string>;

function seenBy(userId: string): Seen | null {
  try {
    return JSON.parse(localStorage.getItem(`seen ${userId}`) ?? 'null');
  } catch {
    return null;
  }
}

function isNewer(id: string | null, than: string | undefined): boolean {
  if (id === null) return false;
  return than === undefined || id.length > than.length || (id.length === than.length && id > than);
}

/** Which places have something new. What is open is read; at a person's first visit all channels are. */
function unreadIn(seen: View): ReadonlySet<string> {
  const { me, place, panel, channels, dm } = seen;
  const known = seenBy(me.id);
  const read: Seen =
    known ?? Object.fromEntries(channels.map(({ id, lastMessageId }) => [id, lastMessageId ?? '0']));
  const newest = new Map([
    ...channels.map(({ id, lastMessageId }) => [id, lastMessageId] as const),
    ['dm', dm.lastMessageId],
  ]);
  const open = panel !== null ? '' : place.kind === 'dm' ? 'dm' : place.id;
  const last = newest.get(open);
  if (last && document.visibilityState === 'visible') read[open] = last;
  localStorage.setItem(`seen ${me.id}`, JSON.stringify(read));
  return new Set(
    [...newest].filter(([id, lastMessageId]) => isNewer(lastMessageId, read[id])).map(([id]) => id),
  );
}

export function showChannels(seen: View): void {
  const unread = unreadIn(seen);
  const { guild, guilds, me, channels, place, panel, bot } = seen;
  const open = panel?.name ?? (place.kind === 'dm' ? 'dm' : place.id);
  const nav = part('channels');
  redraw(
    nav,
    [guild, guilds, me, channels.map(({ lastMessageId: _, ...rest }) => rest), open, [...unread]],
    () => {
      const link = (
        key: string,
        mark: string,
        name: string,
        to: Parameters<typeof linkTo>[0],
        look = '',
      ): Child => {
        const isUnread = unread.has(key);
        return h(
          'a',
          {
            href: linkTo({ view: null, channel: null, ...to }),
            class: `${look} ${isUnread ? 'unread' : ''}`,
            'aria-current': open === key ? 'page' : null,
            'data-key': key,
            'data-go': JSON.stringify({ view: null, channel: null, ...to }),
          },
          h('span', { class: 'mark', 'aria-hidden': 'true' }, mark),
          h('span', { class: 'cut' }, name),
          isUnread && h('span', { class: 'dot' }, h('span', { class: 'hidden' }, 'unread')),
        );
      };
      const menu = h(
        'button',
        { type: 'button', class: 'guild', 'aria-haspopup': 'menu', 'data-key': 'guild' },
        h('span', { class: 'cut' }, guild.name),
        ' ▾',
      );
      menu.addEventListener('click', () => openMenu(guild.name, guildMenu(seen), menu));
      return [
        menu,
        ...channels.map((channel) =>
          channel.kind === 'category'
            ? h('h2', { class: 'cut' }, channel.name)
            : link(channel.id, MARKS[channel.kind], channel.name, { channel: channel.id }, channel.kind),
        ),
        h('h2', null, 'Direct messages'),
        link('dm', '@', bot.name, { view: 'dm' }),
        link('dms', '@', 'Other people’s', { view: 'dms' }),
        h('h2', null, 'Server'),
        ...Object.entries(PANELS).map(([name, label]) => link(name, '·', label, { view: name })),
      ];
    },
  );
}

function guildMenu({ guild, guilds, me }: View): MenuEntry[] {
  const leave = async () => {
    const { error } = await post('members', { action: 'leave', user: me.id, guild_id: guild.id });
    notify(error);
    if (error === null) await go({ as: null });
  };
  return [
    { label: 'Three things to try', run: showSteps },
    ...guilds
      .filter(({ id }) => id !== guild.id)
      .map(({ id, name }) => ({
        label: `Go to ${name}`,
        group: 'Other servers',
        run: () => void go({ guild: id, as: null, view: null, channel: null }),
      })),
    {
      label: `Leave ${guild.name} …`,
      group: guild.name,
      isDanger: true,
      run: () =>
        confirmFirst(
          `Leave ${guild.name}?`,
          me.isOwner
            ? 'You own this server. Discord lets an owner leave only after handing the server over.'
            : `${me.name} is no longer a member then. They can join again with POST /sandbox/members.`,
          'Leave',
          () => void leave(),
        ),
    },
  ];
}
