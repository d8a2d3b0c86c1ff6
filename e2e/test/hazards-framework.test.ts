// Authorisation as it meets the built product: Next.js with its own handling of headers and paths, not a stand-in.
import { type Exchange, Owner, send } from '@bailiff/sandbox/visitor';
import { refillBudgets } from '#src/budgets.ts';
import { run } from '#src/run.ts';
import { expect, test, verifies } from '#src/testing.ts';

test.beforeAll(() => refillBudgets(run.directory));

const FRAMEWORK_HEADERS: readonly Record<string, string>[] = [
  { 'x-middleware-subrequest': 'middleware:middleware:middleware:middleware:middleware' },
  { 'x-middleware-subrequest': 'src/proxy:src/proxy:src/proxy:src/proxy:src/proxy' },
  { 'x-middleware-rewrite': '/api/public/v1/me' },
  { 'x-middleware-next': '1' },
  { 'x-invoke-path': '/', 'x-invoke-status': '200' },
  { 'x-matched-path': '/' },
  { 'x-nextjs-data': '1' },
  { 'x-now-route-matches': '1=x' },
  { rsc: '1' },
  { rsc: '1', 'next-router-prefetch': '1', 'next-url': '/' },
  { 'next-action': '0'.repeat(40) },
];

/** What a page of the guild shows to its owner, and to nobody else. */
let guildName: string;

test.beforeAll(async () => {
  const owner = await Owner.signIn(run.web, run.people.owner ?? '');
  const minted = await owner.mint(run.guild_id, 'framework');
  const { token, secret } = minted.body as { token: { id: string }; secret: string };
  const me = await send(`${run.web}/api/public/v1/me`, { headers: { authorization: `Bearer ${secret}` } });
  guildName = (me.body as { guild: { name: string } }).guild.name;
  await owner.revoke(token.id);
});

const json = { accept: 'application/json' };

function outcome({ status, body }: Exchange): string {
  const code = (body as { error?: { code?: string } } | undefined)?.error?.code;
  return `${status} ${code ?? 'no code'}`;
}

for (const headers of FRAMEWORK_HEADERS) {
  test.describe(`with ${JSON.stringify(headers)}`, () => {
    test('the APIs let nobody in and answer as without it', async () => {
      verifies('H3', 'G17');
      const guild = run.guild_id;
      const requests: [string, string][] = [
        ['GET', '/api/public/v1/me'],
        ['GET', `/api/public/v1/guilds/${guild}/strikes`],
        ['GET', `/api/public/v1/guilds/${guild}/strikes.rsc`],
        ['GET', `/api/public/v1/guilds/${guild}/strikes?_rsc=1`],
        ['GET', `/api/public/v1/guilds/${encodeURIComponent(`${guild}/../x`)}/strikes`],
        ['POST', `/api/public/v1/guilds/${guild}/bans`],
        ['GET', `/api/api-tokens?guild_id=${guild}`],
        ['POST', '/api/api-tokens'],
        ['POST', '/api/api-tokens/tok_00000000000000000000000000000000/reauth-window'],
        ['GET', '/api/approvals?token=x'],
      ];
      for (const [method, path] of requests) {
        const plain = await send(`${run.web}${path}`, { method, headers: json });
        const headed = await send(`${run.web}${path}`, { method, headers: { ...json, ...headers } });
        expect(outcome(headed), `${method} ${path}`).toBe(outcome(plain));
        expect(headed.status, `${method} ${path}`).toBeGreaterThanOrEqual(400);
        expect(headed.status, `${method} ${path}`).toBeLessThan(500);
      }
    });

    test('a guild’s pages show a stranger nothing of it', async () => {
      verifies('H3', 'G17');
      for (const page of ['', '/tokens', '/audit', '/servers', '/approvals', '/settings']) {
        for (const suffix of ['', '.rsc', '?_rsc=1', '%2F..%2F..']) {
          const path = `/guilds/${run.guild_id}${page}${suffix}`;
          const { status, text } = await send(`${run.web}${path}`, { headers });
          expect(status, path).toBeLessThan(500);
          expect(text, path).not.toContain(run.people.owner);
          expect(text, path).not.toContain(guildName);
        }
      }
    });
  });
}

test('Next fetches no path of its own for an image', async () => {
  verifies('limits.no-images');
  for (const path of ['/api/auth/csrf', '/api/public/v1/me', '/sign-in']) {
    const image = `/_next/image?url=${encodeURIComponent(path)}&w=64&q=75`;
    // As for any page that is not there: it would be another status if the path had been fetched.
    expect((await send(`${run.web}${image}`)).status, path).toBe(404);
  }
});

test('a file is answered whole, whatever part of it or version is asked for', async () => {
  verifies('limits.files-whole');
  const { text } = await send(`${run.web}/sign-in`);
  const [file] = /\/_next\/static\/[^"]+\.js/.exec(text) ?? [];
  const whole = await send(`${run.web}${file}`);
  expect(whole.status).toBe(200);
  for (const headers of [
    { Range: 'bytes=999999999-' },
    { 'If-Match': '"x"' },
    { 'If-Unmodified-Since': 'Mon, 01 Jan 2001 00:00:00 GMT' },
  ]) {
    expect(await send(`${run.web}${file}`, { headers })).toMatchObject({ status: 200, text: whole.text });
  }
});

test('the owner’s own page does show its name, so that the rest is worth something', async () => {
  const owner = await Owner.signIn(run.web, run.people.owner ?? '');
  const { status, text } = await owner.request('GET', `/guilds/${run.guild_id}`);
  expect([status, text.includes(guildName)]).toEqual([200, true]);
});
