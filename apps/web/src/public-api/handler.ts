import { randomUUID } from 'node:crypto';
import {
  ApiError,
  bearerSecret,
  entryOf,
  type RestOperation,
  rateLimitFields,
  type Tier,
  tierOf,
} from '@bailiff/core';
import { type AdmittedToken, type Balances, balancesOf } from '@bailiff/engine/calls/admission';
import { authorize } from '@bailiff/engine/calls/authorize';
import { isRead, performRead } from '@bailiff/engine/calls/read-call';
import { performWrite } from '@bailiff/engine/calls/write-call';
import {
  databaseUnavailable,
  isDatabaseUnavailable,
  type Patience,
  patience,
} from '@bailiff/engine/database/database-errors';
import type { Engine } from '@bailiff/engine/engine';
import { type AddressLimit, createAddressLimit } from '#src/address-limit.ts';
import { findOperation, readInput, refuseBrowsers } from './pipeline.ts';
import { readIdempotencyKey } from './request-input.ts';

/** The part of a logger that the public API needs. */
export interface RequestLog {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export type PublicApi = (request: Request, client: { readonly address: string }) => Promise<Response>;

/** Requests per address on the public API (spec §8). */
export const ADDRESS_LIMIT = { requests: 600, windowSeconds: 300 } as const;

/** One request on its way, with what its answer's header will say. */
interface Exchange {
  readonly request: Request;
  readonly url: URL;
  readonly address: string;
  readonly requestId: string;
  readonly headers: Headers;
  /** With the database, up to where a write is submitted. */
  readonly forStore: Patience;
  /** What is known of the call once its token is, and what its budgets hold once that is. */
  call?: { readonly token: AdmittedToken; readonly tier: Tier; readonly balances?: Balances };
}

/**
 * The public API as one web-standard handler. Every answer is JSON, errors in the envelope, with `X-Request-Id`,
 * `X-RateLimit-*` and, once the token is known, `RateLimit` and `RateLimit-Policy` (decisions: Request pipeline).
 */
export function createPublicApi(engine: Engine, log: RequestLog): PublicApi {
  const countRequest = createAddressLimit(engine.db.pool, 'public', ADDRESS_LIMIT);
  return async (request, { address }) => {
    const startedAt = performance.now();
    const exchange: Exchange = {
      request,
      url: new URL(request.url),
      address,
      requestId: `req_${randomUUID().replaceAll('-', '')}`,
      forStore: patience(),
      headers: new Headers({
        'Content-Type': 'application/json; charset=utf-8',
        'Cache-Control': 'no-store',
        'X-RateLimit-Limit': String(ADDRESS_LIMIT.requests),
        'X-RateLimit-Remaining': '0',
      }),
    };
    exchange.headers.set('X-Request-Id', exchange.requestId);
    let answer: { status: number; body: object };
    try {
      answer = await serve(engine, countRequest, exchange);
    } catch (error) {
      answer = refuse(asApiError(error, exchange, log), exchange);
    }
    await tellBudgets(engine, exchange);
    log.info(
      {
        request_id: exchange.requestId,
        method: request.method,
        path: exchange.url.pathname,
        address,
        status: answer.status,
        duration_ms: Math.round(performance.now() - startedAt),
      },
      'public api',
    );
    return new Response(JSON.stringify(answer.body), { status: answer.status, headers: exchange.headers });
  };
}

/** The pipeline of decisions: Request pipeline, in its order. Steps 4 to 10 are `authorize`, 11 to 13 are the engine's. */
async function serve(
  engine: Engine,
  countRequest: AddressLimit,
  exchange: Exchange,
): Promise<{ status: number; body: object }> {
  const { request, address, requestId, headers, forStore } = exchange;
  headers.set('X-RateLimit-Remaining', String(await forStore.within(countRequest(address))));
  refuseBrowsers(request);
  const route = findOperation(request, (allow) => headers.set('Allow', allow.join(', ')));
  const idempotencyKey = () => readIdempotencyKey(request.headers.get('Idempotency-Key'));

  const { token, input, confirmation } = await authorize(
    engine,
    {
      operation: route.name,
      params: route.params,
      guildId: route.guildId,
      authorization: request.headers.get('Authorization'),
      address,
      requestId,
      readInput: () => readInput(request, route, idempotencyKey),
    },
    (admitted) => {
      exchange.call = { token: admitted, tier: tierBeforeInput(route.name) };
    },
    forStore,
  );
  const tier = tierOf(route.name, input as never);
  exchange.call = { token, tier };
  const onBalances = (balances: Balances) => {
    exchange.call = { token, tier, balances };
  };

  if (isRead(route.name)) {
    const read = { operation: route.name, token, input, requestId, address };
    const body = await forStore.within(performRead(engine, read, onBalances));
    return { status: entryOf(route.name).http.success, body };
  }
  const answer = await performWrite(
    engine,
    {
      operation: route.name,
      guildId: token.guild.id,
      input,
      confirmation,
      idempotencyKey: idempotencyKey(),
      actor: { source: 'token', token },
      requestId,
      address,
    },
    onBalances,
    forStore,
  );
  if (answer.replayed) headers.set('Idempotent-Replayed', 'true');
  return answer;
}

/**
 * Sets `RateLimit` and `RateLimit-Policy` to what both budgets of the call's tier hold. A call that was not charged has to
 * ask; where the database does not say, the answer does without.
 */
async function tellBudgets({ db }: Engine, { call, headers, forStore }: Exchange): Promise<void> {
  if (call === undefined) return;
  const { token, tier } = call;
  const balances = call.balances ?? (await forStore.within(balancesOf(db, token)).catch(() => null))?.[tier];
  if (balances === undefined) return;
  const fields = rateLimitFields(tier, balances);
  headers.set('RateLimit', fields.rateLimit);
  headers.set('RateLimit-Policy', fields.rateLimitPolicy);
}

/** Before its input is read, a mute counts as the short one it most often is. */
function tierBeforeInput(name: RestOperation): Tier {
  const { tier } = entryOf(name);
  return typeof tier === 'function' ? 'reversible_write' : tier;
}

function asApiError(error: unknown, { requestId }: Exchange, log: RequestLog): ApiError {
  if (error instanceof ApiError) return error;
  log.error({ request_id: requestId, err: error }, 'public api failed');
  if (isDatabaseUnavailable(error)) return databaseUnavailable('not_performed');
  return new ApiError(
    'INTERNAL_ERROR',
    `Something broke on our side. Quote ${requestId} when you report it.`,
  );
}

function refuse(
  error: ApiError,
  { request, requestId, headers }: Exchange,
): { status: number; body: object } {
  if (error.status === 401) {
    const { kind } = bearerSecret(request.headers.get('Authorization'));
    const reason = kind === 'none' ? '' : ', error="invalid_token"';
    headers.set('WWW-Authenticate', `Bearer realm="bailiff"${reason}`);
  }
  if (error.retryAfterSeconds !== undefined) headers.set('Retry-After', String(error.retryAfterSeconds));
  return { status: error.status, body: error.envelope(requestId) };
}
