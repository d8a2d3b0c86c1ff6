import { ApiError } from '@bailiff/core';
import { perOwner } from '@bailiff/engine/database/coalesce';
import type { Session } from '@bailiff/engine/desk/sessions';
import type { Database } from '@bailiff/prisma';
import { countRequest } from '#src/address-limit.ts';
import { type ApiHandler, createApi, type Exchange, methodNotAllowed } from '#src/http/kernel.ts';
import { createRequestWindow } from '#src/request-window.ts';
import { sessionOf } from '#src/session.ts';
import { actionRoutes } from './actions.ts';
import { appealRoutes } from './appeals.ts';
import { approvalRoutes } from './approvals.ts';
import { archiveExportRoutes } from './archive-export.ts';
import { deviceRoutes } from './device.ts';
import { eventRoutes } from './events.ts';
import { evidenceRoutes } from './evidence.ts';
import { exportRoutes } from './exports.ts';
import { guardRoutes } from './guard.ts';
import { guildRoutes } from './guilds.ts';
import { importRoutes } from './imports.ts';
import { peopleRoutes } from './people.ts';
import type { DashboardContext, Route } from './route.ts';
import { serverRoutes } from './servers.ts';
import { sessionRoutes } from './sessions.ts';
import { settingsRoutes } from './settings.ts';
import { ticketRoutes } from './tickets.ts';
import { tokenRoutes } from './tokens.ts';
import { translateError } from './translate-errors.ts';

/** The limit of POST /api/api-tokens for a user, whatever its result (spec §8). What a client is given counts too. */
const MINTING = ['/api/api-tokens', '/api/device/confirm'];
const MINTS = { requests: 20, windowSeconds: 3600 };
const mints = perOwner((pool: Database['pool']) => createRequestWindow(pool, 'mint', MINTS));

/** All routes of the dashboard's API. */
export const ROUTES: readonly Route[] = [
  ...tokenRoutes,
  ...approvalRoutes,
  ...appealRoutes,
  ...deviceRoutes,
  ...guildRoutes,
  ...archiveExportRoutes,
  ...importRoutes,
  ...peopleRoutes,
  ...eventRoutes,
  ...evidenceRoutes,
  ...exportRoutes,
  ...guardRoutes,
  ...actionRoutes,
  ...serverRoutes,
  ...settingsRoutes,
  ...ticketRoutes,
  ...sessionRoutes,
];

/**
 * The dashboard's own API below /api, for people with a session in a browser. Every answer has `X-Request-Id`, and
 * errors have the envelope of the public API (decisions: Tokens in the dashboard).
 */
export function createDashboardApi(context: DashboardContext): ApiHandler {
  return createApi({
    name: 'dashboard api',
    log: context.log,
    meter: context.meter,
    tracer: context.tracer,
    begin: (exchange) => exchange,
    serve: (exchange) => serve(context, exchange),
    refuse: (error, { received, requestId }) => ({
      status: error.status,
      body: translateError(received.request.headers, error).envelope(requestId),
    }),
  });
}

async function serve(context: DashboardContext, exchange: Exchange): Promise<Response> {
  const { received, url, address, requestId, receivedAt, headers } = exchange;
  const { request } = received;
  const session = await sessionOf(context, request.headers);
  await countRequest(context.db.pool, { session: session?.key, address });
  const found = findRoute(request.method, url.pathname);
  if (found.route === null) {
    if (found.allow.length === 0) throw new ApiError('NOT_FOUND', `There is no ${url.pathname} here.`);
    headers.set('Allow', found.allow.join(', '));
    throw methodNotAllowed(url.pathname, found.allow, request.method);
  }
  exchange.operation = `${found.route.method} ${found.route.path}`;

  refuseBearer(found.route, request);
  const signedIn = requireSession(session);
  if (request.method !== 'GET') requireSameOrigin(request, context.config.dashboardUrl);
  if (request.method === 'POST' && MINTING.includes(url.pathname))
    await mints(context.db.pool).count(signedIn.userId, 'session', 'new tokens within an hour');
  return found.route.handle(context, {
    request,
    params: found.params,
    query: url.searchParams,
    session: signedIn,
    receivedAt,
    call: { userId: signedIn.userId, sessionProof: signedIn.proof, requestId, address },
  });
}

type Found =
  | { route: Route; params: Record<string, string> }
  | { route: null /** The methods that the path takes; empty if the path is unknown. */; allow: string[] };

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

/** The route of a request. Parameters are ids of Bailiff or Discord; a segment that cannot be an id matches nothing. */
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

/**
 * Refuses changes from other origins. Browsers send the page's origin with every change, and no other site can send
 * ours.
 */
function requireSameOrigin(request: Request, dashboardUrl: string): void {
  if (request.headers.get('Origin') === dashboardUrl) return;
  const message = `Changes are made from the dashboard's own pages: the Origin header must be ${dashboardUrl}.`;
  throw new ApiError('FORBIDDEN', message, { details: { reason: 'FOREIGN_ORIGIN' } });
}
