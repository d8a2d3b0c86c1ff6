import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { glob, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OPERATIONS } from '@bailiff/core';
import { freePort, verifies } from '@bailiff/core/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readArguments } from '#src/arguments.ts';
import { everyPath, FarEnd, GUILD, MAIN, ME, refusal, SECRET, temporaryFolder } from './support.ts';

const SOURCES = join(import.meta.dirname, '..', 'src');
const far = new FarEnd();

beforeAll(() => far.start());
afterAll(() => far.close());

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command to its end, without a terminal unless one is asked for: then all that it says is its output. */
async function run(
  args: readonly string[],
  { env = {}, input = '', inTerminal = false } = {},
): Promise<Ended> {
  const command = [process.execPath, MAIN, ...args];
  const [file = '', ...rest] = inTerminal
    ? ['script', '-qec', command.map((part) => JSON.stringify(part)).join(' '), '/dev/null']
    : command;
  const child = spawn(file, rest, {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      XDG_CONFIG_HOME: '/nowhere',
      BAILIFF_URL: far.url,
      ...env,
    },
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdin.end(input);
  const [code] = (await once(child, 'close')) as [number];
  return { code, stdout, stderr };
}

test.each([
  [[], { command: 'serve', offer: { readOnly: false, tools: null } }],
  [
    ['serve', '--read-only', '--tools', 'a, b'],
    { command: 'serve', offer: { readOnly: true, tools: ['a', 'b'] } },
  ],
  [['--tools='], { command: 'serve', offer: { readOnly: false, tools: [''] } }],
  [
    ['login', '--url', 'https://x.test', '--no-browser'],
    { command: 'login', options: { url: 'https://x.test', headless: false, openBrowser: false } },
  ],
  [['doctor'], { command: 'doctor' }],
  [['logout'], { command: 'logout', revoke: null }],
  [['logout', '--revoke'], { command: 'logout', revoke: true }],
  [['logout', '--keep'], { command: 'logout', revoke: false }],
  [
    ['logout', '--keep', '--revoke'],
    { command: 'wrong', problem: 'logout takes --revoke or --keep, not both.' },
  ],
  [['status', '--help'], { command: 'help' }],
  [['status', '--read-only'], { command: 'wrong', problem: 'status takes no --read-only.' }],
  [['moderate'], { command: 'wrong', problem: 'There is no command "moderate".' }],
  [['login', 'now'], { command: 'wrong', problem: 'There is no command "login now".' }],
])('%j is read', (args, asked) => {
  expect(readArguments(args)).toEqual(asked);
});

test('--help names every command and option; a wrong one says where to look', async () => {
  const { code, stdout } = await run(['--help']);
  expect(code).toBe(0);
  for (const word of [
    'login',
    'serve',
    'status',
    'logout',
    'doctor',
    '--read-only',
    '--tools',
    '--url',
    '--headless',
    '--revoke',
    '--keep',
  ]) {
    expect(stdout).toContain(word);
  }
  expect(await run(['--shout'])).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('--help'),
  });
  expect(await run(['--tools', 'ban_user,ban_all'])).toMatchObject({
    code: 2,
    stdout: '',
    stderr: 'There is no tool ban_all.\n',
  });
});

test('login without a terminal says which command to run in one', async () => {
  expect(await run(['login', '--url', far.url])).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining(` login --url ${far.url}`),
  });
});

test('status tells who the token is; without one, or with a dead one, what to do', async () => {
  const env = { BAILIFF_TOKEN: SECRET };
  const { code, stdout } = await run(['status'], { env });
  expect(code).toBe(0);
  for (const fact of ['assistant', 'mira', GUILD, 'bans.write', 'never', 'closed', '119 of 120'])
    expect(stdout).toContain(fact);
  expect(stdout).not.toContain(SECRET);
  expect(await run(['status'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`login --url ${far.url}`),
  });
  far.me = () => refusal(401, 'TOKEN_EXPIRED', false);
  expect(await run(['status'], { env })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('TOKEN_EXPIRED'),
  });
  far.reset();
});

test('doctor names what is wrong', async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const { code, stdout } = await run(['doctor'], { env: { BAILIFF_URL: url, BAILIFF_TOKEN: SECRET } });
  expect(code).toBe(1);
  expect(stdout).toContain(`✗ ${url} cannot be reached (ECONNREFUSED)`);
  expect(stdout).not.toContain(SECRET);
});

test('doctor says by how much the clocks differ, and which features the instance lacks', async () => {
  const env = { BAILIFF_TOKEN: SECRET };
  far.answer = () => ({
    headers: { Date: new Date(Date.now() - 40_000).toUTCString() },
    body: { paths: {} },
  });
  const late = await run(['doctor'], { env });
  expect(late.code).toBe(1);
  expect(late.stdout).toMatch(/✗ The clocks differ by (39|4\d) s: set the one of this computer/);
  expect(late.stdout).toContain('✗ The instance is older: it lacks ');
  expect(late.stdout).toContain('✓ The token assistant works in Harbourlight, with 19 capabilities now');
  const paths = everyPath();
  const { post: _, ...older } = paths['/api/public/v1/guilds/{guildId}/bans'] ?? {};
  far.answer = () => ({ body: { paths: { ...paths, '/api/public/v1/guilds/{guildId}/bans': older } } });
  expect((await run(['doctor'], { env })).stdout).toContain(
    `✗ The instance is older: it lacks ${OPERATIONS['bans.add'].summary}\n`,
  );
  far.answer = () => ({ body: { paths } });
  const { code, stdout } = await run(['doctor'], { env });
  expect(stdout).toContain('✓ The clocks agree');
  expect([code, stdout.match(/✗/g)]).toEqual([0, null]);
  far.reset();
});

test('what an instance gives in place of a token is not kept', async () => {
  const config = await temporaryFolder();
  const codes = {
    device_code: 'device',
    user_code: 'ABCD-EFGH',
    verification_uri: `${far.url}/device`,
    verification_uri_complete: `${far.url}/device?user_code=ABCD-EFGH`,
    expires_in: 60,
    interval: 1,
  };
  far.answer = ({ path }) => ({
    body: path.endsWith('/code') ? codes : { access_token: 'ghp_else', token_id: 'tok_1', guild_id: GUILD },
  });
  const env = { XDG_CONFIG_HOME: config.path };
  const { code, stderr } = await run(['login', '--headless', '--no-browser', '--url', far.url], { env });
  expect(code).toBe(1);
  expect(stderr).toContain(`${far.url} gave something that is no token of Bailiff.`);
  expect(stderr).not.toContain('ghp_else');
  const kept = await readdir(config.path, { recursive: true, withFileTypes: true });
  expect(kept.filter((each) => !each.isDirectory())).toEqual([]);
  await config.remove();
  far.reset();
});

test('doctor and login name an address that is refused, and ask no other', async () => {
  verifies('mcp.commands.address');
  expect(await run(['login', '--headless', '--url', 'http://bailiff.example'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('http://bailiff.example is not encrypted'),
  });
  const { code, stdout } = await run(['doctor'], { env: { BAILIFF_URL: 'http://bailiff.example' } });
  expect(code).toBe(1);
  expect(stdout).toContain('✗ http://bailiff.example is not encrypted');
  expect(stdout).not.toContain('localhost');
});

test('a login that is refused for now says how long to wait, and for which address', async () => {
  verifies('mcp.commands.address');
  far.answer = () => ({ ...refusal(429, 'RATE_LIMITED', true), headers: { 'Retry-After': '212' } });
  const { code, stderr } = await run(['login', '--headless', '--url', far.url], { env: { BAILIFF_URL: '' } });
  expect(code).toBe(1);
  expect(stderr).toMatch(
    new RegExp(` gives no code: RATE_LIMITED\\. Try again in 212 s: .* login --url ${far.url}\n$`),
  );
  far.reset();
});

test('status shows the calls that the budgets of the token and of its issuer can both pay for', async () => {
  verifies('mcp.commands.budgets');
  const { token } = ME.budgets;
  const user = { ...token, destructive_write: { capacity: 6, remaining: 1, refill_per_minute: 1 } };
  far.me = () => ({
    body: {
      ...ME,
      budgets: { token: { ...token, destructive_write: { ...user.destructive_write, remaining: 6 } }, user },
    },
  });
  const { stdout } = await run(['status'], { env: { BAILIFF_TOKEN: SECRET } });
  expect(stdout).toContain('destructive write 1 of 6');
  far.reset();
});

test('a token in BAILIFF_TOKEN that the instance does not know is told by that name', async () => {
  verifies('mcp.unknown-token');
  far.me = () => refusal(401, 'UNAUTHORIZED', false, { reason: 'TOKEN_INVALID' });
  const { code, stderr } = await run(['status'], { env: { BAILIFF_TOKEN: SECRET } });
  expect(code).toBe(1);
  expect(stderr).toContain(`${far.url} does not know the token. It is the one in BAILIFF_TOKEN`);
  expect(stderr).toContain(` login --url ${far.url}`);
  expect(stderr).not.toContain('Authorization');
  far.reset();
});

test('a command whose reader has left ends without an error', async () => {
  verifies('mcp.commands.pipe');
  const child = spawn(process.execPath, [MAIN, 'status'], {
    env: { PATH: process.env.PATH, XDG_CONFIG_HOME: '/nowhere', BAILIFF_URL: far.url, BAILIFF_TOKEN: SECRET },
  });
  const closed = once(child, 'close');
  // It prints only what the instance has answered, and then nobody reads.
  far.me = () => {
    child.stdout.destroy();
    return { body: ME };
  };
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [code] = await closed;
  expect([code, stderr]).toEqual([0, '']);
  far.reset();
});

test('serve writes nothing but the protocol to stdout, and ends with stdin', async () => {
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  };
  const { code, stdout, stderr } = await run(['serve'], {
    env: { BAILIFF_TOKEN: SECRET },
    input: `this is no message\n{"jsonrpc":"2.0"}\n${JSON.stringify(initialize)}\n`,
  });
  expect(code).toBe(0);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines).toMatchObject([{ jsonrpc: '2.0', id: 1, result: { serverInfo: { name: 'bailiff' } } }]);
  expect(stderr).toMatch(/^bailiff-mcp: /);
});

// Only Linux has this `script`, which gives what it runs a terminal.
test.runIf(process.platform === 'linux' && existsSync('/usr/bin/script'))(
  'whoever starts serve in a terminal reads that it waits for a client',
  async () => {
    const { stdout } = await run(['serve'], { inTerminal: true });
    expect(stdout).toContain('this is for a client to start. Ctrl-C ends it; see --help.');
    expect((await run(['serve'])).stderr).toBe('');
  },
);

test('one file writes to stdout, and nothing that serve uses does', async () => {
  const writers: string[] = [];
  for await (const file of glob('**/*.ts', { cwd: SOURCES })) {
    const source = await readFile(join(SOURCES, file), 'utf8');
    if (/process\.stdout|console\.|\bstdout\b.*write/.test(source)) writers.push(file);
    if (file !== 'main.ts' && !file.startsWith('commands'))
      expect(source, file).not.toContain('/terminal.ts');
    if (file.endsWith('serve.ts')) expect(source).not.toMatch(/terminal\.print/);
  }
  expect(writers).toEqual(['terminal.ts']);
});
