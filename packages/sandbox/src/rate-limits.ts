import { createHash } from 'node:crypto';
import { RULES, type Rule } from './rate-limit-rules.ts';
import type { Route } from './rest/route.ts';
import { isSnowflake, snowflakeTime } from './snowflake.ts';
import type { World } from './world.ts';

/** One limit for every route. */
export interface RateLimit {
  readonly limit: number;
  readonly windowSeconds: number;
}

export interface RateLimitSettings {
  /** Instead of Discord's own limits: this one for each route, truthful headers, and no limit over all routes. */
  everyRoute: RateLimit | null;
  /** Decides which refusals lack their headers. */
  edgeSeed: number;
  /** Answers of 401, 403 and 429 within ten minutes after which an address is banned. */
  invalidAnswers: number;
}

export const DISCORDS_LIMITS: RateLimitSettings = { everyRoute: null, edgeSeed: 0, invalidAnswers: 10_000 };

/** A request that asks for admission. */
export interface Ask {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** A refusal: what a 429 says. */
export interface Limited {
  readonly retryAfterSeconds: number;
  readonly scope: 'user' | 'global' | 'shared';
  /** `json` is the usual answer; `bare` lacks the X-RateLimit headers; `html` comes from the edge, without them too. */
  readonly form: 'json' | 'bare' | 'html';
}

export interface Ticket {
  readonly headers: Record<string, string>;
  readonly limited: Limited | null;
}

const GLOBAL: Rule = { limit: 50, windowMs: 1_000 };
/** The limit of a route without a rule. The one over all routes is reached before it. */
const OTHER: Rule = { limit: 100, windowMs: 1_000 };
/** Every so many answers, a bucket gets another name and other numbers. */
const RENAMED_EVERY = 20;
/** One refusal in this many is `bare`, and one comes from the edge. */
const EDGE_EVERY = 5;
/** Path parameters whose values each have their own bucket. */
const MAJOR = ['guild_id', 'channel_id', 'webhook_id', 'webhook_token', 'interaction_token'];

interface Bucket {
  used: number;
  /** By `performance.now`, as clients wait: the clock of the machine may be set meanwhile. */
  resetsAtMs: number;
  /** After its first refusal, a bucket's headers tell its real numbers until the window ends. */
  hasRefused: boolean;
}

/**
 * The limits that people observe at Discord. A window begins with its first request, and a bucket is refilled as a
 * whole when it ends. Requests about interactions and webhooks do not count towards the limit over all routes.
 */
export class RateLimits {
  settings: RateLimitSettings;
  readonly #world: World;
  readonly #buckets = new Map<string, Bucket>();
  readonly #answers = new Map<string, number>();
  #refusals = 0;

  constructor(world: World, settings: RateLimitSettings) {
    this.#world = world;
    this.settings = settings;
  }

  /** Replaces some settings. Every bucket is full again. */
  change(settings: Partial<RateLimitSettings>): void {
    this.settings = { ...this.settings, ...settings };
    this.#buckets.clear();
    this.#answers.clear();
    this.#refusals = 0;
  }

  take(ask: Ask): Ticket {
    const { route, params } = ask;
    const { everyRoute } = this.settings;
    const rule = everyRoute === null ? this.#ruleOf(ask) : uniform(everyRoute);
    const name = `${route.method} ${route.path} ${rule.name ?? ''}`;
    const hash = this.#hashOf(name);
    const bucket = this.#bucket(`${name}:${this.#ownerOf(rule, params)}`, rule);
    if (everyRoute === null && route.auth !== 'none') {
      const all = this.#bucket('all routes', GLOBAL);
      if (all.used >= GLOBAL.limit) return this.#refuse(all, 'global', { 'X-RateLimit-Global': 'true' });
      all.used += 1;
    }
    if (bucket.used >= rule.limit) {
      bucket.hasRefused = true;
      const headers = bucketHeaders(
        rule.plain ?? rule,
        hash,
        rule.plain === undefined ? bucket : fresh(rule.plain),
      );
      return this.#refuse(bucket, rule.scope ?? 'user', headers);
    }
    bucket.used += 1;
    return { headers: this.#headersOf(rule, hash, bucket), limited: null };
  }

  #ruleOf({ route, params, body }: Ask): Rule {
    const { message_id: message = '' } = params;
    const ageMs = isSnowflake(message) ? Date.now() - snowflakeTime(message) : 0;
    const rule = RULES.find(
      (each) =>
        each.method === route.method && each.path === route.path && (each.when?.({ ageMs, body }) ?? true),
    );
    return rule ?? OTHER;
  }

  #ownerOf(rule: Rule, params: Readonly<Record<string, string>>): string {
    if (rule.per === 'bot') return '';
    if (rule.per === 'guild') return this.#world.findChannel(params.channel_id ?? '')?.guildId ?? '';
    return MAJOR.map((name) => params[name] ?? '').join(':');
  }

  #bucket(key: string, { windowMs }: Rule): Bucket {
    const nowMs = performance.now();
    let bucket = this.#buckets.get(key);
    if (bucket === undefined || bucket.resetsAtMs <= nowMs) {
      bucket = { used: 0, resetsAtMs: nowMs + windowMs, hasRefused: false };
      this.#buckets.set(key, bucket);
    }
    return bucket;
  }

  #hashOf(name: string): string {
    const answers = this.#answers.get(name) ?? 0;
    this.#answers.set(name, answers + 1);
    const generation = this.settings.everyRoute === null ? Math.floor(answers / RENAMED_EVERY) : 0;
    return createHash('sha256').update(`${name} ${generation}`).digest('hex').slice(0, 32);
  }

  /** Headers of an admitted request. Some routes claim a limit far above the real one until they refuse. */
  #headersOf(rule: Rule, hash: string, bucket: Bucket): Record<string, string> {
    if (rule.claims === undefined || bucket.hasRefused) return bucketHeaders(rule, hash, bucket);
    const claims = hash < '8' ? rule.claims : rule.claims - 1;
    return bucketHeaders({ ...rule, limit: claims }, hash, bucket);
  }

  #refuse(bucket: Bucket, scope: Limited['scope'], headers: Record<string, string>): Ticket {
    this.#refusals += 1;
    const turn = (this.#refusals + this.settings.edgeSeed) % EDGE_EVERY;
    const isTruthful = this.settings.everyRoute !== null;
    const form = isTruthful || turn > 1 ? 'json' : turn === 1 ? 'bare' : 'html';
    const retryAfterSeconds = Math.max(1, leftMs(bucket)) / 1000;
    return { headers: form === 'json' ? headers : {}, limited: { retryAfterSeconds, scope, form } };
  }
}

function uniform({ limit, windowSeconds }: RateLimit): Rule {
  return { limit, windowMs: windowSeconds * 1000 };
}

function fresh({ windowMs }: Rule): Bucket {
  return { used: 1, resetsAtMs: performance.now() + windowMs, hasRefused: false };
}

/** Whole milliseconds, rounded up, so that nobody who waits as long comes too early. */
function leftMs({ resetsAtMs }: Pick<Bucket, 'resetsAtMs'>): number {
  return Math.max(0, Math.ceil(resetsAtMs - performance.now()));
}

function bucketHeaders(rule: Rule, hash: string, bucket: Bucket): Record<string, string> {
  const resetsInMs = leftMs(bucket);
  return {
    'X-RateLimit-Limit': String(rule.limit),
    'X-RateLimit-Remaining': String(Math.max(0, rule.limit - bucket.used)),
    'X-RateLimit-Reset': ((Date.now() + resetsInMs) / 1000).toFixed(3),
    'X-RateLimit-Reset-After': (resetsInMs / 1000).toFixed(3),
    'X-RateLimit-Bucket': hash,
  };
}
