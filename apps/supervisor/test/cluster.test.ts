import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { freePort } from '@bailiff/core/testing';
import { createTestDatabase } from '@bailiff/prisma/testing';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { startCluster } from '#src/cluster.ts';
import { ROOT } from '#src/root.ts';
import { Service } from '#src/service.ts';
import { StopRequests } from '#src/stop-requests.ts';
import type { Processes, ProcessSettings } from '#src/supervise.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'bailiff-cluster-'));
  // After the processes of the test, which are ended when it has finished and write here until then.
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
});

/** A process of a cluster that says who it is to each client. The files beside it say what is wrong with it. */
const ENTRY = `
  import { appendFileSync, existsSync } from 'node:fs';
  const is = (what) => existsSync(new URL(what, import.meta.url));
  const isSilent = is('silent');
  if (is('misconfigured')) {
    appendFileSync(new URL('tried', import.meta.url), '.');
    process.exit(78);
  }
  if (is('stubborn')) process.on('SIGTERM', () => {});
  process.on('message', ({ type }, socket) => {
    if (type === 'connection') socket.end(isSilent ? 'not ready' : String(process.pid));
    if (type === 'hand_over') process.send({ type: 'handed_over', handover: null });
    if (type === 'take_over') process.send({ type: 'ready' });
    if (type === 'retire' && !is('busy')) process.exit();
  });
  setInterval(() => {}, 1000);
  appendFileSync(new URL('running', import.meta.url), '.');
  if (!isSilent) process.send({ type: process.argv.includes('--standby') ? 'standby' : 'ready' });
`;

const anyStop = new StopRequests(() => {});

interface Running {
  readonly processes: Required<Processes>;
  /** Each process that was begun, with its environment. */
  readonly begun: readonly { readonly service: Service; readonly env: NodeJS.ProcessEnv }[];
  /** How often it was told that other processes run now. */
  readonly changes: () => number;
}

/** @param whileStarting what is done once every process is begun, and none is ready */
async function runCluster(
  env: NodeJS.ProcessEnv = {},
  { port = 0, stop = anyStop, whileStarting = (_processes?: Processes) => {} } = {},
): Promise<Running> {
  const entry = join(directory, 'entry.mjs');
  await writeFile(entry, ENTRY);
  const begun: { service: Service; env: NodeJS.ProcessEnv }[] = [];
  const started: { processes?: Processes } = {};
  onTestFinished(async () => {
    const stopped = begun.map(({ service }) => service.stop());
    for (const { service } of begun) service.kill();
    await Promise.all([...stopped, started.processes?.stop()]);
  });
  const begin: ProcessSettings['begin'] = (name, _entry, ownEnv, { args, ...options }) => {
    const logPath = join(directory, `${name}.log`);
    const service = new Service({
      name,
      entry,
      env: ownEnv,
      logPath,
      stopTimeoutMs: 0,
      onFatal: (exitCode) => stop.ask(exitCode),
      ...options,
    });
    begun.push({ service, env: ownEnv });
    if (begun.length === 4) setImmediate(() => whileStarting(started.processes));
    service.start(args);
    return service;
  };
  let changed = 0;
  const onChange = () => {
    changed += 1;
  };
  const given = { PATH: process.env.PATH, ...env };
  await startCluster({ env: given, host: '127.0.0.1', port, stop, onChange, begin }, started);
  return { processes: started.processes as Required<Processes>, begun, changes: () => changed };
}

/** What each bot of a cluster gets as BOT_SHARDS. */
async function shardsOfBots(env: NodeJS.ProcessEnv): Promise<(string | undefined)[]> {
  const { begun } = await runCluster(env);
  return begun.filter(({ service }) => service.name.startsWith('bot')).map((bot) => bot.env.BOT_SHARDS);
}

test.each([
  [undefined, ['0-1/4', '2-3/4']],
  ['10', ['0-4/10', '5-9/10']],
  ['5', ['0-1/5', '2-4/5']],
  ['10-19/40', ['10-14/40', '15-19/40']],
  ['2', ['0-0/2', '1-1/2']],
])('the bots of a cluster share the shards of BOT_SHARDS (%s)', async (BOT_SHARDS, shares) => {
  expect(await shardsOfBots(BOT_SHARDS === undefined ? {} : { BOT_SHARDS })).toEqual(shares);
});

test('each process of a cluster has a name of its own, and so a log', async () => {
  const { begun } = await runCluster();
  expect(begun.map(({ service }) => service.name)).toEqual(['bot-1', 'bot-2', 'web-1', 'web-2']);
});

test('a cluster does not start with fewer shards than bots, and says so', async () => {
  await expect(shardsOfBots({ BOT_SHARDS: '3/4' })).rejects.toThrow(
    'BOT_SHARDS must name 2 shards or more here, because the cluster has 2 bots: leave it empty for 4.',
  );
});

const mark = (what: string) => writeFile(join(directory, what), '');

test('a new process that refuses its settings leaves the others as they are, and can be replaced later', async () => {
  const { processes } = await runCluster();
  const before = processes.pids;
  await mark('misconfigured');
  processes.replaceAll();
  await expect.poll(() => existsSync(join(directory, 'tried')), { timeout: 120_000 }).toBe(true);
  await rm(join(directory, 'misconfigured'));
  const replaced = () => {
    processes.replaceAll();
    const { bots = [], webs = [] } = processes.pids;
    const pids = [before.bots, before.webs].flat();
    return {
      exitCode: anyStop.exitCode,
      kept: [...bots, ...webs].filter((pid) => pids.includes(pid)).length,
    };
  };
  await expect.poll(replaced, { timeout: 120_000 }).toEqual({ exitCode: undefined, kept: 0 });
  expect(await readFile(join(directory, 'tried'), 'utf8')).toBe('.');
});

test('a process that has replaced another and later refuses its settings ends Bailiff', async () => {
  const stop = new StopRequests(() => {});
  const { processes } = await runCluster({}, { stop });
  const replaced = processes.pids.bots?.at(-1);
  processes.replaceAll();
  const last = () => processes.pids.bots?.at(-1) ?? 0;
  await expect.poll(last, { timeout: 120_000 }).not.toBe(replaced);
  await mark('misconfigured');
  process.kill(last(), 'SIGKILL');
  await expect.poll(() => stop.exitCode, { timeout: 120_000 }).toBe(78);
});

test.each([
  ['one that was replaced and has answers left', 'busy', false],
  ['one that is to replace another', 'silent', false],
  ['at the second Ctrl-C one that was replaced and does not end', 'busy', true],
  ['at the second Ctrl-C one that is to replace another and does not end', 'silent', true],
])('a stop while processes are replaced ends %s', async (_, what, isKilled) => {
  if (isKilled) await mark('stubborn');
  const { processes, begun } = await runCluster();
  const oldPid = processes.pids.webs?.[0] ?? 0;
  await mark(what);
  processes.replaceAll();
  const running = async () => (await readFile(join(directory, 'running'), 'utf8')).length;
  await expect.poll(running, { timeout: 120_000 }).toBeGreaterThan(4);
  if (what === 'busy')
    await expect.poll(() => processes.pids.webs?.[0], { timeout: 120_000 }).not.toBe(oldPid);
  const pid = what === 'busy' ? oldPid : (begun.at(-1)?.service.pid ?? 0);
  const stopping = processes.stop();
  if (isKilled) processes.kill();
  await expect.poll(() => isAlive(pid), { timeout: 120_000 }).toBe(false);
  await stopping;
});

test('Ctrl-C while a new process gets ready ends that one too', async () => {
  const stop = new StopRequests(() => {});
  const { processes, begun } = await runCluster({}, { stop });
  await mark('silent');
  processes.replaceAll();
  const pid = begun.at(-1)?.service.pid ?? 0;
  expect(isAlive(pid)).toBe(true);
  stop.ask(0);
  await expect.poll(() => isAlive(pid), { timeout: 120_000 }).toBe(false);
});

test('the signal that replaces the processes of a cluster does nothing while they start, and says so', async () => {
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => said.mockRestore());
  const { begun } = await runCluster({}, { whileStarting: (processes) => processes?.replaceAll?.() });
  expect(begun).toHaveLength(4);
  const lines = said.mock.calls.map(([line]) => line);
  expect(lines).toContain('Nothing is replaced: the processes are still starting.\n');
});

test('a second signal that replaces the processes of a cluster does nothing while the first is carried out', async () => {
  const { processes, begun } = await runCluster();
  await mark('silent');
  processes.replaceAll();
  processes.replaceAll();
  expect(begun).toHaveLength(5);
});

test('a web process that was replaced answers what it has, and gets no new client', async () => {
  const port = await freePort();
  const { processes } = await runCluster({}, { port });
  const before = processes.pids.webs ?? [];
  await mark('busy');
  processes.replaceAll();
  const kept = () => processes.pids.webs?.filter((pid) => before.includes(pid));
  await expect.poll(kept, { timeout: 120_000 }).toEqual([]);
  expect(before.map(isAlive)).toEqual([true, true]);
  expect(await answersOf(port)).toEqual(new Set(processes.pids.webs));
});

test('while a web process that crashed starts again, the other one answers every client', async () => {
  const port = await freePort();
  const { processes, changes } = await runCluster({}, { port });
  const [crashed = 0, other = 0] = processes.pids.webs ?? [];
  await mark('silent');
  expect(changes()).toBe(0);
  process.kill(crashed, 'SIGKILL');
  await expect.poll(() => processes.pids.webs?.[0], { timeout: 120_000 }).not.toBe(crashed);
  // So that run.json names it.
  expect(changes()).toBe(1);
  expect(await answersOf(port)).toEqual(new Set([other]));
});

// Only there is every address of 127.0.0.0/8 the computer's own without further settings.
test.runIf(process.platform === 'linux')(
  'a cluster listens on the address that it was told, and on no other',
  async () => {
    const port = await freePort();
    await runCluster({}, { port });
    await expect(text(connect(port, '127.0.0.2'))).rejects.toThrow('ECONNREFUSED');
    expect((await answersOf(port)).size).toBeGreaterThan(0);
  },
);

/** The processes that answer the next clients. */
async function answersOf(port: number): Promise<Set<number>> {
  const answers = Array.from({ length: 8 }, () => text(connect(port, '127.0.0.1')));
  return new Set((await Promise.all(answers)).map(Number));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/**
 * Starts Bailiff in a process of its own, as a script does.
 *
 * @param processes the code of what it starts instead of a bot
 */
function start(module: string, name: string, env: NodeJS.ProcessEnv, processes = '') {
  const supervisor = spawn(
    process.execPath,
    ['--eval', `import('@bailiff/supervisor${module}').then(({ ${name} }) => ${name}(${processes}))`],
    {
      cwd: ROOT,
      env: {
        PATH: process.env.PATH,
        BAILIFF_DIR: directory,
        DISCORD_TOKEN: 'some.bot.token',
        DISCORD_CLIENT_ID: '100000000000000000',
        DISCORD_CLIENT_SECRET: 'a secret',
        SECRETS_KEY: Buffer.alloc(32).toString('base64'),
        NEXTAUTH_SECRET: 'a secret that is long enough for a test',
        PORT: '0',
        ...env,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  const ended = once(supervisor, 'exit');
  onTestFinished(async () => {
    supervisor.kill('SIGKILL');
    await ended;
  });
  return supervisor;
}

test.each([{ BOT_SHARDS: '2-3/4' }, { WEB: 'off' }])(
  'a cluster has web processes with %o too, so a port that is taken is told before anything starts',
  async (env) => {
    const taken = createServer();
    await once(taken.listen(0, '127.0.0.1'), 'listening');
    const { port } = taken.address() as AddressInfo;
    // A database that is not there, for a start that goes on.
    const DATABASE_URL = 'postgresql://bailiff:a@127.0.0.1:1/bailiff';
    const DATABASE_BOT_URL = 'postgresql://bailiff_bot:b@127.0.0.1:1/bailiff';
    const DATABASE_WEB_URL = 'postgresql://bailiff_web:c@127.0.0.1:1/bailiff';
    const given = { DATABASE_URL, DATABASE_BOT_URL, DATABASE_WEB_URL, PORT: String(port), ...env };
    const cluster = start('/cluster', 'superviseCluster', given);
    expect(await text(cluster.stderr)).toBe(
      `Port ${port} on 127.0.0.1 is taken by another program. Stop that one, or set PORT to another port.\n`,
    );
    taken.close();
  },
);

test('the signal that replaces the processes of a cluster does not end npm start, and says so', async () => {
  // A database that says nothing, so that the start waits for it.
  const silent = createServer();
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  const asked = once(silent, 'connection');
  const { port } = silent.address() as AddressInfo;
  const alone = start('', 'supervise', {
    DATABASE_URL: `postgresql://bailiff:a@127.0.0.1:${port}/bailiff`,
    DATABASE_BOT_URL: `postgresql://bailiff_bot:b@127.0.0.1:${port}/bailiff`,
    DATABASE_WEB_URL: `postgresql://bailiff_web:c@127.0.0.1:${port}/bailiff`,
  });
  const printed = text(alone.stderr);
  const ended = once(alone, 'close');
  const [socket] = await asked;
  alone.kill('SIGUSR2');
  alone.stderr.once('data', () => alone.kill('SIGTERM'));
  expect(await ended).toEqual([0, null]);
  expect(await printed).toMatch(/^SIGUSR2 replaces nothing here: only npm run start:cluster /);
  socket.destroy();
  silent.close();
});

/** Processes of a supervisor that say when they are started, and do not end by themselves. */
const HANGING = `async (_settings, started) => {
  const killed = Promise.withResolvers();
  started.processes = { pids: {}, stop: () => killed.promise, kill: () => killed.resolve() };
  setInterval(() => {}, 1_000);
  console.error('They run.');
}`;

async function untilTheyRun(supervisor: ReturnType<typeof start>): Promise<void> {
  for await (const line of createInterface({ input: supervisor.stderr })) if (line === 'They run.') return;
  throw new Error(`npm start has ended with ${supervisor.exitCode}`);
}

test('with one login too, the database is migrated before the processes start, which have to be ready in time', async () => {
  const { url, database, drop } = await createTestDatabase({ empty: true });
  onTestFinished(drop);
  const supervisor = start('', 'supervise', { DATABASE_URL: url }, HANGING);
  await untilTheyRun(supervisor);
  expect((await database.pool.query("SELECT to_regclass('cases') AS name")).rows).toEqual([
    { name: 'cases' },
  ]);
});

test('a process that does not end is killed by the second Ctrl-C', async () => {
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  const supervisor = start('', 'supervise', { DATABASE_URL: url }, HANGING);
  await untilTheyRun(supervisor);
  // Those of the first second count as one, because npm and the terminal both pass it on.
  await expect
    .poll(() => {
      supervisor.kill('SIGINT');
      return supervisor.exitCode;
    })
    .toBe(0);
});
