import type { ClientOptions } from '@bailiff/client';
import { type Account, findAccount } from './account.ts';
import { ATTEMPT_TIMEOUT_MS, type Reply, type SendOptions, sendCall, TOOL_MS } from './api.ts';
import { Approvals } from './approvals.ts';
import { envelopeOf } from './errors.ts';
import { askMe, type ReadMe } from './me.ts';
import type { Call } from './request.ts';
import type { Store } from './store.ts';

/** What is left of a tool's time, in milliseconds. */
type TimeLeft = () => number;

type Failure = Extract<Reply, { ok: false }>;

/** The state of a run of `serve`: the account, and the calls that wait for approval. */
export class Session {
  readonly approvals = new Approvals();
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #store: Store;
  readonly #environment: NonNullable<ClientOptions['environment']>;
  /** Guilds by secret, because a token's guild never changes. */
  readonly #guilds = new Map<string, string>();

  /** @param environment the client's clock and randomness, which tests replace */
  constructor(
    env: Readonly<Record<string, string | undefined>>,
    store: Store,
    environment: ClientOptions['environment'] = {},
  ) {
    this.#env = env;
    this.#store = store;
    this.#environment = environment;
  }

  /** What is left of the time of a tool that begins now, in milliseconds, each time that it is asked for. */
  time(): TimeLeft {
    const { now = () => performance.now() } = this.#environment;
    const until = now() + TOOL_MS;
    return () => until - now();
  }

  /** Sends a call with retries. */
  async send(call: Call, signal: AbortSignal, leftMs = this.time()): Promise<Reply> {
    const found = await this.#account();
    if (!found.ok) return found;
    return sendCall(found.account, call, { signal, withinMs: leftMs(), environment: this.#environment });
  }

  /**
   * The answer of `GET /me`, or the error. Without retries, because the client is waiting for this process to start.
   */
  async me(signal: AbortSignal): Promise<ReadMe> {
    const found = await this.#account();
    if (!found.ok) return found;
    return this.#ask(found.account, { signal, maxAttempts: 1 });
  }

  /** The token's guild. Sends `GET /me` at most once for each token. Leaves time for an attempt of what follows. */
  async guildId(
    signal: AbortSignal,
    leftMs = this.time(),
  ): Promise<{ readonly ok: true; readonly guildId: string } | Failure> {
    const found = await this.#account();
    if (!found.ok) return found;
    const { account } = found;
    const known = account.guildId ?? this.#guilds.get(account.secret);
    if (known !== undefined) return { ok: true, guildId: known };
    const asked = await this.#ask(account, { signal, withinMs: leftMs() - ATTEMPT_TIMEOUT_MS });
    return asked.ok ? { ok: true, guildId: asked.me.guild.id } : asked;
  }

  async #ask(account: Account, options: SendOptions): Promise<ReadMe> {
    const read = await askMe(account, { environment: this.#environment, ...options });
    if (read.ok) this.#guilds.set(account.secret, read.me.guild.id);
    return read;
  }

  /**
   * The account is read again for each call, so that a login, a logout or a rotated token takes effect with the next
   * call.
   */
  async #account(): Promise<{ readonly ok: true; readonly account: Account } | Failure> {
    const found = await findAccount(this.#env, this.#store);
    if (found.ok) return found;
    return { ok: false, envelope: envelopeOf('UNAUTHORIZED', found.problem, { reason: 'TOKEN_INVALID' }) };
  }
}
