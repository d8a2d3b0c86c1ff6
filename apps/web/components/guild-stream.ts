import type { ChangeEvent } from '#src/notices.ts';

type Hear = (change: ChangeEvent) => void;

/** How long an address nobody hears is kept connected: a page that follows another takes it over. */
const LINGER_MS = 1_000;
const FIRST_RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 60_000;
const MISSED: ChangeEvent = { kinds: [], missed: true };

/** The one connection of this tab to what changes in a guild, for whatever on the page listens. */
class GuildStream {
  readonly #guildId: string;
  readonly #listeners = new Set<Hear>();
  #events: EventSource | undefined;
  #connectedBefore = false;
  #retryMs = FIRST_RETRY_MS;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #leaving: ReturnType<typeof setTimeout> | undefined;

  constructor(guildId: string) {
    this.#guildId = guildId;
  }

  add(hear: Hear): () => void {
    clearTimeout(this.#leaving);
    if (this.#listeners.size === 0) {
      document.addEventListener('visibilitychange', this.#followVisibility);
      this.#followVisibility();
    }
    this.#listeners.add(hear);
    return () => {
      this.#listeners.delete(hear);
      if (this.#listeners.size === 0) this.#leaving = setTimeout(this.#leave, LINGER_MS);
    };
  }

  readonly #leave = (): void => {
    document.removeEventListener('visibilitychange', this.#followVisibility);
    this.#disconnect();
    streams.delete(this.#guildId);
  };

  /** A hidden tab holds none of the few connections that a browser has for one site; it catches up when it is looked at. */
  readonly #followVisibility = (): void => {
    if (document.visibilityState === 'hidden') this.#disconnect();
    else if (this.#events === undefined) this.#connect();
  };

  #connect(): void {
    // The page may be as old as its document: what changed since is told.
    const age = this.#connectedBefore ? 0 : Math.ceil(performance.now());
    const events = new EventSource(`/api/guilds/${this.#guildId}/events?age=${age}`);
    this.#events = events;
    events.addEventListener('open', () => {
      this.#retryMs = FIRST_RETRY_MS;
      if (this.#connectedBefore) this.#tell(MISSED);
      this.#connectedBefore = true;
    });
    events.addEventListener('change', ({ data }) => this.#tell(JSON.parse(data)));
    events.addEventListener('error', () => {
      // The browser comes back by itself after a lost connection, but not after an answer that was a refusal.
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
    for (const hear of [...this.#listeners]) hear(change);
  }
}

const streams = new Map<string, GuildStream>();

/** Hears of what changes in a guild. Returns how to stop. */
export function hearOf(guildId: string, hear: Hear): () => void {
  const stream = streams.get(guildId) ?? new GuildStream(guildId);
  streams.set(guildId, stream);
  return stream.add(hear);
}
