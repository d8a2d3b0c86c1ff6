// Shared code of the operator's commands.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Database, openDatabase } from '@bailiff/prisma';
import { databaseUrl } from '@bailiff/supervisor/database-url';

/** Exit code for wrong usage of a command (sysexits.h). */
export const EX_USAGE = 64;

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
): Promise<void> {
  if (existsSync('.env')) process.loadEnvFile('.env');
  const directory = resolve(process.env.BAILIFF_DIR ?? '.bailiff');
  const url = process.env.DATABASE_URL || (await databaseUrl(directory).catch(() => undefined));
  if (url === undefined) {
    return fail(`There is no database in ${directory}. Run npm start first, or set DATABASE_URL.`, 1);
  }
  const db = openDatabase(url, { applicationName, max: 1 });
  try {
    await work(db);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    fail(`${failed}: ${reason}`, 1);
  } finally {
    await db.close();
  }
}

export function fail(message: string, exitCode: number): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = exitCode;
}
