import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import {
  DiscordAPIError,
  HTTPError,
  RateLimitError,
  type RawFile,
  REST,
  type RequestMethod,
} from '@discordjs/rest';
import type { Logger } from './log.ts';

/** Why a request failed: Discord refused it, it was not sent or was turned away, or the outcome is unknown. */
export type FailureKind = 'refused' | 'not_sent' | 'unclear';

/** A request to Discord that did not succeed. */
export class DiscordFailure extends Error {
  readonly kind: FailureKind;
  /** HTTP status, if there was an answer. */
  readonly status: number | undefined;
  /** Discord's JSON error code, if it refused. */
  readonly code: number | undefined;

  constructor(
    kind: FailureKind,
    message: string,
    options: { status?: number; code?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'DiscordFailure';
    this.kind = kind;
    this.status = options.status;
    this.code = options.code;
  }
}

export interface RequestOptions {
  readonly signal: AbortSignal;
  /** Asks as the person of this OAuth2 access token instead of as the bot. */
  readonly accessToken?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** Sent along with the body. */
  readonly files?: RawFile[];
  /** Shown in the guild's audit log. */
  readonly reason?: string;
}

/** Discord's REST API for exact work: each request is sent at most once, and a failure says what happened to it. */
export interface DiscordApi {
  /** @throws DiscordFailure */
  get<T>(route: `/${string}`, options: RequestOptions): Promise<T>;
  /** @throws DiscordFailure */
  send(method: `${RequestMethod}`, route: `/${string}`, options: RequestOptions): Promise<unknown>;
}

/** The longest time that a request waits for a rate limit. A longer wait is refused. */
const LONGEST_LIMIT_WAIT_MS = 2_000;
const LIMIT_ATTEMPTS = 4;
const REQUEST_TIMEOUT_MS = 10_000;
/** Discord bans an address after 10,000 answers of 401, 403 and 429 in ten minutes. */
const INVALID_WARNING_INTERVAL = 500;

export function createDiscordApi(settings: { token: string; apiUrl: string; log: Logger }): DiscordApi {
  const flight = new AsyncLocalStorage<{ left: boolean }>();
  const rest = new REST({
    api: settings.apiUrl,
    version: '10',
    // The library would repeat a request that timed out or met a 5xx. Whether it may be repeated is decided here.
    retries: 0,
    // It also must not wait out a long rate limit after the caller already has an answer.
    rejectOnRateLimit: () => true,
    timeout: REQUEST_TIMEOUT_MS,
    invalidRequestWarningInterval: INVALID_WARNING_INTERVAL,
    makeRequest: async (url, init) => {
      init.signal?.throwIfAborted();
      const request = flight.getStore();
      if (request) request.left = true;
      // The library's types of fetch are those of its own undici.
      return fetch(url, init as unknown as RequestInit) as unknown as ReturnType<
        typeof rest.options.makeRequest
      >;
    },
  });
  rest.on('invalidRequestWarning', ({ count, remainingTime }) =>
    settings.log.warn({ count, remaining_ms: remainingTime }, 'many invalid requests to Discord'),
  );

  const request = async (
    method: `${RequestMethod}`,
    route: `/${string}`,
    options: RequestOptions,
  ): Promise<unknown> => {
    for (let attempt = 1; ; attempt += 1) {
      const request = { left: false };
      try {
        // After a 401 the library drops the token permanently.
        rest.setToken(settings.token);
        return await flight.run(request, () =>
          rest.request({
            method: method as RequestMethod,
            fullRoute: route,
            signal: options.signal,
            ...(options.accessToken === undefined
              ? {}
              : { auth: false, headers: { Authorization: `Bearer ${options.accessToken}` } }),
            ...(options.query === undefined ? {} : { query: new URLSearchParams(options.query) }),
            ...(options.body === undefined ? {} : { body: options.body }),
            ...(options.files === undefined ? {} : { files: options.files }),
            ...(options.reason === undefined ? {} : { reason: options.reason }),
          }),
        );
      } catch (error) {
        // A request that met a rate limit had no effect, so it may be sent again.
        if (error instanceof RateLimitError && attempt < LIMIT_ATTEMPTS) {
          const waitMs = Math.max(error.retryAfter, error.sublimitTimeout, error.timeToReset);
          if (waitMs <= LONGEST_LIMIT_WAIT_MS && (await waited(waitMs, options.signal))) continue;
        }
        throw failureOf(error, request.left, `${method} ${route}`);
      }
    }
  };
  return {
    get: async <T>(route: `/${string}`, options: RequestOptions) =>
      (await request('GET', route, options)) as T,
    send: request,
  };
}

/** False if the signal fired first. */
function waited(ms: number, signal: AbortSignal): Promise<boolean> {
  return delay(ms, true, { signal }).catch(() => false);
}

const NEVER_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'EHOSTUNREACH',
]);

function failureOf(error: unknown, left: boolean, what: string): DiscordFailure {
  if (error instanceof RateLimitError) {
    return new DiscordFailure(
      'not_sent',
      `Discord limits ${what} for ${Math.ceil(error.retryAfter / 1000)} s`,
      {
        status: 429,
        cause: error,
      },
    );
  }
  if (error instanceof DiscordAPIError) {
    const code = Number(error.code);
    return new DiscordFailure('refused', `Discord refused ${what}: ${error.status} ${error.message}`, {
      status: error.status,
      code: Number.isNaN(code) ? 0 : code,
    });
  }
  if (error instanceof HTTPError) {
    return new DiscordFailure('unclear', `Discord answered ${what} with ${error.status}`, {
      status: error.status,
    });
  }
  const reason = error instanceof Error ? causeCode(error) : String(error);
  const kind = left && !NEVER_CONNECTED.has(reason) ? 'unclear' : 'not_sent';
  return new DiscordFailure(kind, `Discord did not answer ${what} (${reason})`, { cause: error });
}

/** The reason why a request got no answer: the network error's code, or the error's name. */
export function causeCode(error: Error): string {
  const inner = error.cause instanceof Error ? error.cause : error;
  return 'code' in inner && typeof inner.code === 'string' ? inner.code : inner.name;
}
