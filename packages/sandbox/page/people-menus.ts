import type { MessageItem, Named } from '../src/page/wire.ts';
import { go, here, interact, post, view } from './client.ts';
import { draft } from './composer.ts';
import { askedAt, confirmFirst, failed, type MenuEntry, notify, openMenu } from './overlays.ts';

/** The menus on people and messages: what the bot offers there, and what every client does. */

function apps(type: 'user_menu' | 'message_menu', target: string): MenuEntry[] {
  const seen = view();
  const menus = type === 'user_menu' ? seen?.userMenus : seen?.messageMenus;
  return (menus ?? []).map(({ name, label }) => ({
    label,
    group: 'Apps',
    run: () => void interact({ type, command: name, target }).then(notify, failed),
  }));
}

function copy(text: string): void {
  navigator.clipboard.writeText(text).catch(failed);
}

export function personMenu(person: Named, at: Element, event: MouseEvent): void {
  const seen = view();
  if (seen === null) return;
  const canBe = person.id !== seen.me.id && seen.people.some(({ id }) => id === person.id);
  const roles = seen.members.find(({ id }) => id === person.id)?.roles ?? [];
  const group = [person.name, ...roles].join(' · ');
  const entries: MenuEntry[] = [
    ...apps('user_menu', person.id),
    { label: 'Mention', group, run: () => draft({ text: `<@${person.id}> ` }) },
    ...(canBe ? [{ label: 'Be this person', group, run: () => void go({ as: person.id }) }] : []),
    { label: 'Copy user ID', group, run: () => copy(person.id) },
  ];
  openMenu(person.name, entries, askedAt(event, at));
}

export function messageMenu(message: MessageItem, at: HTMLElement, event?: MouseEvent): void {
  const seen = view();
  if (seen === null) return;
  const { author } = message;
  const isOwn = author.id === seen.me.id;
  const remove = () => void act({ action: 'delete', message_id: message.id });
  const entries: MenuEntry[] = [
    ...apps('message_menu', message.id),
    { label: 'Reply', group: 'Message', run: () => draft({ replyTo: message }) },
    ...(isOwn
      ? [{ label: 'Edit', group: 'Message', run: () => draft({ edit: message, text: message.content }) }]
      : []),
    { label: 'Copy message ID', group: 'Message', run: () => copy(message.id) },
    ...(isOwn || seen.me.mayManageMessages
      ? [
          {
            label: 'Delete …',
            group: 'Message',
            isDanger: true,
            run: () => confirmFirst('Delete this message?', message.content.slice(0, 200), 'Delete', remove),
          },
        ]
      : []),
    ...apps('user_menu', author.id).map((entry) => ({ ...entry, group: author.name })),
  ];
  openMenu(`Message of ${author.name}`, entries, event ? askedAt(event, at) : at);
}

async function act(body: object): Promise<void> {
  notify((await post('messages', { ...here(), ...body })).error);
}
