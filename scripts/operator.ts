// Shared code of the operator's commands.
import { showUnseen } from '@bailiff/core';
import { type Database, type DatabaseOptions, openDatabase } from '@bailiff/prisma';
import { databaseUrl, explained, ownDatabaseUrl } from '@bailiff/supervisor/database-url';
import { loadEnvironment } from '@bailiff/supervisor/environment-file';
import { directoryIn } from '@bailiff/supervisor/root';

// When nobody reads its output any more, as after `| head`, a command has said what was asked for.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

/** Somebody waits at a terminal, perhaps because the machine is busy. */
const CONNECT_TIMEOUT_MS = 20_000;

/** Exit code for wrong usage of a command (sysexits.h). */
export const EX_USAGE = 64;

/** What a command is asked to do: list things, or end one thing or all things of an owner. */
export type ListOrEnd =
  | { readonly verb: 'list'; readonly ownerId: string | null }
  | { readonly verb: 'end'; readonly which: { readonly id: string } | { readonly ownerId: string } };

/**
 * Reads `list [owner's id]`, `<end> <id>` or `<end> --<owner> <owner's id> all`. Returns null for anything else.
 *
 * @param words.end the verb that ends things, such as `revoke`
 * @param words.owner who has the things: `guild` or `user`
 */
export function readListOrEnd(
  [verb, ...rest]: readonly string[],
  words: { readonly end: string; readonly owner: 'guild' | 'user'; readonly id: RegExp },
): ListOrEnd | null {
  const [first = '', second = '', third] = rest;
  if (verb === 'list' && rest.length === 0) return { verb, ownerId: null };
  if (verb === 'list' && rest.length === 1 && isSnowflake(first)) return { verb, ownerId: first };
  if (verb !== words.end) return null;
  if (rest.length === 1 && words.id.test(first)) return { verb: 'end', which: { id: first } };
  const isAll = rest.length === 3 && first === `--${words.owner}` && isSnowflake(second) && third === 'all';
  return isAll ? { verb: 'end', which: { ownerId: second } } : null;
}

const isSnowflake = (text: string) => /^\d{17,20}$/.test(text);

/**
 * Runs `work` on the database of the environment, `.env` or the instance's directory. If it fails, prints the error and
 * ends the process with 1.
 *
 * @param failed start of the error message: what was not done
 */
export async function onDatabase(
  applicationName: string,
  failed: string,
  work: (db: Database) => Promise<void>,
  options: Pick<DatabaseOptions, 'statementTimeoutMs'> = {},
): Promise<void> {
  let given: string | undefined;
  try {
    loadEnvironment();
    given = ownDatabaseUrl(process.env);
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error), 1);
  }
  const directory = directoryIn(process.env);
  const url = given ?? (await databaseUrl(directory).catch(() => undefined));
  if (url === undefined) {
    return fail(
      `There is no database in ${directory} that this user can read. If Bailiff keeps its data elsewhere, set BAILIFF_DIR to ` +
        'that folder, or DATABASE_URL. If it has none yet, run npm start first.',
      1,
    );
  }
  const db = openDatabase(url, { ...options, applicationName, connectTimeoutMs: CONNECT_TIMEOUT_MS, max: 1 });
  await orFail(failed, async () => {
    // Here a wrong address is still told as such. Later it is a database that does not answer.
    await db.pool.query('SELECT 1').catch((error) => Promise.reject(given ? explained(given, error) : error));
    await work(db);
  });
  await db.close();
}

/** Does `work`. If it fails, prints the error and ends the process with 1. @param failed start of the error message */
export async function orFail(failed: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    fail(`${failed}: ${reason}`, 1);
  }
}

/** Prints a line. Names and what browsers say of themselves could disguise it by characters that nobody sees. */
export function say(line: string): void {
  process.stdout.write(`${showUnseen(line)}\n`);
}

export function fail(message: string, exitCode: number): void {
  process.stderr.write(`${showUnseen(message, '\n')}\n`);
  process.exitCode = exitCode;
}
