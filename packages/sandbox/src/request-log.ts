import { isObject } from './fields.ts';
import type { World } from './world.ts';

const KEPT = 5000;

export interface LoggedRequest {
  readonly id: number;
  readonly at: string;
  /** When it came, by a clock that is never set (`performance.now`): for what lies between two requests. */
  readonly startedAtMs: number;
  readonly method: string;
  /** The route in Discord's documentation, or null if there is none. */
  readonly route: string | null;
  /** Below the API's base, without the version. */
  readonly path: string;
  readonly query: string;
  readonly authorization: 'bot' | 'bearer' | 'basic' | 'other' | 'none';
  /** Decoded `X-Audit-Log-Reason`. */
  readonly reason: string | null;
  readonly userAgent: string | null;
  readonly contentType: string | null;
  readonly body: unknown;
  /** Null while there is no answer. */
  status: number | null;
  durationMs: number | null;
  /** Number of the fault that was applied. */
  fault: number | null;
}

/** The latest requests to the API, and the count of answers for which Discord bans an address. */
export class RequestLog {
  entries: LoggedRequest[] = [];
  total = 0;
  /** Answers 401, 403 and 429 (not `shared`): Discord bans an address after 10,000 of them in 10 minutes. */
  invalid = 0;
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  open(entry: Omit<LoggedRequest, 'id' | 'at' | 'status' | 'durationMs' | 'fault'>): LoggedRequest {
    this.total += 1;
    const logged: LoggedRequest = {
      id: this.total,
      at: new Date().toISOString(),
      ...entry,
      status: null,
      durationMs: null,
      fault: null,
    };
    if (!this.#isOfTheRemoved(entry)) this.entries.push(logged);
    if (this.entries.length > KEPT) this.entries.shift();
    this.#world.changed();
    return logged;
  }

  /** Begins another list. Requests about what the world has removed do not appear in it. */
  beginAnew(): void {
    this.entries = [];
  }

  #isOfTheRemoved({ path, body }: Pick<LoggedRequest, 'path' | 'body'>): boolean {
    const { removed } = this.#world;
    if (removed.size === 0) return false;
    const recipient = isObject(body) ? body.recipient_id : undefined;
    return path.split('/').some((part) => removed.has(part)) || removed.has(String(recipient));
  }

  close(entry: LoggedRequest, status: number, isInvalid: boolean): void {
    entry.status = status;
    entry.durationMs = Math.round((performance.now() - entry.startedAtMs) * 10) / 10;
    if (isInvalid) this.invalid += 1;
    this.#world.changed();
  }
}
