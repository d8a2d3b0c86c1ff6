import { type Account, findAccount } from './account.ts';
import { type ApiRequest, type Reply, sendRequest } from './api.ts';
import { Approvals } from './approvals.ts';
import { envelopeOf } from './errors.ts';
import { type ReadMe, readMe } from './me.ts';
import { type Clock, SYSTEM_CLOCK, withRetries } from './retry.ts';
import type { Store } from './store.ts';

const ME: ApiRequest = { method: 'GET', path: '/me' };

type Failure = Extract<Reply, { ok: false }>;

/** The state of a run of `serve`: the account, and the calls that wait for approval. */
export class Session {
  readonly approvals = new Approvals();
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #store: Store;
  readonly #clock: Clock;
  /** Guilds by secret, because a token's guild never changes. */
  readonly #guilds = new Map<string, string>();

  constructor(env: Readonly<Record<string, string | undefined>>, store: Store, clock: Clock = SYSTEM_CLOCK) {
    this.#env = env;
    this.#store = store;
    this.#clock = clock;
  }

  /** Sends a request with retries. */
  async send(request: ApiRequest, signal: AbortSignal): Promise<Reply> {
    const found = await this.#account();
    if (!found.ok) return found;
    return this.#sendAs(found.account, request, signal);
  }

  /**
   * The answer of `GET /me`, or the error. Without retries, because the client is waiting for this process to start.
   */
  async me(signal: AbortSignal): Promise<ReadMe> {
    const found = await this.#account();
    if (!found.ok) return found;
    return this.#remember(found.account, await sendRequest(found.account, ME, signal));
  }

  /** The token's guild. Sends `GET /me` at most once for each token. */
  async guildId(signal: AbortSignal): Promise<{ readonly ok: true; readonly guildId: string } | Failure> {
    const found = await this.#account();
    if (!found.ok) return found;
    const { account } = found;
    const known = account.guildId ?? this.#guilds.get(account.secret);
    if (known !== undefined) return { ok: true, guildId: known };
    const asked = this.#remember(account, await this.#sendAs(account, ME, signal));
    return asked.ok ? { ok: true, guildId: asked.me.guild.id } : asked;
  }

  #remember({ secret }: Account, reply: Reply): ReadMe {
    const read = readMe(reply);
    if (read.ok) this.#guilds.set(secret, read.me.guild.id);
    return read;
  }

  #sendAs(account: Account, request: ApiRequest, signal: AbortSignal): Promise<Reply> {
    return withRetries(() => sendRequest(account, request, signal), this.#clock, signal);
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
