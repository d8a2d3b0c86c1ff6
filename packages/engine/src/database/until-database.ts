import { setTimeout as delay } from 'node:timers/promises';
import { openDatabase, sql } from '@bailiff/prisma';
import { isDatabaseUnavailable } from './database-errors.ts';

const POLL_MS = 250;
/** Longer than any restart of a server; an operator who corrects an address has to start the process again anyway. */
const PATIENCE_MS = 10 * 60_000;

const ask = sql.command({ parameters: [], text: 'SELECT' });

/**
 * Settles once the database answers. A process that starts while its database is away waits here, because a crash would
 * add the pause before its next start.
 *
 * @throws the database's error, if waiting does not help: a wrong password, or ten minutes without an answer
 */
export async function untilDatabase(
  url: string,
  { signal, onWait }: { signal?: AbortSignal; onWait: (error: unknown) => void },
): Promise<void> {
  const db = openDatabase(url, { applicationName: 'bailiff start', max: 1 });
  const giveUpAt = performance.now() + PATIENCE_MS;
  try {
    for (let isFirst = true; ; isFirst = false) {
      try {
        await ask.run(db.pool, []);
        return;
      } catch (error) {
        if (!isDatabaseUnavailable(error) || performance.now() > giveUpAt) throw error;
        if (isFirst) onWait(error);
      }
      await delay(POLL_MS, undefined, { ...(signal && { signal }) });
    }
  } finally {
    await db.close();
  }
}
