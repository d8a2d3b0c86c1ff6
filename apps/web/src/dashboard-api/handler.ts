import { randomUUID } from 'node:crypto';
import { ApiError } from '@bailiff/core';
import { databaseUnavailable, isDatabaseUnavailable } from '@bailiff/engine/database/database-errors';
import type { Session } from '@bailiff/engine/desk/sessions';
import { sessionOf } from '#src/session.ts';
import { actionRoutes } from './actions.ts';
import { approvalRoutes } from './approvals.ts';
import { deviceRoutes } from './device.ts';
import { eventRoutes } from './events.ts';
import { exportRoutes } from './exports.ts';
import { guardRoutes } from './guard.ts';
import { guildRoutes } from './guilds.ts';
import { createDashboardLimits, type DashboardLimits } from './limits.ts';
import type { DashboardContext, Route } from './route.ts';
import { serverRoutes } from './servers.ts';
import { settingsRoutes } from './settings.ts';
import { toldTo } from './tell.ts';
import { tokenRoutes } from './tokens.ts';

export type DashboardApi = (request: Request, client: { readonly address: string }) => Promise<Response>;

/** Every route of the dashboard's API. */
export const ROUTES: readonly Route[] = [
  ...tokenRoutes,
  ...approvalRoutes,
  ...deviceRoutes,
  ...guildRoutes,
  ...eventRoutes,
  ...exportRoutes,
  ...guardRoutes,
  ...actionRoutes,
  ...serverRoutes,
  ...settingsRoutes,
];

/**
 * The dashboard's own API below /api, for people with a session in a browser. Every answer has `X-Request-Id`; errors
 * are in the envelope of the public API (decisions: Tokens in the dashboard).
 */
export function createDashboardApi(context: DashboardContext): DashboardApi {
  const limits = createDashboardLimits(context.db);
  return async (request, { address }) => {
    const requestId = newRequestId();
    let answer: Response;
    try {
      answer = await serve(context, limits, request, { address, requestId });
    } catch (error) {
      answer = refusal(toldTo(request.headers, asApiError(error, context, requestId)), requestId);
    }
    answer.headers.set('X-Request-Id', requestId);
    answer.headers.set('Cache-Control', 'no-store');
    return answer;
  };
}

export function newRequestId(): string {
  return `req_${randomUUID().replaceAll('-', '')}`;
}

/** An error as the answer to a request. */
export function refusal(error: ApiError, requestId: string): Response {
  const { retryAfterSeconds } = error;
  return Response.json(error.envelope(requestId), {
    status: error.status,
    headers: {
      'X-Request-Id': requestId,
      ...(retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) }),
    },
  });
}

async function serve(
  context: DashboardContext,
  limits: DashboardLimits,
  request: Request,
  { address, requestId }: { address: string; requestId: string },
): Promise<Response> {
  const session = await sessionOf(context, request.headers);
  await limits.countRequest(session === null ? { address } : { session: session.key });
  const url = new URL(request.url);
  const found = findRoute(request.method, url.pathname);
  if (found.route === null) return notFound(found.allow, request.method, url.pathname, requestId);

  refuseBearer(found.route, request);
  const signedIn = requireSession(session);
  if (request.method !== 'GET') requireSameOrigin(request, context.config.publicUrl);
  if (request.method === 'POST' && url.pathname === '/api/api-tokens')
    await limits.countMint(signedIn.userId);
  return found.route.handle(context, {
    request,
    params: found.params,
    query: url.searchParams,
    session: signedIn,
    call: { userId: signedIn.userId, requestId, address },
  });
}

type Found =
  | { route: Route; params: Record<string, string> }
  | { route: null /** Methods the path takes; none where it is unknown. */; allow: string[] };

function findRoute(method: string, path: string): Found {
  const allow: string[] = [];
  for (const route of ROUTES) {
    const params = match(route.path, path);
    if (params === null) continue;
    if (route.method === method) return { route, params };
    allow.push(route.method);
  }
  return { route: null, allow };
}

/** Parameters are ids of ours or Discord's; a segment that could not be one matches nothing. */
function match(template: string, path: string): Record<string, string> | null {
  const wanted = template.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const segment = given[index] ?? '';
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name === undefined ? part !== segment : !/^\w{1,64}$/.test(segment)) return null;
    if (name !== undefined) params[name] = segment;
  }
  return params;
}

function notFound(allow: string[], method: string, path: string, requestId: string): Response {
  if (allow.length === 0) return refusal(new ApiError('NOT_FOUND', `There is no ${path} here.`), requestId);
  const message = `${path} takes ${allow.join(', ')}, not ${method}.`;
  const answer = refusal(new ApiError('NOT_FOUND', message, { status: 405 }), requestId);
  answer.headers.set('Allow', allow.join(', '));
  return answer;
}

function refuseBearer(route: Route, request: Request): void {
  if (route.refusesBearer !== true || !request.headers.has('Authorization')) return;
  const message = 'A token cannot open, see or close a window. The guild owner does that in the dashboard.';
  throw new ApiError('FORBIDDEN', message, { details: { reason: 'SESSION_REQUIRED' } });
}

function requireSession(session: Session | null): Session {
  if (session !== null) return session;
  throw new ApiError('UNAUTHORIZED', 'Sign in to the dashboard first.', {
    details: { reason: 'SESSION_REQUIRED' },
  });
}

/** Browsers name the page's origin on every request that changes something; no other site can name ours. */
function requireSameOrigin(request: Request, publicUrl: string): void {
  if (request.headers.get('Origin') === publicUrl) return;
  const message = `Changes are made from the dashboard's own pages: the Origin header must be ${publicUrl}.`;
  throw new ApiError('FORBIDDEN', message, { details: { reason: 'FOREIGN_ORIGIN' } });
}

function asApiError(error: unknown, { log }: DashboardContext, requestId: string): ApiError {
  if (error instanceof ApiError) return error;
  if (isDatabaseUnavailable(error)) return databaseUnavailable('not_performed');
  log.error({ err: error, request_id: requestId }, 'a dashboard request failed');
  return new ApiError(
    'INTERNAL_ERROR',
    `Something went wrong on our side. Quote ${requestId} when you report it.`,
  );
}
