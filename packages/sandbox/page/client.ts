import type { Modal, View } from '../src/page/wire.ts';

/** What the page is on: the address bar holds it. */
export interface Route {
  readonly guild: string | null;
  readonly as: string | null;
  /** `dm`, a panel, or null for a channel. */
  readonly view: string | null;
  readonly channel: string | null;
}

/** An interaction as `/sandbox/interactions` answers. */
interface Interaction {
  readonly id: string;
  readonly state: 'pending' | 'deferred' | 'answered' | 'expired';
  readonly modal: Modal | null;
  readonly choices: readonly { readonly name: string; readonly value: unknown }[] | null;
}

type Answer =
  | { readonly body: unknown; readonly error: null }
  | { readonly body: null; readonly error: string };

export const LANGUAGES: Readonly<Record<string, string>> = {
  'en-US': 'English',
  de: 'Deutsch',
  fr: 'Français',
  'es-ES': 'Español',
  'pt-BR': 'Português',
};

/** How an interaction ended without a message: the bot opened a form, or did not answer in time. */
export type End = { readonly id: string; readonly modal: Modal } | 'expired';

const listeners: ((view: View) => void)[] = [];
const endListeners: ((end: End) => void)[] = [];
const sentListeners: (() => void)[] = [];
const waiting = new Map<() => void, number>();
let shown: View | null = null;
let latestChange = -1;
let current: Promise<void> | null = null;
let following: Promise<void> | null = null;
/** The oldest message that was loaded, and whether more before it are wanted. */
let from: string | null = null;
let older = 0;

/** Calls `show` with every new view. */
export function onView(show: (view: View) => void): void {
  listeners.push(show);
}

export function onEnd(listener: (end: End) => void): void {
  endListeners.push(listener);
}

/** Calls the listener whenever this person has sent something that is to be seen at the end of the messages. */
export function onSent(listener: () => void): void {
  sentListeners.push(listener);
}

export function sent(): void {
  for (const listener of sentListeners) listener();
}

export function view(): View | null {
  return shown;
}

export function route(): Route {
  const query = new URLSearchParams(location.search);
  const of = (name: string) => query.get(name);
  return { guild: of('guild'), as: of('as'), view: of('view'), channel: of('channel') };
}

/** The address of the page with something else open. */
export function linkTo(change: Partial<Route>): string {
  const given = Object.entries({ ...route(), ...change });
  return `/?${new URLSearchParams(given.flatMap(([name, value]) => (value === null ? [] : [[name, value]])))}`;
}

export function go(change: Partial<Route>): Promise<void> {
  history.pushState(null, '', linkTo(change));
  return opened();
}

export function opened(): Promise<void> {
  from = null;
  return refresh();
}

export function locale(): string {
  const kept = localStorage.getItem('locale') ?? '';
  if (Object.hasOwn(LANGUAGES, kept)) return kept;
  const [own = 'en'] = navigator.language.split('-');
  return Object.keys(LANGUAGES).find((each) => each.startsWith(own)) ?? 'en-US';
}

/** Loads what is to be seen now and shows it. Calls that come meanwhile share the load after this one. */
export function refresh(): Promise<void> {
  if (current === null) {
    current = load().finally(() => {
      current = null;
    });
    return current;
  }
  following ??= current
    .catch(() => {})
    .then(() => {
      following = null;
      return refresh();
    });
  return following;
}

async function load(): Promise<void> {
  const { guild, as, view: name, channel } = route();
  const given = {
    guild,
    as,
    view: name,
    channel,
    from,
    older: older > 0 ? String(older) : null,
    locale: locale(),
  };
  older = 0;
  const query = Object.entries(given).flatMap(([key, value]) => (value === null ? [] : [[key, value]]));
  const answer = await fetch(`/page/view?${new URLSearchParams(query)}`);
  if (!answer.ok) throw new Error('The sandbox has nothing to show.');
  const next: View = await answer.json();
  // Somebody may have moved on while this was on its way.
  const now = route();
  if (now.as !== as || now.channel !== channel || now.view !== name || now.guild !== guild) return;
  if (as !== null && as !== next.me.id) history.replaceState(null, '', linkTo({ as: next.me.id }));
  shown = next;
  if (from !== null || given.older !== null) from = next.messages[0]?.id ?? null;
  for (const show of listeners) show(next);
}

/** Loads the messages before those shown. */
export function loadOlder(count: number): Promise<void> {
  from ??= shown?.messages[0]?.id ?? null;
  older = count;
  return refresh();
}

/** Forgets older messages, when nobody reads them any more. */
export function forgetOlder(): void {
  from = null;
}

/** Follows the sandbox: one event for each change, and after each connection. `onState` tells when it is away. */
export function watch(onState: (isAway: boolean) => void): void {
  const source = new EventSource('/page/stream');
  source.addEventListener('message', (event) => {
    latestChange = Number(event.data);
    for (const [resume, after] of waiting) {
      if (latestChange <= after) continue;
      waiting.delete(resume);
      resume();
    }
    refresh().then(
      () => onState(false),
      () => onState(true),
    );
  });
  source.addEventListener('error', () => onState(true));
}

/** Asks the sandbox to do something. An error is its sentence. */
export async function post(endpoint: string, body: object): Promise<Answer> {
  try {
    const answer = await fetch(`/sandbox/${endpoint}`, { method: 'POST', body: JSON.stringify(body) });
    const result = await answer.json();
    return answer.ok ? { body: result, error: null } : { body: null, error: String(result.error) };
  } catch {
    return { body: null, error: 'The sandbox does not answer. Is it still running?' };
  }
}

/** What the bot suggests while an option is typed in. */
export async function suggestions(body: object): Promise<NonNullable<Interaction['choices']>> {
  const { body: answer } = await post('interactions', {
    ...here(),
    locale: locale(),
    type: 'autocomplete',
    ...body,
  });
  return isInteraction(answer) ? (answer.choices ?? []) : [];
}

/**
 * Sends what a person did to the bot. Returns the sandbox's refusal, or null once the bot has been told; the answer
 * shows by itself.
 */
export async function interact(body: {
  readonly type: string;
  readonly [name: string]: unknown;
}): Promise<string | null> {
  const { body: answer, error } = await post('interactions', {
    ...here(),
    locale: locale(),
    ...body,
    wait_ms: 0,
  });
  if (error !== null) return error;
  // What is pressed in a message may change that message: only other answers are at the end.
  if (body.type !== 'button' && body.type !== 'select') sent();
  if (isInteraction(answer)) void follow(answer.id);
  return null;
}

async function follow(id: string): Promise<void> {
  for (;;) {
    const before = latestChange;
    const answer = await fetch(`/sandbox/interactions/${id}`);
    const interaction: unknown = answer.ok ? await answer.json() : null;
    if (!isInteraction(interaction)) return;
    const { modal, state } = interaction;
    if (modal !== null) for (const listener of endListeners) listener({ id, modal });
    if (state === 'expired') for (const listener of endListeners) listener('expired');
    if (state !== 'pending') return;
    if (latestChange <= before) await new Promise<void>((resume) => waiting.set(resume, before));
  }
}

/** Who acts, and in which channel. */
export function here(): object {
  return {
    user: shown?.me.id,
    guild_id: shown?.guild.id,
    channel: shown?.place.kind === 'dm' ? 'dm' : shown?.place.id,
  };
}

function isInteraction(value: unknown): value is Interaction {
  return typeof value === 'object' && value !== null && 'id' in value && 'state' in value;
}
