import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { IncomingHttpHeaders, Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openApiDocument } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { seedGuild, seedToken } from '@bailiff/engine/testing';
import { openDatabase } from '@bailiff/prisma';
import { createTestDatabase } from '@bailiff/prisma/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createAppServer, destinationOf, listenWhenFree } from '#src/app-server.ts';
import { readiness } from '#src/health.ts';
import { readMcpBundle } from '#src/mcp-bundle.ts';
import { ORIGIN, signedIn, startTestWeb, type TestWeb } from './support.ts';

let web: TestWeb;
let server: Server;
let base: string;
/** The headers of the requests that reached Next. */
const reachedPages: IncomingHttpHeaders[] = [];

beforeAll(async () => {
  web = await startTestWeb();
  server = createAppServer(web.runtime, async (message, response) => {
    reachedPages.push(message.headers);
    response.setHeader('X-Read', message.url ?? '');
    response.end('<p>a page</p>');
  });
  const port = await listenWhenFree(server, { host: '127.0.0.1', port: 0, patienceMs: 0 });
  base = `http://127.0.0.1:${port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await web.close();
});

/** Sends bytes unchanged, and returns the answer after the connection has ended. */
async function raw(text: string): Promise<{ status: number; head: string; body: string }> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let received = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    received += chunk;
  });
  socket.write(text);
  await once(socket, 'close');
  const [head = '', body = ''] = received.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), head, body };
}

const request = (method: string, target: string, more = '') =>
  raw(`${method} ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${more}\r\n`);

describe('below /api every answer is the envelope', () => {
  it.each([
    ['GET', '/api/public/v1/%E0%A4%A'],
    ['GET', '/api/public/v1'],
    ['GET', '/api/public/v1/'],
    ['GET', '/api//public/v1/me'],
    ['GET', '//api/public/v1/me'],
    ['GET', '/api/public/v1/../../../etc/passwd'],
    ['GET', '/api/public/v1/%2e%2e/%2e%2e/api-tokens'],
    ['GET', 'http://evil.example/api/public/v1/me'],
    ['TRACE', '/api/public/v1/me'],
    ['TRACK', '/api/public/v1/me'],
    ['PROPFIND', '/api/public/v1/me'],
    ['GET', '/api'],
    ['GET', '/api/%E0%A4%A'],
    ['GET', '/api/nowhere'],
    ['TRACE', '/api/api-tokens'],
    ['GET', '/api/auth/nowhere'],
    ['POST', '/api/auth/_log'],
    ['PUT', '/api/auth/csrf'],
    ['TRACE', '/api/auth/csrf'],
    ['GET', '/api/auth/%E0%A4%A'],
    ['GET', '/%61pi/auth/csrf'],
    ['GET', '/x/../api/auth/csrf'],
    ['GET', '/./api/auth/csrf'],
    ['GET', '/x/%2e%2e/api/auth/csrf'],
    ['GET', '/_next/static/.%2E/../api/auth/callback/discord?code=x&state=y'],
    ['GET', '/docs\\..\\api/auth/csrf'],
  ])('%s %s', async (method, target) => {
    const { status, head, body } = await request(method, target);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    expect(head).toMatch(/content-type: application\/json/i);
    expect(head).toMatch(/x-request-id: req_/i);
    expect(JSON.parse(body).error).toMatchObject({
      retryable: false,
      request_id: expect.stringMatching(/^req_/),
    });
  });

  it('whatever the path and method', async () => {
    const before = reachedPages.length;
    const segment = fc.string({ unit: fc.constantFrom(...'abz0/.%2F\\;:@?#{}|^~é'), maxLength: 24 });
    const method = fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'LINK');
    await fc.assert(
      fc.asyncProperty(method, segment, async (verb, rest) => {
        const { status, body } = await request(verb, `/api/${encodeURI(rest).replaceAll('%25', '%')}`);
        expect(status).toBeLessThan(500);
        expect(() => JSON.parse(body)).not.toThrow();
      }),
      { numRuns: 150 },
    );
    expect(reachedPages).toHaveLength(before);
  });

  it('a known path with another method is 405 with Allow', async () => {
    const { status, head } = await request('PUT', '/api/api-tokens');
    expect(status).toBe(405);
    expect(head).toMatch(/allow: GET, POST/i);
  });

  it('a public answer carries the limit of the address', async () => {
    verifies('limits.ip.headers');
    const { head } = await request('GET', '/api/public/v1/%E0%A4%A');
    expect(head).toMatch(/x-ratelimit-limit: 600/i);
    expect(head).toMatch(/x-ratelimit-remaining: \d+/i);
  });
});

describe('what cannot be parsed', () => {
  it('as HTTP is 400', async () => {
    expect((await raw('NONSENSE\r\n\r\n')).status).toBe(400);
  });
  it('for its headers over 16 KiB is 431', async () => {
    const { status, body } = await request('GET', '/api/public/v1/me', `X-Long: ${'x'.repeat(20_000)}\r\n`);
    expect([status, JSON.parse(body).error.code]).toEqual([431, 'VALIDATION_FAILED']);
  });
  it('for having no host, or two, is 400 and counts', async () => {
    verifies('limits.ip.headers', 'H5');
    const lines = (...hosts: string[]) => [
      'GET /api/public/v1/me HTTP/1.1',
      ...hosts.map((host) => `Host: ${host}`),
      'Connection: close',
      '\r\n',
    ];
    const leftOf = async (...hosts: string[]) => {
      const { status, head, body } = await raw(lines(...hosts).join('\r\n'));
      expect([status, JSON.parse(body).error.code]).toEqual([400, 'VALIDATION_FAILED']);
      return Number(/x-ratelimit-remaining: (\d+)/i.exec(head)?.[1]);
    };
    const left = await leftOf();
    expect(await leftOf('bailiff.test', 'evil.example')).toBe(left - 1);
  });
  it('because it wants a tunnel is 400', async () => {
    expect((await raw('CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n')).status).toBe(400);
  });
});

it('an expectation that nobody has is ignored: the answer is the same without it', async () => {
  verifies('H5');
  const { status, head, body } = await request('GET', '/api/public/v1/me', 'Expect: a-wonder\r\n');
  expect([status, JSON.parse(body).error.code]).toEqual([401, 'UNAUTHORIZED']);
  expect(head).toMatch(/x-ratelimit-remaining: \d+/i);
});

describe('a body', () => {
  const post = async (body: string | ReadableStream, headers: Record<string, string>, path: string) => {
    const response = await fetch(`${base}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body,
      duplex: 'half',
    } as RequestInit);
    return { status: response.status, body: await response.json() };
  };

  it('over 64 KiB is 413, whether its length is announced or not, and is not read to its end', async () => {
    verifies('errors.validation-failed.too-large', 'H6');
    const guild = await seedGuild(web.db);
    const { secret } = await seedToken(web.db, guild);
    const bearer = { Authorization: `Bearer ${secret}` };
    const path = `/api/public/v1/guilds/${guild.id}/strikes`;
    const announced = await post(JSON.stringify({ reason: 'x'.repeat(70_000) }), bearer, path);
    expect([announced.status, announced.body.error.code]).toEqual([413, 'VALIDATION_FAILED']);

    let sent = 0;
    const endless = new ReadableStream({
      pull(controller) {
        sent += 16_384;
        if (sent > 1024 * 1024) controller.close();
        else controller.enqueue(new Uint8Array(16_384).fill(32));
      },
    });
    expect((await post(endless, bearer, path)).status).toBe(413);
  });

  it('over 64 KiB to the dashboard’s API is 413 too', async () => {
    const guild = await seedGuild(web.db);
    const owner = await signedIn(web, guild.ownerId);
    const headers = { Cookie: owner.cookie, Origin: 'http://bailiff.test' };
    expect((await post('x'.repeat(70_000), headers, '/api/api-tokens')).status).toBe(413);
  });

  it('that is no JSON, or not said to be, is 400', async () => {
    const owner = await signedIn(web, (await seedGuild(web.db)).ownerId);
    const headers = { Cookie: owner.cookie, Origin: 'http://bailiff.test' };
    expect((await post('{', headers, '/api/api-tokens')).status).toBe(400);
    expect((await post('{}', { ...headers, 'Content-Type': 'text/plain' }, '/api/api-tokens')).status).toBe(
      400,
    );
  });

  it('that nobody reads does not break the next request on the connection', async () => {
    const { status, head } = await raw(
      `POST /api/nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello` +
        `GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    expect(status).toBe(404);
    expect(head).toMatch(/keep-alive/i);
  });
});

describe('forged headers', () => {
  it('of a client that is no trusted proxy do not change its address', async () => {
    verifies('client-ip.untrusted-peer', 'G3', 'H1');
    const guild = await seedGuild(web.db);
    const { secret } = await seedToken(web.db, guild, { ipAllowlist: ['198.51.100.7'] });
    let left: number | undefined;
    for (const name of ['X-Forwarded-For', 'X-Real-IP', 'Forwarded', 'X-Bailiff-Address']) {
      const headers = {
        Authorization: `Bearer ${secret}`,
        [name]: name === 'Forwarded' ? 'for=198.51.100.7' : '198.51.100.7',
      };
      const response = await fetch(`${base}/api/public/v1/me`, { headers });
      expect((await response.json()).error.code).toBe('TOKEN_IP_NOT_ALLOWED');
      // And all are counted for the one address.
      const remaining = Number(response.headers.get('X-RateLimit-Remaining'));
      if (left !== undefined) expect(remaining).toBe(left - 1);
      left = remaining;
    }
  });

  it('do not move the dashboard’s address into links, nor let another origin make changes', async () => {
    verifies('ops.public-url');
    const guild = await seedGuild(web.db);
    const { secret } = await seedToken(web.db, guild);
    const owner = await signedIn(web, guild.ownerId);
    const { port } = server.address() as AddressInfo;
    // {base_url}: another host, and so another origin, than the dashboard's.
    const at = async (path: string, headers: Record<string, string>, body: string) => {
      const { status, body: text } = await raw(
        `POST ${path} HTTP/1.1\r\nHost: api.example:${port}\r\nConnection: close\r\n` +
          Object.entries(headers)
            .map(([name, value]) => `${name}: ${value}\r\n`)
            .join('') +
          `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      );
      return { status, body: JSON.parse(text) };
    };
    const json = { 'Content-Type': 'application/json' };
    const banned = await at(
      `/api/public/v1/guilds/${guild.id}/bans`,
      { ...json, Authorization: `Bearer ${secret}` },
      JSON.stringify({
        user_id: guild.strangerId,
        reason: 'spam',
        _confirmation: `BAN USER ${guild.strangerId} IN GUILD ${guild.id} PERMANENT`,
      }),
    );
    expect(banned).toMatchObject({ status: 403, body: { error: { code: 'RE_AUTH_REQUIRED' } } });
    expect(new URL(banned.body.error.details.reauth_url).origin).toBe(ORIGIN);
    const device = await at(
      '/api/oauth/device/code',
      { 'Content-Type': 'application/x-www-form-urlencoded' },
      'client_id=bailiff-mcp',
    );
    expect(new URL(device.body.verification_uri).origin).toBe(ORIGIN);
    const mint = (origin: string) =>
      at(
        '/api/api-tokens',
        { ...json, Cookie: owner.cookie, Origin: origin },
        JSON.stringify({ guild_id: guild.id, name: 'deploy', kind: 'rest' }),
      );
    expect((await mint(`http://api.example:${port}`)).body.error.details.reason).toBe('FOREIGN_ORIGIN');
    expect((await mint(ORIGIN)).status).toBe(201);
  });

  it('with a padded secret hold none', async () => {
    verifies('secret.syntax.padding');
    const { secret } = await seedToken(web.db, await seedGuild(web.db));
    const me = async (authorization: string) =>
      (await request('GET', '/api/public/v1/me', `Authorization: ${authorization}\r\n`)).status;
    expect(await me(`Bearer ${secret}`)).toBe(200);
    for (const padded of [
      ` ${secret}`,
      `\t${secret}`,
      `"${secret}"`,
      `${secret}\u00a0`,
      `${secret} \u00a0`,
      `${secret},`,
      `${secret} ${secret}`,
      `${secret}%0A`,
      `${secret}\\n`,
    ]) {
      expect(await me(`Bearer ${padded}`), JSON.stringify(padded)).toBe(401);
    }
    // A newline is no part of a value: such a message is refused before anybody reads the secret.
    for (const newline of ['\n', '\r', '\r\n ']) expect(await me(`Bearer ${secret}${newline}`)).toBe(400);
    // Nor are spaces at its end (RFC 9110 §5.5), which every HTTP server takes off.
    expect(await me(`Bearer ${secret} \t`)).toBe(200);
  });

  it('that only Next or we may set are gone before Next sees the request', async () => {
    verifies('H3');
    const forged = {
      'X-Middleware-Subrequest': 'src/middleware',
      'X-Forwarded-Host': 'evil.example',
      'X-Forwarded-For': '198.51.100.7',
      'X-Bailiff-Address': '198.51.100.7',
      'X-Bailiff-Path': 'https://evil.example',
      'X-Matched-Path': '/admin',
      'Content-Security-Policy': "script-src 'nonce-mine'",
    };
    const response = await fetch(`${base}/guilds/1?a=b`, { headers: forged });
    const seen = reachedPages.at(-1) ?? {};
    for (const name of ['x-middleware-subrequest', 'x-forwarded-host', 'x-forwarded-for', 'x-matched-path']) {
      expect(seen[name]).toBeUndefined();
    }
    expect(seen['x-bailiff-address']).toBe('127.0.0.1');
    expect(seen['x-bailiff-path']).toBe('/guilds/1?a=b');
    expect(seen['content-security-policy']).toBe(response.headers.get('Content-Security-Policy'));
    expect(seen['content-security-policy']).not.toContain('nonce-mine');
  });

  it('are believed from a trusted proxy, up to the first address it cannot vouch for', async () => {
    verifies('client-ip.trusted-proxy', 'G3', 'H1');
    const behind = await startTestWeb({ TRUSTED_PROXIES: '127.0.0.0/8, 10.0.0.0/8' });
    const own = createAppServer(behind.runtime, async () => {});
    const port = await listenWhenFree(own, { host: '127.0.0.1', port: 0, patienceMs: 0 });
    try {
      const guild = await seedGuild(behind.db);
      const { secret } = await seedToken(behind.db, guild, { ipAllowlist: ['203.0.113.7'] });
      const from = async (forwarded: string) =>
        (
          await fetch(`http://127.0.0.1:${port}/api/public/v1/me`, {
            headers: { Authorization: `Bearer ${secret}`, 'X-Forwarded-For': forwarded },
          })
        ).status;
      expect(await from('203.0.113.7, 10.1.1.1')).toBe(200);
      expect(await from('203.0.113.7, 198.51.100.1, 10.1.1.1')).toBe(403);
    } finally {
      own.closeAllConnections();
      own.close();
      await behind.close();
    }
  });
});

describe('pages', () => {
  it.each([
    ['GET', '/'],
    ['GET', '/guilds/1/approvals?token=x'],
    ['GET', '/_next/static/x.js'],
    ['GET', '/api/auth/csrf'],
    ['POST', '/api/auth/signin/discord'],
  ])('%s %s goes to Next', async (method, target) => {
    const before = reachedPages.length;
    expect((await request(method, target)).status).toBe(200);
    expect(reachedPages).toHaveLength(before + 1);
  });

  it.each([
    ['POST', '/', 405],
    ['TRACE', '/guilds/1', 405],
    ['GET', '/%E0%A4%A', 400],
    ['GET', '//guilds', 400],
    ['GET', '/%61pi/public/v1/me', 400],
  ])('%s %s does not, and is %i', async (method, target, status) => {
    const before = reachedPages.length;
    expect((await request(method, target)).status).toBe(status);
    expect(reachedPages).toHaveLength(before);
  });

  it('are asked for by their path, also if the target names the address before it', async () => {
    verifies('ops.origins.spelling');
    const { status, head } = await request('GET', 'http://x/guilds/1?a=b');
    expect([status, /x-read: (.*)/i.exec(head)?.[1]]).toEqual([200, '/guilds/1?a=b']);
  });

  it('may not be framed, and run no script without the nonce of the answer', async () => {
    const [first, second] = await Promise.all([fetch(base), fetch(base)]);
    const policy = first.headers.get('Content-Security-Policy') ?? '';
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toMatch(/script-src 'self' 'nonce-[^']+' 'strict-dynamic';/);
    expect(policy).not.toBe(second.headers.get('Content-Security-Policy'));
  });
});

describe('the OpenAPI document', () => {
  it('is there for everybody, for five minutes, with the public address', async () => {
    const before = reachedPages.length;
    const response = await fetch(`${base}/openapi.json`);
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Type')).toMatch(/^application\/json/);
    expect(response.headers.get('Cache-Control')).toBe('public, max-age=300');
    expect(response.headers.get('Set-Cookie')).toBeNull();
    expect(await response.json()).toEqual(JSON.parse(JSON.stringify(openApiDocument(ORIGIN))));
    const head = await fetch(`${base}/openapi.json?x=1`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect(reachedPages).toHaveLength(before);
  });

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE'])('is not for %s', async (method) => {
    const { status, head, body } = await request(method, '/openapi.json');
    expect(status).toBe(405);
    expect(head).toMatch(/^allow: GET, HEAD\r?$/im);
    expect(JSON.parse(body).error.code).toBe('NOT_FOUND');
  });
});

describe('health', () => {
  /** The checks of /readyz once it answers with `status`; an answer may be a second old. */
  const checksOf = async (status: number) => {
    let checks: { gateway: string; migrations: string } | undefined;
    await expect
      .poll(async () => {
        const response = await fetch(`${base}/readyz`);
        ({ checks } = await response.json());
        return response.status;
      })
      .toBe(status);
    return checks;
  };

  it('is ready only with a fresh heartbeat of the gateway', async () => {
    expect((await fetch(`${base}/healthz`)).status).toBe(200);
    await seedGuild(web.db);
    expect(await (await fetch(`${base}/readyz`)).json()).toEqual({
      status: 'ready',
      checks: { database: 'ok', migrations: 'ok', gateway: 'ok' },
      guilds: { trusted: expect.any(Number) },
    });
    await web.db.pool.query("UPDATE gateway_shards SET heartbeat_at = now() - interval '61 seconds'");
    expect((await checksOf(503))?.gateway).toMatch(/0 of 1/);
  });

  it('names what is away: the tables, or the database', async () => {
    const { url, database, drop } = await createTestDatabase({ empty: true });
    onTestFinished(drop);
    const away = (checks: object) => ({
      ready: false,
      checks: { ...checks, gateway: 'unknown' },
      guilds: null,
    });
    expect(await readiness(database)).toEqual(away({ database: 'ok', migrations: 'not applied' }));
    const closed = openDatabase(url, { applicationName: 'away' });
    await closed.close();
    expect(await readiness(closed)).toEqual(away({ database: 'does not answer', migrations: 'unknown' }));
  });

  it('is not ready from the moment the connection is lost, and says how many guilds are in which state', async () => {
    verifies('bot.gateway-loss-visible', 'bot.ready-serving');
    const { pool } = web.db;
    const guilds = [await seedGuild(web.db), await seedGuild(web.db), await seedGuild(web.db)];
    for (const [index, problem] of [null, 'rate_limited', 'no_access'].entries()) {
      const id = guilds[index]?.id;
      await pool.query('UPDATE guilds SET mirrored_at = NULL, mirror_problem = $2 WHERE id = $1', [
        id,
        problem,
      ]);
    }
    // A guild that the bot has left is in no state.
    await pool.query(
      "UPDATE guilds SET mirrored_at = NULL, mirror_problem = 'no_access', left_at = now() WHERE id = $1",
      [(await seedGuild(web.db)).id],
    );
    await pool.query('UPDATE gateway_shards SET heartbeat_at = now()');
    await checksOf(200);
    await pool.query('UPDATE gateway_shards SET lost_at = now()');
    expect((await checksOf(503))?.gateway).toBe(
      '0 of 1 shards have a fresh heartbeat; 1 lost the connection and connect again',
    );
    await pool.query('UPDATE gateway_shards SET lost_at = NULL');
    await checksOf(200);
    const { guilds: states } = await (await fetch(`${base}/readyz`)).json();
    expect(states).toMatchObject({ comparing: 1, waiting: 1, refused: 1 });
    await pool.query("UPDATE gateway_shards SET heartbeat_at = now() - interval '61 seconds'");
    await checksOf(503);
  });

  it('is ready while one of several shards is connected, and says that others are not', async () => {
    const { pool } = web.db;
    await pool.query('UPDATE gateway_shards SET shard_count = 2, heartbeat_at = now()');
    await pool.query(
      "INSERT INTO gateway_shards VALUES (3, 4, 'x', now() - interval '61 seconds') ON CONFLICT DO NOTHING",
    );
    expect((await checksOf(200))?.gateway).toBe('1 of 2 shards have a fresh heartbeat');
  });

  it('is not ready while the database lacks a migration, and names it', async () => {
    const { pool } = web.db;
    const { rows } = await pool.query(
      "UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name LIKE '%initial' RETURNING migration_name",
    );
    expect((await checksOf(503))?.migrations).toBe(`not applied: ${rows[0].migration_name}`);
    await pool.query('UPDATE _prisma_migrations SET finished_at = now()');
    expect((await checksOf(200))?.migrations).toBe('ok');
  });
});

describe('a taken port', () => {
  it('is waited for', async () => {
    const second = createAppServer(web.runtime, async () => {});
    const first = createAppServer(web.runtime, async () => {});
    const port = await listenWhenFree(first, { host: '127.0.0.1', port: 0, patienceMs: 0 });
    const listening = listenWhenFree(second, { host: '127.0.0.1', port, patienceMs: 10_000 });
    first.close();
    expect(await listening).toBe(port);
    second.close();
  });

  it('gives one clear message when it stays taken', async () => {
    const { port } = server.address() as AddressInfo;
    const other = createAppServer(web.runtime, async () => {});
    await expect(listenWhenFree(other, { host: '127.0.0.1', port, patienceMs: 0 })).rejects.toThrow(
      `Port ${port} on 127.0.0.1 is taken`,
    );
  });
});

it('names one destination for each path', () => {
  expect(destinationOf('/api/public/v1x')).toBe('dashboard-api');
  expect(destinationOf('/apis')).toBe('page');
  expect(destinationOf('/api/auth/callback/discord')).toBe('auth');
  expect(destinationOf('/api/auth/callback/other')).toBe('dashboard-api');
});

it('the MCP process is served as one file, as it was built', async () => {
  verifies('mcp.package');
  const directory = await mkdtemp(join(tmpdir(), 'bailiff-bundle-'));
  const path = join(directory, 'bailiff-mcp.mjs');
  await writeFile(path, '#!/usr/bin/env node\nconsole.log("“bailiff-mcp”");\n');
  const built = await readFile(path);
  const bundle = await readMcpBundle(path);
  const own = createAppServer({ ...web.runtime, mcpBundle: bundle }, async () => {});
  const port = await listenWhenFree(own, { host: '127.0.0.1', port: 0, patienceMs: 0 });
  const served = async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/mcp/bailiff-mcp.mjs`);
    expect(answer.headers.get('Content-Type')).toBe('text/javascript; charset=utf-8');
    // Another file than the one whose hash is shown is never kept.
    expect(answer.headers.get('Cache-Control')).toBe('no-cache');
    return Buffer.from(await answer.arrayBuffer());
  };
  expect((await served()).equals(built)).toBe(true);
  // An update has replaced the file, and this process goes on until it is replaced too.
  await writeFile(path, 'console.log("the next release");');
  expect(
    createHash('sha256')
      .update(await served())
      .digest('hex'),
  ).toBe(bundle?.sha256);
  expect((await readMcpBundle(path))?.sha256).not.toBe(bundle?.sha256);
  expect(await readMcpBundle(join(directory, 'not-built.js'))).toBeNull();
  await expect(readMcpBundle(directory), 'what cannot be read is said').rejects.toThrow('EISDIR');
  own.closeAllConnections();
  own.close();
  await rm(directory, { recursive: true });
});

it('https is demanded of this host and of no host below it', async () => {
  const config = { ...web.runtime.config, dashboardUrl: 'https://bailiff.example' };
  const own = createAppServer({ ...web.runtime, config }, async () => {});
  const port = await listenWhenFree(own, { host: '127.0.0.1', port: 0, patienceMs: 0 });
  const { headers } = await fetch(`http://127.0.0.1:${port}/healthz`);
  expect(headers.get('Strict-Transport-Security')).toBe('max-age=31536000');
  own.closeAllConnections();
  own.close();
});
