import { verifies } from '@bailiff/core/testing';
import { anyCharacter } from '@bailiff/core/testing-samples';
import { seedToken } from '@bailiff/engine/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DOCUMENTED, needsNothing } from './contract.ts';
import { expectEnvelope } from './envelope.ts';
import { type Call, type PublicApiHarness, startPublicApi } from './harness.ts';

let api: PublicApiHarness;

beforeAll(async () => {
  api = await startPublicApi();
});

afterAll(async () => {
  await api.close();
});

const METHODS = ['GET', 'POST', 'DELETE', 'PUT', 'PATCH', 'HEAD', 'OPTIONS', 'PROPFIND'];

const MALFORMED: [string, (path: string) => [string, Call]][] = [
  ['nothing', (path) => [path, {}]],
  ['no token', (path) => [path, { token: '' }]],
  ['a broken token', (path) => [path, { token: 'svcpat_x' }]],
  ['broken JSON', (path) => [path, { body: '{' }]],
  ['a NUL', (path) => [path, { body: '{"reason":"\\u0000","user_id":"\\u0000"}' }]],
  [
    'wrong types',
    (path) => [path, { body: { user_id: 1, reason: [], duration_minutes: 'x', count: {}, command: 1 } }],
  ],
  ['a deep body', (path) => [path, { body: `${'['.repeat(20_000)}${']'.repeat(20_000)}` }]],
  ['a prototype', (path) => [path, { body: '{"__proto__":{"x":1},"constructor":1}' }]],
  ['another content type', (path) => [path, { body: 'a=b', headers: { 'Content-Type': 'text/html' } }]],
  ['an odd query', (path) => [`${path}?limit=%00&cursor=%ff&limit=-1&__proto__=1`, {}]],
  ['a malformed escape', (path) => [`${path}/%E0%A4%A`, {}]],
];

/** GET and HEAD have no body (Fetch standard). */
const withoutBody = ({ body: _, ...call }: Call): Call => call;

describe('every path with every method and every malformed input', () => {
  const paths = [
    ...new Set(DOCUMENTED.map(({ path }) => path)),
    '',
    '/',
    '/nothing',
    '/guilds',
    '/guilds/{guildId}',
  ];

  it.each(MALFORMED)('%s: the envelope, the limits, a request id, no 5xx', async (_what, given) => {
    verifies('G16', 'H5', 'H7');
    let n = 0;
    for (const template of paths) {
      for (const method of METHODS.filter((each) => !needsNothing(each, template))) {
        const plain = template.replace('{guildId}', api.guild.id).replace(/\{(\w+)\}/g, 'x_$1');
        const [path, call] = given(plain);
        const carriesBody = method !== 'GET' && method !== 'HEAD';
        n += 1;
        const address = `198.51.100.${n % 200}`;
        const answer = await api.call(path, {
          ...(carriesBody ? call : withoutBody(call)),
          method,
          address,
        });
        expectEnvelope(answer, `${method} ${path}`);
      }
    }
    // Eleven rounds make more than 500 requests.
    expect(n).toBeGreaterThan(100);
  });
});

describe('any JSON', () => {
  it('as a body is answered, and text that is stored is stored as sent', async () => {
    verifies('H7');
    const anyText = fc.string({ unit: anyCharacter, minLength: 1, maxLength: 60 });
    const body = fc.record(
      {
        user_id: fc.oneof(fc.constant(api.guild.memberId), fc.jsonValue()),
        reason: fc.oneof(anyText, fc.jsonValue()),
        severity: fc.oneof(fc.constantFrom('minor', 'major'), fc.jsonValue()),
        category: fc.jsonValue(),
        _confirmation: fc.oneof(anyText, fc.jsonValue()),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(body, async (sent) => {
        expectEnvelope(await api.inGuild('/strikes', { method: 'POST', body: sent }), JSON.stringify(sent));
      }),
      { numRuns: 150 },
    );
    const token = await seedToken(api.database, api.guild);
    await fc.assert(
      fc.asyncProperty(anyText, async (reason) => {
        fc.pre(!reason.includes('\u0000') && reason.isWellFormed());
        const input = { user_id: api.guild.memberId, reason, severity: 'minor' };
        const answer = await api.inGuild('/strikes', { method: 'POST', token, body: input });
        expect(answer.body.error.code).toBe('RE_AUTH_REQUIRED');
        const { rows } = await api.database.pool.query('SELECT input FROM approval_requests WHERE id = $1', [
          answer.body.error.details.approval_id,
        ]);
        expect(rows[0].input.reason).toBe(reason);
      }),
      { numRuns: 60 },
    );
  });
});
