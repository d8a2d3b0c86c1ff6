import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { readFile, rename, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessUrls } from './privileges.ts';
import { processStart } from './process-identity.ts';
import { type ServerBinaries, type ServerUser, serverBinaries, serverUser } from './server-binaries.ts';
import {
  claim,
  endAbandonedServer,
  endPostmaster,
  initialise,
  type Owner,
  preparePaths,
  refuseData,
  refuseOtherMajor,
  removeData,
  type ServerConnection,
  type ServerPaths,
  serverEnvironment,
} from './server-directory.ts';
import { createDatabase, ownerUrlOf, processUrlsOf } from './server-logins.ts';
import { writeWholeFile } from './whole-file.ts';

export { serverUser } from './server-binaries.ts';
export { refuseData, removeWithServers } from './server-directory.ts';
export { EMBEDDED_LOGINS, ownerUrlOf, processUrlsOf, superuserUrlOf } from './server-logins.ts';

export interface EmbeddedPostgresOptions {
  /** Holds everything: the data, `connection.json`, `owner.json` and `postgres.log`. Created if absent. */
  directory: string;
  /** Default: the port of the last start while it is free, otherwise a free one. */
  port?: number;
  /** Faster but not durable, for data that may be lost. */
  tests?: boolean;
  /** Variables of the server's environment besides its own. */
  environment?: NodeJS.ProcessEnv;
  /** Default 60. A server that recovers after a power cut may take as long as it needs. */
  startTimeoutSeconds?: number;
  /** Called each time that a server which recovers has taken that long again, with how long it has taken. */
  onRecovering?: (seconds: number) => void;
  /** Ends a server that is not ready yet. */
  signal?: AbortSignal | undefined;
  /** Refuses a directory that has data, and leaves none behind if the start fails. */
  isNew?: boolean;
}

export interface EmbeddedPostgres {
  /** Connects as the owner of the database `bailiff`, who may create databases but is no superuser. */
  url: string;
  /** Connect to it as the bot and as the web process, who may do what `migrate` granted them. */
  processUrls: ProcessUrls;
  port: number;
  /** Process id of the server. */
  pid: number;
  /** Settles when the server has ended, whether asked to or not. */
  exited: Promise<void>;
  /** Stops the server: ends its sessions and writes its data. After at most 15 s it is killed. */
  stop(): Promise<void>;
  /** Stops the server and removes its data. */
  discard(): Promise<void>;
}

interface Launch {
  paths: ServerPaths;
  binaries: ServerBinaries;
  user: ServerUser;
  tests: boolean;
  environment: NodeJS.ProcessEnv;
  startTimeoutSeconds: number;
  onRecovering: (seconds: number) => void;
  signal: AbortSignal | undefined;
}

interface ServerProcess {
  pid: number;
  exited: Promise<void>;
  hasExited(): boolean;
}

const POLL_MS = 20;
const PORT_ATTEMPTS = 3;

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  // A cluster has up to 122, and up to 183 while its processes are replaced.
  max_connections: '200',
  shared_buffers: '96MB',
  max_wal_size: '512MB',
  io_method: 'sync',
  log_checkpoints: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
};

const TEST_SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  // Tests open thousands of connections; hashing the password 4,096 times for each is most of what one costs.
  scram_iterations: '1',
  // Several files of tests run at once, and a bot has up to 30 connections.
  max_connections: '300',
};

/**
 * Starts a PostgreSQL 18 over `directory`, on 127.0.0.1 only, and creates the data on the first call. Data, password
 * and port survive restarts. If a killed process left its server running, that server is stopped first.
 *
 * The caller ends it with `stop()`, also on SIGTERM: the server has a session of its own and a Ctrl-C passes it by.
 *
 * @throws Error naming the port that is taken, the process that already uses the data, or the end of the server's log
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { port, tests = false, environment = {}, startTimeoutSeconds = 60, isNew = false } = options;
  const { onRecovering = () => {}, signal } = options;
  const user = serverUser();
  const binaries = await serverBinaries(user);
  const paths = await preparePaths(resolve(options.directory), user);
  const previousOwner = await claim(paths);
  let isOurs = false;
  try {
    await endAbandonedServer(paths, previousOwner);
    if (isNew) refuseData(paths.directory);
    isOurs = isNew;
    const connection = await initialise(paths, binaries, user, tests);
    await refuseOtherMajor(paths);
    const launch = { paths, binaries, user, tests, environment, startTimeoutSeconds, onRecovering, signal };
    return await startOnFreePort(launch, connection, port);
  } catch (error) {
    if (isOurs) await removeData(paths);
    await rm(paths.owner, { force: true });
    throw error;
  }
}

async function startOnFreePort(
  launch: Launch,
  stored: ServerConnection,
  asked: number | undefined,
): Promise<EmbeddedPostgres> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await choosePort(asked, attempt === 1 ? stored.port : 0);
    const connection = { ...stored, port };
    // It has the only copy of the password.
    if (port !== stored.port) await writeWholeFile(launch.paths.connection, JSON.stringify(connection));
    const server = await startServer(launch, port);
    if (server === 'port taken') {
      // Another program took the port after our check.
      if (asked !== undefined || attempt === PORT_ATTEMPTS) throw portTaken(port);
      continue;
    }
    try {
      await createDatabase(connection);
    } catch (error) {
      await endPostmaster(server.pid);
      throw error;
    }
    const end = async () => {
      if (!server.hasExited()) await endPostmaster(server.pid);
    };
    const release = () => rm(launch.paths.owner, { force: true });
    return {
      url: ownerUrlOf(connection),
      processUrls: processUrlsOf(connection),
      port,
      pid: server.pid,
      exited: server.exited,
      stop: async () => {
        await end();
        await release();
      },
      // The directory is released last: nobody else may have begun to use it.
      discard: async () => {
        await end();
        await removeData(launch.paths);
        await release();
      },
    };
  }
}

async function choosePort(asked: number | undefined, last: number): Promise<number> {
  if (asked !== undefined) {
    if ((await tryPort(asked)) === undefined) throw portTaken(asked);
    return asked;
  }
  const port = (await tryPort(last)) ?? (await tryPort(0));
  if (port !== undefined) return port;
  throw new Error('No free port on 127.0.0.1 for PostgreSQL. Close some programs and start again.');
}

function portTaken(port: number): Error {
  return new Error(
    `Port ${port} on 127.0.0.1, meant for PostgreSQL, is taken by another program. Stop that one or choose another port.`,
  );
}

/** Listens for a moment. Returns the port, or undefined when it is taken. */
function tryPort(port: number): Promise<number | undefined> {
  return new Promise((done, fail) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') done(undefined);
      else fail(error);
    });
    probe.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
      const address = probe.address();
      probe.close(() => done(typeof address === 'object' && address !== null ? address.port : undefined));
    });
  });
}

async function startServer(launch: Launch, port: number): Promise<ServerProcess | 'port taken'> {
  const deadline = performance.now() + launch.startTimeoutSeconds * 1000;
  for (;;) {
    const server = await spawnServer(launch, port);
    const state = await waitUntilReady(launch, server);
    if (state === 'ready') return server;
    if (state !== 'ended') await endPostmaster(server.pid);
    const log = await readFile(launch.paths.log, 'utf8').catch(() => '');
    if (/could not bind .*Address already in use/.test(log)) return 'port taken';
    // The sessions of a server that was killed need a moment to notice.
    const isLeftBehind = /pre-existing shared memory block .* is still in use/.test(log);
    const isOver = launch.signal?.aborted === true || performance.now() > deadline;
    if (!isLeftBehind || isOver) throw notStarted(launch.paths, state, log);
    await delay(POLL_MS * 5);
  }
}

async function spawnServer(
  { paths, binaries, user, tests, environment }: Launch,
  port: number,
): Promise<ServerProcess> {
  await rename(paths.log, `${paths.log}.1`).catch(() => {});
  const settings = { ...SETTINGS, ...(tests ? TEST_SETTINGS : {}) };
  const args = ['-D', paths.data, '-p', String(port)];
  for (const [name, value] of Object.entries(settings)) args.push('-c', `${name}=${value}`);
  // The log is a file, not a pipe: a server whose owner was killed must still be able to end in good order. It is
  // appended to, so that it can be emptied meanwhile.
  const { O_WRONLY, O_CREAT, O_TRUNC, O_APPEND } = constants;
  const log = openSync(paths.log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0o600);
  let child: ChildProcess;
  try {
    child = spawn(binaries.postgres, args, {
      ...user,
      cwd: '/',
      env: { ...serverEnvironment(), ...environment },
      stdio: ['ignore', log, log],
      detached: true,
    });
  } finally {
    closeSync(log);
  }
  const exited = new Promise<void>((done) => {
    child.once('exit', () => done());
    child.once('error', () => done());
  });
  const { pid } = child;
  if (pid === undefined)
    throw new Error(`${binaries.postgres} could not be started. Run npm install and start again.`);
  const owner: Owner = { pid: process.pid, startedAt: processStart(process.pid) ?? '', postmaster: pid };
  try {
    await writeWholeFile(paths.owner, JSON.stringify(owner));
  } catch (error) {
    // Without it the next start could not tell whose server this is.
    await endPostmaster(pid);
    throw error;
  }
  return { pid, exited, hasExited: () => child.exitCode !== null || child.signalCode !== null };
}

/**
 * Waits until the server is ready, which it writes into the last line of its postmaster.pid. One that has begun with the
 * data is given all the time it needs: recovery keeps nothing of its progress, so whoever is ended begins anew.
 */
async function waitUntilReady(
  { paths, startTimeoutSeconds, onRecovering, signal }: Launch,
  server: ServerProcess,
): Promise<'ready' | 'ended' | 'late' | 'stopped'> {
  const lockFile = join(paths.data, 'postmaster.pid');
  const startedAt = performance.now();
  let patienceSeconds = startTimeoutSeconds;
  while (signal?.aborted !== true) {
    if (server.hasExited()) return 'ended';
    const lines = (await readFile(lockFile, 'utf8').catch(() => '')).split('\n');
    const hasBegun = lines[0] === String(server.pid);
    if (hasBegun && lines[7]?.trim() === 'ready') return 'ready';
    if (performance.now() - startedAt > patienceSeconds * 1000) {
      if (!hasBegun) return 'late';
      onRecovering(patienceSeconds);
      patienceSeconds += startTimeoutSeconds;
    }
    await delay(POLL_MS);
  }
  return 'stopped';
}

const NOT_STARTED = {
  ended: 'ended while starting',
  late: 'was not ready in time and was ended',
  stopped: 'was ended before it was ready, because a stop was asked for',
} as const;

function notStarted(paths: ServerPaths, state: keyof typeof NOT_STARTED, log: string): Error {
  const tail = log.trim().split('\n').slice(-12).join('\n');
  return new Error(`PostgreSQL over ${paths.data} ${NOT_STARTED[state]}. The end of ${paths.log}:\n${tail}`);
}
