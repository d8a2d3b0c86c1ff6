import {
  ApiError,
  bearerSecret,
  callOf,
  entryOf,
  isReadOperation,
  matchRoute,
  type ReadInput,
  type RestOperation,
  type RouteMatch,
  readBody,
  readQuery,
} from '@bailiff/core';
import { type PreparedRead, prepareRead } from '@bailiff/engine/calls/read-together';
import { readJsonBody, unreadable } from '#src/http/body.ts';
import { type Exchange, methodNotAllowed, type ReceivedRequest } from '#src/http/kernel.ts';

/** The path below which the public API lives. */
export const PUBLIC_API_PATH = '/api/public/v1';

export type OperationRoute = Extract<RouteMatch, { kind: 'operation' }>;

/**
 * Refuses calls from a browser, without any Access-Control header, because tokens are for servers (spec §5.12).
 *
 * @throws ApiError CORS_DENIED.
 */
export function refuseBrowsers({ method, header }: ReceivedRequest): void {
  if (method !== 'OPTIONS' && header('Origin') === null) return;
  throw new ApiError('CORS_DENIED', 'Browsers cannot call this API. Call it from a server.');
}

/** A Discord id. */
const GUILD = /^\d{15,20}$/;

/**
 * The quick read that a request asks for, if nothing is wrong with the request itself. It takes a shorter way than other
 * calls, through the same checks. Null for every other request.
 */
export function quickReadOf({ received, address, requestId }: Exchange): PreparedRead | null {
  const { method, url, header } = received;
  if (method !== 'GET' || header('Origin') !== null) return null;
  const bearer = bearerSecret(header('Authorization'));
  const route = matchRoute('GET', url.pathname.slice(PUBLIC_API_PATH.length));
  if (bearer.kind !== 'secret' || route.kind !== 'operation') return null;
  const { name, params, guildId } = route;
  if (guildId === null || !GUILD.test(guildId) || !isReadOperation(name)) return null;
  const read = readQuery(name, params, url.searchParams);
  if (!read.ok) return null;
  return prepareRead({ ...callOf(name, read.input), guildId, secret: bearer.secret, address, requestId });
}

/**
 * The operation that a request names.
 *
 * @param onAllow gets the allowed methods if the path is known with other methods
 * @throws ApiError NOT_FOUND; 405 if the path is known with other methods.
 */
export function findOperation(
  { method, url: { pathname: path } }: ReceivedRequest,
  onAllow: (methods: readonly string[]) => void,
): OperationRoute {
  const route = matchRoute(method, path.slice(PUBLIC_API_PATH.length));
  if (route.kind === 'operation') return route;
  if (route.kind === 'unknown') throw new ApiError('NOT_FOUND', `There is no ${path} in this API.`);
  onAllow(route.allow);
  throw methodNotAllowed(path, route.allow, method);
}

/**
 * The input of a call, from the path and the query or the body.
 *
 * @param idempotencyKey reads the header of a write, and throws if it is invalid
 * @throws ApiError VALIDATION_FAILED if the body cannot be read.
 */
export async function readInput(
  received: ReceivedRequest,
  { name, params }: OperationRoute,
  idempotencyKey: () => string | undefined,
): Promise<ReadInput<RestOperation>> {
  const { searchParams } = received.url;
  if (entryOf(name).http.method === 'GET') return readQuery(name, params, searchParams);
  idempotencyKey();
  if (searchParams.size > 0) {
    const issues = [...searchParams.keys()].map((path) => ({
      path: path.slice(0, 100),
      message: 'belongs in the JSON body',
    }));
    return { ok: false, status: 400, issues: issues.slice(0, 20) };
  }
  return readBody(name, params, await readJsonBody(received.request));
}

/**
 * The `Idempotency-Key` of a request, or undefined.
 *
 * @throws ApiError VALIDATION_FAILED 400 unless the key is 1 to 255 visible ASCII characters (decisions: Idempotency).
 */
export function readIdempotencyKey(header: string | null): string | undefined {
  if (header === null) return undefined;
  if (/^[\x21-\x7e]{1,255}$/.test(header)) return header;
  throw unreadable(400, 'Idempotency-Key must be 1 to 255 visible ASCII characters.', 'Idempotency-Key');
}
