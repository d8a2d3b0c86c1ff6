import type { MemberItem, View } from '../src/page/wire.ts';
import { avatar, colored, h, part, showItems } from './dom.ts';
import { personMenu } from './people-menus.ts';

/** The members at the right, under the highest role that the guild shows apart. */
type Row = { readonly heading: string; readonly count: number } | MemberItem;

export function showMembers({ members, memberCount, roles }: View): void {
  const groups = Map.groupBy(members, ({ group }) => group);
  const order = ['Owner', ...roles.map(({ name }) => name).toReversed(), 'Members'];
  const place = (group: string) => (group === 'Members' ? order.length : order.indexOf(group));
  const rows: Row[] = [...groups]
    .toSorted(([one], [other]) => place(one) - place(other))
    .flatMap(([heading, own]) => [
      { heading, count: heading === 'Members' ? own.length + memberCount - members.length : own.length },
      ...own,
    ]);
  showItems(part('members'), rows, keyOf, rowNode);
}

function keyOf(row: Row): string {
  return 'heading' in row ? `heading ${row.heading}` : row.id;
}

function rowNode(row: Row): HTMLElement {
  if ('heading' in row) return h('h2', { class: 'cut' }, `${row.heading} — ${row.count}`);
  const isOut = row.timedOutUntil !== null;
  const button = h(
    'button',
    {
      type: 'button',
      class: 'member',
      'aria-haspopup': 'menu',
      title: isOut ? `Timed out until ${row.timedOutUntil}` : null,
    },
    avatar(row.id, row.name),
    colored(h('span', { class: 'cut' }, row.name), row.color),
    row.bot && h('span', { class: 'tag' }, 'BOT'),
    isOut && h('span', { class: 'tag warn' }, 'timed out'),
    h('span', { class: 'dots', 'aria-hidden': 'true' }, '…'),
  );
  button.addEventListener('click', (event) => personMenu(row, button, event));
  button.addEventListener('contextmenu', (event) => personMenu(row, button, event));
  return button;
}
