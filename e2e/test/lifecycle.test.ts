import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { openDatabase } from '@bailiff/prisma';
import { Owner, send } from '@bailiff/sandbox/visitor';
import { databaseUrl } from '@bailiff/supervisor/database-url';
import {
  type Instance,
  type InstanceOptions,
  instanceDirectory,
  OWN_ENVIRONMENT,
  runToEnd,
  startInstance,
} from '@bailiff/supervisor/instance';
import { apiOf, refusalOf } from '#src/api.ts';
import { processesOf } from '#src/processes.ts';
import { expect, test, verifies } from '#src/testing.ts';

/** What to do at the end of the running test, last first. */
const cleanUps: (() => Promise<unknown>)[] = [];

test.afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

// Each of these starts the product for itself; some look at what is left of it in /proc.
function onLinux(title: string, body: () => Promise<void>): void {
  test(title, async () => {
    test.skip(process.platform !== 'linux', 'There is no /proc.');
    await body();
  });
}

/** Stopped at the end of the test, if it is still running then. */
async function start(options: InstanceOptions): Promise<Instance> {
  const instance = await startInstance(options);
  cleanUps.push(() => instance.stop());
  return instance;
}

/** `npm run` of a command for operators, as one types it. */
function operator(directory: string, ...words: string[]) {
  const [command = '', ...rest] = words;
  return spawnSync('npm', ['run', '--silent', command, '--', ...rest], {
    cwd: resolve(import.meta.dirname, '..', '..'),
    env: { ...process.env, ...OWN_ENVIRONMENT, BAILIFF_DIR: directory },
    encoding: 'utf8',
  });
}

async function temporaryDirectory(): Promise<string> {
  const { path, remove } = await instanceDirectory();
  cleanUps.push(remove);
  return path;
}

onLinux(
  'what was there before a stop is there after the next start, until the operator takes the tier away',
  async () => {
    verifies('tier.command');
    const home = await temporaryDirectory();
    const first = await start({ directory: home });
    const { people, guild_id: guildId } = first.run;
    const owner = await Owner.signIn(first.run.web, people.owner ?? '');
    const token = await owner.mintWithWindow(guildId, 'kept');
    expect((await processesOf(home)).length).toBeGreaterThanOrEqual(4);

    const database = openDatabase(await databaseUrl(home), { applicationName: 'e2e', max: 1 });
    const { rows: logins } = await database.pool.query(
      `SELECT DISTINCT left(application_name, 11) AS process, usename AS login FROM pg_stat_activity
       WHERE application_name ~ '^bailiff.(bot|web)' ORDER BY 1, 2`,
    );
    await database.close();
    // Neither can do what its owner can, also where nobody has set up logins.
    expect(logins).toEqual([
      { process: 'bailiff bot', login: 'bailiff_bot' },
      { process: 'bailiff-web', login: 'bailiff_web' },
    ]);
    const environment = await readFile(`/proc/${first.run.pids.bot}/environ`, 'utf8');
    expect(environment).toContain('--max-semi-space-size=8');
    // The sandbox's page, whose files are made when they are asked for, prints nothing at the operator's terminal.
    expect((await fetch(`${first.run.sandbox}/page/main.ts`)).status).toBe(200);

    expect(await first.stop('SIGTERM')).toBe(0);
    expect(await processesOf(home)).toEqual([]);
    // The database ends last: until then the others finish what they have begun.
    const log = await readFile(join(home, 'logs', 'bot.log'), 'utf8');
    expect(
      log.split('\n').filter((line) => /57P0\d|terminating connection|shutting down/.test(line)),
    ).toEqual([]);
    expect(await readdir(join(home, 'logs'))).not.toContain('sandbox.log');

    const second = await start({ directory: home });
    const api = apiOf(second.run, token.secret);
    expect(await api.call('me')).toMatchObject({ token: { id: token.id, name: 'kept' } });

    expect(operator(home, 'tier', guildId, 'gold')).toMatchObject({
      status: 64,
      stderr: expect.stringContaining('Usage'),
    });
    expect(operator(home, 'tier', guildId, 'free')).toMatchObject({
      status: 0,
      stdout: 'Harbourlight was pro and is free; tokens revoked: 1.\n',
    });
    expect(await refusalOf(api.call('me'))).toMatchObject({ status: 401, code: 'TOKEN_REVOKED' });
  },
);

onLinux('Ctrl-C leaves nothing behind, not even of a bot that was killed a moment before', async () => {
  const home = await temporaryDirectory();
  const instance = await start({ directory: home });
  const web = (await processesOf(home)).find(({ command }) => command.includes('apps/web'));
  // The web process of the dead bot cannot end by itself.
  process.kill(web?.pid ?? Number.NaN, 'SIGSTOP');
  process.kill(instance.run.pids.bot, 'SIGKILL');
  await instance.untilPrinted(/bot ended by SIGKILL/);

  expect(await instance.stop('SIGINT')).toBe(0);
  expect(await processesOf(home)).toEqual([]);
});

onLinux('a bot that crashes is started again and takes work, until Discord refuses its token', async () => {
  const home = await temporaryDirectory();
  const instance = await start({ directory: home });
  const webPid = async () =>
    (await processesOf(home)).find(({ command }) => command.includes('apps/web'))?.pid ?? null;
  const before = await webPid();
  process.kill(instance.run.pids.bot, 'SIGKILL');
  const run = await instance.untilRun(({ pids }) => pids.bot !== instance.run.pids.bot);
  expect(await processesOf(home)).toContainEqual(expect.objectContaining({ pid: run.pids.bot }));
  // The web process ends with its bot, and may answer until then.
  await expect.poll(async () => [before, null].includes(await webPid())).toBe(false);
  await instance.untilReady();
  expect((await send(`${run.web}/readyz`)).status).toBe(200);

  // What no start mends ends everything, with the code by which a service manager knows that.
  const refuseToken = async () => {
    const answer = await fetch(`${run.sandbox}/sandbox/gateway`, {
      method: 'POST',
      body: JSON.stringify({ action: 'drop', code: 4004 }),
    });
    return ((await answer.json()) as { connections: number }).connections;
  };
  await expect.poll(refuseToken).toBe(1);
  await instance.untilPrinted(/^Stopping/);
  expect(await instance.stop()).toBe(78);
});

onLinux('a database that is killed again and again is back each time, and the bot waits for it', async () => {
  verifies('ops.recovery');
  const home = await temporaryDirectory();
  const instance = await start({ directory: home });
  const serverPid = async () => {
    const lock = await readFile(join(home, 'postgres', 'data', 'postmaster.pid'), 'utf8').catch(() => '');
    return Number.parseInt(lock, 10) || undefined;
  };
  for (let kills = 0; kills < 6; kills += 1) {
    const killed = await serverPid();
    process.kill(killed ?? Number.NaN, 'SIGKILL');
    // The lock of a killed server stays until the next one takes it.
    await expect.poll(serverPid).not.toBe(killed);
    await instance.untilReady();
  }
  const { pids } = await instance.untilRun(() => true);
  const log = await readFile(join(home, 'logs', 'bot.log'), 'utf8');
  // Why it ended, if it did.
  expect(log.split('\n').filter((line) => line.includes('"level":60'))).toEqual([]);
  expect(pids.bot).toBe(instance.run.pids.bot);
});

test('a taken port is one clear line and exit code 1', async () => {
  const home = await temporaryDirectory();
  const taken = createServer().listen({ host: '127.0.0.1', port: 0 });
  await new Promise((done) => taken.once('listening', done));
  const address = taken.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  try {
    const { code, output } = await runToEnd({ directory: home, env: { PORT: String(port) } });
    expect(code).toBe(1);
    expect(output).toContain(`Port ${port} on 127.0.0.1 is taken by another program.`);
  } finally {
    taken.close();
  }
});

test('a wrong configuration is told once, with everything that is wrong, and exit code 78', async () => {
  const home = await temporaryDirectory();
  const env = {
    DEFAULT_TIER: 'gold',
    AUDIT_READ_RETENTION_DAYS: '3',
    REAUTH_WINDOW_MINUTES: '99',
    TRUSTED_PROXIES: 'x',
  };
  const { code, output } = await runToEnd({ directory: home, env });
  expect(code).toBe(78);
  for (const name of Object.keys(env)) expect(output.split(`${name} `), name).toHaveLength(2);
  expect(await processesOf(home)).toEqual([]);
});

/** `npm start` on a database of one's own, with a login for each process. */
function startOn(home: string, at: (login: string) => string): { child: ChildProcess; output: () => string } {
  const child = spawn(process.execPath, ['scripts/start.mjs'], {
    cwd: resolve(import.meta.dirname, '..', '..'),
    env: {
      ...process.env,
      ...OWN_ENVIRONMENT,
      BAILIFF_DIR: home,
      DATABASE_URL: at('bailiff'),
      DATABASE_BOT_URL: at('bailiff_bot'),
      DATABASE_WEB_URL: at('bailiff_web'),
      SANDBOX: 'on',
      NEXTAUTH_SECRET: 'a secret that is long enough for a test',
      SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => said.push(String(text)));
  return { child, output: () => said.join('') };
}

test('a database that is not where its address says is told with the variable that names it', async () => {
  verifies('ops.database-url.named');
  const home = await temporaryDirectory();
  const { child, output } = startOn(home, (login) => `postgresql://${login}:secret@127.0.0.1:1/bailiff`);
  expect(await once(child, 'close')).toEqual([1, null]);
  expect(output()).toContain('The database of DATABASE_URL (127.0.0.1:1/bailiff) cannot be used');
});
