import { controlFields } from './control/resolve.ts';
import { ControlError } from './errors.ts';
import type { JsonObject } from './fields.ts';
import type { Body } from './http.ts';

/** A fault for matching requests, instead of the normal answer or in addition to it. */
export interface Fault {
  readonly id: number;
  readonly method: string | null;
  // Path below the API's base. `*`, `:name` and `{name}` stand for one segment, `**` for any rest.
  readonly route: string;
  readonly contains: string | null;
  /** `after`: the request is carried out, and only its answer is lost or replaced. */
  readonly when: 'before' | 'after';
  /** How many more requests get the fault; null: no limit. */
  times: number | null;
  readonly delayMs: number;
  readonly isHeld: boolean;
  readonly status: number | null;
  readonly body: unknown;
  readonly rateLimit: { retryAfter: number; global: boolean; scope: string } | null;
  readonly socket: 'reset' | 'hang' | null;
}

/** The body of `POST /sandbox/faults`. At least one of `status`, `delay_ms`, `held`, `rate_limit` and `socket` is given. */
export interface FaultRequest {
  route: string;
  method?: string;
  /** Only requests with this in their JSON or in one of their files, as what Discord blocks for its content. */
  contains?: string;
  /** Default 1; null hits every request until the faults are cleared. */
  times?: number | null;
  when?: 'before' | 'after';
  delay_ms?: number;
  /** The request waits until the faults are cleared. */
  held?: boolean;
  status?: number;
  /** A text that begins with `<` is sent as a page; everything else is JSON. */
  body?: unknown;
  rate_limit?: { retry_after: number; global?: boolean; scope?: 'user' | 'global' | 'shared' };
  /** `reset` cuts the connection; `hang` takes the request and never answers. */
  socket?: 'reset' | 'hang';
}

function matcher(route: string): RegExp {
  const escaped = route
    .replace(/^\/api(\/v10)?/, '')
    .split('/')
    .map((segment) => {
      if (segment === '**') return '.*';
      if (segment === '*' || /^(:|\{)/.test(segment)) return '[^/]+';
      return segment.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('\\*', '[^/]*');
    })
    .join('/');
  return new RegExp(`^${escaped}$`);
}

export class Faults {
  readonly #faults = new Map<Fault, RegExp>();
  readonly #onClear = new Set<() => void>();
  #made = 0;

  list(): Fault[] {
    return [...this.#faults.keys()];
  }

  /** Throws a ControlError (400) for a fault that would do nothing or that is not understood. */
  add(request: FaultRequest): Fault {
    const fields = controlFields(request, [
      'route',
      'method',
      'contains',
      'times',
      'when',
      'delay_ms',
      'held',
      'status',
      'body',
      'rate_limit',
      'socket',
    ]);
    const times = fields.integer('times', { min: 1 });
    const limit = fields.object('rate_limit');
    this.#made += 1;
    const fault: Fault = {
      id: this.#made,
      method: fields.choice('method', ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) ?? null,
      route: fields.requiredString('route', { min: 1 }),
      contains: fields.string('contains', { min: 1 }) ?? null,
      when: fields.choice('when', ['before', 'after']) ?? 'before',
      times: times === undefined ? 1 : times,
      delayMs: fields.integer('delay_ms', { min: 0 }) ?? 0,
      isHeld: fields.boolean('held') ?? false,
      status: fields.integer('status', { min: 200, max: 599 }) ?? null,
      body: fields.values.body,
      rateLimit: limit ? readRateLimit(limit) : null,
      socket: fields.choice('socket', ['reset', 'hang'] as const) ?? null,
    };
    if (!fault.route.startsWith('/'))
      throw new ControlError(400, 'route: must begin with a slash, like /guilds/*/bans/*.');
    const { delayMs, isHeld, status, rateLimit, socket } = fault;
    if (delayMs === 0 && !isHeld && status === null && !rateLimit && !socket) {
      throw new ControlError(
        400,
        'A fault needs at least one of status, delay_ms, held, rate_limit and socket.',
      );
    }
    this.#faults.set(fault, matcher(fault.route));
    return fault;
  }

  /** The first fault that matches the request; it is counted as used. */
  take(method: string, path: string, body: Body): Fault | null {
    for (const [fault, pattern] of this.#faults) {
      if (fault.method !== null && fault.method !== method) continue;
      if (!pattern.test(path)) continue;
      if (fault.contains !== null && !isIn(body, fault.contains)) continue;
      if (fault.times !== null) {
        fault.times -= 1;
        if (fault.times === 0) this.#faults.delete(fault);
      }
      return fault;
    }
    return null;
  }

  /** Removes every fault, lets held requests go on, and cuts the connections of requests that hang. */
  clear(): number {
    const count = this.#faults.size;
    this.#faults.clear();
    for (const act of this.#onClear) act();
    this.#onClear.clear();
    return count;
  }

  onClear(act: () => void): void {
    this.#onClear.add(act);
  }
}

function isIn({ value, files }: Body, text: string): boolean {
  return (
    JSON.stringify(value ?? null).includes(text) ||
    files.some(({ bytes }) => Buffer.from(bytes).includes(text))
  );
}

function readRateLimit(limit: JsonObject): Fault['rateLimit'] {
  const retryAfter = limit.retry_after;
  if (typeof retryAfter !== 'number' || retryAfter < 0) {
    throw new ControlError(400, 'rate_limit.retry_after: must be a number of seconds.');
  }
  const global = limit.global === true;
  const scope = typeof limit.scope === 'string' ? limit.scope : global ? 'global' : 'user';
  return { retryAfter, global, scope };
}

/** The status, headers and body of a fault's answer. */
export function faultAnswer(fault: Fault): {
  status: number;
  headers: Record<string, string>;
  body: unknown;
  html?: string;
} | null {
  if (fault.rateLimit) {
    const { retryAfter, global, scope } = fault.rateLimit;
    return {
      status: 429,
      headers: {
        'Retry-After': String(Math.ceil(retryAfter)),
        'X-RateLimit-Scope': scope,
        ...(global ? { 'X-RateLimit-Global': 'true' } : {}),
      },
      body: { message: 'You are being rate limited.', retry_after: retryAfter, global },
    };
  }
  if (fault.status === null) return null;
  const body = fault.body ?? { message: `${fault.status}: Sandbox fault`, code: 0 };
  // As Discord's edge answers.
  if (typeof body === 'string' && body.startsWith('<'))
    return { status: fault.status, headers: {}, body: undefined, html: body };
  return { status: fault.status, headers: {}, body: fault.status === 204 ? undefined : body };
}
