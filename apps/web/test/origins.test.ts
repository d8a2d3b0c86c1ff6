import { type IncomingMessage, request } from 'node:http';
import { verifies } from '@bailiff/core/testing';
import { seedGuild, seedToken } from '@bailiff/engine/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isSentToApi } from '#src/origins.ts';
import { exhaust, serve, signedIn, startTestWeb, type TestServer, type TestWeb } from './support.ts';

const API = 'http://api.bailiff.test';
const DASHBOARD = 'http://bailiff.test';
const OWNER = '100000000000000901';

let web: TestWeb;
let server: TestServer;

beforeAll(async () => {
  web = await startTestWeb({ PUBLIC_URL: API, DASHBOARD_URL: DASHBOARD });
  server = await serve(web, 'a page');
});
afterAll(async () => {
  server.close();
  await web.close();
});

interface Sent {
  readonly status: number;
  readonly location: string | undefined;
  readonly text: string;
}

/** A request to the one address on which the process listens, by one of its names. */
function send(
  url: string,
  method = 'GET',
  headers: Record<string, string> = {},
  body?: unknown,
): Promise<Sent> {
  const { host, pathname, search } = new URL(url);
  return sendTo(pathname + search, host, method, headers, body);
}

/** As {@link send}, with the target and the host as they are. */
function sendTo(
  target: string,
  host: string,
  method = 'GET',
  headers: Record<string, string> = {},
  body?: unknown,
): Promise<Sent> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const json = text === undefined ? {} : { 'Content-Type': 'application/json' };
  return new Promise((done, fail) => {
    const sent = request({ port: server.port, host: '127.0.0.1', path: target, method });
    for (const [name, value] of Object.entries({ Host: host, ...json, ...headers }))
      sent.setHeader(name, value);
    sent.on('error', fail).on('response', async (answer) => {
      let received = '';
      for await (const chunk of answer) received += chunk;
      done({ status: answer.statusCode ?? 0, location: answer.headers.location, text: received });
    });
    sent.end(text);
  });
}

it('a call is sent to the API, and its owner approves in the dashboard', async () => {
  verifies('ops.origins.two');
  const guild = await seedGuild(web.db);
  const { secret } = await seedToken(web.db, guild);
  const ban = { user_id: '100000000000000777', reason: 'spam' };
  const at = `/api/public/v1/guilds/${guild.id}/bans`;
  const authorization = { Authorization: `Bearer ${secret}` };
  const refused = await send(`${API}${at}`, 'POST', authorization, ban);
  expect(refused.status).toBe(403);
  const { details } = JSON.parse(refused.text).error;
  expect(new URL(details.reauth_url).origin).toBe(DASHBOARD);
  // A token is not bound to an address of ours: what was configured with one goes on with two.
  expect((await send(`${DASHBOARD}${at}`, 'POST', authorization, ban)).status).toBe(403);
});

it('a device is shown the dashboard', async () => {
  verifies('ops.origins.two');
  const form = { client_id: 'bailiff-mcp' };
  for (const origin of [API, DASHBOARD]) {
    const { status, text } = await send(`${origin}/api/oauth/device/code`, 'POST', {}, form);
    expect(status).toBe(200);
    const { verification_uri, verification_uri_complete } = JSON.parse(text);
    expect(verification_uri).toBe(`${DASHBOARD}/device`);
    expect(verification_uri_complete).toMatch(`${DASHBOARD}/device?user_code=`);
  }
});

it("changes come from the dashboard's pages, and not from the API's address", async () => {
  verifies('ops.origins.two', 'dashboard.same-origin');
  const guild = await seedGuild(web.db);
  const { cookie } = await signedIn(web, guild.ownerId);
  const mint = { guild_id: guild.id, name: 'a script', kind: 'rest' };
  const from = (origin: string, at = DASHBOARD) =>
    send(`${at}/api/api-tokens`, 'POST', { Cookie: cookie, Origin: origin }, mint);
  expect(JSON.parse((await from(API)).text).error).toMatchObject({
    code: 'FORBIDDEN',
    message: expect.stringContaining(`${DASHBOARD}.`),
  });
  expect((await from(DASHBOARD)).status).toBe(201);
});

it('the dashboard answers on its own address alone', async () => {
  verifies('ops.origins.two');
  const { cookie } = await signedIn(web, OWNER);
  for (const path of ['/', '/sign-in?callbackUrl=%2F', '/docs/api', '/api/auth/callback/discord?code=1']) {
    expect(await send(`${API}${path}`)).toMatchObject({ status: 307, location: `${DASHBOARD}${path}` });
  }
  expect(await send(`${DASHBOARD}/`)).toMatchObject({ status: 200, text: 'a page' });
  for (const [method, path] of [
    ['GET', '/api/api-tokens?guild_id=1'],
    ['DELETE', '/api/sessions/current'],
    ['POST', '/api/auth/signin/discord'],
  ] as const) {
    const { status, text } = await send(`${API}${path}`, method, { Cookie: cookie, Origin: DASHBOARD });
    expect([status, JSON.parse(text).error.message]).toEqual([404, expect.stringContaining(DASHBOARD)]);
  }
  // A proxy may send another name than people use. Then nothing says which of the two was meant.
  expect(await send('http://127.0.0.1/')).toMatchObject({ status: 200, text: 'a page' });
});

it.each([
  ['in capitals', 'API.Bailiff.Test', ''],
  ['with the dot at its end', 'api.bailiff.test.', ''],
  ['with a port', 'api.bailiff.test:8443', ''],
  ['in the target alone', 'bailiff.test', API],
])('the dashboard does not answer on the address of the API written %s', async (_how, host, target) => {
  verifies('ops.origins.spelling');
  expect(await sendTo(`${target}/sign-in`, host)).toMatchObject({
    status: 307,
    location: `${DASHBOARD}/sign-in`,
  });
  expect((await sendTo(`${target}/api/api-tokens`, host)).status).toBe(404);
});

it('the target of a request names its address, whatever its Host says', async () => {
  verifies('ops.origins.spelling');
  expect(await sendTo(`${DASHBOARD}/sign-in`, 'api.bailiff.test')).toMatchObject({ text: 'a page' });
});

it('addresses with one name are told apart by their ports', async () => {
  verifies('ops.origins.spelling');
  const origins = { publicUrl: 'https://bailiff.test:8443', dashboardUrl: 'https://bailiff.test' };
  const isApi = (host: string) => isSentToApi({ headers: { host } } as IncomingMessage, origins);
  expect(['bailiff.test:8443', 'bailiff.test.:8443', 'bailiff.test', 'bailiff.test:443'].map(isApi)).toEqual([
    true,
    true,
    false,
    false,
  ]);
  const same = { publicUrl: 'https://bailiff.test.', dashboardUrl: 'https://bailiff.test' };
  expect(isSentToApi({ headers: { host: 'bailiff.test' } } as IncomingMessage, same)).toBe(false);
});

it('both tell whether the process is well, and describe the API at its own address', async () => {
  verifies('ops.origins.two');
  for (const origin of [API, DASHBOARD]) {
    expect((await send(`${origin}/healthz`)).status).toBe(200);
    const document = JSON.parse((await send(`${origin}/openapi.json`)).text);
    expect(document.servers).toEqual([{ url: `${API}/api/public/v1` }]);
  }
});

// Last, because this address has no pages left then.
it('at the address of the API the way to the dashboard counts as a page', async () => {
  verifies('limits.ip.pages');
  await exhaust(web.db, 'pages:127.0.0.1', 1_199);
  expect((await send(`${API}/sign-in`)).status).toBe(307);
  expect((await send(`${API}/sign-in`)).status).toBe(429);
});
