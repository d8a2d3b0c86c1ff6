import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import {
  access,
  chmod,
  chown,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  isPostmasterOf,
  isRunning,
  isSameProcess,
  type ProcessIdentity,
  processStart,
} from './process-identity.ts';
import {
  type Account,
  canReach,
  type ServerBinaries,
  type ServerUser,
  SYSTEM_DIRECTORY,
} from './server-binaries.ts';
import { writeWholeFile } from './whole-file.ts';

/** The paths of an embedded server. */
export interface ServerPaths {
  directory: string;
  data: string;
  connection: string;
  owner: string;
  log: string;
}

export interface ServerConnection {
  port: number;
  password: string;
}

/** Who started the server, and which process the server is. */
export interface Owner extends ProcessIdentity {
  postmaster?: number;
}

export const SUPERUSER = 'postgres';

const POSTGRES_MAJOR = '18';
const POLL_MS = 20;

export async function preparePaths(directory: string, user: ServerUser): Promise<ServerPaths> {
  await mkdir(directory, { recursive: true });
  const data = join(directory, 'data');
  await refuseForeignFiles(directory, data);
  if (user !== undefined && !canReach(user, directory)) await letIn(directory, data, user);
  return {
    directory,
    data: existsSync(data) ? await realpath(data) : data,
    connection: join(directory, 'connection.json'),
    owner: join(directory, 'owner.json'),
    log: join(directory, 'postgres.log'),
  };
}

async function refuseForeignFiles(directory: string, data: string): Promise<void> {
  try {
    await access(directory, constants.R_OK | constants.W_OK | constants.X_OK);
    if (existsSync(data)) await access(data, constants.R_OK | constants.X_OK);
  } catch (cause) {
    throw new Error(
      `${directory} belongs to another user. Start as the user who created it (was it root?), ` +
        'or choose another directory with BAILIFF_DIR.',
      { cause },
    );
  }
}

/**
 * Lets the server's user pass through the directory; where the way to it is closed as well (a checkout in /root, say),
 * the data gets a place under /var/lib/bailiff and `data` becomes a link to it.
 */
async function letIn(directory: string, data: string, user: Account): Promise<void> {
  if (canReach(user, dirname(directory))) {
    const { uid, mode } = await lstat(directory);
    await chown(directory, uid, user.gid);
    await chmod(directory, mode | 0o010);
    return;
  }
  if (existsSync(data)) return;
  await rm(data, { force: true }); // a link whose target no longer exists
  await mkdir(SYSTEM_DIRECTORY, { recursive: true, mode: 0o755 });
  const elsewhere = await mkdtemp(join(SYSTEM_DIRECTORY, 'data-'));
  await chown(elsewhere, user.uid, user.gid);
  await symlink(elsewhere, data);
}

/** Makes this process the owner of the directory. Returns the previous owner, which has ended. */
export async function claim(paths: ServerPaths): Promise<Owner | undefined> {
  let self: Owner = { pid: process.pid, startedAt: processStart(process.pid) ?? '' };
  let previous: Owner | undefined;
  for (;;) {
    try {
      await writeFile(paths.owner, JSON.stringify(self), { flag: 'wx', mode: 0o600 });
      return previous;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    previous = await readJson<Owner>(paths.owner);
    if (previous !== undefined && isSameProcess(previous)) {
      const server =
        previous.postmaster === undefined ? '' : ` (PostgreSQL is process ${previous.postmaster})`;
      throw new Error(
        `The database in ${paths.directory} is in use by process ${previous.pid}${server}. ` +
          'Stop that one first, or choose another directory with BAILIFF_DIR.',
      );
    }
    // Keep the server's identity, so that the next owner can stop it if this process dies first.
    if (previous?.postmaster !== undefined) self = { ...self, postmaster: previous.postmaster };
    await rm(paths.owner, { force: true });
  }
}

/** Deals with what postmaster.pid says: our own server without an owner, someone else's, or nobody's. */
export async function endAbandonedServer(paths: ServerPaths, previous: Owner | undefined): Promise<void> {
  const lockFile = join(paths.data, 'postmaster.pid');
  const pid = Number((await readFile(lockFile, 'utf8').catch(() => '')).split('\n', 1)[0]);
  if (!pid) return;
  if (isPostmasterOf(pid, paths.data)) {
    if (previous?.postmaster !== pid) {
      throw new Error(
        `A PostgreSQL that Bailiff did not start (process ${pid}) is running on ${paths.data}. ` +
          `Stop it (kill -INT ${pid}), then start again.`,
      );
    }
    await endPostmaster(pid);
    return;
  }
  // PostgreSQL clears the file of a dead process itself, but not when the number went to some other program.
  if (isRunning(pid)) await rm(lockFile);
}

/** Removes a directory, and ends the server over it, if the process that started the server is no more. */
export async function removeAbandonedServer(directory: string): Promise<void> {
  const owner = await readJson<Owner>(join(directory, 'owner.json'));
  if (owner === undefined || isSameProcess(owner)) return;
  const data = await realpath(join(directory, 'data')).catch(() => undefined);
  const { postmaster } = owner;
  if (postmaster !== undefined && data !== undefined && isPostmasterOf(postmaster, data)) {
    await endPostmaster(postmaster);
  }
  await removeWithServers(directory);
}

/** Removes a directory, and what the servers in it, which have ended, keep under /var/lib/bailiff. */
export async function removeWithServers(directory: string): Promise<void> {
  for (const path of await dataElsewhere(directory)) await rm(path, { recursive: true, force: true });
  await rm(directory, { recursive: true, force: true });
}

async function dataElsewhere(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  const found = entries.map(async (entry) => {
    const path = join(directory, entry.name);
    if (entry.name !== 'data') return entry.isDirectory() ? dataElsewhere(path) : [];
    return entry.isSymbolicLink() ? [await readlink(path)] : [];
  });
  return (await Promise.all(found)).flat().filter((path) => dirname(path) === SYSTEM_DIRECTORY);
}

/** @throws Error if there is a database already */
export function refuseData(directory: string): void {
  if (!existsSync(join(directory, 'data', 'PG_VERSION'))) return;
  throw new Error(
    `${directory} has a database already: name another folder with BAILIFF_DIR, or move it away.`,
  );
}

/** Removes the data of a server that has ended, and what belongs to it. What else is in the directory stays. */
export async function removeData({ directory, data, connection, log }: ServerPaths): Promise<void> {
  // Below a closed directory the first is a link, and the second what it leads to.
  const ours = [join(directory, 'data'), data, `${data}.unfinished`, connection, log, `${log}.1`];
  for (const path of ours) await rm(path, { recursive: true, force: true });
}

/** Creates the data when there is none yet. An interrupted attempt leaves nothing that a later one would take for it. */
export async function initialise(
  paths: ServerPaths,
  binaries: ServerBinaries,
  user: ServerUser,
  tests: boolean,
): Promise<ServerConnection> {
  const stored = await readJson<ServerConnection>(paths.connection);
  if (existsSync(join(paths.data, 'PG_VERSION'))) {
    if (stored !== undefined) return stored;
    throw new Error(
      `${paths.connection} is missing or damaged, and with it the password of the database beside it. ` +
        `Restore it, or remove ${paths.directory} to begin with an empty database.`,
    );
  }
  const connection = { port: 0, password: randomBytes(24).toString('base64url') };
  await writeWholeFile(paths.connection, JSON.stringify(connection));

  // A linked data directory exists already and is owned by the server's user; any other appears by one rename.
  const isLinked = existsSync(paths.data);
  const target = isLinked ? paths.data : `${paths.data}.unfinished`;
  const passwordFile = `${target}.password`;
  await rm(target, { recursive: true, force: true });
  await mkdir(target, { mode: 0o700 });
  await writeFile(passwordFile, connection.password, { mode: 0o600 });
  if (user !== undefined) {
    await chown(target, user.uid, user.gid);
    await chown(passwordFile, user.uid, user.gid);
  }
  try {
    await runInitdb(binaries, user, target, passwordFile, tests);
  } finally {
    await rm(passwordFile, { force: true });
  }
  if (!isLinked) await rename(target, paths.data);
  paths.data = await realpath(paths.data);
  return connection;
}

async function runInitdb(
  binaries: ServerBinaries,
  user: ServerUser,
  target: string,
  passwordFile: string,
  tests: boolean,
): Promise<void> {
  const args = [
    `--pgdata=${target}`,
    `--username=${SUPERUSER}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // The same order of text on every machine, whatever its libc.
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    ...(tests ? ['--no-sync'] : []),
  ];
  const child = spawn(binaries.initdb, args, {
    ...user,
    cwd: '/',
    env: serverEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 120_000,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const code = await new Promise<number | null>((done, fail) => {
    child.once('error', fail);
    child.once('close', done);
  });
  if (code !== 0) throw new Error(`PostgreSQL could not create its data in ${target}:\n${output.trim()}`);
}

export async function refuseOtherMajor(paths: ServerPaths): Promise<void> {
  const major = (await readFile(join(paths.data, 'PG_VERSION'), 'utf8')).trim();
  if (major === POSTGRES_MAJOR) return;
  throw new Error(
    `The data in ${paths.data} is of PostgreSQL ${major}; this version brings PostgreSQL ${POSTGRES_MAJOR}. ` +
      'Run npm run backup with the earlier version of Bailiff, remove the directory, and restore the backup with this one.',
  );
}

/**
 * Ends a server by ever stronger signals: fast shutdown (10 s), immediate shutdown (3 s), kill.
 *
 * @throws Error when the process survives even that for 2 s
 */
export async function endPostmaster(pid: number): Promise<void> {
  const steps = [
    { signal: 'SIGINT', milliseconds: 10_000 },
    { signal: 'SIGQUIT', milliseconds: 3_000 },
    { signal: 'SIGKILL', milliseconds: 2_000 },
  ] as const;
  for (const { signal, milliseconds } of steps) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') return;
      throw error;
    }
    const deadline = Date.now() + milliseconds;
    while (Date.now() < deadline) {
      if (processStart(pid) === undefined) return;
      await delay(POLL_MS);
    }
  }
  throw new Error(
    `PostgreSQL (process ${pid}) could not be ended. End it (kill -9 ${pid}), then start again.`,
  );
}

/** The server's environment: ours without the variables that configure PostgreSQL. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, LC_ALL: 'C' };
}

/** The content of one of our JSON files; undefined if it is absent or damaged. */
async function readJson<Content>(path: string): Promise<Content | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Content;
  } catch {
    return undefined;
  }
}
