import type { ChangeEvent } from '#src/change-feed.ts';
import { compareBuild } from './loss.ts';

/** @param isLate the change came before the listener, whose part of the page may show it already */
export type ChangeListener = (change: ChangeEvent, isLate: boolean) => void;

/** How long a connection without listeners is kept, so that the next page of the guild can use it. */
const KEEP_OPEN_MS = 1_000;
const FIRST_RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 60_000;
const MISSED: ChangeEvent = { kinds: [], missed: true };
/** Longer than it takes from the rendering of a page until its components listen. */
const RECENT_MS = 5_000;

/** The one connection of this tab to the changes of a guild, shared by all components of the page. */
class GuildStream {
  readonly #guildId: string;
  readonly #listeners = new Set<ChangeListener>();
  /** The changes of the last seconds, oldest first. */
  #recent: { readonly change: ChangeEvent; readonly until: number }[] = [];
  #events: EventSource | undefined;
  #connectedBefore = false;
  #retryMs = FIRST_RETRY_MS;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #closeTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(guildId: string) {
    this.#guildId = guildId;
  }

  /**
   * Also tells the listener of the latest changes: the connection may be older than its component, whose part of the page
   * was rendered before them.
   */
  add(listener: ChangeListener): () => void {
    clearTimeout(this.#closeTimer);
    if (this.#listeners.size === 0) {
      document.addEventListener('visibilitychange', this.#followVisibility);
      this.#followVisibility();
    }
    this.#listeners.add(listener);
    for (const { change } of this.#keepRecent()) listener(change, true);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#closeTimer = setTimeout(this.#close, KEEP_OPEN_MS);
    };
  }

  readonly #close = (): void => {
    document.removeEventListener('visibilitychange', this.#followVisibility);
    this.#disconnect();
    streams.delete(this.#guildId);
  };

  /** Connects a visible tab only, because a browser allows few connections per site. A tab catches up when it is shown. */
  readonly #followVisibility = (): void => {
    if (document.visibilityState === 'hidden') this.#disconnect();
    else if (this.#events === undefined) this.#connect();
  };

  #connect(): void {
    // The page may be as old as its document, so the server must send what changed since then.
    const age = this.#connectedBefore ? 0 : Math.ceil(performance.now());
    const events = new EventSource(`/api/guilds/${this.#guildId}/events?age=${age}`);
    this.#events = events;
    events.addEventListener('open', () => {
      this.#retryMs = FIRST_RETRY_MS;
    });
    // Comes first. After an update this page can show nothing new: it says so instead (loss.ts).
    events.addEventListener('build', ({ data }) => {
      if (this.#connectedBefore && !compareBuild(data)) this.#tell(MISSED);
      this.#connectedBefore = true;
    });
    events.addEventListener('change', ({ data }) => this.#tell(JSON.parse(data)));
    events.addEventListener('error', () => {
      // The browser reconnects after a lost connection, but not after an error response.
      if (events.readyState !== EventSource.CLOSED || this.#events !== events) return;
      this.#disconnect();
      this.#retry = setTimeout(this.#followVisibility, this.#retryMs);
      this.#retryMs = Math.min(this.#retryMs * 2, LONGEST_RETRY_MS);
    });
  }

  #disconnect(): void {
    clearTimeout(this.#retry);
    this.#events?.close();
    this.#events = undefined;
  }

  #tell(change: ChangeEvent): void {
    this.#keepRecent().push({ change, until: performance.now() + RECENT_MS });
    for (const listener of [...this.#listeners]) listener(change, false);
  }

  #keepRecent() {
    const now = performance.now();
    this.#recent = this.#recent.filter(({ until }) => until > now);
    return this.#recent;
  }
}

const streams = new Map<string, GuildStream>();

/** Calls `listener` for each change in a guild, also for those of the last seconds. Returns a function that ends this. */
export function onGuildChange(guildId: string, listener: ChangeListener): () => void {
  const stream = streams.get(guildId) ?? new GuildStream(guildId);
  streams.set(guildId, stream);
  return stream.add(listener);
}
