import { setTimeout as delay } from 'node:timers/promises';
import { databaseErrorCode, isDatabaseUnavailable } from '@bailiff/engine/database/database-errors';
import { type Database, missingIn, readNeeds } from '@bailiff/prisma';
import type { Logger } from 'pino';

const POLL_MS = 1_000;
const REMIND_MS = 60_000;
/** PostgreSQL's code for what a login may not read. */
const INSUFFICIENT_PRIVILEGE = '42501';

/**
 * Settles once the database has what this release needs, or is ahead of it. Not every web process is started by a bot
 * that has seen to that. The calls of one that answers before the migrations would fail, while the one before it, which
 * it replaces, still answers them.
 *
 * @param onWait called before each pause
 * @throws the database's error, if waiting does not help
 */
export async function untilTablesFit(
  { pool }: Pick<Database, 'pool'>,
  { log, onWait }: { log: Logger; onWait: () => void },
): Promise<void> {
  const needs = await readNeeds();
  let remindAt = 0;
  for (;;) {
    const problem = await missingIn(pool, needs).then(
      (missing) =>
        missing.length === 0 ? undefined : { missing: missing.length, first_missing: missing[0] },
      (error: Error) => {
        // Its owner is making the tables, and gives this login its rights at the end.
        if (databaseErrorCode(error) !== INSUFFICIENT_PRIVILEGE && !isDatabaseUnavailable(error)) throw error;
        return { err: error };
      },
    );
    if (problem === undefined) break;
    if (performance.now() >= remindAt) {
      remindAt = performance.now() + REMIND_MS;
      log.warn(problem, BEHIND);
    }
    onWait();
    await delay(POLL_MS);
  }
  if (remindAt > 0) log.info('the database fits this release');
}

const BEHIND =
  'this process answers once the database fits this release; if nothing is migrating it, run npm run migrate with the ' +
  "DATABASE_URL of the tables' owner";
