import { attempt, type Connection } from './attempt.ts';
import { type Environment, SYSTEM } from './environment.ts';
import { actionIn, type Following, resultOfAction } from './long-action.ts';
import type { Action, Inputs, Operation, Outputs } from './operations.ts';
import { isInGuild, requestOf } from './request.ts';
import { type Bounds, withRetries } from './retry.ts';

/** A purge of 1,000 messages takes about 20 seconds. */
const DEFAULT_WAIT_MS = 5 * 60_000;
const DEFAULT_BOUNDS: Bounds = { maxAttempts: 5, attemptTimeoutMs: 15_000, deadlineMs: 60_000 };

export interface ClientOptions extends Partial<Bounds> {
  /** Address of Bailiff, for example `https://bailiff.example`. */
  readonly url: string;
  /** A token's secret: `svcpat_…`. */
  readonly token: string;
  /** The token's guild. Without it the client asks `GET /me` once, before the first call that needs it. */
  readonly guildId?: string;
  readonly userAgent?: string;
  readonly environment?: Partial<Environment>;
}

export interface CallOptions extends Partial<Bounds> {
  readonly signal?: AbortSignal;
  /**
   * For a write: the idempotency key, 1 to 255 visible ASCII characters. Give your own key to repeat the call safely
   * after your program has restarted. By default, the client makes a key for each call.
   */
  readonly idempotencyKey?: string;
  /** How long to wait for a call that goes on after its answer, in milliseconds; default: five minutes. */
  readonly waitMs?: number;
  /** Receives how far such a call has got. */
  readonly onProgress?: Following['onProgress'];
}

/** The answer to a call that succeeded. */
export interface Answer<N extends Operation> {
  readonly body: Outputs[N];
  readonly status: number;
  /** The id of the request in the audit log. */
  readonly requestId: string;
  /** Whether this is the stored answer to an earlier request with the same idempotency key. */
  readonly isReplay: boolean;
}

/** Operations that return a page of a list. */
export type ListOperation = {
  [N in Operation]: Outputs[N] extends Page ? N : never;
}[Operation];

interface Page {
  readonly data: readonly unknown[];
  readonly next_cursor: string | null;
}

type InputArguments<N extends Operation> =
  Record<string, never> extends Inputs[N]
    ? [input?: Inputs[N], options?: CallOptions]
    : [input: Inputs[N], options?: CallOptions];

/** A client of one Bailiff with one token. */
export class BailiffClient {
  readonly #connection: Connection;
  readonly #bounds: Bounds;
  readonly #environment: Environment;
  #guildId: string | undefined;

  /** @throws TypeError for a URL or token that cannot be used in a request */
  constructor({ url, token, guildId, userAgent = 'bailiff-client', environment, ...bounds }: ClientOptions) {
    // The error that fetch would throw for such a header contains the secret.
    if (!/^[\x21-\x7e]+$/.test(token)) throw new TypeError('The token must be visible ASCII without spaces.');
    const { origin, pathname } = new URL(url);
    this.#environment = { ...SYSTEM, ...environment };
    this.#connection = {
      url: `${origin}${pathname.replace(/\/+$/, '')}`,
      token,
      userAgent,
      fetch: this.#environment.fetch,
    };
    this.#bounds = { ...DEFAULT_BOUNDS, ...bounds };
    this.#guildId = guildId;
  }

  /**
   * Makes a call, and retries it within the bounds while the error is temporary. All attempts of a write carry the same
   * idempotency key, so that it is carried out once. A call that goes on after its answer is followed to its end.
   *
   * @returns the body of the answer
   * @throws BailiffError when it does not succeed
   * @throws the reason of `signal` when it aborts
   */
  async call<N extends Operation>(operation: N, ...args: InputArguments<N>): Promise<Outputs[N]> {
    const { body } = await this.send(operation, ...args);
    return body;
  }

  /** Like `call`, but returns the whole answer, with the request id and more. */
  async send<N extends Operation>(
    operation: N,
    ...[input = {} as Inputs[N], options = {}]: InputArguments<N>
  ): Promise<Answer<N>> {
    const { signal = new AbortController().signal } = options;
    const guildId = isInGuild(operation) ? await this.#guild(options) : '';
    const request = requestOf(operation, guildId, input);
    const key = request.method === 'GET' ? undefined : (options.idempotencyKey ?? this.#environment.newKey());
    const { body, status, headers } = await withRetries(
      (timeoutMs) => attempt(this.#connection, request, key, timeoutMs, signal),
      { ...this.#bounds, ...options },
      this.#environment,
      signal,
    );
    const requestId = headers.get('X-Request-Id') ?? '';
    const isReplay = headers.get('Idempotent-Replayed') === 'true';
    if (status === 202 && request.method !== 'GET') {
      const result = await this.#follow(actionIn(body), requestId, options, signal);
      return { body: result as Outputs[N], status: 200, requestId, isReplay };
    }
    return {
      body: body as Outputs[N],
      status,
      requestId,
      isReplay,
    };
  }

  /**
   * All items of a list, newest first, requested page by page.
   *
   * @throws BailiffError when a page cannot be read
   */
  async *list<N extends ListOperation>(
    operation: N,
    input: Omit<Inputs[N], 'cursor'> = {} as Inputs[N],
    options: CallOptions = {},
  ): AsyncGenerator<Outputs[N]['data'][number], void, undefined> {
    let cursor: string | null = null;
    do {
      const asked = { ...input, ...(cursor === null ? {} : { cursor }) } as Inputs[N];
      const page: Page = (await this.send(operation, ...([asked, options] as InputArguments<N>))).body;
      yield* page.data as Iterable<Outputs[N]['data'][number]>;
      cursor = page.next_cursor;
    } while (cursor !== null);
  }

  #follow(begun: Action, requestId: string, options: CallOptions, signal: AbortSignal): Promise<object> {
    const { waitMs = DEFAULT_WAIT_MS, onProgress, ...bounds } = options;
    const read = async () => (await this.call('actions.get', { actionId: begun.id }, bounds)).action;
    return resultOfAction(begun, read, { requestId, waitMs, onProgress }, this.#environment, signal);
  }

  /** The token's guild, which never changes. */
  async #guild(options: CallOptions): Promise<string> {
    this.#guildId ??= (await this.call('me', {}, options)).guild.id;
    return this.#guildId;
  }
}
