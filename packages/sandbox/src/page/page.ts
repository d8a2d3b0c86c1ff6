import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { fileOf } from '#src/actions/files.ts';
import { sendJson } from '#src/http.ts';
import type { World } from '#src/world.ts';
import { readView } from './view.ts';

/** The browser's part of the page. */
const FILES = join(import.meta.dirname, '..', '..', 'page');
const FILE_TYPES: Readonly<Record<string, string>> = {
  ts: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');
/** The shortest time between two events of the stream, so that a purge is one or two and not a hundred. */
const STREAM_PAUSE_MS = 100;
const HEARTBEAT_MS = 25_000;

/** Serves `/`, what it loads below `/page/`, and attachments. Returns whether the path was one of them. */
export async function servePage(
  world: World,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<boolean> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return false;
  const upload = fileOf(world, url);
  if (upload) {
    // Downloads only: an uploaded file must not run as a page of this origin.
    response
      .writeHead(200, {
        'Content-Type': upload.contentType,
        'Content-Disposition': 'attachment',
        'X-Content-Type-Options': 'nosniff',
      })
      .end(upload.bytes);
    return true;
  }
  if (/^\/(ephemeral-)?attachments\//.test(url.pathname)) {
    response.writeHead(404, { 'Content-Type': 'text/plain' }).end('This content is no longer available.');
    return true;
  }
  if (url.pathname === '/') return sendFile(response, 'index.html', 'text/html; charset=utf-8');
  if (url.pathname === '/page/view') {
    const view = readView(world, url.searchParams, world.dashboardUrl !== null);
    sendJson(response, view === null ? 404 : 200, view ?? { error: 'There is no guild to show.' });
    return true;
  }
  if (url.pathname === '/page/stream') return stream(world, response);
  if (url.pathname === '/page/dashboard') return toDashboard(world, request, response, url);
  const [, name = '', ending = ''] = /^\/page\/([a-z-]+\.(ts|css))$/.exec(url.pathname) ?? [];
  return name === '' ? false : sendFile(response, name, FILE_TYPES[ending] ?? '');
}

async function sendFile(response: ServerResponse, name: string, contentType: string): Promise<boolean> {
  const source = await readFile(join(FILES, name), 'utf8').catch(() => null);
  if (source === null) return false;
  response
    .writeHead(200, {
      'Content-Type': contentType,
      'Content-Security-Policy': POLICY,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'no-store',
    })
    // Browsers read JavaScript. What they get is the source without its types, at the same lines.
    .end(name.endsWith('.ts') ? stripTypeScriptTypes(source) : source);
  return true;
}

/** Tells the page whenever something has changed, and not what: it then asks for its view. */
function stream(world: World, response: ServerResponse): true {
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
  let pause: NodeJS.Timeout | undefined;
  let told = -1;
  const tell = () => {
    pause = undefined;
    if (told === world.changes) return;
    told = world.changes;
    response.write(`data: ${told}\n\n`);
    pause = setTimeout(tell, STREAM_PAUSE_MS);
  };
  tell();
  const heartbeat = setInterval(() => response.write(': still here\n\n'), HEARTBEAT_MS);
  const forget = world.onChange(() => {
    if (pause === undefined) tell();
  });
  response.on('close', () => {
    forget();
    clearTimeout(pause);
    clearInterval(heartbeat);
  });
  return true;
}

/**
 * The dashboard's sign-in, which then asks the sandbox who somebody is: the cookie says it, once. Without it people choose
 * themselves from a list.
 */
function toDashboard(
  world: World,
  request: IncomingMessage,
  response: ServerResponse,
  { href, searchParams: query }: URL,
): boolean {
  const user = world.findUser(query.get('login_as') ?? '');
  if (world.dashboardUrl === null || user === undefined) return false;
  const home = new URL(world.url);
  if (request.headers.host !== home.host) {
    // The dashboard asks at the sandbox's own address, where a cookie of another name for this machine is not sent.
    response.writeHead(302, { Location: Object.assign(new URL(href), { host: home.host }).href }).end();
    return true;
  }
  const signIn = new URL('/sign-in', world.dashboardUrl);
  signIn.search = String(new URLSearchParams({ again: '1', callbackUrl: query.get('to') ?? '/' }));
  response
    .writeHead(302, {
      Location: signIn.href,
      'Set-Cookie': `login_as=${user.id}; Path=/; Max-Age=600; HttpOnly; SameSite=Lax`,
    })
    .end();
  return true;
}
