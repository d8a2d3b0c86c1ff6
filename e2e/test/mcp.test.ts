// The local MCP process as it is published: packed, installed in an empty folder, logged in through the device flow, started by
// the official client, against a running instance.

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { Owner, readSandbox, spareMembers } from '@bailiff/sandbox/visitor';
import { type Instance, instanceDirectory, startInstance } from '@bailiff/supervisor/instance';
import { type CallToolResult, Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Page } from '@playwright/test';
import { apiOf, refusalOf } from '#src/api.ts';
import { refillBudgets } from '#src/budgets.ts';
import { heardCard, signIn } from '#src/pages.ts';
import { expect, test, verifies } from '#src/testing.ts';

const DIST = resolve(import.meta.dirname, '..', '..', 'apps', 'mcp', 'dist');
const MOST_BYTES = 3 * 1024 * 1024;
const MOST_DEPENDENCIES = 10;
const run = promisify(execFile);

// Each goes on from the one before: installed, logged in, used, logged out.
test.describe.configure({ mode: 'serial' });

let home: Awaited<ReturnType<typeof instanceDirectory>>;
/** One of its own: the budgets of the owner are spent here to the last call. */
let instance: Instance;
let owner: Owner;
/** Where the owner is signed in. */
let page: Page;
let folder: string;
let environment: Record<string, string>;
let spare: string[];

test.beforeAll(async ({ browser }) => {
  home = await instanceDirectory();
  folder = join(home.path, 'empty');
  await mkdir(folder);
  [instance] = await Promise.all([startInstance({ directory: home.path }), installPackage()]);
  const { web, guild_id, people, sandbox } = instance.run;
  environment = {
    PATH: process.env.PATH ?? '',
    XDG_CONFIG_HOME: join(home.path, 'config'),
    BAILIFF_URL: web,
  };
  owner = await Owner.signIn(web, people.owner ?? '');
  page = await browser.newPage();
  await signIn(page, instance.run, 'owner');
  const { guild } = await readSandbox(sandbox ?? '', guild_id);
  spare = spareMembers(guild, people);
});
test.afterAll(async () => {
  await page?.close();
  await instance?.stop();
  await home?.remove();
});

/** Packs it and installs the tarball where there is nothing, and no registry. */
async function installPackage(): Promise<void> {
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: DIST });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  await writeFile(join(folder, 'package.json'), '{}');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(folder, filename)], {
    cwd: folder,
  });
}

const program = () => join(folder, 'node_modules', '.bin', 'bailiff-mcp');

function start(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [program(), ...args], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Runs a command of the program to its end. */
async function command(...args: string[]): Promise<{ code: number; output: string }> {
  const child = start(args);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const [code] = (await once(child, 'close')) as [number];
  return { code, output };
}

async function connect(generation: string): Promise<Client> {
  const mode = generation === 'before' ? 'legacy' : { pin: generation };
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [program()], env: environment }),
  );
  return client;
}

async function call(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<CallToolResult> {
  return (await client.callTool({ name, arguments: args })) as CallToolResult;
}

function envelopeIn({ isError, content: [first] }: CallToolResult) {
  if (isError !== true || first?.type !== 'text') throw new Error(`No error: ${JSON.stringify(first)}`);
  return JSON.parse(first.text) as { error: { code: string; details: Record<string, string> } };
}

async function banned(userId: string): Promise<boolean> {
  const { guild } = await readSandbox(instance.run.sandbox ?? '', instance.run.guild_id);
  return guild.bans.some(({ user_id }) => user_id === userId);
}

async function storedLogin(): Promise<{ secret: string; token_id: string }> {
  return JSON.parse(await readFile(join(home.path, 'config', 'bailiff', 'mcp.json'), 'utf8'));
}

test('the installed package is small and brings nothing with it', async () => {
  const packages = (await readdir(join(folder, 'node_modules'))).filter((name) => !name.startsWith('.'));
  expect(packages).toEqual(['@bailiff']);
  expect(packages.length - 1).toBeLessThanOrEqual(MOST_DEPENDENCIES);
  const installed = join(folder, 'node_modules', '@bailiff', 'mcp');
  const sizes = (await readdir(installed)).map(async (name) => (await stat(join(installed, name))).size);
  expect((await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)).toBeLessThan(MOST_BYTES);
});

test('login shows a code, the owner enters it, and the token is stored for its user alone', async () => {
  verifies('device.client-id', 'mcp.same-tokens');
  const child = start(['login', '--headless', '--no-browser']);
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stderr ?? process.stdin })) {
    lines.push(line);
    const [, code] = /Enter the code ([A-Z]{4}-[A-Z]{4}) on (\S+)\/device/.exec(line) ?? [];
    if (code === undefined) continue;
    expect(await owner.request('POST', '/api/device/lookup', { user_code: code })).toMatchObject({
      body: { client_id: 'bailiff-mcp' },
    });
    await owner.request('POST', '/api/device/confirm', { user_code: code, guild_id: instance.run.guild_id });
  }
  expect(child.exitCode ?? (await once(child, 'close'))[0], lines.join('\n')).toBe(0);
  expect((await stat(join(home.path, 'config', 'bailiff', 'mcp.json'))).mode & 0o777).toBe(0o600);
  const { secret } = await storedLogin();
  expect(await apiOf(instance.run, secret).call('me')).toMatchObject({ token: { kind: 'mcp' } });
  expect(lines.join('\n')).not.toContain(secret);
});

test('status and doctor find everything in order', async () => {
  const status = await command('status');
  expect(status).toMatchObject({ code: 0, output: expect.stringContaining('Harbourlight') });
  const doctor = await command('doctor');
  expect(doctor.output).not.toContain('✗');
  expect(doctor.output).toMatch(/✓ The clocks agree\n✓ The instance knows all \d+ operations/);
  expect(doctor.code).toBe(0);
});

for (const generation of ['2026-07-28', 'before'])
  test.describe(`over MCP, generation ${generation}`, () => {
    let client: Client;
    let target: string;

    test.beforeAll(async () => {
      client = await connect(generation);
      await client.listTools();
      target = spare.pop() ?? '';
    });
    test.afterAll(() => client?.close());

    test('lists, reads and mutes for an hour, without anybody having to approve', async () => {
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['list_strikes', 'ban_user']));
      // The client checks every structured result against the tool's schema.
      for (const name of [
        'whoami',
        'list_strikes',
        'list_bans',
        'list_mutes',
        'list_tickets',
        'list_servers',
        'list_audit_rows',
      ]) {
        expect((await call(client, name)).structuredContent, name).toMatchObject({
          _notice: expect.any(String),
        });
      }
      const userId = instance.run.people.owner;
      expect(await call(client, 'get_member', { userId })).toMatchObject({
        structuredContent: { user_id: userId },
      });
      const muted = await call(client, 'mute_user', {
        user_id: target,
        duration_minutes: 60,
        reason: 'Insults',
      });
      expect(muted).toMatchObject({ structuredContent: { mute: { user_id: target, active: true } } });
    });

    test('a ban without a window stops; once the owner has approved it, the same call bans', async () => {
      verifies('mcp.guard', 'mcp.sentinel.built', 'mcp.stop-on-reauth');
      const ban = { user_id: target, reason: 'Griefing after a mute' };
      const { error } = envelopeIn(await call(client, 'ban_user', ban));
      expect(error.code).toBe('RE_AUTH_REQUIRED');
      expect(error.details.reauth_url).toContain(
        `${instance.run.web}/guilds/${instance.run.guild_id}/approvals`,
      );
      expect(await banned(target)).toBe(false);

      await page.goto(error.details.reauth_url ?? '');
      const request = await heardCard(page, target);
      await request.getByRole('button', { name: 'Allow once' }).click();
      await request.waitFor({ state: 'detached' });
      expect(await call(client, 'ban_user', ban)).toMatchObject({
        structuredContent: { ban: { user_id: target } },
      });
      expect(await banned(target)).toBe(true);

      const rows = await call(client, 'list_audit_rows', { action: 'bans.add', target });
      const { data } = rows.structuredContent as { data: object[] };
      expect(data[0]).toMatchObject({
        outcome: 'performed',
        actor_source: 'token',
        token_id: (await storedLogin()).token_id,
        token_name: expect.stringMatching(/\S/),
      });
      // The approval was for that one call.
      expect(envelopeIn(await call(client, 'unban_user', { user_id: target })).error.code).toBe(
        'RE_AUTH_REQUIRED',
      );
    });
  });

test('a window admits destructive calls over REST and over MCP alike', async () => {
  verifies('window.rest-and-mcp');
  const { secret, token_id } = await storedLogin();
  const client = await connect('2026-07-28');
  try {
    const [overMcp = '', overRest = ''] = spare;
    expect(await owner.openWindow(token_id)).toMatchObject({ status: 200 });
    const strike = { reason: 'Both ways', severity: 'minor' as const };
    expect(await call(client, 'add_strike', { ...strike, user_id: overMcp })).toMatchObject({
      structuredContent: { user_id: overMcp },
    });
    const rest = (userId: string) =>
      apiOf(instance.run, secret).send('strikes.add', {
        ...strike,
        user_id: userId,
        _confirmation: `ADD STRIKE TO USER ${userId} IN GUILD ${instance.run.guild_id} SEVERITY MINOR`,
      });
    expect(await rest(overRest)).toMatchObject({ status: 201 });
    await owner.closeWindow(token_id);
    expect(await refusalOf(rest(overRest))).toMatchObject({ status: 403, code: 'RE_AUTH_REQUIRED' });
    const closed = await call(client, 'add_strike', { ...strike, user_id: overMcp });
    expect(envelopeIn(closed).error.code).toBe('RE_AUTH_REQUIRED');
  } finally {
    await client.close();
  }
});

test('calls over MCP and over REST are paid from the same budgets, whatever the tool', async () => {
  verifies('limits.token.no-per-tool');
  const { secret } = await storedLogin();
  const api = apiOf(instance.run, secret);
  const client = await connect('2026-07-28');
  const remaining = async () => {
    const { token } = (await api.call('me')).budgets;
    return { read: token.read.remaining, write: token.reversible_write.remaining };
  };
  try {
    const tools = ['list_bans', 'list_mutes', 'list_tickets', 'list_servers', 'list_strikes', 'whoami'];
    // Full, so that nothing comes back before it is spent.
    await refillBudgets(home.path);
    const beganAt = performance.now();
    const before = await remaining();
    for (const tool of tools) for (let repeat = 0; repeat < 5; repeat += 1) await call(client, tool);
    for (let repeat = 0; repeat < 5; repeat += 1) await api.call('bans.list');
    const target = spare[0];
    await call(client, 'mute_user', { user_id: target, duration_minutes: 5, reason: 'Budgets' });
    const after = await remaining();
    const seconds = (performance.now() - beganAt) / 1_000;
    // 35 reads and the look at the budgets, less what has come back meanwhile: one a second, and a write in six.
    expect(before.read - after.read).toBeGreaterThanOrEqual(36 - Math.ceil(seconds));
    expect(before.read - after.read).toBeLessThanOrEqual(36);
    expect(before.write - after.write).toBeGreaterThanOrEqual(1 - Math.floor(seconds / 6));
    expect(before.write - after.write).toBeLessThanOrEqual(1);
  } finally {
    await client.close();
  }
});

test('after logout there is no token, and the one that there was is revoked', async () => {
  verifies('mcp.logout.revokes');
  const { secret, token_id } = await storedLogin();
  const { code, output } = await command('logout', '--revoke');
  expect(code).toBe(0);
  expect(output).toContain(`The token (${token_id}) is revoked`);
  expect(output).not.toContain(secret);
  expect((await refusalOf(apiOf(instance.run, secret).call('me'))).code).toBe('TOKEN_REVOKED');
  expect((await command('status')).code).toBe(1);
});
