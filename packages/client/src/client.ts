import { attempt, type Connection } from './attempt.ts';
import { type Environment, SYSTEM } from './environment.ts';
import type { Inputs, Operation, Outputs } from './operations.ts';
import { isInGuild, requestOf } from './request.ts';
import { type Bounds, withRetries } from './retry.ts';

const DEFAULT_BOUNDS: Bounds = { maxAttempts: 5, attemptTimeoutMs: 15_000, deadlineMs: 60_000 };

export interface ClientOptions extends Partial<Bounds> {
  /** Where Bailiff is, for example `https://bailiff.example`. */
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
   * For a write: 1 to 255 visible ASCII characters that stand for this one intent. Give your own to repeat the call safely
   * after a restart of your program; without it the client makes one for each call.
   */
  readonly idempotencyKey?: string;
}

/** The answer to a call that succeeded. */
export interface Answer<N extends Operation> {
  readonly body: Outputs[N];
  readonly status: number;
  /** The id of the request in the audit log. */
  readonly requestId: string;
  /** Whether this answers an earlier request with the same idempotency key. */
  readonly isReplay: boolean;
}

/** Operations that answer one page of a list. */
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

  /** @throws TypeError for a URL or token that no request can be made with */
  constructor({ url, token, guildId, userAgent = 'bailiff-client', environment, ...bounds }: ClientOptions) {
    // What fetch would throw for such a header has the secret in it.
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
   * Makes a call and repeats it within the bounds while it fails with what may pass. A write carries one idempotency key in
   * all its attempts, so that it is carried out once.
   *
   * @returns the body of the answer
   * @throws BailiffError when it does not succeed
   * @throws the reason of `signal` when it aborts
   */
  async call<N extends Operation>(operation: N, ...args: InputArguments<N>): Promise<Outputs[N]> {
    const { body } = await this.send(operation, ...args);
    return body;
  }

  /** Like `call`, with what the answer says beside its body. */
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
    return {
      body: body as Outputs[N],
      status,
      requestId: headers.get('X-Request-Id') ?? '',
      isReplay: headers.get('Idempotent-Replayed') === 'true',
    };
  }

  /**
   * Iterates over a list, newest first, page by page.
   *
   * @throws BailiffError when a page does not come
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

  /** The token's guild, which never changes. */
  async #guild(options: CallOptions): Promise<string> {
    this.#guildId ??= (await this.call('me', {}, options)).guild.id;
    return this.#guildId;
  }
}
