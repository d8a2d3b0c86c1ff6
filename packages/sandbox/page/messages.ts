import type { MessageItem, View } from '../src/page/wire.ts';
import { forgetOlder, loadOlder, onSent, view } from './client.ts';
import { part, showItems } from './dom.ts';
import { nameIn } from './markdown.ts';
import { linesOf, messageNode } from './message.ts';
import { failed } from './overlays.ts';

/** The list of messages: it stays at its end while somebody is there, and where they read otherwise. */

const NEAR_PX = 80;
const OLDER = 50;
/** So many may stay loaded once somebody is back at the end. */
const MOST_KEPT = 150;

const pane = part('messages');
const list = pane.querySelector('ol') ?? pane;
let place = '';
let isAtEnd = true;
let isLoading = false;
let hasOlder = false;
/** Answers that only this person saw and has done with. Discord too forgets them with the page. */
const dismissed = new Set<string>();
/** What the page itself has to say in the channel, after the messages. */
let failures: readonly (MessageItem & { readonly place: string })[] = [];

export function showMessages(seen: View): void {
  const isHere = seen.panel === null;
  pane.hidden = !isHere;
  if (!isHere) return;
  const now = `${seen.me.id} ${seen.place.id}`;
  if (now !== place) isAtEnd = true;
  place = now;
  hasOlder = seen.hasOlder;
  const own = failures.filter((failure) => failure.place === now);
  const shown = [...seen.messages, ...own].filter(({ id }) => !dismissed.has(id));
  const anchor = isAtEnd ? null : firstVisible();
  const before = anchor?.getBoundingClientRect().bottom ?? 0;
  const nameOf = nameIn(seen);
  const focused = list.contains(document.activeElement)
    ? document.activeElement?.closest('li')?.id
    : undefined;
  showItems(
    list,
    linesOf(shown),
    ({ message }) => `${now} ${message.id}`,
    (line) => messageNode(line, seen, nameOf, () => dismiss(line.message.id)),
  );
  rove();
  if (focused !== undefined && !list.contains(document.activeElement)) {
    document.getElementById(focused)?.querySelector<HTMLElement>('.body button, .more, .link')?.focus();
  }
  // It may be another element now: what is before a message decides how it looks.
  const after = document.getElementById(anchor?.id ?? '')?.getBoundingClientRect().bottom;
  if (after !== undefined) pane.scrollTop += after - before;
  if (isAtEnd) toEnd();
}

/** Shows the newest message, and what comes after it. */
function toEnd(): void {
  isAtEnd = true;
  pane.scrollTop = pane.scrollHeight;
}

/** Says in the channel that the bot did not answer. Only this person sees it. */
export function showExpired(seen: View): void {
  const id = `expired-${failures.length}`;
  const { bot } = seen;
  failures = [
    ...failures,
    {
      id,
      place,
      author: { ...bot, bot: true, color: 0 },
      at: new Date().toISOString(),
      content: 'The application did not respond.',
      isEdited: false,
      isPinned: false,
      isEphemeral: true,
      isWaiting: false,
      embeds: [],
      files: [],
      components: [],
      reply: null,
      used: null,
    },
  ];
  isAtEnd = true;
  showMessages(seen);
}

onSent(toEnd);

function dismiss(id: string): void {
  dismissed.add(id);
  const seen = view();
  if (seen !== null) showMessages(seen);
  pane.focus();
}

function firstVisible(): Element | null {
  const top = pane.getBoundingClientRect().top;
  return [...list.children].find((child) => child.getBoundingClientRect().bottom > top) ?? null;
}

/** One of the messages' buttons can be reached with Tab; the arrow keys go from there. */
function rove(): void {
  const buttons = [...list.querySelectorAll<HTMLElement>('.more')];
  if (!buttons.some((button) => button.tabIndex === 0)) buttons.at(-1)?.setAttribute('tabindex', '0');
}

list.addEventListener('keydown', (event) => {
  if (!(event instanceof KeyboardEvent) || !(event.target instanceof HTMLElement)) return;
  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (step === undefined || !event.target.matches('.more')) return;
  event.preventDefault();
  const buttons = [...list.querySelectorAll<HTMLElement>('.more')];
  const next = buttons[buttons.indexOf(event.target) + step];
  if (next === undefined) return;
  event.target.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
});

pane.addEventListener(
  'scroll',
  () => {
    isAtEnd = pane.scrollHeight - pane.scrollTop - pane.clientHeight < NEAR_PX;
    if (isAtEnd && list.childElementCount > MOST_KEPT) forgetOlder();
    if (pane.scrollTop > pane.clientHeight || !hasOlder || isLoading || isAtEnd) return;
    isLoading = true;
    loadOlder(OLDER)
      .catch(failed)
      .finally(() => {
        isLoading = false;
      });
  },
  { passive: true },
);

// Pictures get their height when they are loaded.
new ResizeObserver(() => {
  if (isAtEnd) toEnd();
}).observe(list);
new ResizeObserver(() => {
  if (isAtEnd) toEnd();
}).observe(pane);
