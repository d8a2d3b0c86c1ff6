import { hash, randomBytes } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { freePort, verifies } from '@bailiff/core/testing';
import { type Sandbox, startSandbox } from '@bailiff/sandbox';
import type { NextApiRequest, NextApiResponse } from 'next';
import NextAuth from 'next-auth';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createAppServer, listenWhenFree } from '#src/app-server.ts';
import { authOptions } from '#src/auth.ts';
import { ADDRESS_HEADER } from '#src/http/headers.ts';
import type { Runtime } from '#src/runtime.ts';
import { sessionCookieName, sessionOf } from '#src/session.ts';
import { confirmSignIns, startTestWeb, type TestWeb } from './support.ts';

let sandbox: Sandbox;
let web: TestWeb;
let server: Server;
let base: string;
let stopConfirming: () => Promise<void>;

beforeAll(async () => {
  sandbox = await startSandbox();
  const port = await freePort();
  base = `http://127.0.0.1:${port}`;
  web = await startTestWeb({
    PUBLIC_URL: base,
    DISCORD_API_URL: sandbox.apiUrl,
    DISCORD_CLIENT_ID: sandbox.clientId,
    DISCORD_CLIENT_SECRET: sandbox.clientSecret,
  });
  stopConfirming = await confirmSignIns(web, sandbox.apiUrl);
  process.env.NEXTAUTH_URL = `${base}/api/auth`;
  server = createAppServer(web.runtime, (message, response) => nextAuthAlone(message, response));
  await listenWhenFree(server, { host: '127.0.0.1', port, patienceMs: 0 });
});
afterAll(async () => {
  delete process.env.NEXTAUTH_URL;
  server.closeAllConnections();
  server.close();
  await stopConfirming();
  await web.close();
  await sandbox.close();
});
beforeEach(() => web.db.pool.query('DELETE FROM sessions; DELETE FROM rate_limits'));

/** Serves next-auth as Next's older router does, so that its routes can be tested without a build of the pages. */
async function nextAuthAlone(
  message: IncomingMessage,
  response: ServerResponse,
  runtime: Runtime = web.runtime,
): Promise<void> {
  const url = new URL(message.url ?? '/', base);
  let text = '';
  for await (const chunk of message) text += chunk;
  const cookies = Object.fromEntries(
    (message.headers.cookie ?? '')
      .split('; ')
      .filter((pair) => pair !== '')
      .map((pair) => [
        pair.slice(0, pair.indexOf('=')),
        decodeURIComponent(pair.slice(pair.indexOf('=') + 1)),
      ]),
  );
  const request = Object.assign(message, {
    query: { ...Object.fromEntries(url.searchParams), nextauth: url.pathname.split('/').slice(3) },
    cookies,
    body: Object.fromEntries(new URLSearchParams(text)),
  });
  const answer = Object.assign(response, {
    status: (status: number) => {
      response.statusCode = status;
      return answer;
    },
    json: (body: unknown) => response.setHeader('Content-Type', 'application/json').end(JSON.stringify(body)),
    send: (body: unknown) => response.end(typeof body === 'string' ? body : JSON.stringify(body ?? '')),
  });
  const asked = new Request(url, {
    headers: {
      'User-Agent': message.headers['user-agent'] ?? '',
      Cookie: message.headers.cookie ?? '',
      [ADDRESS_HEADER]: String(message.headers[ADDRESS_HEADER]),
    },
  });
  await NextAuth(
    request as unknown as NextApiRequest,
    answer as unknown as NextApiResponse,
    authOptions(runtime, asked),
  );
}

/** A browser that keeps cookies and follows no redirect by itself. */
function browser() {
  const cookies = new Map<string, string>();
  const go = async (url: string, form?: Record<string, string>): Promise<Response> => {
    const response = await fetch(new URL(url, base), {
      redirect: 'manual',
      headers: {
        Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        'User-Agent': 'a browser of the tests',
      },
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = cookie.split('; ');
      const name = pair.slice(0, pair.indexOf('='));
      if (attributes.some((attribute) => attribute === 'Max-Age=0')) cookies.delete(name);
      else cookies.set(name, pair.slice(pair.indexOf('=') + 1));
    }
    return response;
  };
  const csrfToken = async () => (await (await go('/api/auth/csrf')).json()).csrfToken;
  const locationOf = (response: Response) => response.headers.get('Location') ?? '';

  /** Starts a sign-in; returns the address of Discord's page. */
  const toDiscord = async () =>
    locationOf(
      await go('/api/auth/signin/discord', { csrfToken: await csrfToken(), callbackUrl: '/guilds/1' }),
    );
  /** Approves on Discord's page; returns the address it redirects to. */
  const agree = async (page: string, person: string) =>
    locationOf(await fetch(`${page}&login_as=${person}`, { redirect: 'manual' }));
  /** Follows redirects within next-auth; returns the last address. */
  const landing = async (url: string): Promise<string> => {
    const next = locationOf(await go(url));
    return next.includes('/api/auth/') ? landing(next) : next;
  };
  const signIn = async (person: string) => go(await agree(await toDiscord(), person));
  const session = () =>
    sessionOf(
      web.runtime,
      new Headers({ Cookie: `${sessionCookieName(base)}=${cookies.get(sessionCookieName(base)) ?? ''}` }),
    );
  return { cookies, go, csrfToken, toDiscord, agree, landing, signIn, session };
}

const sessions = async (): Promise<Buffer[]> =>
  (await web.db.pool.query('SELECT token_hash FROM sessions')).rows.map((row) => row.token_hash);

it('signs a person in with their Discord id, and keeps neither the cookie nor Discord’s tokens', async () => {
  const visitor = browser();
  const page = new URL(await visitor.toDiscord());
  expect(page.origin + page.pathname).toBe(`${sandbox.apiUrl}/oauth2/authorize`);
  expect(page.searchParams.get('scope')).toBe('identify');
  expect(page.searchParams.get('code_challenge_method')).toBe('S256');
  expect(page.searchParams.get('state')).toBeTruthy();

  const back = await visitor.go(await visitor.agree(page.href, 'owner'));
  expect(back.headers.get('Location')).toBe(`${base}/guilds/1`);
  const cookie = back.headers.getSetCookie().find((text) => text.startsWith(sessionCookieName(base))) ?? '';
  expect(cookie).toMatch(/; HttpOnly/);
  expect(cookie).toMatch(/; SameSite=Lax/);
  expect(await visitor.session()).toMatchObject({ userId: sandbox.people.owner });

  const value = visitor.cookies.get(sessionCookieName(base)) ?? '';
  expect(await sessions()).toEqual([hash('sha256', hash('sha256', value, 'buffer'), 'buffer')]);
  // Unused it lasts 14 days. The browser keeps its cookie as long as a session can last.
  const { rows: lives } = await web.db.pool.query(
    'SELECT extract(epoch FROM expires_at - now()) / 86400 AS days, browser, address FROM sessions',
  );
  expect(Number(lives[0].days)).toBeCloseTo(14, 2);
  expect(lives[0]).toMatchObject({ browser: 'a browser of the tests', address: '127.0.0.1' });
  const [, expires = ''] = /; Expires=([^;]+)/.exec(cookie) ?? [];
  expect((Date.parse(expires) - Date.now()) / 86_400_000).toBeCloseTo(30, 2);
  const { rows } = await web.db.pool.query('SELECT a::text AS row FROM accounts a');
  expect(rows).toEqual([{ row: `(discord,${sandbox.people.owner},${sandbox.people.owner})` }]);
});

it('takes the name and the picture from Discord at each sign-in', async () => {
  verifies('sign-in.refresh');
  await browser().signIn('owner');
  const stored = async () => {
    const { rows } = await web.db.pool.query('SELECT name, image FROM users WHERE id = $1', [
      sandbox.people.owner,
    ]);
    return rows[0];
  };
  const current = await stored();
  await web.db.pool.query(
    "UPDATE users SET name = 'An old name', image = 'https://cdn.discordapp.com/old.png'",
  );
  await browser().signIn('owner');
  expect(await stored()).toEqual(current);
});

it('keeps a name without characters that nobody sees', async () => {
  verifies('names.seen');
  const { member } = sandbox.control.members({ action: 'join', name: 'Rosa\u202e Lima' });
  const { id } = member?.user ?? expect.fail('Nobody joined.');
  await browser().signIn(id);
  const { rows } = await web.db.pool.query('SELECT name FROM users WHERE id = $1', [id]);
  expect(rows).toEqual([{ name: 'Rosa Lima' }]);
});

it('gives a new session at each sign-in; the one before is worth nothing', async () => {
  const visitor = browser();
  await visitor.signIn('owner');
  const first = visitor.cookies.get(sessionCookieName(base));
  await visitor.signIn('owner');
  expect(visitor.cookies.get(sessionCookieName(base))).not.toBe(first);
  expect(await sessions()).toHaveLength(1);
});

it('lets another person sign in over another session, without tying the two together', async () => {
  const visitor = browser();
  await visitor.signIn('owner');
  await visitor.signIn('moderator');
  expect(await visitor.session()).toMatchObject({ userId: sandbox.people.moderator });
  const { rows } = await web.db.pool.query('SELECT provider_account_id, user_id FROM accounts');
  for (const { provider_account_id, user_id } of rows) expect(user_id).toBe(provider_account_id);
});

it('does not take a session that a stranger planted before the sign-in', async () => {
  const visitor = browser();
  const planted = randomBytes(32).toString('base64url');
  visitor.cookies.set(sessionCookieName(base), planted);
  await visitor.signIn('owner');
  expect(visitor.cookies.get(sessionCookieName(base))).not.toBe(planted);
  visitor.cookies.set(sessionCookieName(base), planted);
  expect(await visitor.session()).toBeNull();
});

it('refuses an answer of Discord that this browser did not ask for', async () => {
  const attacker = browser();
  const answer = await attacker.agree(await attacker.toDiscord(), 'troll');
  const victim = browser();
  expect(await victim.landing(answer)).toMatch(/^\/sign-in\?.*error=OAuthCallback/);
  expect(await victim.session()).toBeNull();
  expect(await sessions()).toEqual([]);
});

it('uses the state of a sign-in once: the same answer again causes no request to Discord', async () => {
  verifies('limits.auth.state-once');
  const visitor = browser();
  const answer = await visitor.agree(await visitor.toDiscord(), 'owner');
  const replayed = browser();
  for (const [name, value] of visitor.cookies) replayed.cookies.set(name, value);
  await visitor.go(answer);
  const asked = sandbox.requests.length;
  const state = new URL(answer).searchParams.get('state') ?? '';
  const covered = answer.replace(`state=${state}`, `state=other&state=${state}`);
  expect(covered).not.toBe(answer);
  for (const again of [answer, `${answer}&state=other&state=${state}`, covered]) {
    expect(await replayed.landing(again)).toMatch(/\/sign-in\?.*error=OAuthCallback/);
  }
  expect(sandbox.requests).toHaveLength(asked);
  expect(await replayed.session()).toBeNull();
});

it('says that a person cancelled', async () => {
  const visitor = browser();
  const answer = await visitor.agree(await visitor.toDiscord(), 'nobody');
  expect(await visitor.landing(answer)).toMatch(/^\/sign-in\?.*error=/);
});

it('does not begin a session without the token of our own page', async () => {
  const visitor = browser();
  const begun = await visitor.go('/api/auth/signin/discord', { callbackUrl: '/' });
  expect(begun.headers.get('Location')).toContain('csrf=true');
  expect(await sessions()).toEqual([]);
});

it('does not send anybody to another site after the sign-in', async () => {
  const visitor = browser();
  const form = { csrfToken: await visitor.csrfToken(), callbackUrl: 'https://evil.example/' };
  const page = (await visitor.go('/api/auth/signin/discord', form)).headers.get('Location') ?? '';
  const landed = await visitor.go(await visitor.agree(page, 'owner'));
  expect(landed.headers.get('Location')).toBe(`${base}/`);
});

it.each([
  'http://127.0.0.1:3.evil.example/',
  '//evil.example',
  '/\\evil.example',
  'http://[',
  'javascript:alert(1)',
])('does not send anybody to %s, and does not fail for it', async (callbackUrl) => {
  verifies('session.redirect');
  const visitor = browser();
  const form = { csrfToken: await visitor.csrfToken(), callbackUrl };
  const page = (await visitor.go('/api/auth/signin/discord', form)).headers.get('Location') ?? '';
  const landed = await visitor.go(await visitor.agree(page, 'owner'));
  expect(landed.headers.get('Location')).toBe(`${base}/`);
});

it('has no sign-out of next-auth, which would call a session ended that is not', async () => {
  const visitor = browser();
  await visitor.signIn('owner');
  const form = { csrfToken: await visitor.csrfToken(), callbackUrl: '/' };
  expect((await visitor.go('/api/auth/signout', form)).status).toBe(404);
  expect(await visitor.session()).not.toBeNull();
});

it('a session that has ended is nobody’s', async () => {
  const visitor = browser();
  await visitor.signIn('owner');
  await web.db.pool.query('UPDATE sessions SET expires_at = now() - make_interval(secs => 1)');
  expect(await visitor.session()).toBeNull();
});

it('of a sign-in that failed, the log has the reason, and nothing else that Discord or next-auth said', () => {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const request = new Request('https://bailiff.example/api/auth/csrf');
  const { logger } = authOptions({ ...web.runtime, log }, request);
  const error = new Error('invalid_grant');
  logger?.error?.('OAUTH_CALLBACK_ERROR', { error, providerId: 'discord', client_secret: 'a secret' });
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    {
      level: 40,
      time: expect.anything(),
      pid: expect.anything(),
      hostname: expect.anything(),
      code: 'OAUTH_CALLBACK_ERROR',
      reason: 'invalid_grant',
      msg: 'sign-in failed',
    },
  ]);
});

it('binds every cookie to the host where the dashboard is on https', async () => {
  const origin = 'https://bailiff.example';
  const runtime = {
    ...web.runtime,
    config: { ...web.runtime.config, publicUrl: origin, dashboardUrl: origin },
  };
  const secure = createAppServer(runtime, (message, response) => nextAuthAlone(message, response, runtime));
  const port = await listenWhenFree(secure, { host: '127.0.0.1', port: 0, patienceMs: 0 });
  try {
    const at = `http://127.0.0.1:${port}/api/auth`;
    const csrf = await fetch(`${at}/csrf`);
    const { csrfToken } = (await csrf.json()) as { csrfToken: string };
    const cookie = csrf.headers.getSetCookie().map((text) => text.split(';', 1)[0]);
    const begun = await fetch(`${at}/signin/discord`, {
      method: 'POST',
      redirect: 'manual',
      headers: { Cookie: cookie.join('; ') },
      body: new URLSearchParams({ csrfToken, callbackUrl: '/' }),
    });
    expect(begun.headers.get('Location')).toContain('code_challenge');
    const set = [...csrf.headers.getSetCookie(), ...begun.headers.getSetCookie()];
    const names = set.map((text) => text.split('=', 1)[0]);
    for (const name of ['csrf', 'callback', 'state', 'pkce'])
      expect(names).toContain(`__Host-bailiff.${name}`);
    for (const text of set) {
      expect(text).toMatch(/^__Host-/);
      for (const attribute of ['HttpOnly', 'Secure', 'SameSite=Lax', 'Path=/'])
        expect(text).toContain(attribute);
      expect(text).not.toMatch(/domain=/i);
    }
  } finally {
    secure.closeAllConnections();
    secure.close();
  }
  expect(sessionCookieName('https://bailiff.example')).toBe('__Host-bailiff.session');
  const { cookies, providers } = authOptions(runtime, new Request('https://bailiff.example/api/auth/csrf'));
  expect([cookies?.state, cookies?.pkceCodeVerifier].map((each) => each?.options.maxAge)).toEqual([900, 900]);
  expect(cookies?.sessionToken?.options).toMatchObject({ secure: true, httpOnly: true, path: '/' });
  // Who waits for Discord is told before the browser or a proxy gives up.
  expect(providers).toMatchObject([{ httpOptions: { timeout: 8_000 } }]);
});
