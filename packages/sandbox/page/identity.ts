import type { Person, View } from '../src/page/wire.ts';
import { go, LANGUAGES, locale, post, refresh, view } from './client.ts';
import { avatar, type Child, h, part, redraw } from './dom.ts';
import { failed, notify, openDialog } from './overlays.ts';
import { titleOf } from './panels.ts';

/** The bar at the top: where one is, who one is, and the way to the dashboard. */

/** The dashboard's sign-in as this person. */
export function dashboardLink(person: Person, to: string): string {
  return `/page/dashboard?${new URLSearchParams({ login_as: person.id, to })}`;
}

export function showTop(seen: View): void {
  const { me, guild, hasDashboard } = seen;
  document.title = `${titleOf(seen)} · ${guild.name} · Sandbox`;
  redraw(part('top'), [me, hasDashboard, guild.id], () => [
    drawerButton('channels', '☰', 'Channels'),
    h('strong', { class: 'brand' }, 'Sandbox', h('span', { class: 'small' }, ' an offline Discord')),
    h(
      'button',
      {
        type: 'button',
        class: 'who',
        'data-key': 'who',
        'aria-haspopup': 'dialog',
        onclick: chooseWho,
      },
      avatar(me.id, me.name),
      h(
        'span',
        { class: 'cut' },
        h('span', { class: 'wide' }, 'You are '),
        h('strong', null, me.name),
        ` (${me.part})`,
      ),
      ' ▾',
    ),
    hasDashboard &&
      h(
        'a',
        {
          href: dashboardLink(me, `/guilds/${guild.id}`),
          target: '_blank',
          rel: 'noreferrer',
          'data-key': 'dashboard',
          title: `Opens the dashboard’s sign-in; there you are ${me.name}`,
        },
        'Dashboard',
        h('span', { class: 'wide' }, ` as ${me.name.split(' ')[0]}`),
        ' ↗',
      ),
    drawerButton('members', '☺', 'Members'),
  ]);
  redraw(part('place'), [seen.place, titleOf(seen)], () => [
    h('h1', { class: 'cut' }, titleOf(seen)),
    seen.panel === null && h('span', { class: 'small cut' }, seen.place.topic),
  ]);
}

/** On a phone the channels and the members are drawers; one of them is open at a time. */
function drawerButton(name: 'channels' | 'members', mark: string, label: string): HTMLElement {
  return h(
    'button',
    {
      type: 'button',
      class: 'drawer-button',
      'aria-label': label,
      'aria-expanded': String(document.body.dataset.drawer === name),
      'aria-controls': name,
      'data-key': name,
      onclick: () => setDrawer(document.body.dataset.drawer === name ? null : name),
    },
    mark,
  );
}

export function setDrawer(name: 'channels' | 'members' | null): void {
  const before = document.body.dataset.drawer;
  if (name === null) delete document.body.dataset.drawer;
  else document.body.dataset.drawer = name;
  part('content').inert = name !== null;
  for (const button of document.querySelectorAll<HTMLElement>('.drawer-button')) {
    const own = button.dataset.key;
    button.setAttribute('aria-expanded', String(own === name));
    if (name === null && own === before) button.focus();
  }
  if (name !== null) part(name).querySelector<HTMLElement>('a, button')?.focus();
}

function chooseWho(): void {
  const seen = view();
  if (seen === null) return;
  const { me, people, guild } = seen;
  openDialog('Who are you?', (close) => {
    const rows = h('ul', { class: 'people' });
    const show = (typed: string) => {
      const wanted = typed.trim().toLowerCase();
      const found = people.filter(({ name, part: own }) => `${name} ${own}`.toLowerCase().includes(wanted));
      rows.replaceChildren(...found.map((person) => h('li', null, row(person))));
      if (found.length === 0) rows.append(h('li', { class: 'soft' }, 'Nobody has such a name.'));
    };
    const row = (person: Person): Child =>
      h(
        'button',
        {
          type: 'button',
          'aria-current': person.id === me.id ? 'true' : null,
          onclick: () => {
            close();
            go({ as: person.id }).catch(failed);
          },
        },
        avatar(person.id, person.name),
        h('span', { class: 'cut grow' }, h('strong', null, person.name), ` (${person.part})`),
        h('span', { class: 'small' }, person.may),
      );
    const find = h('input', {
      type: 'search',
      'aria-label': 'Find a person by name',
      placeholder: 'Find a person',
    });
    find.addEventListener('input', () => show(find.value));
    show('');
    return [
      h(
        'p',
        { class: 'small' },
        `In the sandbox you can be everybody in ${guild.name}. No password is asked for. What each may do in Discord is below; what they may do with the bot, the owner grants in the dashboard.`,
      ),
      find,
      rows,
      h('div', { class: 'row' }, languageField(close), dmSwitch(seen, close)),
    ];
  });
}

function languageField(close: () => void): HTMLElement {
  const select = h('select', { id: 'language' });
  for (const [value, label] of Object.entries(LANGUAGES))
    select.append(new Option(label, value, false, value === locale()));
  select.addEventListener('change', () => {
    localStorage.setItem('locale', select.value);
    close();
    refresh().catch(failed);
  });
  return h(
    'div',
    { class: 'field grow' },
    h('label', { for: 'language' }, 'Language of your Discord'),
    select,
  );
}

function dmSwitch({ me, dm }: View, close: () => void): HTMLElement {
  const turn = async () => {
    close();
    notify((await post('members', { action: dm.accepts ? 'close_dms' : 'open_dms', user: me.id })).error);
  };
  return h(
    'button',
    { type: 'button', onclick: () => turn().catch(failed) },
    dm.accepts ? 'Refuse direct messages' : 'Accept direct messages',
  );
}
