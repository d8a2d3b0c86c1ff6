import type { Panel, PanelName, PanelRow, View } from '../src/page/wire.ts';
import { go, post } from './client.ts';
import { type Child, h, part, redraw, timeOf } from './dom.ts';
import { failed, notify } from './overlays.ts';

/** Lists of the guild in place of messages: bans, the audit log, the game server, other people's direct messages. */

interface Shape {
  readonly title: string;
  readonly heads: readonly string[];
  readonly empty: string;
  /** What can be done about a row. */
  readonly act?: (row: PanelRow, seen: View) => Child;
}

const SHAPES: Readonly<Record<PanelName, Shape>> = {
  bans: {
    title: 'Bans',
    heads: ['User', 'Reason', 'By'],
    empty: 'Nobody is banned.',
    act: ({ id, cells }, { guild, me }) => {
      const unban = async () => {
        notify((await post('bans', { action: 'unban', user: id, guild_id: guild.id, by: me.id })).error);
      };
      return h(
        'button',
        { type: 'button', 'aria-label': `Unban ${cells[0]}`, onclick: () => unban().catch(failed) },
        'Unban',
      );
    },
  },
  audit: {
    title: 'Audit log',
    heads: ['Time', 'What', 'By', 'Target', 'Reason'],
    empty: 'Nothing has been done yet.',
  },
  server: {
    title: 'Game server',
    heads: ['Time', 'Server', 'Command', 'Bytes answered'],
    empty: 'No command has reached the game server.',
  },
  dms: { title: 'Direct messages of other people', heads: [], empty: 'The bot has written to nobody else.' },
};

export function showPanel(seen: View): void {
  const { panel } = seen;
  const place = part('panel');
  place.hidden = panel === null;
  // Who uses the keyboard scrolls what has the focus.
  place.tabIndex = 0;
  if (panel !== null) place.setAttribute('aria-label', SHAPES[panel.name].title);
  redraw(place, [panel, seen.conversations, seen.me.id], () =>
    panel === null ? [] : panelNodes(panel, seen),
  );
}

export function titleOf({ panel, place }: View): string {
  if (panel !== null) return SHAPES[panel.name].title;
  return place.kind === 'dm' ? `@${place.name}` : place.kind === 'channel' ? `#${place.name}` : place.name;
}

function panelNodes(panel: Panel, seen: View): Child[] {
  const { title, heads, empty, act } = SHAPES[panel.name];
  if (panel.name === 'dms') return conversations(seen, empty);
  if (panel.rows.length === 0) return [h('p', { class: 'soft' }, empty)];
  const cells = ({ at, cells }: PanelRow): Child[] => [...(at === null ? [] : [timeOf(at)]), ...cells];
  return [
    h(
      'table',
      null,
      h('caption', { class: 'hidden' }, title),
      h(
        'thead',
        null,
        h(
          'tr',
          null,
          ...heads.map((head) => h('th', { scope: 'col' }, head)),
          act && h('th', { scope: 'col' }, h('span', { class: 'hidden' }, 'Actions')),
        ),
      ),
      h(
        'tbody',
        null,
        ...panel.rows.map((row) =>
          h(
            'tr',
            null,
            ...cells(row).map((cell, index) => h('td', { 'data-head': heads[index] }, cell)),
            act && h('td', null, act(row, seen)),
          ),
        ),
      ),
    ),
  ];
}

function conversations({ conversations, me, bot }: View, empty: string): Child[] {
  const others = conversations.filter(({ userId }) => userId !== me.id);
  if (others.length === 0) return [h('p', { class: 'soft' }, empty)];
  return [
    h('p', { class: 'soft' }, `Whom ${bot.name} has written to. To read a conversation, be that person.`),
    h(
      'ul',
      { class: 'conversations' },
      ...others.map(({ userId, name, count }) =>
        h(
          'li',
          null,
          h(
            'span',
            { class: 'grow' },
            name,
            ' ',
            h('span', { class: 'small' }, `${count} message${count === 1 ? '' : 's'}`),
          ),
          h(
            'button',
            { type: 'button', onclick: () => go({ as: userId, view: 'dm', channel: null }).catch(failed) },
            `Read as ${name}`,
          ),
        ),
      ),
    ),
  ];
}
