import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiError, OAUTH_PATHS, oauthMetadata, openApiDocument } from '@bailiff/core';
import { newRequestId } from '@bailiff/engine/calls/request-id';
import { databaseUnavailable, isDatabaseUnavailable } from '@bailiff/engine/database/database-errors';
import { keptFor } from '@bailiff/engine/database/kept-for';
import { DEVICE_PATHS } from './device-api/handler.ts';
import { CALLBACK_PATH, createFrontLimits, type FrontLimits } from './front-limits.ts';
import { type Readiness, readiness } from './health.ts';
import { type Client, clientReader } from './http/client-of.ts';
import { contentSecurityPolicy, securityHeaders, setInternalHeaders } from './http/headers.ts';
import { type ApiHandler, internalError, methodNotAllowed, refusal } from './http/kernel.ts';
import { send, sendAnswer } from './http/send.ts';
import { beginAnswer, refuseUnreadable } from './http/unreadable.ts';
import { hasTooManyParameters, MOST_PARAMETERS, pathOf, toReceived } from './http/web-request.ts';
import type { McpBundle } from './mcp-bundle.ts';
import { MCP_BUNDLE_PATH } from './mcp-clients.ts';
import { atDashboard, isSentToApi } from './origins.ts';
import { asPageRequest } from './page-log.ts';
import { PUBLIC_API_PATH } from './public-api/pipeline.ts';
import { measuredPages } from './request-meter.ts';
import type { Runtime } from './runtime.ts';

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 20_000;
const TIMEOUTS_CHECKED_EVERY_MS = 5_000;
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
/**
 * A connection on which nothing moves for so long is closed: its client does not read. A caller waits 60 s at most for
 * the first byte of an answer.
 */
const SILENT_TIMEOUT_MS = 90_000;
const DOCUMENT_MAX_AGE_SECONDS = 300;
const READINESS_KEPT_MS = 1_000;
/** Files of Next that never change; serving them needs neither the database nor a renderer. */
const FILES_PATH = '/_next/static/';
/** The fixed path under which Next serves the public API; its catch-all route takes any path below. */
const PUBLIC_API_IN_NEXT = `${PUBLIC_API_PATH}/call`;

/** Next's request handler; absent in tests that need no pages. */
export type Pages = (message: IncomingMessage, response: ServerResponse) => Promise<void>;

/** The handler for a request, chosen by the path as sent, before it is normalized. */
export type Destination =
  | 'public-api'
  | 'dashboard-api'
  | 'device-api'
  | 'auth'
  | 'openapi'
  | 'oauth-metadata'
  | 'mcp-bundle'
  | 'health'
  | 'ready'
  | 'page'
  | 'malformed';

/** What does not answer on the API's address if the dashboard has another. */
const ONLY_DASHBOARD: readonly Destination[] = ['page', 'dashboard-api', 'auth'];

const AUTH_PATH = /^\/api\/auth\/(csrf|session|providers|error|signin|(signin|callback)\/discord)$/;

/**
 * The handler for a path.
 *
 * @param path as sent, without the query
 */
export function destinationOf(path: string): Destination {
  const collapsed = path.replace(/\/{2,}/g, '/');
  if (collapsed === '/api/public/v1' || collapsed.startsWith('/api/public/v1/')) return 'public-api';
  if (AUTH_PATH.test(path)) return 'auth';
  if (DEVICE_PATHS.includes(path)) return 'device-api';
  if (collapsed === '/api' || collapsed.startsWith('/api/')) return 'dashboard-api';
  if (path === '/openapi.json') return 'openapi';
  if (path === OAUTH_PATHS.metadata) return 'oauth-metadata';
  if (path === MCP_BUNDLE_PATH) return 'mcp-bundle';
  if (path === '/healthz') return 'health';
  if (path === '/readyz') return 'ready';
  // Next reads addresses as browsers do: `/x/../api/auth/csrf` is `/api/auth/csrf` to it. It must read what was judged here.
  if (collapsed !== path || URL.parse(path, 'http://x')?.pathname !== path) return 'malformed';
  try {
    return /^\/api(\/|$)/i.test(decodeURIComponent(path)) ? 'malformed' : 'page';
  } catch {
    return 'malformed';
  }
}

/**
 * The HTTP server in front of Next. It works out addresses, sets headers, serves the APIs and the health check, and
 * passes other requests to Next.
 */
export function createAppServer(runtime: Runtime, pages: Pages): Server {
  const server = createServer({
    requestTimeout: REQUEST_TIMEOUT_MS,
    headersTimeout: HEADERS_TIMEOUT_MS,
    // Next adds a listener for upgrades at its first page and would take such requests away. It needs them only to
    // reload pages in development; otherwise Upgrade is ignored (RFC 9110 §7.8).
    shouldUpgradeCallback: () => runtime.config.development,
    connectionsCheckingInterval: TIMEOUTS_CHECKED_EVERY_MS,
    // Node would refuse such a request itself, uncounted and without an envelope. `receive` refuses it.
    requireHostHeader: false,
  });
  server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS;
  server.timeout = SILENT_TIMEOUT_MS;
  const { publicUrl, dashboardUrl } = runtime.config;
  const front: Front = {
    pages: measuredPages(pages, runtime.meter),
    documents: {
      openapi: JSON.stringify(openApiDocument(publicUrl)),
      'oauth-metadata': JSON.stringify(oauthMetadata(publicUrl, dashboardUrl)),
    },
    limits: createFrontLimits(runtime),
    readiness: keptFor(READINESS_KEPT_MS, () => readiness(runtime.db)),
    clientOf: clientReader(runtime),
  };
  const receive = (message: IncomingMessage, response: ServerResponse) => {
    if (!namesOneHost(message)) return void refuseUnreadable(runtime, null, message.socket);
    if (!beginAnswer(message, response)) return;
    serve(runtime, front, message, response).catch((error: unknown) =>
      fail(runtime, message, response, error),
    );
  };
  server.on('request', receive);
  // Other expectations than `100-continue`, which nobody has: the request is answered without them (RFC 9110 §10.1.1).
  server.on('checkExpectation', receive);
  server.on('clientError', (error, socket) => void refuseUnreadable(runtime, error, socket));
  server.on('connect', (_message, socket) => void refuseUnreadable(runtime, null, socket));
  return server;
}

/** Whether a request has the one `Host` that HTTP/1.1 demands (RFC 9112 §3.2). With two, others may read the other one. */
function namesOneHost({ headersDistinct, httpVersion }: IncomingMessage): boolean {
  const hosts = headersDistinct.host?.length ?? 0;
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0');
}

/** What the server needs besides the runtime. */
interface Front {
  readonly pages: Pages;
  /** JSON that is the same for everyone. */
  readonly documents: Readonly<Record<'openapi' | 'oauth-metadata', string>>;
  readonly limits: FrontLimits;
  readonly readiness: () => Promise<Readiness>;
  readonly clientOf: (message: IncomingMessage) => Client;
}

async function serve(
  runtime: Runtime,
  { pages, documents, limits, readiness: currentReadiness, clientOf }: Front,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { config } = runtime;
  const [path = '/'] = pathOf(message).split('?');
  const { address, proxy } = clientOf(message);
  const destination = destinationOf(path);
  const sentToApi = isSentToApi(message, config);
  const origin = sentToApi ? config.publicUrl : config.dashboardUrl;
  const toPages = (admitted: IncomingMessage) => {
    const policy = contentSecurityPolicy(config);
    // Next would read the `//` of a target with a host as part of its path, and redirect.
    admitted.url = pathOf(admitted);
    setInternalHeaders(admitted, { address, proxy, path: admitted.url, policy });
    response.setHeader('Content-Security-Policy', policy);
    const requestId = newRequestId();
    response.setHeader('X-Request-Id', requestId);
    return asPageRequest({ requestId, method: message.method ?? '', path }, () => pages(admitted, response));
  };
  const isElsewhere = sentToApi && ONLY_DASHBOARD.includes(destination);
  const api = isElsewhere ? null : apiOf(runtime, destination, message);
  if (api !== null) {
    const answer = await api.answer(toReceived(message, response, origin), { address });
    return sendAnswer(message, response, answer, securityHeaders(origin));
  }
  for (const [name, value] of securityHeaders(origin)) response.setHeader(name, value);
  if (isElsewhere) {
    await limits.countPage(address);
    const isForPeople = destination !== 'dashboard-api' && isRead(message);
    return send(message, response, atDashboard(message, config, isForPeople));
  }
  switch (destination) {
    case 'public-api':
      return throughNext(runtime, pages, message, response, address);
    case 'openapi':
    case 'oauth-metadata':
    case 'mcp-bundle': {
      await limits.countPage(address);
      if (!isRead(message)) return send(message, response, methodNotAllowedResponse(message, READS));
      const isBundle = destination === 'mcp-bundle';
      const answer = isBundle ? bundleAnswer(runtime.mcpBundle) : documentAnswer(documents[destination]);
      return send(message, response, answer);
    }
    case 'health':
      return send(message, response, Response.json({ status: 'ok' }));
    case 'ready': {
      const [{ ready, checks, guilds }] = await Promise.all([currentReadiness(), limits.countPage(address)]);
      const body = { status: ready ? 'ready' : 'not_ready', checks, guilds };
      return send(message, response, Response.json(body, { status: ready ? 200 : 503 }));
    }
    case 'malformed':
      return send(message, response, refuse(400, 'The address of the request is malformed.'));
    case 'auth': {
      if (hasTooManyParameters(message)) return send(message, response, tooManyParameters());
      const allowed = path === CALLBACK_PATH ? ['GET'] : ['GET', 'POST'];
      const admitted = await limits.admitSignIn(message, address);
      if (!allowed.includes(message.method ?? ''))
        return send(message, response, methodNotAllowedResponse(message, allowed));
      if (admitted === null)
        return send(
          message,
          response,
          Response.redirect(`${config.dashboardUrl}/sign-in?error=OAuthCallback`),
        );
      return toPages(admitted);
    }
    case 'page':
      if (!path.startsWith(FILES_PATH)) await limits.countPage(address);
      if (!isRead(message)) return send(message, response, methodNotAllowedResponse(message, READS));
      if (hasTooManyParameters(message)) return send(message, response, tooManyParameters());
      return toPages(message);
  }
}

/** The API that answers a request; null if Next or this server does. */
function apiOf(runtime: Runtime, destination: Destination, { method }: IncomingMessage): ApiHandler | null {
  switch (destination) {
    case 'public-api':
      return runtime.config.publicApiThroughNext && nextCarries(method) ? null : runtime.publicApi;
    case 'dashboard-api':
      return runtime.dashboardApi;
    case 'device-api':
      return runtime.deviceApi;
    default:
      return null;
  }
}

/** The methods that a route handler of Next can export; others are answered directly. */
const NEXT_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

function nextCarries(method = ''): boolean {
  return NEXT_METHODS.includes(method);
}

/**
 * Passes a call of the public API to Next's route handler. Next sees one fixed path, so that it cannot redirect or
 * refuse an unusual one. The handler takes path and address from the runtime, because a client could forge headers.
 */
function throughNext(
  { config, receivedCall }: Runtime,
  pages: Pages,
  message: IncomingMessage,
  response: ServerResponse,
  address: string,
): Promise<void> {
  const url = `${config.publicUrl}${pathOf(message)}`;
  message.url = PUBLIC_API_IN_NEXT;
  return receivedCall.run({ url, address }, () => pages(message, response));
}

function fail(
  { config, log }: Runtime,
  message: IncomingMessage,
  response: ServerResponse,
  error: unknown,
): void {
  const requestId = String(response.getHeader('X-Request-Id') ?? newRequestId());
  const isRefusal = error instanceof ApiError;
  const [path] = pathOf(message).split('?');
  if (!isRefusal)
    log.error({ err: error, request_id: requestId, method: message.method, path }, 'a request failed');
  if (response.headersSent) {
    response.destroy();
    return;
  }
  for (const [name, value] of securityHeaders(config.publicUrl)) response.setHeader(name, value);
  const fault = isDatabaseUnavailable(error)
    ? databaseUnavailable('not_performed')
    : internalError(requestId);
  void send(message, response, refusal(isRefusal ? error : fault, requestId));
}

function refuse(status: number, message: string): Response {
  const issues = [{ path: '', message }];
  return refusal(new ApiError('VALIDATION_FAILED', message, { status, details: { issues } }));
}

function tooManyParameters(): Response {
  return refuse(400, `The address of a page has at most ${MOST_PARAMETERS} parameters.`);
}

const READS = ['GET', 'HEAD'];

function isRead({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD';
}

function documentAnswer(document: string): Response {
  return new Response(document, {
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Cache-Control': `public, max-age=${DOCUMENT_MAX_AGE_SECONDS}`,
    },
  });
}

function bundleAnswer(bundle: McpBundle | null): Response {
  if (bundle === null)
    return refusal(new ApiError('NOT_FOUND', 'This instance was built without the MCP process.'));
  return new Response(bundle.source, {
    headers: { 'Content-Type': 'text/javascript; charset=utf-8', 'Cache-Control': 'no-cache' },
  });
}

function methodNotAllowedResponse({ method = '' }: IncomingMessage, allow: readonly string[]): Response {
  const refused = refusal(methodNotAllowed('This page', allow, method));
  refused.headers.set('Allow', allow.join(', '));
  return refused;
}

/** Listens on a port, and waits while another process still holds it, because that one may be about to end. */
export async function listenWhenFree(
  server: Server,
  { host, port, patienceMs }: { host: string; port: number; patienceMs: number },
): Promise<number> {
  const giveUpAt = performance.now() + patienceMs;
  for (;;) {
    try {
      return await listenOnce(server, host, port);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
      if (performance.now() >= giveUpAt) {
        throw new Error(
          `Port ${port} on ${host} is taken by another process. Stop that process, or set PORT to a free port.`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }
}

async function listenOnce(server: Server, host: string, port: number): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening'); // rejects on 'error'
  return (server.address() as AddressInfo).port;
}
