import type { CommandItem, MessageItem, View } from '../src/page/wire.ts';
import { readFile } from './attached-file.ts';
import { here, post, sent, view } from './client.ts';
import { CommandForm } from './command-form.ts';
import { h, part } from './dom.ts';
import { failed, notify } from './overlays.ts';
import { SuggestionList } from './suggest.ts';

/** The one place to write in: messages, and commands after a `/`. */

interface Draft {
  readonly text?: string;
  readonly replyTo?: MessageItem;
  readonly edit?: MessageItem;
}

const LONGEST_MESSAGE = 2000;

const list = new SuggestionList();
const write = h('textarea', { id: 'write', rows: 1, maxlength: LONGEST_MESSAGE, autocomplete: 'off' });
const about = h('div', { class: 'row small', hidden: true });
const files = h('input', { type: 'file', multiple: true, hidden: true, 'aria-label': 'Files to attach' });
const attach = h(
  'button',
  { type: 'button', class: 'plain', 'aria-label': 'Attach files', onclick: () => files.click() },
  '+',
);
const submit = h('button', { type: 'submit', class: 'primary' }, 'Send');
const plain = h(
  'form',
  { class: 'plain-message' },
  about,
  h('div', { class: 'row' }, attach, files, write, submit),
);
let current: Draft = {};
let command: CommandForm | null = null;
let where = '';

list.prepare(write);
part('composer').append(list.element, plain);

export function showComposer(seen: View): void {
  const { place, me, panel } = seen;
  part('composer').hidden = panel !== null;
  const now = `${me.id} ${place.id}`;
  if (now !== where && command !== null) giveUp();
  if (now !== where) begin({});
  where = now;
  const label = place.kind === 'dm' ? `Message ${place.name}` : `Message #${place.name}`;
  write.setAttribute('aria-label', `${label} as ${me.name}`);
  write.placeholder =
    place.cannotWrite ?? (seen.commands.length > 0 ? `${label} — type / for commands` : label);
  write.disabled = attach.disabled = submit.disabled = place.cannotWrite !== null;
}

/** Begins a message: an answer to another, a change of an earlier one, or with some text. */
export function draft(given: Draft): void {
  if (command !== null) giveUp();
  begin(given);
  write.focus();
}

/** Puts a command into the composer, as if it had been chosen. Returns whether this person has it here. */
export function startCommand(words: string, values: Readonly<Record<string, string>>): boolean {
  const seen = view();
  const found = seen?.commands.find((each) => each.words === words);
  if (found === undefined) return false;
  choose(found, values);
  return true;
}

function begin(given: Draft): void {
  current = given;
  if (given.text !== undefined || given.edit === undefined) write.value = given.text ?? '';
  const words = given.edit
    ? 'Changing your message'
    : given.replyTo
      ? `Replying to ${given.replyTo.author.name}`
      : null;
  about.hidden = words === null;
  about.replaceChildren(
    h('span', { class: 'grow' }, words ?? ''),
    h('button', { type: 'button', class: 'link', onclick: () => draft({}) }, 'Cancel'),
  );
  files.value = '';
  grow();
}

function choose(chosen: CommandItem, values: Readonly<Record<string, string>> = {}): void {
  const seen = view();
  if (seen === null) return;
  list.hide();
  command?.element.remove();
  command = new CommandForm(chosen, seen, list, values, () => {
    giveUp();
    write.focus();
  });
  plain.hidden = true;
  part('composer').append(command.element);
  command.focus();
}

function giveUp(): void {
  list.hide();
  command?.element.remove();
  command = null;
  plain.hidden = false;
  begin({});
}

/** The commands that what is typed may mean: those that begin with it first. */
function suggest(): void {
  const typed = write.value.toLowerCase();
  const commands = view()?.commands ?? [];
  list.hide();
  if (!typed.startsWith('/') || typed.includes('\n')) return;
  const wanted = typed.slice(1).trim();
  const begins = (item: CommandItem) => item.label.startsWith(wanted) || item.words.startsWith(wanted);
  const found = commands.filter((item) => begins(item) || item.label.includes(wanted));
  list.show(
    write,
    found
      .toSorted((one, other) => Number(begins(other)) - Number(begins(one)))
      .map((item) => ({
        label: `/${item.label}`,
        detail: item.description,
        group: `/${item.label.split(' ')[0]}`,
        choose: () => choose(item),
      })),
    true,
  );
}

function grow(): void {
  write.rows = Math.min(8, write.value.split('\n').length);
}

async function send(): Promise<void> {
  const content = write.value.trim();
  const attached = await Promise.all([...(files.files ?? [])].map(readFile));
  if (content === '' && attached.length === 0) return;
  const { edit, replyTo } = current;
  const body = {
    ...here(),
    content,
    ...(edit ? { action: 'edit', message_id: edit.id } : {}),
    ...(replyTo ? { reply_to: replyTo.id } : {}),
    ...(attached.length > 0 ? { files: attached } : {}),
  };
  const { error } = await post('messages', body);
  notify(error);
  if (error !== null) return;
  begin({});
  sent();
}

files.addEventListener('change', () => {
  const names = [...(files.files ?? [])].map(({ name }) => name);
  about.hidden = names.length === 0;
  about.replaceChildren(
    h('span', { class: 'grow' }, `Attached: ${names.join(', ')}`),
    h(
      'button',
      { type: 'button', class: 'link', onclick: () => draft({ ...current, text: write.value }) },
      'Remove',
    ),
  );
});
write.addEventListener('input', () => {
  grow();
  suggest();
});
write.addEventListener('blur', () => list.hide());
write.addEventListener('keydown', (event) => {
  if (list.key(event) || event.isComposing) return;
  if (event.key === 'Escape') draft({});
  if (event.key !== 'Enter' || event.shiftKey) return;
  event.preventDefault();
  send().catch(failed);
});
plain.addEventListener('submit', (event) => {
  event.preventDefault();
  send().catch(failed);
});
