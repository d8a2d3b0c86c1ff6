import type { Person, View } from '../src/page/wire.ts';
import { go, view } from './client.ts';
import { startCommand } from './composer.ts';
import { type Child, h, part, redraw } from './dom.ts';
import { dashboardLink } from './identity.ts';
import { failed } from './overlays.ts';

/** Three things to try, for somebody who is here for the first time. */

const DONE = 'steps done';

export function showSteps(): void {
  localStorage.removeItem(DONE);
  const seen = view();
  if (seen !== null) showTry(seen);
}

export function showTry(seen: View): void {
  const isShown = localStorage.getItem(DONE) === null && seen.panel === null && stepsOf(seen).length > 0;
  const place = part('try');
  place.hidden = !isShown;
  redraw(place, [isShown, seen.hasDashboard, seen.people.slice(0, 12), seen.guild.id], () => {
    if (!isShown) return [];
    const close = () => {
      localStorage.setItem(DONE, 'yes');
      const now = view();
      if (now !== null) showTry(now);
    };
    return [
      h(
        'section',
        { 'aria-labelledby': 'try-title' },
        h(
          'div',
          { class: 'row' },
          h('h2', { id: 'try-title', class: 'grow' }, 'Three things to try'),
          h(
            'button',
            { type: 'button', class: 'plain', 'aria-label': 'Close the things to try', onclick: close },
            '×',
          ),
        ),
        h('ol', null, ...stepsOf(seen)),
      ),
    ];
  });
}

function stepsOf({ people, guild, hasDashboard }: View): Child[] {
  const as = (part: string) => people.find((person) => person.part === part);
  const [owner, target] = [as('owner'), as('troll')];
  if (owner === undefined || target === undefined) return [];
  return [
    step(`Give ${target.name} a strike`, `/strike add, as ${owner.name}, who owns the server`, () =>
      strike(owner, target),
    ),
    step(`Read what ${target.name} was told`, 'their direct messages, as they see them', () =>
      go({ as: target.id, view: 'dm', channel: null }),
    ),
    hasDashboard
      ? h(
          'li',
          null,
          h(
            'a',
            {
              class: 'button',
              href: dashboardLink(owner, `/guilds/${guild.id}/approvals`),
              target: '_blank',
              rel: 'noreferrer',
            },
            'Approve a token’s call ↗',
          ),
          h(
            'span',
            { class: 'small' },
            ` in the dashboard, as ${owner.name}: create a token, call, and approve`,
          ),
        )
      : step('Open a ticket', '/ticket open, as a member', () => ticket(as('member') ?? target)),
  ];
}

function step(label: string, about: string, run: () => Promise<void>): HTMLElement {
  return h(
    'li',
    null,
    h('button', { type: 'button', onclick: () => run().catch(failed) }, label),
    h('span', { class: 'small' }, ` ${about}`),
  );
}

async function strike(owner: Person, target: Person): Promise<void> {
  await go({ as: owner.id, view: null, channel: null });
  if (!startCommand('strike add', { user: target.id, severity: 'minor' }))
    throw new Error('The bot has not registered /strike yet.');
}

async function ticket(member: Person): Promise<void> {
  await go({ as: member.id, view: null, channel: null });
  if (!startCommand('ticket open', {})) throw new Error('The bot has not registered /ticket yet.');
}
