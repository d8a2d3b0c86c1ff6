// What a program finds, gets and gives back with OAuth, by a library and over HTTP.
import {
  CAPABILITIES,
  DEVICE_GRANT_TYPE,
  OAUTH_ENDPOINTS,
  OAUTH_PATHS,
  openApiDocument,
} from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { type SeededGuild, seedToken } from '@bailiff/engine/testing';
import * as oauth from 'oauth4webapi';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createAppServer, listenWhenFree } from '#src/app-server.ts';
import { guildForEachTest } from './each-test.ts';
import {
  askAsClient,
  callWithToken,
  ORIGIN,
  type Person,
  serve,
  type TestWeb,
  testConfig,
} from './support.ts';

let web: TestWeb;
let guild: SeededGuild;
let owner: Person;
let address: string;
let nextAddress = 1;

guildForEachTest((given) => {
  ({ web, guild, owner } = given);
  address = `198.51.100.${nextAddress++}`;
});

const revoke = (body: Record<string, string> | string, type?: string) =>
  askAsClient(web, address, OAUTH_PATHS.revoke, body, type);
const query = async (sql: string, values: unknown[] = []) => (await web.db.pool.query(sql, values)).rows;
const tokenRow = async (id: string) => (await query('SELECT * FROM tokens WHERE id = $1', [id]))[0];

/** Fails unless the OpenAPI document describes every field of an answer, and no field is missing. */
function expectDescribed(path: string, body: unknown): void {
  const endpoint = OAUTH_ENDPOINTS.find((each) => each.path === path);
  expect(z.strictObject(endpoint?.output.shape ?? {}).safeParse(body).error?.issues).toBeUndefined();
}

describe('an OAuth library', () => {
  it('discovers the endpoints from the issuer, gets a token that the owner narrows, and revokes it', async () => {
    verifies('oauth.library', 'oauth.metadata', 'oauth.revoke', 'device.scope.narrows');
    const server = await serve(web);
    // The issuer is where people reach it; behind that name is the port of this test.
    const options = {
      [oauth.allowInsecureRequests]: true,
      [oauth.customFetch]: (url: string, init: object) => fetch(url.replace(ORIGIN, server.base), init),
    };
    try {
      const client = { client_id: 'bailiff-cli' };
      const issuer = new URL(ORIGIN);
      const found = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...options });
      const as = await oauth.processDiscoveryResponse(issuer, found);
      expect(as.scopes_supported).toEqual([...CAPABILITIES]);
      const parameters = { scope: 'bans.read bans.write' };
      const begun = await oauth.processDeviceAuthorizationResponse(
        as,
        client,
        await oauth.deviceAuthorizationRequest(as, client, oauth.None(), parameters, options),
      );
      expectDescribed(OAUTH_PATHS.code, begun);
      const consent = { user_code: begun.user_code, guild_id: guild.id, capabilities: ['bans.read'] };
      expect((await owner.call('POST', '/api/device/confirm', consent)).status).toBe(200);
      const granted = await oauth.processDeviceCodeResponse(
        as,
        client,
        await oauth.deviceCodeGrantRequest(as, client, oauth.None(), begun.device_code, options),
      );
      expectDescribed(OAUTH_PATHS.token, { ...granted, token_type: 'Bearer' });
      expect(granted.scope).toBe('bans.read');
      expect((await callWithToken(web.runtime, granted.access_token, 'GET', '/me')).status).toBe(200);
      await oauth.processRevocationResponse(
        await oauth.revocationRequest(as, client, oauth.None(), granted.access_token, options),
      );
      const { status, body } = await callWithToken(web.runtime, granted.access_token, 'GET', '/me');
      expect([status, body.error.code]).toEqual([401, 'TOKEN_REVOKED']);
    } finally {
      server.close();
    }
  });
});

describe('the metadata', () => {
  it.each([
    ['one origin', {}],
    ['two origins', { DASHBOARD_URL: 'http://dashboard.test' }],
  ])('with %s names the issuer and the endpoints of the API', async (_what, env) => {
    verifies('oauth.metadata');
    const config = testConfig({ DATABASE_URL: web.databaseUrl, PUBLIC_URL: 'http://api.test', ...env });
    const server = createAppServer({ ...web.runtime, config }, async () => undefined);
    const port = await listenWhenFree(server, { host: '127.0.0.1', port: 0, patienceMs: 0 });
    try {
      const answer = await fetch(`http://127.0.0.1:${port}${OAUTH_PATHS.metadata}`);
      expect([
        answer.status,
        answer.headers.get('Content-Type'),
        answer.headers.get('Cache-Control'),
      ]).toEqual([200, 'application/json; charset=utf-8', 'public, max-age=300']);
      const body = await answer.json();
      expectDescribed(OAUTH_PATHS.metadata, body);
      expect(body).toMatchObject({
        issuer: 'http://api.test',
        device_authorization_endpoint: 'http://api.test/api/oauth/device/code',
        token_endpoint: 'http://api.test/api/oauth/device/token',
        revocation_endpoint: 'http://api.test/api/oauth/revoke',
        response_types_supported: [],
        grant_types_supported: ['urn:ietf:params:oauth:grant-type:device_code'],
        service_documentation: `${config.dashboardUrl}/docs/api`,
      });
      const posted = await fetch(`http://127.0.0.1:${port}${OAUTH_PATHS.metadata}`, { method: 'POST' });
      expect([posted.status, posted.headers.get('Allow')]).toEqual([405, 'GET, HEAD']);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});

describe('revocation', () => {
  it('ends the token, its windows and its requests, on record as by the token', async () => {
    verifies('oauth.revoke');
    const name = 'a script';
    const { id, secret } = await seedToken(web.db, guild, { name });
    const ban = { user_id: '100000000000000777', reason: 'spam' };
    const asked = await callWithToken(web.runtime, secret, 'POST', `/guilds/${guild.id}/bans`, {
      ...ban,
      _confirmation: `BAN USER ${ban.user_id} IN GUILD ${guild.id} PERMANENT`,
    });
    expect(asked.body.error.code).toBe('RE_AUTH_REQUIRED');
    const other = await seedToken(web.db, guild);
    await callWithToken(web.runtime, other.secret, 'POST', `/guilds/${guild.id}/bans`, {
      ...ban,
      _confirmation: `BAN USER ${ban.user_id} IN GUILD ${guild.id} PERMANENT`,
    });
    expect((await owner.call('POST', `/api/api-tokens/${id}/reauth-window`)).body.open).toBe(true);
    const { status, headers, body } = await revoke({ token: secret, token_type_hint: 'refresh_token' });
    expect([status, body, headers.get('Cache-Control')]).toEqual([200, {}, 'no-store']);
    expect(await tokenRow(id)).toMatchObject({ revoked_reason: 'client', revoked_at: expect.any(Date) });
    const { code } = (await callWithToken(web.runtime, secret, 'GET', '/me')).body.error;
    expect(code).toBe('TOKEN_REVOKED');
    expect(await query('SELECT FROM windows WHERE token_id = $1 AND closed_at IS NULL', [id])).toEqual([]);
    const waiting =
      "SELECT FROM approval_requests WHERE token_id = $1 AND state = 'pending' AND expires_at > now()";
    expect(await query(waiting, [id])).toEqual([]);
    expect(await query(waiting, [other.id]), 'of another token').toHaveLength(1);
    const audited = "SELECT * FROM audit WHERE guild_id = $1 AND operation = 'tokens.revoke'";
    const row = {
      actor_source: 'token',
      actor_user_id: guild.ownerId,
      token_id: id,
      token_name: name,
      target_id: id,
      outcome: 'performed',
      request_id: headers.get('X-Request-Id'),
      address,
      details: { reason: 'client' },
    };
    expect(await query(audited, [guild.id])).toMatchObject([row]);
    const again = await revoke(JSON.stringify({ token: secret }), 'application/json');
    expect([again.status, again.body]).toEqual([200, {}]);
    expect(await query(audited, [guild.id])).toHaveLength(1);
    const listed = (await owner.call('GET', `/api/api-tokens?guild_id=${guild.id}`)).body.data;
    expect(listed.find((token: { id: string }) => token.id === id)).toMatchObject({
      state: 'revoked',
      revoked_reason: 'client',
    });
  });

  it('works from any address, after the expiry, and with the secret of a rotation that still works', async () => {
    verifies('oauth.revoke');
    const bound = await seedToken(web.db, guild);
    await query("UPDATE tokens SET ip_allowlist = '{192.0.2.1}' WHERE id = $1", [bound.id]);
    const expired = await seedToken(web.db, guild);
    await query("UPDATE tokens SET expires_at = now() - interval '1 day' WHERE id = $1", [expired.id]);
    const rotated = await seedToken(web.db, guild);
    await owner.call('POST', `/api/api-tokens/${rotated.id}/rotate`, { overlap: true });
    for (const { id, secret } of [bound, expired, rotated]) {
      expect((await revoke({ token: secret })).status).toBe(200);
      expect((await tokenRow(id)).revoked_reason).toBe('client');
    }
  });

  it('of anything but the secret of a token is 200 and changes nothing', async () => {
    verifies('oauth.revoke.own-only');
    const { id, secret } = await seedToken(web.db, guild);
    const rotated = await seedToken(web.db, guild);
    await owner.call('POST', `/api/api-tokens/${rotated.id}/rotate`, { overlap: true });
    await query("UPDATE tokens SET previous_secret_expires_at = now() - interval '1 second' WHERE id = $1", [
      rotated.id,
    ]);
    const started = await askAsClient(web, address, OAUTH_PATHS.code, { client_id: 'bailiff-cli' });
    const hash = (await tokenRow(id)).secret_hash.toString('hex');
    for (const token of [
      id,
      `svcpat_${'0'.repeat(48)}`,
      secret.toLowerCase(),
      ` ${secret}`,
      hash,
      rotated.secret,
      started.body.device_code,
      started.body.user_code,
      owner.cookie.slice(owner.cookie.indexOf('=') + 1),
      'x'.repeat(10_000),
    ]) {
      const { status, body } = await revoke({ token });
      expect([token, status, body]).toEqual([token, 200, {}]);
    }
    expect(
      await query('SELECT FROM tokens WHERE guild_id = $1 AND revoked_at IS NOT NULL', [guild.id]),
    ).toEqual([]);
    expect((await owner.call('GET', `/api/api-tokens?guild_id=${guild.id}`)).status).toBe(200);
  });

  it('is not counted with what a client polls', async () => {
    verifies('oauth.revoke.own-only');
    const { id, secret } = await seedToken(web.db, guild);
    const poll = { grant_type: DEVICE_GRANT_TYPE, client_id: 'bailiff-cli', device_code: 'unknown' };
    for (let n = 0; n < 21; n += 1) {
      expect((await askAsClient(web, address, OAUTH_PATHS.token, poll)).status).toBe(400);
    }
    expect((await revoke({ token: secret })).status).toBe(200);
    expect((await tokenRow(id)).revoked_at).not.toBeNull();
  });

  it('without a token, or with two, is invalid_request; with GET it is 405; an address has 20 in ten minutes', async () => {
    verifies('oauth.revoke.own-only');
    const { id, secret } = await seedToken(web.db, guild);
    for (const body of ['', 'token=', `token=${secret}&token=${secret}`, 'token=%00']) {
      const refused = await revoke(body);
      expect([body, refused.status, refused.body.error]).toEqual([body, 400, 'invalid_request']);
    }
    const url = `http://bailiff.test${OAUTH_PATHS.revoke}?token=${secret}`;
    const got = await web.runtime.deviceApi(new Request(url), { address });
    expect([got.status, got.headers.get('Allow')]).toEqual([405, 'POST']);
    for (let n = 5; n < 20; n += 1) expect((await revoke({ token: 'unknown' })).status).toBe(200);
    const limited = await revoke({ token: secret });
    expect([limited.status, limited.body.error.code]).toEqual([429, 'RATE_LIMITED']);
    expect((await tokenRow(id)).revoked_at).toBeNull();
    address = '203.0.113.200';
    expect((await revoke({ token: secret })).status).toBe(200);
    expect((await tokenRow(id)).revoked_at).not.toBeNull();
  });
});

it('the document names the status of every answer above', () => {
  verifies('oauth.revoke');
  const { paths } = openApiDocument('https://bailiff.example') as {
    paths: Record<string, Record<string, { responses: object }>>;
  };
  expect(Object.keys(paths[OAUTH_PATHS.revoke]?.post?.responses ?? {})).toEqual(
    expect.arrayContaining(['200', '400', '413', '429', '503']),
  );
});
