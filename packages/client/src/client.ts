import {
  APPROVAL_WAIT_MS,
  type Approval,
  type ApprovalOptions,
  askedIn,
  FOLLOW_SECONDS,
  type Look,
  untilApproved,
  type Waiting,
} from './approval.ts';
import { type AttemptResult, attempt, type Connection, isReplay } from './attempt.ts';
import { type Environment, SYSTEM } from './environment.ts';
import { BailiffError } from './error.ts';
import { actionIn, type Following, resultOfAction } from './long-action.ts';
import type { Action, Inputs, Operation, Outputs } from './operations.ts';
import { pauseMs } from './pacing.ts';
import { baseOf, isInGuild, requestOf } from './request.ts';
import { type Bounds, withRetries } from './retry.ts';

/** The time that the answer to a request which waits for a decision has after that. */
const AFTER_DECISION_MS = 15_000;
/** In a bulk job the budgets refill while it waits. */
const BULK_BOUNDS = { maxAttempts: 10, deadlineMs: 15 * 60_000 };
/** What is wrong with one input of a bulk job, and not with the job. */
const OF_ONE_INPUT = new Set<string>(['NOT_FOUND', 'FORBIDDEN', 'VALIDATION_FAILED', 'ALREADY_CLAIMED']);
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
  /**
   * How long the whole call may take, in milliseconds: all attempts, the wait for the owner, and the wait for a call that
   * goes on. By default only each of them has a bound.
   */
  readonly withinMs?: number;
  /**
   * For a destructive call: waits for the guild's owner, and repeats the call under the same idempotency key once they
   * have approved it. Without this option such a call throws RE_AUTH_REQUIRED.
   */
  readonly approval?: ApprovalOptions;
  /**
   * For `approvals.get`: how many seconds the answer may wait for the decision, 1 to 60. An attempt has 15 seconds more
   * than that, also where the bounds are narrower.
   */
  readonly preferSeconds?: number;
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

/** How a bulk job makes its calls. */
export interface BulkOptions<N extends Operation> extends Omit<CallOptions, 'idempotencyKey'> {
  /** The idempotency key of an input, so that the job can be started again. By default each input gets a new one. */
  readonly keyOf?: (input: Inputs[N]) => string;
}

/** What became of one input of a bulk job. */
export type BulkResult<N extends Operation> = { readonly input: Inputs[N] } & (
  | { readonly ok: true; readonly body: Outputs[N]; readonly isReplay: boolean }
  | { readonly ok: false; readonly error: BailiffError }
);

/** Operations that return a page of a list. */
export type ListOperation = {
  [N in Operation]: Outputs[N] extends Page ? N : never;
}[Operation];

interface Page {
  readonly data: readonly unknown[];
  readonly next_cursor: string | null;
}

/** The given milliseconds, or what is left for the whole call if that is less. */
type TimeLeft = (ms: number) => number;

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
    this.#environment = { ...SYSTEM, ...environment };
    this.#connection = {
      url: baseOf(url),
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
    const { answer } = await this.#send(operation, input, options);
    return answer;
  }

  /**
   * Waits for the guild's owner to decide about a call.
   *
   * @param asked the error RE_AUTH_REQUIRED of the call, or the id of its approval request
   * @param options `waitMs` is how long to wait; with 0, it asks once whether they have decided
   * @returns the approval once it is given; send the call again then, with its idempotency key
   * @throws BailiffError NOT_APPROVED if it is not given; the error itself if nobody is asked
   * @throws the reason of `signal` when it aborts
   */
  async whenApproved(
    asked: BailiffError | string,
    {
      waitMs = APPROVAL_WAIT_MS,
      signal = new AbortController().signal,
    }: Pick<CallOptions, 'waitMs' | 'signal'> = {},
  ): Promise<Approval> {
    const approvalId = typeof asked === 'string' ? asked : askedIn(asked)?.approval_id;
    if (approvalId === undefined) throw asked;
    return this.#untilApproved(approvalId, { waitMs, firstLookMs: AFTER_DECISION_MS }, signal);
  }

  /**
   * Makes the same kind of call for many inputs, one after the other, as fast as the budgets admit. Yields what became
   * of each input, in their order. One whose outcome is not known yet is yielded with its error, whose
   * `details.action_id` names the action.
   *
   * @throws BailiffError for what is wrong with the job and not with one input: the token, an approval, no answer
   */
  async *each<N extends Operation>(
    operation: N,
    inputs: Iterable<Inputs[N]> | AsyncIterable<Inputs[N]>,
    { keyOf, ...options }: BulkOptions<N> = {},
  ): AsyncGenerator<BulkResult<N>, void, undefined> {
    const { signal = new AbortController().signal } = options;
    let ms = 0;
    for await (const input of inputs) {
      if (ms > 0) await this.#environment.sleep(ms, signal);
      const key = keyOf === undefined ? {} : { idempotencyKey: keyOf(input) };
      try {
        const { answer, headers } = await this.#send(operation, input, {
          ...BULK_BOUNDS,
          ...options,
          ...key,
        });
        ms = pauseMs(headers);
        yield { input, ok: true, body: answer.body, isReplay: answer.isReplay };
      } catch (error) {
        if (!(error instanceof BailiffError && isOfOneInput(error))) throw error;
        ms = 0;
        yield { input, ok: false, error };
      }
    }
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

  async #send<N extends Operation>(
    operation: N,
    input: Inputs[N],
    options: CallOptions,
  ): Promise<{ answer: Answer<N>; headers: Headers }> {
    const { signal = new AbortController().signal, withinMs = Number.POSITIVE_INFINITY } = options;
    const until = this.#environment.now() + withinMs;
    const left: TimeLeft = (ms) => Math.max(0, Math.floor(Math.min(ms, until - this.#environment.now())));
    const guildId = isInGuild(operation) ? await this.#guild(options) : '';
    const request = requestOf(operation, guildId, input);
    const idempotencyKey =
      request.method === 'GET' ? undefined : (options.idempotencyKey ?? this.#environment.newKey());
    if (idempotencyKey !== undefined && !/^[\x21-\x7e]{1,255}$/.test(idempotencyKey))
      throw new TypeError('An idempotency key must be 1 to 255 visible ASCII characters.');
    const carried = { idempotencyKey, preferSeconds: options.preferSeconds };
    const bounds = boundsFor({ ...this.#bounds, ...options });
    const { body, status, headers } = await this.#approved(options.approval, left, signal, () =>
      withRetries(
        (timeoutMs) => attempt(this.#connection, request, carried, timeoutMs, signal),
        { ...bounds, deadlineMs: left(bounds.deadlineMs) },
        this.#environment,
        signal,
      ),
    );
    const about = {
      requestId: headers.get('X-Request-Id') ?? '',
      isReplay: isReplay(headers),
    };
    if (status === 202 && request.method !== 'GET') {
      const waitMs = left(options.waitMs ?? DEFAULT_WAIT_MS);
      const result = await this.#follow(actionIn(body), about.requestId, { ...options, waitMs }, signal);
      return { answer: { ...about, body: result as Outputs[N], status: 200 }, headers };
    }
    return { answer: { ...about, body: body as Outputs[N], status }, headers };
  }

  /** What `make` returns, made again each time that the owner has approved it. */
  async #approved(
    approval: ApprovalOptions | undefined,
    left: TimeLeft,
    signal: AbortSignal,
    make: () => Promise<AttemptResult & { readonly ok: true }>,
  ): Promise<AttemptResult & { readonly ok: true }> {
    for (;;) {
      try {
        return await make();
      } catch (error) {
        const asked = approval === undefined ? undefined : askedIn(error);
        if (approval === undefined || asked === undefined) throw error;
        approval.onAsked?.(asked);
        // Nobody would hear what the owner decides.
        if (left(1) === 0) throw error;
        const waitMs = left(approval.waitMs ?? APPROVAL_WAIT_MS);
        const firstLookMs = left(AFTER_DECISION_MS);
        await this.#untilApproved(asked.approval_id, { waitMs, firstLookMs, asked }, signal);
        // Nobody would hear whether it was done.
        if (left(1) === 0) throw error;
      }
    }
  }

  #untilApproved(approvalId: string, waiting: Waiting, signal: AbortSignal): Promise<Approval> {
    const look = (withinMs: number) => this.#look(approvalId, withinMs, signal);
    return untilApproved(look, waiting, this.#environment, signal);
  }

  /**
   * Looks again while an error is temporary, because an outage decides nothing. The answer waits for the decision only as
   * long as it still comes in time.
   */
  async #look(approvalId: string, withinMs: number, signal: AbortSignal): Promise<Look> {
    const seconds = Math.min(FOLLOW_SECONDS, Math.floor((withinMs - AFTER_DECISION_MS) / 1_000));
    const options = {
      maxAttempts: Number.POSITIVE_INFINITY,
      deadlineMs: withinMs,
      withinMs,
      signal,
      ...(seconds < 1 ? {} : { preferSeconds: seconds }),
    };
    const { answer, headers } = await this.#send('approvals.get', { approvalId }, options);
    const retryAfter = Number(headers.get('Retry-After'));
    return {
      approval: answer.body,
      retryAfterSeconds: retryAfter > 0 ? retryAfter : undefined,
      hasWaited: headers.has('Preference-Applied'),
    };
  }

  #follow(
    begun: Action,
    requestId: string,
    { waitMs, onProgress, ...options }: CallOptions & { readonly waitMs: number },
    signal: AbortSignal,
  ): Promise<object> {
    const until = this.#environment.now() + waitMs;
    const read = async () => {
      const withinMs = until - this.#environment.now();
      // An outage ends no action: what is temporary is asked about again for as long as there is time.
      const bounds = { ...options, withinMs, deadlineMs: waitMs, maxAttempts: Number.POSITIVE_INFINITY };
      return (await this.call('actions.get', { actionId: begun.id }, bounds)).action;
    };
    return resultOfAction(begun, read, { requestId, waitMs, onProgress }, this.#environment, signal);
  }

  /** The token's guild, which never changes. */
  async #guild(options: CallOptions): Promise<string> {
    this.#guildId ??= (await this.call('me', {}, options)).guild.id;
    return this.#guildId;
  }
}

/** The answer to a call with an action is stored: sent again, the same input gets it for a day. */
function isOfOneInput({ code, details = {} }: BailiffError): boolean {
  return OF_ONE_INPUT.has(code) || ('action_id' in details && typeof details.action_id === 'string');
}

/** Bounds that leave the answer as long as it may wait for a decision. */
function boundsFor({ preferSeconds, ...bounds }: Bounds & Pick<CallOptions, 'preferSeconds'>): Bounds {
  if (preferSeconds === undefined) return bounds;
  const waitMs = preferSeconds * 1_000;
  const attemptTimeoutMs = Math.max(bounds.attemptTimeoutMs, waitMs + AFTER_DECISION_MS);
  return { ...bounds, attemptTimeoutMs, deadlineMs: Math.max(bounds.deadlineMs + waitMs, attemptTimeoutMs) };
}
