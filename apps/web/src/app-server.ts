import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { ApiError, clientAddress, openApiDocument } from '@bailiff/core';
import { newRequestId } from '@bailiff/engine/calls/request-id';
import { DEVICE_PATHS } from './device-api/handler.ts';
import { readiness } from './health.ts';
import { contentSecurityPolicy, setInternalHeaders, setSecurityHeaders } from './http/headers.ts';
import { type ApiHandler, internalError, methodNotAllowed, refusal } from './http/kernel.ts';
import { send } from './http/send.ts';
import { pathOf, toWebRequest } from './http/web-request.ts';
import { PUBLIC_API_PATH } from './public-api/pipeline.ts';
import type { Runtime } from './runtime.ts';

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 20_000;
const TIMEOUTS_CHECKED_EVERY_MS = 5_000;
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const OPENAPI_MAX_AGE_SECONDS = 300;
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
  | 'health'
  | 'ready'
  | 'page'
  | 'malformed';

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
  if (path === '/healthz') return 'health';
  if (path === '/readyz') return 'ready';
  if (collapsed !== path || path.includes('\\')) return 'malformed';
  try {
    return /^\/+api(\/|$)/i.test(decodeURIComponent(path)) ? 'malformed' : 'page';
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
    connectionsCheckingInterval: TIMEOUTS_CHECKED_EVERY_MS,
  });
  server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS;
  const openApi = JSON.stringify(openApiDocument(runtime.config.publicUrl));
  server.on('request', (message: IncomingMessage, response: ServerResponse) => {
    serve(runtime, pages, openApi, message, response).catch((error: unknown) =>
      fail(runtime, message, response, error),
    );
  });
  server.on('clientError', refuseUnreadable);
  server.on('connect', (_message, socket) => refuseUnreadable(null, socket));
  return server;
}

async function serve(
  runtime: Runtime,
  pages: Pages,
  openApi: string,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { config } = runtime;
  const [path = '/'] = pathOf(message).split('?');
  const address = clientAddress(
    message.socket.remoteAddress ?? '',
    message.headersDistinct['x-forwarded-for']?.join(',') ?? null,
    config.trustedProxies,
  );
  const answer = async (api: ApiHandler) =>
    send(message, response, await api(toWebRequest(message, config.publicUrl), { address }));
  setSecurityHeaders(response, config.publicUrl);
  switch (destinationOf(path)) {
    case 'public-api':
      if (config.publicApiThroughNext && nextCarries(message.method)) {
        return throughNext(runtime, pages, message, response, address);
      }
      return answer(runtime.publicApi);
    case 'dashboard-api':
      return answer(runtime.dashboardApi);
    case 'device-api':
      return answer(runtime.deviceApi);
    case 'openapi':
      return send(
        message,
        response,
        isRead(message) ? openApiAnswer(openApi) : methodNotAllowedResponse(message, READS),
      );
    case 'health':
      return send(message, response, Response.json({ status: 'ok' }));
    case 'ready': {
      const { ready, checks } = await readiness(runtime.db);
      const body = { status: ready ? 'ready' : 'not_ready', checks };
      return send(message, response, Response.json(body, { status: ready ? 200 : 503 }));
    }
    case 'malformed':
      return send(message, response, refuse(400, 'The address of the request is malformed.'));
    case 'auth':
      if (message.method !== 'GET' && message.method !== 'POST')
        return send(message, response, methodNotAllowedResponse(message, ['GET', 'POST']));
      break;
    case 'page':
      if (!isRead(message)) return send(message, response, methodNotAllowedResponse(message, READS));
      break;
  }
  const policy = contentSecurityPolicy(config);
  setInternalHeaders(message, { address, path: pathOf(message), policy });
  response.setHeader('Content-Security-Policy', policy);
  return pages(message, response);
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

function fail({ log }: Runtime, message: IncomingMessage, response: ServerResponse, error: unknown): void {
  const requestId = newRequestId();
  log.error({ err: error, request_id: requestId, path: pathOf(message).split('?')[0] }, 'a request failed');
  if (response.headersSent) {
    response.destroy();
    return;
  }
  void send(message, response, refusal(internalError(requestId), requestId));
}

function refuse(status: number, message: string): Response {
  const issues = [{ path: '', message }];
  return refusal(new ApiError('VALIDATION_FAILED', message, { status, details: { issues } }));
}

const READS = ['GET', 'HEAD'];

function isRead({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD';
}

function openApiAnswer(document: string): Response {
  return new Response(document, {
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Cache-Control': `public, max-age=${OPENAPI_MAX_AGE_SECONDS}`,
    },
  });
}

function methodNotAllowedResponse({ method = '' }: IncomingMessage, allow: readonly string[]): Response {
  const refused = refusal(methodNotAllowed('This page', allow, method));
  refused.headers.set('Allow', allow.join(', '));
  return refused;
}

/** Answers a request that is not valid HTTP or asks for a tunnel with one JSON error, and closes the connection. */
function refuseUnreadable(error: NodeJS.ErrnoException | null, socket: Duplex): void {
  if (!socket.writable || error?.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [status, phrase, message] =
    error?.code === 'HPE_HEADER_OVERFLOW'
      ? [431, 'Request Header Fields Too Large', 'The headers are larger than 16 KiB.']
      : error?.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? [408, 'Request Timeout', 'The request did not arrive in time.']
        : [400, 'Bad Request', 'This is not a request this server takes.'];
  const issues = [{ path: '', message }];
  const refused = new ApiError('VALIDATION_FAILED', message, { status, details: { issues } });
  const requestId = newRequestId();
  const body = JSON.stringify(refused.envelope(requestId));
  socket.end(
    `HTTP/1.1 ${status} ${phrase}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `X-Request-Id: ${requestId}\r\nConnection: close\r\n\r\n${body}`,
  );
}

/** Listens on a port, and waits while another process still holds it, because that one may be about to end. */
export async function listenWhenFree(
  server: Server,
  { host, port, patienceMs }: { host: string; port: number; patienceMs: number },
): Promise<number> {
  const giveUpAt = Date.now() + patienceMs;
  for (;;) {
    try {
      return await listenOnce(server, host, port);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
      if (Date.now() >= giveUpAt) {
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
