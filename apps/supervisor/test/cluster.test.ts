import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { startCluster } from '#src/cluster.ts';
import { ROOT } from '#src/root.ts';
import { Service } from '#src/service.ts';
import { StopRequests } from '#src/stop-requests.ts';
import type { Processes } from '#src/supervise.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'bailiff-cluster-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** What each bot of a cluster gets as BOT_SHARDS. Its processes are others, which do nothing. */
async function shardsOfBots(env: NodeJS.ProcessEnv): Promise<(string | undefined)[]> {
  const entry = join(directory, 'entry.mjs');
  await writeFile(entry, "process.send({ type: 'ready' }); setInterval(() => {}, 1000);");
  const given: (string | undefined)[] = [];
  const started: { processes?: Processes } = {};
  try {
    await startCluster(
      {
        env: { PATH: process.env.PATH, ...env },
        host: '127.0.0.1',
        port: 0,
        stop: new StopRequests(() => {}),
        onChange: () => {},
        begin: (name, _entry, ownEnv, { args, ...options }) => {
          if (name.startsWith('bot')) given.push(ownEnv.BOT_SHARDS);
          const logPath = join(directory, `${name}.log`);
          const service = new Service({
            name,
            entry,
            env: ownEnv,
            logPath,
            stopTimeoutMs: 0,
            onFatal: () => {},
            ...options,
          });
          service.start(args);
          return service;
        },
      },
      started,
    );
  } finally {
    await started.processes?.stop();
  }
  return given;
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

test('a cluster does not start with fewer shards than bots, and says so', async () => {
  await expect(shardsOfBots({ BOT_SHARDS: '3/4' })).rejects.toThrow(
    'BOT_SHARDS must name 2 shards or more here, because the cluster has 2 bots: leave it empty for 4.',
  );
});

/**
 * Starts Bailiff in a process of its own, as a script does.
 *
 * @param processes the code of what it starts instead of a bot
 */
function start(module: string, name: string, env: NodeJS.ProcessEnv, processes = '') {
  return spawn(
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

test('a process that does not end is killed by the second Ctrl-C', async () => {
  const hanging = `async (_settings, started) => {
    const killed = Promise.withResolvers();
    started.processes = { pids: {}, stop: () => killed.promise, kill: () => killed.resolve() };
    setInterval(() => {}, 1_000);
    console.error('It runs.');
  }`;
  const supervisor = start(
    '',
    'supervise',
    { DATABASE_URL: 'postgresql://bailiff:a@127.0.0.1:1/bailiff' },
    hanging,
  );
  onTestFinished(() => void supervisor.kill('SIGKILL'));
  for await (const line of createInterface({ input: supervisor.stderr })) if (line === 'It runs.') break;
  // Those of the first second count as one, because npm and the terminal both pass it on.
  await expect
    .poll(() => {
      supervisor.kill('SIGINT');
      return supervisor.exitCode;
    })
    .toBe(0);
});
