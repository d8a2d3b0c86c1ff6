import { AsyncLocalStorage } from 'node:async_hooks';
import { inSpan } from '@bailiff/engine/tracing/spans';
import {
  DiscordAPIError,
  HTTPError,
  RateLimitError,
  type RawFile,
  REST,
  type RequestMethod,
} from '@discordjs/rest';
import { problemOfAnswer, problemOfPage } from './answer-shapes.ts';
import { watchClock } from './clock-steps.ts';
import type { Logger } from './log.ts';
import type { BotMeter } from './metrics/bot-meter.ts';
import { withQuietMentions } from './quiet-mentions.ts';
import { RateLimits, waited } from './rate-limits.ts';
import { storable, storableIn } from './storable.ts';
import { unknownIn } from './too-large-ids.ts';

/** Why a request failed: Discord refused it, it was not sent or was turned away, or the outcome is unknown. */
export type FailureKind = 'refused' | 'not_sent' | 'unclear';

/** A request to Discord that did not succeed. */
export class DiscordFailure extends Error {
  readonly kind: FailureKind;
  /** HTTP status, if there was an answer. */
  readonly status: number | undefined;
  /** Discord's JSON error code, if it refused. */
  readonly code: number | undefined;
  /** How long Discord's limits keep it from being sent, if they are the reason. */
  readonly retryAfterMs: number | undefined;

  constructor(
    kind: FailureKind,
    message: string,
    options: { status?: number; code?: number; retryAfterMs?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'DiscordFailure';
    this.kind = kind;
    this.status = options.status;
    this.code = options.code;
    this.retryAfterMs = options.retryAfterMs;
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
  /** The guild that it is for, and its turn among that guild's requests. */
  readonly guild?: GuildTurn;
  /** It is not sent any more after this has fired; default: `signal`. */
  readonly until?: AbortSignal;
  /** It is not sent if Discord's limits ask for a longer wait; default: what fits into an action. */
  readonly longestWaitMs?: number;
}

/** Runs one request when it is its guild's turn. */
export interface GuildTurn {
  readonly id: string;
  readonly take: <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;
}

/**
 * Discord's REST API for exact work. A request waits for Discord's limits until its signal fires. It has its effect at
 * most once, and a failure says what happened to it.
 */
export interface DiscordApi {
  /** @throws DiscordFailure */
  get<T>(route: `/${string}`, options: RequestOptions): Promise<T>;
  /** @throws DiscordFailure */
  send(method: `${RequestMethod}`, route: `/${string}`, options: RequestOptions): Promise<unknown>;
  /**
   * Sends nothing.
   *
   * @throws DiscordFailure if Discord's limits are known to keep such a request waiting for longer than this
   */
  checkLimits(method: `${RequestMethod}`, route: `/${string}`, withinMs: number): void;
}

/** What is known of a request that is under way. */
interface Sent {
  readonly timeoutMs: number;
  left: boolean;
  response?: Pick<Response, 'status' | 'headers'>;
}

/** Longer than this no action waits (engine `DEADLINES`), so a request that would have to is refused at once. */
const LONGEST_WAIT_MS = 8_000;
/** The wait after a 429 that does not say how long. */
const UNSAID_WAIT_MS = 1_000;
const REQUEST_TIMEOUT_MS = 10_000;
/** 2 Mbit/s, the slowest line on which files are sent. */
const SLOWEST_BYTES_PER_MS = 250;
/** Longer than the files of one message take on that line. */
export const LONGEST_REQUEST_MS = 60_000;
/** Most characters of Discord's explanation of a refusal. It goes into the log, and to people. */
const LONGEST_EXPLANATION = 300;
/** Discord bans an address after 10,000 answers of 401, 403 and 429 in ten minutes. */
const INVALID_WARNING_INTERVAL = 500;

interface DiscordApiSettings {
  readonly token: string;
  readonly apiUrl: string;
  readonly log: Logger;
  /** Absent if no metrics are kept. */
  readonly meter?: BotMeter | undefined;
}

/** How long Discord may take to answer a request, with the time that its files need on a slow line, in whole milliseconds. */
export function requestTimeoutMs(files: readonly RawFile[] = []): number {
  const bytes = files.reduce(
    (sum, { data }) => sum + (typeof data === 'object' ? data.byteLength : String(data).length),
    0,
  );
  return Math.min(REQUEST_TIMEOUT_MS + Math.ceil(bytes / SLOWEST_BYTES_PER_MS), LONGEST_REQUEST_MS);
}

export function createDiscordApi(settings: DiscordApiSettings): DiscordApi {
  const flight = new AsyncLocalStorage<Sent>();
  const rest = new REST({
    api: settings.apiUrl,
    version: '10',
    // The library would repeat a request that timed out or met a 5xx. Whether it may be repeated is decided here.
    retries: 0,
    // Limits are waited for here, where the caller's deadline is known and nothing else is held up meanwhile.
    rejectOnRateLimit: () => true,
    globalRequestsPerSecond: Number.POSITIVE_INFINITY,
    // The library has one for all requests. Most get less time (makeRequest).
    timeout: LONGEST_REQUEST_MS,
    invalidRequestWarningInterval: INVALID_WARNING_INTERVAL,
    makeRequest: async (url, init) => {
      init.signal?.throwIfAborted();
      const request = flight.getStore();
      if (request) request.left = true;
      const late = new AbortController();
      const timer = setTimeout(() => late.abort(), request?.timeoutMs ?? REQUEST_TIMEOUT_MS);
      const signal = AbortSignal.any([late.signal, ...(init.signal ? [init.signal] : [])]);
      // The library's types of fetch are those of its own undici.
      const response = await fetch(url, { ...(init as unknown as RequestInit), signal }).finally(() =>
        clearTimeout(timer),
      );
      if (request) request.response = response;
      return response as unknown as Awaited<ReturnType<typeof rest.options.makeRequest>>;
    },
  });
  rest.on('invalidRequestWarning', ({ count, remainingTime }) =>
    settings.log.warn({ count, remaining_ms: remainingTime }, 'many invalid requests to Discord'),
  );

  const limits = new RateLimits();
  const hasClockSteppedBack = watchClock();
  const sendOnce = (method: `${RequestMethod}`, route: `/${string}`, options: RequestOptions) => {
    // After a 401 the library drops the token permanently.
    rest.setToken(settings.token);
    // It keeps limits by the machine's clock. They are known here by one that never steps back.
    if (hasClockSteppedBack()) {
      rest.handlers.clear();
      rest.globalReset = -1;
    }
    return rest.request({
      method: method as RequestMethod,
      fullRoute: route,
      signal: options.signal,
      ...(options.accessToken === undefined
        ? {}
        : { auth: false, headers: { Authorization: `Bearer ${options.accessToken}` } }),
      ...(options.query === undefined ? {} : { query: new URLSearchParams(options.query) }),
      ...(options.body === undefined ? {} : { body: withQuietMentions(route, options.body) }),
      ...(options.files === undefined ? {} : { files: options.files }),
      ...(options.reason === undefined ? {} : { reason: options.reason }),
    });
  };

  /** Null if Discord's limits did not admit it, so that it had no effect. */
  const attempt = async (
    method: `${RequestMethod}`,
    route: `/${string}`,
    options: RequestOptions,
  ): Promise<{ answer: unknown } | null> => {
    const asked = { method, route, guildId: options.guild?.id };
    // Others may have come first while it waited for its guild's turn.
    if (limits.waitMs(asked) > 0) return null;
    const admission = limits.admit(asked);
    const request: Sent = { left: false, timeoutMs: requestTimeoutMs(options.files) };
    try {
      return { answer: storableIn(await flight.run(request, () => sendOnce(method, route, options))) };
    } catch (error) {
      if (!(error instanceof RateLimitError)) throw failureOf(error, request, method, route);
      const { retryAfter, sublimitTimeout, timeToReset } = error;
      const waitMs = Math.max(retryAfter, sublimitTimeout, Number.isFinite(timeToReset) ? timeToReset : 0);
      // Without headers, the library takes the limit to be over.
      const isSaid = retryAfter > 0 || sublimitTimeout > 0 || !request.left;
      admission.limited(isSaid ? waitMs : UNSAID_WAIT_MS, error.global);
      return null;
    } finally {
      admission.end();
      const exhaustedMs = exhaustedFor(request.response?.headers);
      if (exhaustedMs > 0) admission.limited(exhaustedMs, false);
    }
  };

  const measuredAttempt: typeof attempt = async (method, route, options) => {
    try {
      const done = await attempt(method, route, options);
      settings.meter?.discord(method, done === null ? 'limited' : 'ok');
      return done;
    } catch (error) {
      if (error instanceof DiscordFailure) settings.meter?.discord(method, error.kind);
      throw error;
    }
  };

  const request = async (
    method: `${RequestMethod}`,
    route: `/${string}`,
    options: RequestOptions,
  ): Promise<unknown> => {
    const { guild, until = options.signal, longestWaitMs = LONGEST_WAIT_MS } = options;
    const asked = { method, route, guildId: guild?.id };
    const once = () => measuredAttempt(method, route, options);
    for (;;) {
      // The wait is not part of the guild's turn: it would keep the guild's other requests waiting too.
      for (let waitMs = limits.waitMs(asked); waitMs > 0; waitMs = limits.waitMs(asked)) {
        if (waitMs > longestWaitMs || !(await waited(waitMs, until)))
          throw limited(`${method} ${route}`, waitMs);
      }
      const done = await (guild === undefined ? once() : guild.take(once, until));
      if (done === null) continue;
      const problem =
        problemOfAnswer(method, route, done.answer) ?? problemOfPage(options.query, done.answer);
      if (problem === null) return done.answer;
      const message = `Discord answered ${method} ${route} with something that cannot be used (${problem})`;
      throw new DiscordFailure('unclear', message, { status: 200 });
    }
  };
  const traced: typeof request = (method, route, options) =>
    inSpan(
      {
        name: `${method} ${routeTemplate(route)}`,
        kind: 'client',
        attributes: { 'peer.service': 'discord' },
      },
      () => request(method, route, options),
    );
  return {
    get: async <T>(route: `/${string}`, options: RequestOptions) =>
      (await traced('GET', route, options)) as T,
    send: traced,
    checkLimits: (method, route, withinMs) => {
      const waitMs = limits.waitMs({ method, route, guildId: undefined });
      if (waitMs > withinMs) throw limited(`${method} ${route}`, waitMs);
    },
  };
}

/** A route without whom it is about, and without the token of an interaction. */
function routeTemplate(route: string): string {
  const [path = ''] = route.split('?');
  return path.replaceAll(/[^/]+/g, (part) => (/^(@me|@original|[a-z-]{1,30})$/.test(part) ? part : '{id}'));
}

/** For how long Discord admits no more of a kind of request, as an answer's headers say. */
function exhaustedFor(headers: Headers | undefined): number {
  if (headers?.get('x-ratelimit-remaining') !== '0') return 0;
  const seconds = Number(headers.get('x-ratelimit-reset-after'));
  return Number.isFinite(seconds) ? seconds * 1000 : 0;
}

function limited(what: string, retryAfterMs: number): DiscordFailure {
  const message = `Discord limits ${what} for ${Math.ceil(retryAfterMs / 1000)} s`;
  return new DiscordFailure('not_sent', message, { status: 429, retryAfterMs });
}

const NEVER_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'EHOSTUNREACH',
]);

function failureOf(error: unknown, { left, response }: Sent, method: string, route: string): DiscordFailure {
  const what = `${method} ${route}`;
  if (error instanceof DiscordAPIError) {
    const unknown = error.status === 400 ? unknownIn(method, route) : undefined;
    if (unknown !== undefined) {
      const message = `Discord refused ${what}: no id is that large`;
      return new DiscordFailure('refused', message, { status: 404, code: unknown });
    }
    const code = Number(error.code);
    const said = storable(error.message.slice(0, LONGEST_EXPLANATION));
    return new DiscordFailure('refused', `Discord refused ${what}: ${error.status} ${said}`, {
      status: error.status,
      code: Number.isNaN(code) ? 0 : code,
    });
  }
  if (error instanceof HTTPError) {
    return new DiscordFailure('unclear', `Discord answered ${what} with ${error.status}`, {
      status: error.status,
    });
  }
  const status = response?.status ?? 0;
  if (status >= 400) {
    // Whatever the body is, Discord has refused it.
    const message = `Discord refused ${what}: ${status}, with a body that cannot be used`;
    return new DiscordFailure('refused', message, { status, code: 0 });
  }
  if (error instanceof SyntaxError) {
    return new DiscordFailure('unclear', `Discord answered ${what} with something that is not JSON`, {
      status: 200,
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
