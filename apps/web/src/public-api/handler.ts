import { randomUUID } from 'node:crypto';
import {
  ApiError,
  bearerSecret,
  entryOf,
  matchRoute,
  type OperationName,
  type ReadInput,
  rateLimitFields,
  readBody,
  readQuery,
  type Tier,
  tierOf,
} from '@bailiff/core';
import {
  type AdmittedToken,
  type Authorized,
  authorize,
  type Balances,
  databaseUnavailable,
  type Engine,
  isDatabaseUnavailable,
  isRead,
  performCall,
  performRead,
} from '@bailiff/engine';
import { type AddressLimit, createAddressLimiter } from './address-limit.ts';
import { readIdempotencyKey, readJsonBody } from './request-input.ts';

/** The public API lives below this path. */
export const PUBLIC_API_PATH = '/api/public/v1';

/** The part of a logger that the public API needs. */
export interface RequestLog {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export type PublicApi = (request: Request, client: { readonly address: string }) => Promise<Response>;

/** One request on its way, with what its answer's header will say. */
interface Exchange {
  readonly request: Request;
  readonly address: string;
  readonly requestId: string;
  readonly headers: Headers;
}

/**
 * The public API as one web-standard handler. Every answer is JSON, errors in the envelope, with `X-Request-Id`,
 * `X-RateLimit-*` and, once the token is known, `RateLimit` and `RateLimit-Policy` (decisions: Request pipeline).
 */
export function createPublicApi(engine: Engine, log: RequestLog): PublicApi {
  const addressLimiter = createAddressLimiter(engine.db.pool);
  return async (request, { address }) => {
    const startedAt = performance.now();
    const exchange: Exchange = {
      request,
      address,
      requestId: `req_${randomUUID().replaceAll('-', '')}`,
      headers: new Headers({
        'Content-Type': 'application/json; charset=utf-8',
        'Cache-Control': 'no-store',
      }),
    };
    exchange.headers.set('X-Request-Id', exchange.requestId);
    let answer: { status: number; body: object };
    try {
      answer = await serve(engine, addressLimiter, exchange);
    } catch (error) {
      answer = refuse(asApiError(error, exchange, log), exchange);
    }
    log.info(
      {
        request_id: exchange.requestId,
        method: request.method,
        path: pathOf(request),
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
  addressLimiter: AddressLimit,
  exchange: Exchange,
): Promise<{ status: number; body: object }> {
  const { request, address, requestId, headers } = exchange;
  await addressLimiter(address, headers);
  refuseBrowsers(request);
  const route = findOperation(request, headers);
  const tellLimits = limitsTeller(headers, route.name);
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
      readInput: () => readInput(request, route.name, route.params, idempotencyKey),
    },
    (admitted) => tellLimits(admitted),
  );
  const tell = (balances: Balances) => tellLimits(token, input, balances);

  if (isRead(route.name)) {
    const body = await performRead(engine, { operation: route.name, token, input, requestId, address }, tell);
    return { status: entryOf(route.name).http.success, body };
  }
  const answer = await performCall(
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
    tell,
  );
  if (answer.replayed) headers.set('Idempotent-Replayed', 'true');
  return answer;
}

/** Tokens are for servers: a browser's direct call is refused, without any Access-Control header (spec §5.12). */
function refuseBrowsers(request: Request): void {
  if (request.method !== 'OPTIONS' && !request.headers.has('Origin')) return;
  throw new ApiError('CORS_DENIED', 'Browsers cannot call this API. Call it from a server.');
}

function findOperation(request: Request, headers: Headers) {
  const path = pathOf(request);
  const route = matchRoute(request.method, path.slice(PUBLIC_API_PATH.length));
  if (route.kind === 'operation') return route;
  if (route.kind === 'unknown') throw new ApiError('NOT_FOUND', `There is no ${path} in this API.`);
  headers.set('Allow', route.allow.join(', '));
  throw new ApiError('NOT_FOUND', `${path} takes ${route.allow.join(', ')}, not ${request.method}.`, {
    status: 405,
  });
}

async function readInput(
  request: Request,
  name: OperationName,
  params: Readonly<Record<string, string>>,
  idempotencyKey: () => string | undefined,
): Promise<ReadInput<OperationName>> {
  const { searchParams } = new URL(request.url);
  if (entryOf(name).http.method === 'GET') return readQuery(name, params, searchParams);
  idempotencyKey();
  if (searchParams.size > 0) {
    const issues = [...searchParams.keys()].map((path) => ({ path, message: 'belongs in the JSON body' }));
    return { ok: false, status: 400, issues };
  }
  return readBody(name, params, await readJsonBody(request));
}

/** Sets `RateLimit` and `RateLimit-Policy` to what both budgets of the call's tier hold. */
function limitsTeller(headers: Headers, name: OperationName) {
  return (token: AdmittedToken, input?: Authorized['input'], balances?: Balances) => {
    const tier = knownTier(name, input);
    const fields = rateLimitFields(tier, balances ?? token.balances[tier]);
    headers.set('RateLimit', fields.rateLimit);
    headers.set('RateLimit-Policy', fields.rateLimitPolicy);
  };
}

/** Before its input is read, a mute counts as the short one it most often is. */
function knownTier(name: OperationName, input: object | undefined): Tier {
  const { tier } = entryOf(name);
  if (typeof tier !== 'function') return tier;
  return input === undefined ? 'reversible_write' : tierOf(name, input as never);
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

/** Path of the request as sent, without its query. */
function pathOf(request: Request): string {
  return new URL(request.url).pathname;
}
