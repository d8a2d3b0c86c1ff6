import { CAPABILITIES, DEVICE_GRANT_TYPE } from '@bailiff/core';
import { untilShown, verifies } from '@bailiff/core/testing';
import { type SeededGuild, seedGuild } from '@bailiff/engine/testing';
import { openDatabase } from '@bailiff/prisma';
import * as oauth from 'oauth4webapi';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDeviceApi } from '#src/device-api/handler.ts';
import {
  type Answer,
  askAsClient,
  call,
  callWithToken,
  ORIGIN,
  type Person,
  passTime,
  serve,
  signedIn,
  startTestWeb,
  type TestServer,
  type TestWeb,
} from './support.ts';

const CODE = '/api/oauth/device/code';
const TOKEN = '/api/oauth/device/token';
const CLIENT = { client_id: 'bailiff-mcp' };

let web: TestWeb;
let server: TestServer;
let guild: SeededGuild;
let owner: Person;
/** The client's address, a new one for each test, so that no test uses up the limit of another. */
let address: string;
let nextAddress = 1;

beforeAll(async () => {
  web = await startTestWeb();
  server = await serve(web, 'a page');
});
afterAll(async () => {
  server.close();
  await web.close();
});
beforeEach(async () => {
  guild = await seedGuild(web.db);
  owner = await signedIn(web, guild.ownerId);
  address = `198.51.100.${nextAddress++}`;
});

const ask = (path: string, body: Record<string, string> | string, type?: string): Promise<Answer> =>
  askAsClient(web, address, path, body, type);

const start = async () => (await ask(CODE, CLIENT)).body;
const poll = (device_code: string, more: Record<string, string> = {}) =>
  ask(TOKEN, { grant_type: DEVICE_GRANT_TYPE, device_code, ...CLIENT, ...more });
const lookUp = (code: string, person = owner) =>
  person.call('POST', '/api/device/lookup', { user_code: code });
const confirm = (user_code: string, person = owner, guild_id = guild.id) =>
  person.call('POST', '/api/device/confirm', { user_code, guild_id });
const tokensOf = async () =>
  (await web.db.pool.query('SELECT * FROM tokens WHERE guild_id = $1', [guild.id])).rows;

/** Moves time forward for the flows and for the limits of addresses. */
async function pass(seconds: number): Promise<void> {
  await web.db.pool.query(
    `UPDATE device_authorizations SET created_at = created_at - make_interval(secs => $1),
       expires_at = expires_at - make_interval(secs => $1), last_polled_at = last_polled_at - make_interval(secs => $1)`,
    [seconds],
  );
  await passTime(web.db, seconds);
}

describe('an independent client', () => {
  const options = { [oauth.allowInsecureRequests]: true };

  it('completes the flow and its token works', async () => {
    verifies('device.token.response', 'device.code.response');
    const issuer = {
      issuer: server.base,
      device_authorization_endpoint: `${server.base}${CODE}`,
      token_endpoint: `${server.base}${TOKEN}`,
    };
    const begun = await oauth.processDeviceAuthorizationResponse(
      issuer,
      CLIENT,
      await oauth.deviceAuthorizationRequest(issuer, CLIENT, oauth.None(), {}, options),
    );
    const fetchToken = async () =>
      oauth.processDeviceCodeResponse(
        issuer,
        CLIENT,
        await oauth.deviceCodeGrantRequest(issuer, CLIENT, oauth.None(), begun.device_code, options),
      );
    await expect(fetchToken()).rejects.toMatchObject({ error: 'authorization_pending', status: 400 });
    expect((await confirm(begun.user_code)).status).toBe(200);
    const answer = await fetchToken();
    expect(answer).toMatchObject({
      access_token: expect.stringMatching(/^svcpat_[0-9A-HJKMNP-TV-Z]{48}$/),
      token_type: 'bearer', // the client compares it in lower case
      expires_in: 90 * 86_400,
      token_id: expect.stringMatching(/^tok_/),
      guild_id: guild.id,
      scope: CAPABILITIES.join(' '),
    });
    const me = await callWithToken(web.runtime, answer.access_token, 'GET', '/me');
    expect([me.status, me.body.token.id, me.body.token.kind]).toEqual([200, answer.token_id, 'mcp']);
    await expect(fetchToken()).rejects.toMatchObject({ error: 'invalid_grant' });
  });

  it('over HTTP gets JSON that nobody keeps, and 405 with Allow for another method', async () => {
    for (const path of [CODE, TOKEN]) {
      const response = await fetch(`${server.base}${path}`);
      expect([response.status, response.headers.get('Allow')]).toEqual([405, 'POST']);
      expect(response.headers.get('Cache-Control')).toBe('no-store');
      expect(response.headers.get('X-Request-Id')).toMatch(/^req_/);
      expect(await response.json()).toMatchObject({ error: 'invalid_request' });
    }
    expect((await fetch(`${server.base}/api/oauth/device`)).status).toBe(404);
  });
});

describe('asking for a code', () => {
  it('answers both codes, where to enter one, and for how long', async () => {
    verifies('device.code.response', 'device.user-code.format');
    const { status, body, headers } = await ask(CODE, CLIENT);
    expect(status).toBe(200);
    // RFC 6749 §5.1 wants both.
    expect([headers.get('Cache-Control'), headers.get('Pragma')]).toEqual(['no-store', 'no-cache']);
    expect(body).toEqual({
      device_code: expect.stringMatching(/^[\w-]{43}$/),
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verification_uri: `${ORIGIN}/device`,
      verification_uri_complete: `${ORIGIN}/device?user_code=${body.user_code}`,
      expires_in: 590,
      interval: 5,
    });
  });

  it('takes a form and JSON alike, with and without scope', async () => {
    verifies('device.code.encodings');
    for (const fields of [CLIENT, { ...CLIENT, scope: 'bans.read bans.write' }]) {
      const form = await ask(CODE, fields);
      const json = await ask(CODE, JSON.stringify(fields), 'application/json; charset=utf-8');
      expect([form.status, json.status]).toEqual([200, 200]);
      expect(Object.keys(json.body)).toEqual(Object.keys(form.body));
      const { rows } = await web.db.pool.query(
        'SELECT scope FROM device_authorizations ORDER BY id DESC LIMIT 2',
      );
      expect(rows).toEqual(Array(2).fill({ scope: 'scope' in fields ? fields.scope : null }));
    }
  });

  it.each([
    ['no client_id', {}, 'invalid_request'],
    ['an empty client_id', { client_id: '' }, 'invalid_request'],
    ['another client', { client_id: 'somebody' }, 'invalid_client'],
    ['a name every object has', { client_id: 'constructor' }, 'invalid_client'],
  ])('with %s is refused', async (_what, fields, error) => {
    verifies('device.error.shape');
    const answer = await ask(CODE, fields);
    expect([answer.status, answer.body]).toEqual([400, { error, error_description: expect.any(String) }]);
  });
});

describe('a body that cannot be read', () => {
  it.each([
    ['a repeated parameter', 'client_id=bailiff-mcp&client_id=bailiff-mcp', undefined, 400],
    ['a NUL', 'client_id=a%00b', undefined, 400],
    ['broken UTF-8 as a form', 'client_id=%FF', undefined, 400],
    ['broken JSON', '{"client_id":', 'application/json', 400],
    ['a list', '[]', 'application/json', 400],
    ['a number', '{"client_id":1}', 'application/json', 400],
    ['another type', 'client_id=bailiff-mcp', 'text/plain', 400],
    ['more than 64 KiB', `client_id=${'x'.repeat(70_000)}`, undefined, 413],
  ])('%s is invalid_request', async (_what, body, type, status) => {
    verifies('device.error.shape');
    for (const path of [CODE, TOKEN]) {
      const answer = await ask(path, body, type);
      expect([answer.status, answer.body]).toEqual([
        status,
        { error: 'invalid_request', error_description: expect.any(String) },
      ]);
    }
  });
});

describe('polling', () => {
  it('before the owner has decided is authorization_pending', async () => {
    verifies('device.error.authorization-pending', 'device.error.shape');
    const { status, body } = await poll((await start()).device_code);
    expect([status, body]).toEqual([
      400,
      { error: 'authorization_pending', error_description: expect.any(String) },
    ]);
  });

  it('too early is slow_down, and the interval stays five seconds longer', async () => {
    verifies('device.error.slow-down');
    const errors = await untilShown(async () => {
      address = `198.51.100.${nextAddress++}`;
      const { device_code } = await start();
      const heard: string[] = [];
      let lastAt = performance.now();
      for (const wait of [0, 5, 4, 5, 15, 10, 15]) {
        await pass(wait);
        const at = performance.now();
        heard.push((await poll(device_code)).body.error);
        // Half a second before its time a poll is not too early any more, and a busy machine polls later.
        if (performance.now() - lastAt > (wait === 4 ? 450 : 4_400)) return null;
        lastAt = at;
      }
      return heard;
    });
    expect(errors).toEqual([
      'authorization_pending',
      'authorization_pending',
      'slow_down', // 4 s of 5: from now on 10 s
      'slow_down', // 5 s of 10: from now on 15 s
      'authorization_pending',
      'slow_down', // 10 s of 15: from now on 20 s
      'slow_down',
    ]);
  });

  it('after the owner declined is access_denied', async () => {
    verifies('device.error.access-denied');
    const { device_code, user_code } = await start();
    expect((await owner.call('POST', '/api/device/deny', { user_code })).body).toEqual({ state: 'denied' });
    expect((await poll(device_code)).body.error).toBe('access_denied');
    expect(await tokensOf()).toEqual([]);
  });

  it('after 590 seconds is expired_token, and not shortly before', async () => {
    verifies('device.error.expired-token');
    const { device_code } = await start();
    await pass(570);
    expect((await poll(device_code)).body.error).toBe('authorization_pending');
    await pass(21);
    expect((await poll(device_code)).body.error).toBe('expired_token');
  });

  it('with an unknown device code, or as another client, is invalid_grant', async () => {
    verifies('device.error.invalid-grant');
    const { device_code, user_code } = await start();
    expect((await poll('unknown')).body.error).toBe('invalid_grant');
    await confirm(user_code);
    expect((await poll(device_code, { client_id: 'somebody' })).body.error).toBe('invalid_grant');
    await web.db.pool.query("UPDATE device_authorizations SET client_id = 'other-client'");
    expect((await poll(device_code)).body.error).toBe('invalid_grant');
    expect(await tokensOf()).toEqual([]);
  });

  it('with another grant type is unsupported_grant_type; with none, invalid_request', async () => {
    verifies('device.error.unsupported-grant-type');
    const { device_code } = await start();
    for (const grant_type of ['authorization_code', 'client_credentials', 'device_code']) {
      expect((await poll(device_code, { grant_type })).body.error).toBe('unsupported_grant_type');
    }
    expect((await poll(device_code, { grant_type: '' })).body.error).toBe('invalid_request');
    expect((await ask(TOKEN, { grant_type: DEVICE_GRANT_TYPE, ...CLIENT })).body.error).toBe(
      'invalid_request',
    );
  });

  it('as JSON gives the token as well', async () => {
    const { device_code, user_code } = await start();
    await confirm(user_code);
    const body = JSON.stringify({ grant_type: DEVICE_GRANT_TYPE, device_code, ...CLIENT });
    expect((await ask(TOKEN, body, 'application/json')).body.token_type).toBe('Bearer');
  });

  it('every 5 s for the whole lifetime never meets the limit of the address', async () => {
    verifies('H20');
    const { device_code, interval, expires_in } = await start();
    const errors: string[] = [];
    expect([interval, expires_in]).toEqual([5, 590]);
    do {
      const { status, body } = await poll(device_code);
      expect(status).toBe(400);
      errors.push(body.error);
      await pass(interval);
    } while (errors.at(-1) === 'authorization_pending');
    expect(errors.pop()).toBe('expired_token');
    // The polls take time themselves: on a busy machine a few fewer fit in.
    expect(errors.length).toBeLessThanOrEqual(118);
    expect(errors.length).toBeGreaterThan(100);
    expect(new Set(errors)).toEqual(new Set(['authorization_pending']));
  });
});

it('without a database is temporarily_unavailable, and says when to come back', async () => {
  verifies('device.error.shape');
  const db = openDatabase('postgres://nobody@127.0.0.1:1/nothing', { applicationName: 'bailiff test' });
  const deviceApi = createDeviceApi({ ...web.runtime, db });
  try {
    for (const path of [CODE, TOKEN]) {
      const request = new Request(`${ORIGIN}${path}`, { method: 'POST', body: new URLSearchParams(CLIENT) });
      const answer = await deviceApi(request, { address });
      expect([answer.status, answer.headers.get('Retry-After')]).toEqual([503, '1']);
      expect((await answer.json()).error).toBe('temporarily_unavailable');
    }
  } finally {
    await db.close();
  }
});

it('that fails on our side is a server_error, without what went wrong', async () => {
  verifies('device.error.shape', 'http.errors-logged');
  const errors: object[] = [];
  const log = pino({ level: 'error' }, { write: (line: string) => void errors.push(JSON.parse(line)) });
  const deviceApi = createDeviceApi({ ...web.runtime, log });
  await web.db.pool.query('ALTER TABLE device_authorizations RENAME TO hidden');
  const request = new Request(`${ORIGIN}${CODE}`, { method: 'POST', body: new URLSearchParams(CLIENT) });
  const answer = await deviceApi(request, { address }).finally(() =>
    web.db.pool.query('ALTER TABLE hidden RENAME TO device_authorizations'),
  );
  expect([answer.status, answer.headers.get('Retry-After')]).toEqual([500, null]);
  expect(await answer.json()).toEqual({
    error: 'server_error',
    error_description: expect.not.stringContaining('device_authorizations'),
  });
  const err = { message: expect.stringContaining('device_authorizations') };
  expect(errors).toMatchObject([{ request_id: answer.headers.get('X-Request-Id'), path: CODE, err }]);
});

describe('limits of an address', () => {
  it.each([
    [20, CODE, 'limits.ip.device-code'],
    [120, TOKEN, 'limits.ip.device-token'],
    [20, '/api/oauth/revoke', 'oauth.revoke'],
  ])('%i requests in ten minutes to %s, unreadable ones too; then the envelope', async (most, path, id) => {
    verifies('limits.ip.device-code', 'limits.ip.device-token', 'device.rate-limit.envelope');
    for (let n = 0; n < most; n += 1) {
      expect([id, (await ask(path, 'nonsense', 'text/plain')).status]).toEqual([id, 400]);
    }
    const { status, body, headers } = await ask(path, CLIENT);
    expect(status).toBe(429);
    expect(body.error).toMatchObject({
      code: 'RATE_LIMITED',
      retryable: true,
      request_id: headers.get('X-Request-Id'),
      details: { scope: 'ip', retry_after_seconds: Number(headers.get('Retry-After')) },
    });
    // The rest of ten minutes that began with the first of them.
    expect(Number(headers.get('Retry-After'))).toBeGreaterThan(500);
    expect(Number(headers.get('Retry-After'))).toBeLessThanOrEqual(600);
    address = `203.0.113.${nextAddress++}`;
    expect((await ask(path, 'nonsense', 'text/plain')).status).toBe(400);
  });
});

describe('the owner', () => {
  it('finds the client however the code is typed', async () => {
    verifies('device.user-code.entry');
    const { user_code } = await start();
    const [left, right] = user_code.split('-');
    for (const typed of [
      user_code,
      user_code.toLowerCase(),
      left + right,
      ` ${left} – ${right.toLowerCase()} `,
    ]) {
      expect([typed, (await lookUp(typed)).body.user_code]).toEqual([typed, user_code]);
    }
    expect((await confirm(`${left} ${right}`.toLowerCase())).status).toBe(200);
  });

  it('sees the name, address and time of the client, and nothing that would let them poll', async () => {
    verifies('device.confirm.shows');
    const { user_code } = await start();
    const { status, body, headers } = await lookUp(user_code);
    expect([status, headers.get('Cache-Control')]).toEqual([200, 'no-store']);
    expect(body).toEqual({
      user_code,
      client_id: 'bailiff-mcp',
      client: 'Bailiff MCP',
      claimed_name: null,
      scope: null,
      token_name: 'Bailiff MCP',
      address,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      expires_at: expect.any(String),
      expires_in: expect.any(Number),
    });
    expect(Date.parse(body.expires_at) - Date.parse(body.created_at)).toBe(590_000);
  });

  it('picks the guild; the token is of that guild and is not issued before', async () => {
    verifies('device.confirm.guild');
    const { device_code, user_code } = await start();
    await lookUp(user_code);
    expect((await poll(device_code)).body.error).toBe('authorization_pending');
    const { status, body } = await confirm(user_code);
    expect([status, body]).toEqual([200, { state: 'authorized', guild_id: guild.id }]);
    expect(await tokensOf()).toEqual([]);
    const answer = (await poll(device_code)).body;
    expect(answer.guild_id).toBe(guild.id);
    expect(await tokensOf()).toMatchObject([{ id: answer.token_id, kind: 'mcp', issuer_id: guild.ownerId }]);
    const { rows } = await web.db.pool.query(
      "SELECT actor_user_id, details FROM audit WHERE guild_id = $1 AND operation = 'device.authorize'",
      [guild.id],
    );
    expect(rows).toMatchObject([
      { actor_user_id: guild.ownerId, details: { client_id: 'bailiff-mcp', client_address: address } },
    ]);
  });

  it('can give the token a name, fewer capabilities, an end and the addresses from which it may be used', async () => {
    const { device_code, user_code } = await start();
    const limits = { name: 'Laptop', capabilities: ['strikes.read'], ip_allowlist: ['198.51.100.0/24'] };
    const body = { user_code, guild_id: guild.id, ...limits, expires_in: '7d' };
    expect((await owner.call('POST', '/api/device/confirm', body)).status).toBe(200);
    await poll(device_code);
    const [token] = await tokensOf();
    expect(token).toMatchObject(limits);
    expect(Math.round((token.expires_at - token.created_at) / 86_400_000)).toBe(7);
  });

  it('is the only one who can: a moderator and a stranger get no token of the guild', async () => {
    verifies('device.confirm.owner-only');
    const { device_code, user_code } = await start();
    await web.db.pool.query(
      "INSERT INTO role_grants (guild_id, role_id, capabilities, granted_by) VALUES ($1, $2, '{bans.write}', $3)",
      [guild.id, guild.moderatorRoleId, guild.ownerId],
    );
    const moderator = await confirm(user_code, await signedIn(web, guild.moderatorId));
    expect([moderator.status, moderator.body.error.details.reason]).toEqual([403, 'OWNER_ONLY']);
    expect((await confirm(user_code, await signedIn(web, guild.strangerId))).status).toBe(404);
    expect((await poll(device_code)).body.error).toBe('authorization_pending');
    expect(await tokensOf()).toEqual([]);
  });

  it.each([
    ['a guild on the free tier', "UPDATE guilds SET tier = 'free' WHERE id = $1", 403],
    ['a guild whose bot is away', 'UPDATE guilds SET mirrored_at = NULL WHERE id = $1', 503],
  ])('cannot pick %s; the code goes on waiting', async (_what, change, status) => {
    const { device_code, user_code } = await start();
    await web.db.pool.query(change, [guild.id]);
    expect((await confirm(user_code)).status).toBe(status);
    expect((await poll(device_code)).body.error).toBe('authorization_pending');
  });

  it('is let in by a session and our own pages only', async () => {
    const { device_code, user_code } = await start();
    const { runtime } = web;
    const body = { user_code, guild_id: guild.id };
    for (const path of ['/api/device/confirm', '/api/device/deny']) {
      expect((await call(runtime, 'POST', path, body, { Origin: ORIGIN })).status).toBe(401);
      const foreign = await owner.call('POST', path, body, { Origin: 'https://evil.example' });
      expect(foreign.body.error.details.reason).toBe('FOREIGN_ORIGIN');
    }
    expect((await call(runtime, 'POST', '/api/device/lookup', { user_code })).status).toBe(401);
    expect((await poll(device_code)).body.error).toBe('authorization_pending');
  });

  it('after five wrong codes is blocked for ten minutes, right codes too; another session is not', async () => {
    verifies('device.wrong-codes');
    const { user_code } = await start();
    expect((await lookUp('')).status).toBe(422);
    for (const path of ['lookUp', 'confirm', 'deny', 'lookUp', 'confirm']) {
      const wrong =
        path === 'lookUp'
          ? await lookUp('BBBB-BBBB')
          : await owner.call('POST', `/api/device/${path}`, {
              user_code: 'BBBB-BBBB',
              ...(path === 'confirm' ? { guild_id: guild.id } : {}),
            });
      expect([wrong.status, wrong.body.error.code]).toEqual([404, 'NOT_FOUND']);
    }
    for (const blocked of [await lookUp(user_code), await confirm(user_code)]) {
      const { code, details } = blocked.body.error;
      expect([blocked.status, code]).toEqual([429, 'RATE_LIMITED']);
      expect(details.retry_after_seconds).toBe(Number(blocked.headers.get('Retry-After')));
      expect(details.retry_after_seconds).toBeGreaterThan(500);
      expect(details.retry_after_seconds).toBeLessThanOrEqual(600);
    }
    expect(await tokensOf()).toEqual([]);
    expect((await lookUp(user_code, await signedIn(web, guild.ownerId))).status).toBe(200);
    await web.db.pool.query(
      "UPDATE sessions SET wrong_codes_at = ARRAY(SELECT at - interval '10 minutes' FROM unnest(wrong_codes_at) AS at)",
    );
    expect((await lookUp(user_code)).status).toBe(200);
  });
});
