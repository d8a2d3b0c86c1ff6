// What becomes of the stored login, and of its token at the instance.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { freePort, verifies } from '@bailiff/core/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { logout } from '#src/commands/logout.ts';
import { Store } from '#src/store.ts';
import { FarEnd, GUILD, SECRET, temporaryFolder } from './support.ts';

const TERMINAL = join(import.meta.dirname, '..', 'src', 'terminal.ts');
const TOKEN = `tok_${'1'.repeat(32)}`;
const far = new FarEnd();

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let store: Store;

beforeAll(async () => {
  await far.start();
  folder = await temporaryFolder();
});
afterAll(async () => {
  far.close();
  await folder.remove();
});
beforeEach(async () => {
  far.reset();
  far.answer = () => ({ body: {} });
  store = new Store(folder.path);
  await store.write({ url: far.url, secret: SECRET, token_id: TOKEN, guild_id: GUILD });
});

/** Logs out. `answer` is what the person at the terminal says; undefined if nobody is there. */
async function run(revoke: boolean | null, answer?: boolean | null) {
  const lines: string[] = [];
  const asked: string[] = [];
  const terminal = {
    isInteractive: answer !== undefined,
    print: (line: string) => void lines.push(line),
    say: (line: string) => void lines.push(line),
    open: async () => false,
    confirm: async (question: string) => {
      asked.push(question);
      return answer ?? null;
    },
  };
  const code = await logout({ env: {}, store, terminal }, revoke);
  const output = lines.join('\n');
  expect(output).not.toContain(SECRET);
  return { code, output, asked: asked.length, isStored: (await store.read()).kind !== 'none' };
}

test.each([
  ['--revoke', true, undefined, 0],
  ['--revoke at a terminal', true, false, 0],
  ['an answer of yes', null, true, 1],
])('%s revokes the token at the instance that issued it', async (_what, revoke, answer, asked) => {
  verifies('mcp.logout.revokes');
  expect(await run(revoke, answer)).toEqual({
    code: 0,
    asked,
    isStored: false,
    output: `${store.path} is removed.\nThe token (${TOKEN}) is revoked, and works nowhere any more.`,
  });
  expect(far.received).toMatchObject([
    { method: 'POST', path: '/api/oauth/revoke', body: { token: SECRET } },
  ]);
});

test.each([
  ['--keep', false, undefined, 0],
  ['--keep at a terminal', false, true, 0],
  ['an answer of no', null, false, 1],
  ['nobody to ask', null, undefined, 0],
])('%s keeps the token, and says where it can be revoked', async (_what, revoke, answer, asked) => {
  verifies('mcp.logout.revokes');
  const page = `${far.url}/guilds/${GUILD}/tokens`;
  expect(await run(revoke, answer)).toEqual({
    code: 0,
    asked,
    isStored: false,
    output: `${store.path} is removed.\nThe token itself (${TOKEN}) still works: revoke it on ${page}.`,
  });
  expect(far.received).toEqual([]);
});

test('whoever leaves the question changes nothing', async () => {
  verifies('mcp.logout.revokes');
  expect(await run(null, null)).toMatchObject({ code: 1, isStored: true, output: 'Nothing has changed.' });
  expect(far.received).toEqual([]);
});

test.each([
  [
    'is an older release',
    () => ({ status: 404, body: { error: { code: 'NOT_FOUND' } } }),
    'did not revoke it (404)',
  ],
  ['limits the address', () => ({ status: 429, body: { error: { code: 'RATE_LIMITED' } } }), '(429)'],
  ['is hidden by a page of a proxy', () => ({ body: 'Please sign in' }), 'did not revoke it (200)'],
  ['breaks the connection', () => undefined, 'cannot be reached'],
])(
  'an instance that %s: the login is forgotten, and the token may still work',
  async (_what, answer, why) => {
    verifies('mcp.logout.revokes');
    far.answer = answer;
    const { code, output, isStored } = await run(true);
    expect([code, isStored]).toEqual([1, false]);
    expect(output).toContain(why);
    expect(output).toContain(
      `The token (${TOKEN}) may still work: revoke it on ${far.url}/guilds/${GUILD}/tokens.`,
    );
  },
);

test('a redirect is not followed: the token would go to another server', async () => {
  verifies('mcp.logout.revokes');
  const elsewhere = new FarEnd();
  await elsewhere.start();
  elsewhere.answer = () => ({ body: {} });
  far.answer = ({ path }) => ({ status: 307, headers: { Location: `${elsewhere.url}${path}` }, body: {} });
  const { code, output } = await run(true);
  elsewhere.close();
  expect(elsewhere.received).toEqual([]);
  expect(code).toBe(1);
  expect(output).toContain('did not revoke it (307)');
});

test('an instance that is away: the login is forgotten, and the token may still work', async () => {
  verifies('mcp.logout.revokes');
  const url = `http://127.0.0.1:${await freePort()}`;
  await store.write({ url, secret: SECRET, token_id: TOKEN, guild_id: GUILD });
  const { code, output, isStored } = await run(null, true);
  expect([code, isStored]).toEqual([1, false]);
  expect(output).toContain(`${url} cannot be reached (ECONNREFUSED).`);
  expect(output).toContain('may still work');
});

test('a login that cannot be read is removed, and nobody says that its token is revoked', async () => {
  verifies('mcp.logout.revokes');
  await writeFile(store.path, 'nothing');
  await chmod(store.path, 0o600);
  expect(await run(true)).toMatchObject({
    code: 1,
    isStored: false,
    output: expect.stringContaining('is not revoked'),
  });
  expect(await run(true)).toMatchObject({ code: 0, output: 'There was no stored token.' });
});

test.each([
  ['\n', 'true'],
  ['Yes\n', 'true'],
  ['y\n', 'true'],
  ['n\n', 'false'],
  ['what?\nno\n', 'false'],
  ['', 'null'],
])('%j at the terminal is %s', async (typed, expected) => {
  verifies('mcp.logout.revokes');
  const script = `import { TERMINAL } from ${JSON.stringify(TERMINAL)};
    console.log(await TERMINAL.confirm('Revoke?'));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.end(typed);
  const [said, asked] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  expect(said).toBe(`${expected}\n`);
  expect(asked).toContain('Revoke? [Y/n] ');
});
