// Backups of the database of an installation: the embedded one, or that of DATABASE_URL.
import { join } from 'node:path';
import { parseDatabaseAddress } from '@bailiff/core';
import {
  BackupError,
  checkBackup,
  type Restored,
  restoreBackup,
  type Taken,
  takeBackup,
} from '@bailiff/prisma/backup';
import { refuseData, startEmbeddedPostgres } from '@bailiff/prisma/embedded';
import { databaseUrl, explained, ownDatabaseUrl } from './database-url.ts';
import { loadEnvironment } from './environment-file.ts';
import { prepareDirectory } from './home-directory.ts';
import { directoryIn, namedFile } from './root.ts';
import { hasServedDiscord, markServedDiscord } from './sandbox-guard.ts';

const TOKENS =
  'Tokens that were revoked since, and secrets that were rotated since, are valid again: npm run tokens -- list shows the ' +
  'tokens, npm run tokens -- revoke revokes them. Everybody signs in again.';
const KEYS =
  'NEXTAUTH_SECRET and SECRETS_KEY are not in it. Without its SECRETS_KEY nobody can read the passwords of game servers.';

/**
 * Writes a backup of this installation's database, which may run meanwhile. If the embedded one does not run, it runs
 * for that time.
 *
 * @param file default: a new one in the folder of data
 * @param signal ends it, and leaves no part of the file behind
 * @throws BackupError, or Error of the database, whose messages are for the operator
 */
export async function backUp(
  file: string | undefined,
  say: (line: string) => void,
  signal?: AbortSignal,
): Promise<void> {
  const { directory, url } = readPlace();
  const stamp = new Date().toISOString().slice(0, 19).replaceAll(':', '-');
  const path = file === undefined ? join(directory, 'backups', `${stamp}.backup`) : namedFile(file);
  const taken = await orStopped(
    signal,
    url === undefined
      ? backUpEmbedded(directory, path, signal)
      : naming(url, takeBackup(url, path, { servedDiscord: process.env.SANDBOX !== 'on', signal })),
  );
  const where = url === undefined ? ` They are in ${join(directory, 'secrets.json')}.` : '';
  // Without the setting that names it, another database may be backed up than the one in use.
  const database =
    url === undefined ? `embedded database in ${directory}` : `database ${parseDatabaseAddress(url)?.shown}`;
  say(`Wrote ${path}: ${taken.rows} rows of ${taken.tables} tables of the ${database}.`);
  sayLeftOut(taken.leftOut, say);
  say(`${KEYS}${where}`);
}

async function backUpEmbedded(
  directory: string,
  path: string,
  signal: AbortSignal | undefined,
): Promise<Taken> {
  const servedDiscord = await hasServedDiscord(directory);
  const url = await databaseUrl(directory).catch(() => {
    throw new BackupError(`There is no database in ${directory}: set DATABASE_URL or BAILIFF_DIR.`);
  });
  try {
    return await takeBackup(url, path, { servedDiscord, signal });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') throw error;
  }
  const server = await startEmbeddedPostgres({ directory: join(directory, 'postgres'), signal });
  try {
    return await takeBackup(server.url, path, { servedDiscord, signal });
  } finally {
    await server.stop();
  }
}

/**
 * Fills the database of DATABASE_URL, which must be empty, or makes an embedded one with the content of a backup.
 *
 * @param signal ends it, and leaves no part of an embedded database behind
 * @throws BackupError, or Error of the database, whose messages are for the operator
 */
export async function restore(
  file: string,
  say: (line: string) => void,
  signal?: AbortSignal,
): Promise<void> {
  const { directory, url } = readPlace();
  const path = namedFile(file);
  const { header, rows, leftOut } = await orStopped(
    signal,
    url === undefined
      ? restoreEmbedded(directory, path, signal)
      : naming(url, restoreBackup(url, path, signal)),
  );
  say(`Restored ${rows} rows, as they were at ${header.taken_at} in release ${header.release}.`);
  sayLeftOut(leftOut, say);
  say(TOKENS);
  const where = url === undefined ? ` Put its secrets.json into ${directory}, or set both.` : ' Set both.';
  say(`${KEYS}${where} Then run npm start.`);
}

function sayLeftOut(names: readonly string[], say: (line: string) => void): void {
  if (names.length === 0) return;
  say(`Left out, because Bailiff did not make them: ${names.join(', ')}. If you need them, use pg_dump.`);
}

async function restoreEmbedded(
  directory: string,
  path: string,
  signal: AbortSignal | undefined,
): Promise<Restored> {
  const postgres = join(directory, 'postgres');
  refuseData(postgres);
  const { served_discord } = await checkBackup(path, signal);
  await prepareDirectory(directory);
  const server = await startEmbeddedPostgres({ directory: postgres, isNew: true, signal });
  let restored: Restored;
  try {
    // First, because the sandbox must never get the data of a real Discord.
    if (served_discord) await markServedDiscord(directory);
    restored = await restoreBackup(server.url, path, signal);
  } catch (error) {
    await server.discard();
    throw error;
  }
  await server.stop();
  return restored;
}

/** What `work` comes to. After a stop was asked for, its error only says what that interrupted. */
function orStopped<Result>(signal: AbortSignal | undefined, work: Promise<Result>): Promise<Result> {
  return work.catch((error: unknown) => {
    throw signal?.aborted === true ? new BackupError('it was stopped.') : error;
  });
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
  return { directory: directoryIn(process.env), url: ownDatabaseUrl(process.env) };
}
