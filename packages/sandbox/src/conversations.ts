import { RESTJSONErrorCodes as Code } from 'discord-api-types/v10';
import { QUARANTINED, refusal } from './errors.ts';

interface Bound {
  readonly conversations: number;
  readonly withinMs: number;
}

const TOO_FAST: Bound = { conversations: 10, withinMs: 10_000 };
/** Bots were quarantined after 25 to 40 (discord-php/DiscordPHP#467). */
const ABUSE: Bound = { conversations: 25, withinMs: 300_000 };

/**
 * How many conversations a bot opens. Discord says no numbers; it refuses what comes too fast (40003), and quarantines a
 * bot that goes on: until somebody appeals, it opens no conversation with anybody whom it has not written to before
 * (20026). Open conversations are as before.
 */
export class Conversations {
  #openedAtMs: number[] = [];
  #isQuarantined = false;

  /** Counts a new conversation. Throws Discord's refusal. */
  open(): void {
    if (this.#isQuarantined) throw refusal(QUARANTINED);
    const nowMs = Date.now();
    this.#openedAtMs = this.#openedAtMs.filter((at) => at > nowMs - ABUSE.withinMs);
    this.#openedAtMs.push(nowMs);
    if (this.#countSince(nowMs - ABUSE.withinMs) >= ABUSE.conversations) {
      this.#isQuarantined = true;
      throw refusal(QUARANTINED);
    }
    if (this.#countSince(nowMs - TOO_FAST.withinMs) > TOO_FAST.conversations)
      throw refusal(Code.OpeningDirectMessagesTooFast);
  }

  /** Forgets what was opened, and lifts the quarantine. */
  clear(): void {
    this.#openedAtMs = [];
    this.#isQuarantined = false;
  }

  #countSince(ms: number): number {
    return this.#openedAtMs.filter((at) => at > ms).length;
  }
}
