// A primary and its synchronous standby, with the machine's own PostgreSQL.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, open, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '@bailiff/core/testing';
import { migrate, openDatabase } from '@bailiff/prisma';
import { serverUser } from '@bailiff/prisma/embedded';
import { signalServer } from '#test/faults/database.ts';
import { until } from '../cluster/stage.ts';
import { isAlive } from '../faults/stage.ts';

const INSTALLED = '/usr/lib/postgresql';
const START_MS = 30_000;
const SETTINGS = [
  '-c',
  'listen_addresses=127.0.0.1',
  '-c',
  'unix_socket_directories=',
  '-c',
  'max_connections=200',
];

export interface Pair {
  /** The address of both servers, for a login. */
  url(login: 'bailiff' | 'bailiff_bot' | 'bailiff_web'): string;
  readonly primary: Server;
  readonly standby: Server;
  close(): Promise<void>;
}

export interface Server {
  /** Statements of the superuser, each on a connection of its own. */
  run(sql: string): Promise<Record<string, unknown>[]>;
  signal(name: 'SIGSTOP' | 'SIGCONT'): Promise<void>;
  /** Ends all its processes as a power cut does. */
  kill(): Promise<void>;
  start(): Promise<void>;
}

/** @throws Error if the machine has no PostgreSQL */
export async function startPair(): Promise<Pair> {
  const run = await programs();
  const home = await mkdtemp(join(tmpdir(), 'bailiff-failover-'));
  const user = serverUser();
  if (user !== undefined) await chown(home, user.uid, user.gid);
  const ports = [await freePort(), await freePort()] as const;
  const primary = serverOf(run.bin, join(home, 'primary'), ports[0]);
  const standby = serverOf(run.bin, join(home, 'standby'), ports[1]);
  await run.program('initdb', ['-D', primary.directory, '-U', 'postgres', '-A', 'trust', '--no-sync']);
  await primary.start();
  for (const login of ['bailiff', 'bailiff_bot', 'bailiff_web'])
    await primary.run(`CREATE ROLE ${login} LOGIN`);
  await primary.run('CREATE DATABASE bailiff OWNER bailiff');
  const source = `host=127.0.0.1 port=${ports[0]} user=postgres application_name=standby`;
  await run.program('pg_basebackup', [
    '-D',
    standby.directory,
    '-d',
    source,
    '-R',
    '-c',
    'fast',
    '--no-sync',
  ]);
  await standby.start();
  await primary.run("ALTER SYSTEM SET synchronous_standby_names = 'standby'");
  await primary.run('SELECT pg_reload_conf()');
  await until('the standby is synchronous', async () => {
    const rows = await primary.run("SELECT FROM pg_stat_replication WHERE sync_state = 'sync'");
    return rows.length === 1;
  });
  // The standby comes first, so that nobody finds the primary by its place.
  const url = (login: string) =>
    `postgresql://${login}@127.0.0.1:${ports[1]},127.0.0.1:${ports[0]}/bailiff?target_session_attrs=read-write`;
  await migrate(url('bailiff'), { logins: { bot: 'bailiff_bot', web: 'bailiff_web' } });
  return {
    url,
    primary,
    standby,
    close: async () => {
      await Promise.all([primary.kill(), standby.kill()]);
      await rm(home, { recursive: true, force: true });
    },
  };
}

async function programs() {
  const versions = await readdir(INSTALLED).catch(() => []);
  const [newest] = versions.map(Number).sort((a, b) => b - a);
  if (newest === undefined) throw new Error('PostgreSQL is not installed: apt-get install postgresql.');
  const bin = join(INSTALLED, String(newest), 'bin');
  const program = (name: string, args: string[]) =>
    promisify(execFile)(join(bin, name), args, { ...serverUser(), cwd: '/' });
  return { bin, program };
}

function serverOf(bin: string, directory: string, port: number): Server & { readonly directory: string } {
  let postmaster: ChildProcess | undefined;
  const signal = async (name: NodeJS.Signals) => {
    if (postmaster?.pid !== undefined && isAlive(postmaster)) await signalServer(postmaster.pid, name);
  };
  const run = async (sql: string) => {
    const address = `postgresql://postgres@127.0.0.1:${port}/postgres`;
    const db = openDatabase(address, { applicationName: 'failover test', max: 1, onError: () => {} });
    try {
      return (await db.pool.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await db.close();
    }
  };
  return {
    directory,
    run,
    signal,
    kill: async () => {
      if (postmaster === undefined || !isAlive(postmaster)) return;
      const ended = once(postmaster, 'exit');
      await signal('SIGKILL');
      await ended;
    },
    start: async () => {
      const args = ['-D', directory, '-c', `port=${port}`, ...SETTINGS];
      const log = await open(`${directory}.log`, 'a');
      postmaster = spawn(join(bin, 'postgres'), args, {
        ...serverUser(),
        cwd: '/',
        stdio: ['ignore', log.fd, log.fd],
      });
      await log.close();
      const answers = () =>
        run('SELECT').then(
          () => true,
          () => false,
        );
      await until('PostgreSQL answers', answers, START_MS);
    },
  };
}
