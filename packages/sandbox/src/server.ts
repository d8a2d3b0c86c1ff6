import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { RESTJSONErrorCodes as Code } from 'discord-api-types/v10';
import type { AddressBans } from './address-bans.ts';
import { DiscordError, invalidForm, methodNotAllowed, refusal, unauthorized } from './errors.ts';
import { type Fault, type Faults, faultAnswer } from './faults.ts';
import type { Gateway } from './gateway/gateway.ts';
import { type Body, readBody, sendHtml, sendJson } from './http.ts';
import type { OAuth } from './oauth.ts';
import type { Limited, RateLimits } from './rate-limits.ts';
import type { LoggedRequest, RequestLog } from './request-log.ts';
import type { Principal, Route } from './rest/route.ts';
import { type Match, matchRoute } from './rest/routes.ts';
import { isSnowflake } from './snowflake.ts';
import type { World } from './world.ts';

/** What the OpenAPI document is asked about each exchange, when validation is on. */
export interface Exchange {
  readonly method: string;
  readonly route: string;
  readonly query: URLSearchParams;
  readonly contentType: string | null;
  readonly requestBody: unknown;
  readonly status: number;
  readonly responseBody: unknown;
}

export interface ApiParts {
  readonly world: World;
  readonly gateway: Gateway;
  readonly oauth: OAuth;
  readonly faults: Faults;
  readonly rateLimits: RateLimits;
  readonly bans: AddressBans;
  readonly log: RequestLog;
  readonly botToken: string;
  readonly validate: ((exchange: Exchange) => void) | null;
}

/** Serves everything outside the API: the control endpoints, the page, attachments. Returns whether the path was its. */
export type Elsewhere = (request: IncomingMessage, response: ServerResponse, url: URL) => Promise<boolean>;

interface Answer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: unknown;
  /** The answer is this page of the edge, and has no body of the API. */
  readonly html?: string;
  /** The refusal is not counted against the address. */
  readonly isUncounted?: true;
}

export function createApiServer(parts: ApiParts, elsewhere: Elsewhere): Server {
  return createServer((request, response) => {
    const url = new URL(request.url?.startsWith('/') ? request.url : '/', 'http://sandbox');
    const handled =
      url.pathname.startsWith('/api/') || url.pathname === '/oauth2/authorize'
        ? serveApi(parts, request, response, url)
        : elsewhere(request, response, url).then((known) => {
            if (!known) sendJson(response, 404, { message: '404: Not Found', code: 0 });
          });
    handled.catch((error: unknown) => {
      // A caller who hung up while sending is no fault of ours; anything else must be seen.
      if (request.destroyed && !request.complete) return;
      const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
      process.stderr.write(`sandbox: ${request.method} ${url.pathname} failed: ${message}\n`);
      sendJson(response, 500, { message: '500: Internal Server Error', code: 0 });
    });
  });
}

/** `/api/v10/guilds/1` → `/guilds/1`. Throws 50041 for another version. */
function pathBelowApi(pathname: string): string {
  const versioned = /^\/api\/v(\d+)(\/.*)$/.exec(pathname);
  if (!versioned) return pathname.replace(/^\/api/, '');
  if (versioned[1] !== '10') throw refusal(Code.InvalidAPIVersion);
  return versioned[2] ?? '/';
}

function segmentsOf(path: string): string[] | null {
  try {
    return path.split('/').slice(1).map(decodeURIComponent);
  } catch {
    return null;
  }
}

function headerOf(request: IncomingMessage, name: string): string | null {
  const value = request.headers[name];
  return typeof value === 'string' ? value : null;
}

function auditReason(request: IncomingMessage): string | null {
  const raw = headerOf(request, 'x-audit-log-reason');
  if (raw === null || raw === '') return null;
  try {
    return decodeURIComponent(raw);
  } catch {
    return raw;
  }
}

async function serveApi(
  parts: ApiParts,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  const startedAtMs = performance.now();
  const method = request.method ?? 'GET';
  const entry: { path: string; body: Body; problem: unknown } = {
    path: url.pathname,
    body: { value: undefined, files: [] },
    problem: null,
  };
  try {
    entry.path = pathBelowApi(url.pathname);
    entry.body = await readBody(request);
  } catch (error) {
    if (!(error instanceof DiscordError)) throw error;
    entry.problem = error;
  }
  const segments = segmentsOf(entry.path);
  const match: Match = segments === null ? { kind: 'unknown' } : matchRoute(method, segments);
  const logged = parts.log.open({
    startedAtMs,
    method,
    route: match.kind === 'found' ? match.route.path : null,
    path: entry.path,
    query: url.search,
    authorization: authorizationKind(request.headers.authorization),
    reason: auditReason(request),
    userAgent: headerOf(request, 'user-agent'),
    contentType: headerOf(request, 'content-type'),
    body: entry.body.value,
  });
  const address = request.socket.remoteAddress ?? '';
  const perform = (): Answer | 'sent' => {
    const bannedSeconds = parts.bans.bannedFor(address, parts.rateLimits.settings.invalidAnswers);
    if (bannedSeconds !== null) return banned(bannedSeconds);
    if (entry.problem instanceof DiscordError) return refused(entry.problem);
    if (entry.path.startsWith('/oauth2/') && match.kind !== 'found') {
      return serveOAuth(parts, request, response, url, entry.path, entry.body.value);
    }
    return serveRoute(parts, request, url, match, entry.body, logged.reason);
  };
  const answer = await throughFaults(parts, response, method, entry, logged, perform);
  if (answer === null) return;
  if (answer !== 'sent') send(response, answer);
  const status = answer === 'sent' ? response.statusCode : answer.status;
  const isShared = answer !== 'sent' && answer.headers['X-RateLimit-Scope'] === 'shared';
  const isInvalid = status === 401 || status === 403 || (status === 429 && !isShared);
  if (isInvalid && answer !== 'sent' && answer.isUncounted !== true) parts.bans.count(address);
  parts.log.close(logged, status, isInvalid);
  const isOfApi = answer !== 'sent' && answer.html === undefined;
  if (isOfApi && match.kind === 'found' && logged.fault === null) {
    parts.validate?.({
      method,
      route: match.route.path,
      query: url.searchParams,
      contentType: logged.contentType,
      requestBody: entry.body.value,
      status,
      responseBody: answer.body,
    });
  }
}

/**
 * Applies the fault the request meets, if any. Null means that it is never answered. A fault `before` keeps the effect from
 * happening; a mere delay does not, even when the caller has hung up meanwhile, since Discord does not notice either.
 */
async function throughFaults(
  parts: ApiParts,
  response: ServerResponse,
  method: string,
  { path, body }: { readonly path: string; readonly body: Body },
  logged: LoggedRequest,
  perform: () => Answer | 'sent',
): Promise<Answer | 'sent' | null> {
  const fault = parts.faults.take(method, path, body);
  if (!fault) return perform();
  logged.fault = fault.id;
  const replaces = fault.socket !== null || faultAnswer(fault) !== null;
  if (fault.when === 'before') {
    await pause(parts, fault);
    return replaces ? replacement(parts, fault, response) : perform();
  }
  const answer = perform();
  await pause(parts, fault);
  return replaces ? replacement(parts, fault, response) : answer;
}

function replacement(parts: ApiParts, fault: Fault, response: ServerResponse): Answer | null {
  if (fault.socket === 'reset') {
    response.socket?.resetAndDestroy();
    return null;
  }
  if (fault.socket === 'hang') {
    parts.faults.onClear(() => response.destroy());
    // Only now is the request known to hang, and can whoever waits for that go on.
    parts.world.changed();
    return null;
  }
  return faultAnswer(fault);
}

function pause({ faults, world }: ApiParts, fault: Fault): Promise<void> {
  if (fault.isHeld) {
    return new Promise((resolve) => {
      faults.onClear(resolve);
      world.changed();
    });
  }
  if (fault.delayMs === 0) return Promise.resolve();
  return new Promise((resolve) => {
    setTimeout(resolve, fault.delayMs).unref();
  });
}

function refused(error: DiscordError, headers: Record<string, string> = {}): Answer {
  return { status: error.status, headers, body: error.toBody() };
}

function serveRoute(
  parts: ApiParts,
  request: IncomingMessage,
  url: URL,
  match: Match,
  body: Body,
  reason: string | null,
): Answer {
  if (match.kind === 'unknown') return refused(refusal(Code.GeneralError));
  if (match.kind === 'wrong_method') return refused(methodNotAllowed());
  const { route, params } = match;
  let headers: Record<string, string> = {};
  try {
    const principal = authenticate(parts, route, request.headers.authorization);
    const ticket = parts.rateLimits.take({ route, params, body: body.value });
    headers = ticket.headers;
    if (ticket.limited !== null) return rateLimited(ticket.limited, headers);
    requireSnowflakes(params);
    if (reason !== null && reason.length > 512) {
      throw invalidForm('reason', 'BASE_TYPE_MAX_LENGTH', 'Must be 512 or fewer in length.');
    }
    const { world, gateway } = parts;
    const answer = route.handle({
      world,
      gateway,
      principal,
      params,
      query: url.searchParams,
      body: body.value,
      files: body.files,
      actor: { id: world.bot.id, reason },
    });
    // The body is taken as it is now: what follows in this turn must not change an answer already given.
    return answer === undefined
      ? { status: 204, headers, body: undefined }
      : { status: route.status, headers, body: structuredClone(answer) };
  } catch (error) {
    if (error instanceof DiscordError) return refused(error, headers);
    throw error;
  }
}

function rateLimited({ retryAfterSeconds, scope, form }: Limited, headers: Record<string, string>): Answer {
  const retryAfter = { 'Retry-After': String(Math.ceil(retryAfterSeconds)) };
  if (form === 'html') return fromEdge('You are being rate limited', retryAfter);
  return {
    status: 429,
    headers: { ...headers, ...retryAfter, ...(form === 'json' ? { 'X-RateLimit-Scope': scope } : {}) },
    body: {
      message: 'You are being rate limited.',
      retry_after: retryAfterSeconds,
      global: scope === 'global',
      code: 0,
    },
  };
}

/** What an address gets that the edge has banned. */
function banned(seconds: number): Answer {
  const retryAfter = { 'Retry-After': String(Math.ceil(seconds)) };
  return { ...fromEdge('Access denied | error code: 1015', retryAfter), isUncounted: true };
}

function fromEdge(title: string, headers: Record<string, string>): Answer {
  const html = `<!DOCTYPE html><html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`;
  return { status: 429, headers, body: undefined, html };
}

function send(response: ServerResponse, { status, headers, body, html }: Answer): void {
  if (html === undefined) sendJson(response, status, body, headers);
  else sendHtml(response, status, html, headers);
}

function requireSnowflakes(params: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(params)) {
    if (!name.endsWith('_id') || isSnowflake(value)) continue;
    throw invalidForm(name, 'NUMBER_TYPE_COERCE', `Value "${value}" is not snowflake.`);
  }
}

function authorizationKind(header: string | undefined): LoggedRequest['authorization'] {
  if (header === undefined) return 'none';
  const scheme = header.split(' ')[0]?.toLowerCase();
  return scheme === 'bot' || scheme === 'bearer' || scheme === 'basic' ? scheme : 'other';
}

function authenticate(parts: ApiParts, route: Route, header: string | undefined): Principal {
  if (route.auth === 'none') return { kind: 'none' };
  const [scheme = '', credential = ''] = (header ?? '').split(' ');
  if (scheme === 'Bot' && credential === parts.botToken) return { kind: 'bot', user: parts.world.bot };
  if (scheme === 'Bearer' && route.auth === 'any') {
    const grant = parts.oauth.grantOf(credential);
    if (grant) return { kind: 'bearer', ...grant };
  }
  throw unauthorized();
}

function serveOAuth(
  { oauth, world }: ApiParts,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  path: string,
  body: unknown,
): Answer | 'sent' {
  if (request.method === 'GET' && path === '/oauth2/authorize') {
    // The page's link to the dashboard says with a cookie who signs in, once; see page.ts.
    const [, chosen = null] = /(?:^|; )login_as=(\d+)/.exec(request.headers.cookie ?? '') ?? [];
    if (chosen !== null && !url.searchParams.has('login_as')) url.searchParams.set('login_as', chosen);
    const page = oauth.authorize(url.searchParams);
    const forget = chosen === null ? {} : { 'Set-Cookie': 'login_as=; Path=/; Max-Age=0' };
    if ('redirect' in page) response.writeHead(302, { ...forget, Location: page.redirect }).end();
    else sendHtml(response, page.status, page.html);
    return 'sent';
  }
  if (request.method === 'POST' && (path === '/oauth2/token' || path === '/oauth2/token/revoke')) {
    const ask = path.endsWith('revoke') ? oauth.revoke.bind(oauth) : oauth.token.bind(oauth);
    const { status, body: answer } = ask(body, request.headers.authorization);
    world.changed();
    return { status, headers: { 'Cache-Control': 'no-store' }, body: answer };
  }
  return refused(refusal(Code.GeneralError));
}
