import {
  ApiError,
  entryOf,
  matchRoute,
  type ReadInput,
  type RestOperation,
  type RouteMatch,
  readBody,
  readQuery,
} from '@bailiff/core';
import { readJsonBody, unreadable } from '#src/http/body.ts';
import { methodNotTaken } from '#src/http/kernel.ts';

/** The public API lives below this path. */
export const PUBLIC_API_PATH = '/api/public/v1';

export type OperationRoute = Extract<RouteMatch, { kind: 'operation' }>;

/**
 * Tokens are for servers: a browser's direct call is refused, without any Access-Control header (spec §5.12).
 *
 * @throws ApiError CORS_DENIED.
 */
export function refuseBrowsers(request: Request): void {
  if (request.method !== 'OPTIONS' && !request.headers.has('Origin')) return;
  throw new ApiError('CORS_DENIED', 'Browsers cannot call this API. Call it from a server.');
}

/**
 * The operation that a request names.
 *
 * @param onAllow is told the methods of a path that is known with others.
 * @throws ApiError NOT_FOUND, 405 where another method is known.
 */
export function findOperation(
  request: Request,
  onAllow: (methods: readonly string[]) => void,
): OperationRoute {
  const path = new URL(request.url).pathname;
  const route = matchRoute(request.method, path.slice(PUBLIC_API_PATH.length));
  if (route.kind === 'operation') return route;
  if (route.kind === 'unknown') throw new ApiError('NOT_FOUND', `There is no ${path} in this API.`);
  onAllow(route.allow);
  throw methodNotTaken(path, route.allow, request.method);
}

/**
 * The input of a call, from the path and the query or the body.
 *
 * @param idempotencyKey reads the header of a write, and throws when it is not one.
 * @throws ApiError VALIDATION_FAILED when the body cannot be read.
 */
export async function readInput(
  request: Request,
  { name, params }: OperationRoute,
  idempotencyKey: () => string | undefined,
): Promise<ReadInput<RestOperation>> {
  const { searchParams } = new URL(request.url);
  if (entryOf(name).http.method === 'GET') return readQuery(name, params, searchParams);
  idempotencyKey();
  if (searchParams.size > 0) {
    const issues = [...searchParams.keys()].map((path) => ({ path, message: 'belongs in the JSON body' }));
    return { ok: false, status: 400, issues };
  }
  return readBody(name, params, await readJsonBody(request));
}

/**
 * The `Idempotency-Key` of a request, or undefined.
 *
 * @throws ApiError VALIDATION_FAILED 400 for a key that is not 1 to 255 visible ASCII characters (decisions: Idempotency).
 */
export function readIdempotencyKey(header: string | null): string | undefined {
  if (header === null) return undefined;
  if (/^[\x21-\x7e]{1,255}$/.test(header)) return header;
  throw unreadable(400, 'Idempotency-Key must be 1 to 255 visible ASCII characters.', 'Idempotency-Key');
}
