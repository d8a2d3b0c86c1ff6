// What commands say to the person who runs them, and which browser they open.
import { mkdirSync } from 'node:fs';
import { chmod, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { CommandContext } from '#src/commands/context.ts';
import { doctor } from '#src/commands/doctor.ts';
import { login } from '#src/commands/login.ts';
import { logout } from '#src/commands/logout.ts';
import { status } from '#src/commands/status.ts';
import { Store } from '#src/store.ts';
import { TERMINAL } from '#src/terminal.ts';
import { everyPath, FarEnd, GUILD, ME, refusal, SECRET, temporaryFolder, USER } from './support.ts';

const far = new FarEnd();
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let store: Store;

beforeAll(async () => {
  await far.start();
  folder = await temporaryFolder();
  store = new Store(folder.path);
});
afterAll(async () => {
  far.close();
  await folder.remove();
});
beforeEach(() => far.reset());

/** A terminal that nobody answers, and what was written to it. */
function terminal() {
  const lines: string[] = [];
  const opened: string[] = [];
  return {
    lines,
    opened,
    isInteractive: true,
    print: (line: string) => void lines.push(line),
    say: (line: string) => void lines.push(line),
    confirm: async () => null,
    open: async (url: string) => opened.push(url) > 0,
  };
}

test('a login names this computer, opens the page unless it is told not to, and says that BAILIFF_TOKEN still overrides it', async () => {
  const page = `${far.url}/device?user_code=ABCD-EFGH`;
  const codes = { device_code: 'device', user_code: 'ABCD-EFGH', expires_in: 60, interval: 1 };
  far.answer = ({ path }) => ({
    body: path.endsWith('/code')
      ? { ...codes, verification_uri: `${far.url}/device`, verification_uri_complete: page }
      : { access_token: SECRET, token_id: `tok_${'1'.repeat(32)}`, guild_id: GUILD },
  });
  const own = terminal();
  const options = { url: far.url, openBrowser: true, headless: false };
  const quiet = { env: {}, store: new Store(join(folder.path, 'quiet')), terminal: terminal() };
  const done = await Promise.all([
    login({ env: { BAILIFF_TOKEN: SECRET }, store, terminal: own }, options),
    login(quiet, { ...options, openBrowser: false }),
  ]);
  expect(done).toEqual([0, 0]);
  expect(own.opened).toEqual([page]);
  expect(own.lines.at(-1)).toBe('BAILIFF_TOKEN is set and overrides it: unset it to use this login.');
  const { client_name: name } = far.received[0]?.body ?? {};
  expect(name).toBe(`Bailiff MCP on ${hostname()}`.slice(0, 64));
  expect(quiet.terminal.opened).toEqual([]);
});

test('a login that could not keep its token asks for none, and names the file', async () => {
  const file = join(folder.path, 'file');
  await writeFile(file, '');
  const own = terminal();
  const context = { env: {}, store: new Store(join(file, 'folder')), terminal: own };
  expect(await login(context, { url: far.url, openBrowser: false, headless: false })).toBe(1);
  expect(far.received).toEqual([]);
  expect(own.lines).toEqual([`${context.store.path} cannot be written (ENOTDIR). No token was asked for.`]);
});

test.each([
  [200, {}, 'The token was revoked.'],
  [503, {}, 'revoke it on'],
])(
  'a login whose file cannot be written any more revokes its token, and says so (%i)',
  async (status, body, said) => {
    const context = { env: {}, store: new Store(join(folder.path, `lost-${status}`)), terminal: terminal() };
    const token_id = `tok_${'1'.repeat(32)}`;
    far.answer = ({ path }) => {
      if (path.endsWith('/code')) {
        const [verification_uri, verification_uri_complete] = [`${far.url}/device`, `${far.url}/device`];
        const codes = { device_code: 'device', user_code: 'ABCD-EFGH', expires_in: 60, interval: 1 };
        return { body: { ...codes, verification_uri, verification_uri_complete } };
      }
      if (path.endsWith('/revoke')) return { status, body };
      mkdirSync(context.store.path, { recursive: true });
      return { body: { access_token: SECRET, token_id, guild_id: GUILD } };
    };
    expect(await login(context, { url: far.url, openBrowser: false, headless: false })).toBe(1);
    expect(far.received.at(-1)).toMatchObject({ body: { token: SECRET } });
    expect(context.terminal.lines.at(-1)).toContain(`${context.store.path} cannot be written (EISDIR).`);
    expect(context.terminal.lines.at(-1)).toContain(said);
    expect(context.terminal.lines.join('')).not.toContain(SECRET);
  },
);

test('a logout says that BAILIFF_TOKEN is still used', async () => {
  const own = terminal();
  const env = { BAILIFF_TOKEN: SECRET };
  expect(await logout({ env, store: new Store(join(folder.path, 'none')), terminal: own }, null)).toBe(0);
  expect(own.lines).toEqual(['There was no stored token.', 'BAILIFF_TOKEN is set, and is still used.']);
});

test('what an instance says cannot steer the terminal', async () => {
  const message = 'Gone.\u001b[2J\u001b]0;owned\u0007 \u202eevil';
  far.me = () => ({
    status: 401,
    body: { error: { code: 'TOKEN_REVOKED', message, retryable: false, request_id: 'req_1', details: {} } },
  });
  const own = terminal();
  const env = { BAILIFF_TOKEN: SECRET, BAILIFF_URL: far.url };
  expect(await status({ env, store, terminal: own })).toBe(1);
  expect(own.lines[0]).toMatch(/^TOKEN_REVOKED: Gone\./);
  far.me = () => ({ body: { ...ME, guild: { ...ME.guild, name: `Harbour${message}`, state: 'trusted' } } });
  far.answer = () => ({ body: { paths: everyPath() } });
  expect(await status({ env, store, terminal: own })).toBe(0);
  await doctor({ env, store, terminal: own });
  const options = { url: far.url, openBrowser: false, headless: false };
  const login_url = `${far.url}/device?\u001b[2J`;
  const codes = { user_code: `ABCD${message}`, verification_uri: login_url, expires_in: 60, interval: 1 };
  far.answer = ({ path }) =>
    path.endsWith('/code')
      ? { body: { ...codes, device_code: 'device', verification_uri_complete: login_url } }
      : { status: 400, body: { error: 'access_denied', error_description: message } };
  expect(await login({ env, store, terminal: own }, options)).toBe(1);
  expect(own.lines.filter((line) => line.includes('Gone.'))).toHaveLength(5);
  for (const hidden of ['\u001b', '\u0007', '\u202e']) expect(own.lines.join('')).not.toContain(hidden);
});

test('status tells the whole of a token that may do little now, of somebody without a name', async () => {
  await store.write({ url: far.url, secret: SECRET, token_id: ME.token.id, guild_id: GUILD });
  const body = {
    ...ME,
    issuer: { ...ME.issuer, username: null },
    guild: { ...ME.guild, state: 'comparing' },
    effective_capabilities: [],
    window: { open: true, window: { expires_at: '2026-01-31T12:00:00.000Z' } },
  };
  far.me = () => ({ body });
  const own = terminal();
  expect(await status({ env: {}, store, terminal: own })).toBe(0);
  expect(own.lines).toEqual([
    `Instance      ${far.url}`,
    `Token         assistant (${ME.token.id}), from the stored login`,
    `Issued by     ${USER}`,
    `Guild         Harbourlight (${GUILD}), comparing`,
    'Capabilities  none now',
    'Expires       never',
    'Window        open until 2026-01-31T12:00:00.000Z',
    'Budgets       read 119 of 120, reversible write 119 of 120, destructive write 119 of 120',
  ]);
});

test('doctor finds a token that was revoked, a clock that is behind, and an address that is not Bailiff’s', async () => {
  await store.write({ url: far.url, secret: SECRET, token_id: ME.token.id, guild_id: GUILD });
  const wrong = async () => {
    const own = terminal();
    const code = await doctor({ env: {}, store, terminal: own });
    return [code, ...own.lines.filter((line) => !line.startsWith('✓'))];
  };
  const ahead = () => ({ Date: new Date(Date.now() + 45_000).toUTCString() });
  far.me = () => ({ body: { ...ME, guild: { ...ME.guild, state: 'trusted' } } });
  far.answer = () => ({ headers: ahead(), body: { paths: everyPath() } });
  const clock = expect.stringMatching(/^✗ The clocks differ by [34]\d s: set the one of this computer$/);
  expect(await wrong()).toEqual([1, clock]);
  far.answer = () => ({ body: {} });
  const other = `✗ ${far.url} answers 200, but not as Bailiff does. Is BAILIFF_URL right?`;
  expect(await wrong()).toEqual([1, other]);
  // It would end at another server than the calls with the token.
  const elsewhere = { Location: `${far.url}/elsewhere.json` };
  far.answer = ({ path }) =>
    path === '/openapi.json'
      ? { status: 307, headers: elsewhere, body: {} }
      : { body: { paths: everyPath() } };
  expect(await wrong()).toEqual([1, other.replace('200', '307')]);
  far.answer = () => ({ body: { paths: everyPath() } });
  far.me = () => refusal(401, 'TOKEN_REVOKED', false);
  expect(await wrong()).toEqual([1, expect.stringMatching(/^✗ TOKEN_REVOKED: /)]);
});

test('doctor finds a token that others of the computer’s group can read, and a guild that the bot cannot see', async () => {
  await store.write({ url: far.url, secret: SECRET, token_id: `tok_${'1'.repeat(32)}`, guild_id: GUILD });
  far.answer = () => ({ body: { paths: everyPath() } });
  const look = async () => {
    const own = terminal();
    const code = await doctor({ env: {}, store, terminal: own });
    return { code, wrong: own.lines.filter((line) => !line.startsWith('✓')) };
  };
  expect(await look()).toEqual({ code: 0, wrong: [] });
  await chmod(store.path, 0o640);
  const open = `✗ Others can read ${store.path}. Run: chmod 600 '${store.path}'`;
  expect(await look()).toEqual({ code: 1, wrong: [open] });
  far.me = () => ({ body: { ...ME, guild: { ...ME.guild, state: 'disconnected' } } });
  const away = `✗ The bot cannot say now what may be done in ${ME.guild.name}: the guild is disconnected`;
  expect(await look()).toEqual({ code: 1, wrong: [open, away] });
});

test.each<[string, (context: CommandContext) => Promise<number>]>([
  ['login', (context) => login(context, { url: far.url, openBrowser: false, headless: true })],
  ['logout --revoke', (context) => logout(context, true)],
  ['doctor', doctor],
])('%s does not wait for ever for an instance that never answers', async (_name, command) => {
  const whole = AbortSignal.timeout.bind(AbortSignal);
  const limits = vi.spyOn(AbortSignal, 'timeout');
  onTestFinished(() => limits.mockRestore());
  limits.mockImplementation((ms) => whole(Math.ceil(ms / 1_000)));
  await store.write({ url: far.url, secret: SECRET, token_id: `tok_${'1'.repeat(32)}`, guild_id: GUILD });
  far.answer = () => 'never';
  const own = terminal();
  expect(await command({ env: {}, store, terminal: own })).toBe(1);
  expect(own.lines.join('\n')).toContain(`${far.url} cannot be reached`);
});

test('doctor finds a token that may do nothing now', async () => {
  await store.write({ url: far.url, secret: SECRET, token_id: `tok_${'1'.repeat(32)}`, guild_id: GUILD });
  const own = terminal();
  const last = async () => [await doctor({ env: {}, store, terminal: own }), own.lines.at(-1)];
  const works = `The token ${ME.token.name} works in ${ME.guild.name}, with`;
  far.answer = () => ({ body: { paths: everyPath() } });
  expect(await last()).toEqual([0, `✓ ${works} ${ME.effective_capabilities.length} capabilities now`]);
  far.me = () => ({ body: { ...ME, effective_capabilities: [] } });
  expect(await last()).toEqual([1, `✗ ${works} 0 capabilities now`]);
});

test.runIf(process.platform === 'linux')(
  'a page is opened only where whoever runs the command sees it, and no address that is none of the web',
  async () => {
    const { PATH, DISPLAY, WAYLAND_DISPLAY, SSH_CONNECTION } = process.env;
    onTestFinished(() => {
      for (const [name, value] of Object.entries({ PATH, DISPLAY, WAYLAND_DISPLAY, SSH_CONNECTION }))
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
    });
    const { programs, opened } = await openers(['xdg-open']);
    const opens = (env: Record<string, string>, url = 'https://bailiff.test/device') => {
      for (const name of ['DISPLAY', 'WAYLAND_DISPLAY', 'SSH_CONNECTION']) delete process.env[name];
      Object.assign(process.env, env, { PATH: `${programs}:${PATH}` });
      return TERMINAL.open(url);
    };
    expect(await opens({ DISPLAY: ':0' })).toBe(true);
    await expect.poll(opened).toEqual(['xdg-open https://bailiff.test/device']);
    expect(await opens({ WAYLAND_DISPLAY: 'wayland-0' })).toBe(true);
    expect(await opens({})).toBe(false);
    expect(await opens({ DISPLAY: ':10', SSH_CONNECTION: '192.0.2.7 1 192.0.2.9 22' })).toBe(false);
    expect(await opens({ DISPLAY: ':0' }, 'file:///etc/passwd')).toBe(false);
  },
);

test.runIf(process.platform === 'linux').each([
  ['darwin', 'open https://bailiff.test/device?user_code=BCDF'],
  ['win32', 'rundll32 url.dll,FileProtocolHandler https://bailiff.test/device?user_code=BCDF'],
])(
  'on %s a page is opened by the program that opens pages there, without a shell',
  async (platform, line) => {
    const { PATH } = process.env;
    const own = Object.getOwnPropertyDescriptor(process, 'platform') ?? {};
    onTestFinished(() => {
      process.env.PATH = PATH;
      Object.defineProperty(process, 'platform', own);
    });
    const { programs, opened } = await openers(['open', 'rundll32', 'xdg-open']);
    process.env.PATH = `${programs}:${PATH}`;
    Object.defineProperty(process, 'platform', { ...own, value: platform });
    expect(await TERMINAL.open('https://bailiff.test/device?user_code=BCDF')).toBe(true);
    await expect.poll(opened).toEqual([line]);
  },
);

/** A folder with programs of these names that open nothing, and what tells how they were started. */
async function openers(names: readonly string[]) {
  const programs = await mkdtemp(join(folder.path, 'programs-'));
  const log = join(programs, 'opened');
  for (const name of names)
    await writeFile(join(programs, name), `#!/bin/sh\necho "${name} $*" >> '${log}'\n`, { mode: 0o755 });
  const opened = async () => (await readFile(log, 'utf8').catch(() => '')).split('\n').filter(Boolean);
  return { programs, opened };
}
