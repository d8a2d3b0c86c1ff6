// Backups of the database of an installation: the embedded one, or that of DATABASE_URL.
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { BackupError, checkBackup, restoreBackup, type Taken, takeBackup } from '@bailiff/prisma/backup';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@bailiff/prisma/embedded';
import { databaseUrl, explained } from './database-url.ts';
import { loadEnvironment } from './environment-file.ts';
import { prepareDirectory } from './home-directory.ts';
import { directoryIn } from './root.ts';
import { exists, hasServedDiscord, markServedDiscord } from './sandbox-guard.ts';

const KEYS =
  'NEXTAUTH_SECRET and SECRETS_KEY are not in it. Without its SECRETS_KEY nobody can read the passwords of game servers.';

/**
 * Writes a backup of this installation's database, which may run meanwhile. If the embedded one does not run, it runs
 * for that time.
 *
 * @param file default: a new one in the folder of data
 * @throws BackupError, or Error of the database, whose messages are for the operator
 */
export async function backUp(file: string | undefined, say: (line: string) => void): Promise<void> {
  const { directory, url } = readPlace();
  const stamp = new Date().toISOString().slice(0, 19).replaceAll(':', '-');
  const path = file === undefined ? join(directory, 'backups', `${stamp}.backup`) : pathOf(file);
  const taken =
    url === undefined
      ? await backUpEmbedded(directory, path)
      : await naming(url, takeBackup(url, path, { servedDiscord: process.env.SANDBOX !== 'on' }));
  const where = url === undefined ? ` They are in ${join(directory, 'secrets.json')}.` : '';
  say(`Wrote ${path}: ${taken.rows} rows of ${taken.tables} tables.`);
  say(`${KEYS}${where}`);
}

async function backUpEmbedded(directory: string, path: string): Promise<Taken> {
  const servedDiscord = await hasServedDiscord(directory);
  const url = await databaseUrl(directory).catch(() => {
    throw new BackupError(`There is no database in ${directory}: set DATABASE_URL or BAILIFF_DIR.`);
  });
  try {
    return await takeBackup(url, path, { servedDiscord });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') throw error;
  }
  return await withServer(directory, (server) => takeBackup(server.url, path, { servedDiscord }));
}

/**
 * Fills the database of DATABASE_URL, which must be empty, or makes an embedded one with the content of a backup.
 *
 * @throws BackupError, or Error of the database, whose messages are for the operator
 */
export async function restore(file: string, say: (line: string) => void): Promise<void> {
  const { directory, url } = readPlace();
  const path = pathOf(file);
  const { header, rows } =
    url === undefined ? await restoreEmbedded(directory, path) : await naming(url, restoreBackup(url, path));
  say(`Restored ${rows} rows, as they were at ${header.taken_at} in release ${header.release}.`);
  const where = url === undefined ? ` Put its secrets.json into ${directory}, or set both.` : ' Set both.';
  say(`${KEYS}${where} Then run npm start.`);
}

async function restoreEmbedded(directory: string, path: string) {
  const postgres = join(directory, 'postgres');
  if (await exists(join(postgres, 'data'))) {
    throw new BackupError(
      `${postgres} has a database already: name another folder with BAILIFF_DIR, or move it away.`,
    );
  }
  const { served_discord } = await checkBackup(path);
  await prepareDirectory(directory);
  // First, because the sandbox must never get the data of a real Discord.
  if (served_discord) await markServedDiscord(directory);
  try {
    return await withServer(directory, (server) => restoreBackup(server.url, path));
  } catch (error) {
    await rm(postgres, { recursive: true, force: true });
    throw error;
  }
}

async function withServer<Result>(
  directory: string,
  work: (server: EmbeddedPostgres) => Promise<Result>,
): Promise<Result> {
  const server = await startEmbeddedPostgres({ directory: join(directory, 'postgres') });
  try {
    return await work(server);
  } finally {
    await server.stop();
  }
}

/** What `work` comes to. An error that may come from a wrong address names DATABASE_URL. */
function naming<Result>(url: string, work: Promise<Result>): Promise<Result> {
  return work.catch((error: unknown) => {
    throw explained(url, error);
  });
}

/** Where the installation has its data, and the address of its database unless that is embedded. */
function readPlace(): { directory: string; url: string | undefined } {
  loadEnvironment();
  return { directory: directoryIn(process.env), url: process.env.DATABASE_URL || undefined };
}

/** npm runs a script in the project's folder, and says from where it was called. */
function pathOf(file: string): string {
  return resolve(process.env.INIT_CWD ?? '.', file);
}
