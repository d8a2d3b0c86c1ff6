import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { verifies } from '@bailiff/core/testing';
import {
  type SeededGuild,
  type SeededToken,
  seedGuild,
  seedToken,
  seedWindow,
} from '@bailiff/engine/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serve, startTestWeb, type TestServer, type TestWeb } from '#test/support.ts';
import { answerOn, requestBytes, sendBytes, type WireAnswer } from '#test/wire.ts';
import { DOCUMENTED, needsNothing } from './contract.ts';
import { expectEnvelope } from './envelope.ts';

let web: TestWeb;
let server: TestServer;
let guild: SeededGuild;
let token: SeededToken;
let bearer: string;
let sent = 0;

beforeAll(async () => {
  web = await startTestWeb({ TRUSTED_PROXIES: '127.0.0.1' });
  server = await serve(web, '<p>a page</p>');
  guild = await seedGuild(web.db);
  token = await seedToken(web.db, guild);
  bearer = `Authorization: Bearer ${token.secret}`;
});

afterAll(async () => {
  server.close();
  await web.close();
});

/** A new address each time, so that no address uses up its limit. */
function fromSomewhere(): string {
  sent += 1;
  return `X-Forwarded-For: 198.51.${Math.floor(sent / 200) % 200}.${sent % 200}`;
}

async function request(
  method: string,
  target: string,
  headers: string[] = [],
  body = '',
): Promise<WireAnswer> {
  return sendBytes(server.port, requestBytes(method, target, [fromSomewhere(), ...headers], body));
}

function expectOnWire(answer: WireAnswer, what: string, method = 'GET'): void {
  expect(answer.text, what).not.toMatch(/<html|<!doctype|<p>/i);
  // An answer to HEAD has no body to check.
  const body = method === 'HEAD' ? { error: undefined } : JSON.parse(answer.text);
  if (method === 'HEAD') {
    expect([403, 404, 405], what).toContain(answer.status);
    expect(answer.headers.get('X-Request-Id'), what).toMatch(/^req_/);
    expect(answer.headers.get('X-RateLimit-Limit'), what).toBe('600');
    return;
  }
  expectEnvelope({ status: answer.status, headers: answer.headers, body }, what);
}

const PATHS = [
  '',
  '/',
  '/nothing',
  '/guilds',
  '/guilds/{guildId}',
  ...new Set(DOCUMENTED.map(({ path }) => path)),
];
const METHODS = [
  'GET',
  'POST',
  'DELETE',
  'PUT',
  'PATCH',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'LINK',
  'QUERY',
];

const withLength = (body: string, type = 'application/json') => [
  `Content-Type: ${type}`,
  `Content-Length: ${Buffer.byteLength(body)}`,
];

/** How a request is corrupted: the replacements for its path, headers and body. */
const CORRUPTIONS: readonly [
  string,
  (path: string) => [target: string, headers?: string[], body?: string],
][] = [
  ['nothing', (path) => [path, [bearer]]],
  ['no token', (path) => [path]],
  ['a token twice', (path) => [path, [bearer, bearer]]],
  ['broken JSON', (path) => [path, [bearer, ...withLength('{')], '{']],
  ['form data', (path) => [path, [bearer, ...withLength('a=b', 'application/x-www-form-urlencoded')], 'a=b']],
  ['an unknown coding', (path) => [path, [bearer, 'Content-Encoding: br', ...withLength('{}')], '{}']],
  ['a malformed escape at its end', (path) => [`${path}/%E0%A4%A`, [bearer]]],
  ['a slash at its end', (path) => [`${path}/`, [bearer]]],
  ['doubled slashes', (path) => [path.replaceAll('/', '//'), [bearer]]],
  ['encoded slashes', (path) => [`${path.slice(0, 1)}${path.slice(1).replaceAll('/', '%2F')}`, [bearer]]],
  ['dot segments', (path) => [`${path}/../././x`, [bearer]]],
  ['an odd query', (path) => [`${path}?limit=%00&limit=%E0%A4%A&__proto__=1&&=&?`, [bearer]]],
  ['an origin', (path) => [path, [bearer, 'Origin: https://evil.example']]],
  ['a scheme and a host', (path) => [`http://evil.example${path}`, [bearer]]],
];

describe('every path with every method, corrupted in every way, over a socket', () => {
  it.each(CORRUPTIONS)('%s: the envelope, the limits, a request id, no 5xx', async (_what, corrupt) => {
    verifies('G16', 'H5');
    let swept = 0;
    for (const template of PATHS) {
      const plain = template.replace('{guildId}', guild.id).replace(/\{(\w+)\}/g, 'x_$1');
      const [target, headers, body] = corrupt(plain);
      const absolute = target.startsWith('http:')
        ? target.replace('.example/', '.example/api/public/v1/').replace(/example$/, 'example/api/public/v1')
        : `/api/public/v1${target}`;
      await Promise.all(
        METHODS.filter((each) => !needsNothing(each, template)).map(async (method) => {
          expectOnWire(await request(method, absolute, headers, body), `${method} ${absolute}`, method);
        }),
      );
      swept += METHODS.length;
      await web.db.pool.query('DELETE FROM budgets');
    }
    // Fourteen rounds make more than 500 requests.
    expect(swept).toBeGreaterThan(200);
  });
});

describe('a request line', () => {
  it.each([
    ['/api/public/v1/%E0%A4%A', 404],
    ['/api/public/v1/%00', 404],
    ['/api/public/v1/me%00', 404],
    ['/api/public/v1/ME', 404],
    ['/api/public/v1/me;x=1', 404],
    ['/api/public/v1/m%65', 200],
    ['/api/public/v1/me?', 200],
    ['/api/public/v1/me#x', 200],
    ['/api/public/v1/x/../me', 200],
    ['/api/public/v1/./me', 200],
    ['/api/public/v1/%2e%2e/v1/me', 200],
    ['/api/public/v1/%2e%2e%2fv1/me', 404],
    ['/api/public/v1/../../api-tokens', 404],
    ['//api/public/v1/me', 404],
    ['/api/public//v1/me', 404],
    ['/api/public/v1//me', 404],
    ['http://evil.example/api/public/v1/me', 200],
    ['https://user:pass@evil.example:99999/api/public/v1/me', 200],
  ])('%s is %i, and nothing but JSON', async (target, status) => {
    verifies('H5', 'G16');
    const answer = await request('GET', target, [bearer]);
    expectOnWire(answer, target);
    expect(answer.status, answer.text).toBe(status);
  });
});

describe('a body', () => {
  const target = () => `/api/public/v1/guilds/${guild.id}/strikes`;
  const headersOf = (...more: string[]) => [fromSomewhere(), bearer, ...more];
  const JSON_TYPE = 'Content-Type: application/json';

  async function post(headers: string[], body: string | Buffer): Promise<WireAnswer> {
    const head = requestBytes('POST', target(), headersOf(...headers));
    const answer = await sendBytes(server.port, Buffer.concat([Buffer.from(head), Buffer.from(body)]));
    expectOnWire(answer, headers.join(', '));
    return answer;
  }

  it.each([64 * 1024 + 1, 11 * 1024 * 1024])(
    'of %i bytes is refused, announced or not, and nothing is made of its beginning',
    async (bytes) => {
      verifies('H6');
      await seedWindow(web.db, guild, token);
      const input = { user_id: guild.memberId, reason: 'spam', severity: 'minor' };
      const right = {
        ...input,
        _confirmation: `ADD STRIKE TO USER ${guild.memberId} IN GUILD ${guild.id} SEVERITY MINOR`,
      };
      // The required fields come first, so a server that cut the body could perform the call.
      const body = JSON.stringify(right).padEnd(bytes, ' ');
      const announced = await post([JSON_TYPE, `Content-Length: ${bytes}`], body);
      expect(announced.status).toBe(413);
      const chunk = `${bytes.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
      expect((await post([JSON_TYPE, 'Transfer-Encoding: chunked'], chunk)).status).toBe(413);
      const { rows } = await web.db.pool.query('SELECT FROM actions WHERE guild_id = $1', [guild.id]);
      expect(rows).toEqual([]);
    },
  );

  it.each([
    ['text/plain', '{}'],
    ['application/x-www-form-urlencoded', 'reason=spam'],
    ['multipart/form-data; boundary=x', '--x--'],
    ['application/json-patch+json', '[]'],
    ['application/jsonp', '{}'],
    ['', '{}'],
  ])('said to be %j is 400', async (type, body) => {
    verifies('H5');
    const typed = type === '' ? [] : [`Content-Type: ${type}`];
    expect((await post([...typed, `Content-Length: ${body.length}`], body)).status).toBe(400);
  });

  it('in another coding than it says, or in broken UTF-8, is 400', async () => {
    verifies('H7');
    for (const [more, body, said] of [
      [['Content-Encoding: gzip'], gzipSync('{"reason":"spam"}'), /not UTF-8.*not compressed/],
      [[], Buffer.from('{"reason":"Müll"}', 'latin1'), /not UTF-8/],
      [[], Buffer.from('{"reason":"spam"}', 'utf16le'), /not valid JSON/],
    ] as const) {
      const refused = await post([JSON_TYPE, ...more, `Content-Length: ${body.length}`], body);
      expect(refused.status).toBe(400);
      expect(JSON.parse(refused.text).error.message).toMatch(said);
    }
  });

  it.each([
    ['a length and chunks', ['Content-Length: 2', 'Transfer-Encoding: chunked'], '0\r\n\r\n'],
    ['two lengths', ['Content-Length: 2', 'Content-Length: 3'], '{}'],
    ['a length that is none', ['Content-Length: -1'], '{}'],
    ['a chunk that is none', ['Transfer-Encoding: chunked'], 'zz\r\n'],
  ])('with %s cannot be parsed: 400, in the envelope', async (_what, headers, body) => {
    verifies('H5');
    const bytes = requestBytes('POST', target(), headersOf(JSON_TYPE, ...headers), body);
    const { status, text, headers: answered } = await sendBytes(server.port, bytes);
    expect(status).toBe(400);
    expect(JSON.parse(text).error).toMatchObject({ code: 'VALIDATION_FAILED', retryable: false });
    expect(answered.get('X-Request-Id')).toBe(JSON.parse(text).error.request_id);
    // Where it ends nobody knows, so nothing more is read from the connection.
    expect(answered.get('Connection')).toBe('close');
  });

  it('with a field in the query, or with two idempotency keys, is 400 and says where', async () => {
    const body = '{"user_id":"123456789012345678","severity":"minor","reason":"spam"}';
    const typed = [bearer, JSON_TYPE, `Content-Length: ${body.length}`];
    const path = `/api/public/v1/guilds/${guild.id}/strikes`;
    const issuesOf = ({ text }: WireAnswer) => JSON.parse(text).error.details?.issues;
    const queried = await request('POST', `${path}?reason=other`, typed, body);
    expect([queried.status, issuesOf(queried)]).toEqual([
      400,
      [{ path: 'reason', message: 'belongs in the JSON body' }],
    ]);
    const many = Array.from({ length: 100 }, (_, n) => `${n}${'x'.repeat(120)}`).join('&');
    const told = issuesOf(await request('POST', `${path}?${many}`, typed, body));
    expect(told).toHaveLength(20);
    expect(told[0].path).toHaveLength(100);
    const keys = ['Idempotency-Key: one', 'Idempotency-Key: two'];
    const twice = await request('POST', path, [...typed, ...keys], body);
    expect([twice.status, issuesOf(twice)?.[0]?.path]).toEqual([400, 'Idempotency-Key']);
  });

  it('that stops half-way leaves the server as it was, and nothing behind', async () => {
    for (const headers of [['Content-Length: 100'], ['Transfer-Encoding: chunked']]) {
      const socket = connect(server.port, '127.0.0.1');
      const start = headers[0]?.startsWith('T') ? '40\r\n{"reason":' : '{"reason":';
      socket.write(requestBytes('POST', target(), headersOf(JSON_TYPE, ...headers), start), () =>
        socket.end(),
      );
      await answerOn(socket).catch(() => undefined);
    }
    const { rows } = await web.db.pool.query('SELECT FROM actions WHERE guild_id = $1', [guild.id]);
    expect(rows).toEqual([]);
    expect((await request('GET', '/api/public/v1/me', [bearer])).status).toBe(200);
  });

  it('is awaited from a client that asks first whether to send it', async () => {
    const body = '{"reason":1}';
    const answer = await post([JSON_TYPE, 'Expect: 100-continue', `Content-Length: ${body.length}`], body);
    expect(answer.status).toBe(422);
  });
});

describe('another version of HTTP', () => {
  it('1.0 is answered like 1.1', async () => {
    verifies('G16');
    const lines = ['GET /api/public/v1/me HTTP/1.0', fromSomewhere(), bearer, '', ''];
    const answer = await sendBytes(server.port, lines.join('\r\n'));
    expectOnWire(answer, 'HTTP/1.0');
    expect(answer.status).toBe(200);
  });

  it('that is none, a tunnel or a method nobody knows is 400, as JSON', async () => {
    verifies('H5');
    for (const line of [
      'GET /api/public/v1/me HTTP/9.9',
      'CONNECT /api/public/v1/me HTTP/1.1',
      'CONNECT example.com:443 HTTP/1.1',
      'TRACK /api/public/v1/me HTTP/1.1',
      'get /api/public/v1/me HTTP/1.1',
      '\u0016\u0003\u0001',
    ]) {
      const { status, text } = await sendBytes(
        server.port,
        `${line}\r\nHost: x\r\nConnection: close\r\n\r\n`,
      );
      expect(status, line).toBe(400);
      expect(JSON.parse(text).error.request_id, line).toMatch(/^req_/);
    }
  });
});

describe('a header that belongs to the framework', () => {
  it.each([
    ['X-Middleware-Subrequest: middleware:middleware:middleware:middleware:middleware'],
    ['X-Middleware-Subrequest: src/middleware'],
    ['X-Middleware-Rewrite: /api/public/v1/me'],
    ['X-Middleware-Next: 1'],
    ['X-Invoke-Path: /api/public/v1/me'],
    ['X-Matched-Path: /api/public/v1/me'],
    ['X-Nextjs-Data: 1'],
    ['X-Now-Route-Matches: 1=me'],
    ['RSC: 1'],
    ['Next-Router-Prefetch: 1'],
    ['Next-Action: 0000000000000000000000000000000000000000'],
    ['X-HTTP-Method-Override: GET'],
    ['X-Original-URL: /api/public/v1/me'],
    ['X-Rewrite-URL: /healthz'],
  ])('%s opens nothing and changes nothing', async (header) => {
    verifies('H3', 'G17');
    const closed = await seedToken(web.db, guild, { ipAllowlist: ['203.0.113.7'] });
    const strikes = `/api/public/v1/guilds/${guild.id}/strikes`;
    const other = await seedGuild(web.db);
    for (const [target, headers, status] of [
      ['/api/public/v1/me', [], 401],
      ['/api/public/v1/me', [`Authorization: Bearer ${closed.secret}`], 403],
      [`/api/public/v1/guilds/${other.id}/strikes`, [bearer], 403],
      [strikes, [], 401],
      [`${strikes}.rsc`, [bearer], 404],
      [`${strikes}?_rsc=1`, [bearer], 400],
      [strikes, [bearer], 200],
      ['/api/public/v1/nowhere', [bearer], 404],
      ['/api/api-tokens?guild_id=1', [bearer], 401],
      [`/api/api-tokens/${token.id}/reauth-window`, [], 401],
    ] as const) {
      const plain = await request('GET', target, [...headers]);
      const headed = await request('GET', target, [...headers, header]);
      expect([headed.status, codeOf(headed)], target).toEqual([plain.status, codeOf(plain)]);
      expect(headed.status, target).toBe(status);
    }
  });
});

function codeOf({ text }: WireAnswer): string | undefined {
  return JSON.parse(text).error?.code;
}
