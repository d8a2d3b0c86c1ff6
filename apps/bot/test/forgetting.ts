import { forgetPerson } from '@bailiff/engine/guilds/forget';
import type { Stage } from './harness.ts';

/**
 * Forgets a person, and lets something go on once that has come to a table, where it waits. It is over when what goes on
 * has come to its end, or waits too: for what an action has read, or for a ticket.
 *
 * @param table that the forgetting changes and the other does not
 * @param isOver a condition on the database that holds when the other has not waited
 */
export async function forgetMeanwhile(
  { test, row }: Pick<Stage, 'test' | 'row'>,
  personId: string,
  table: string,
  goOn: () => void,
  isOver: string,
): Promise<void> {
  const { pool } = test.database;
  const untilWaiting = (query: string, or = 'false') =>
    row(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query ~ $1
       HAVING count(*) > 0 OR ${or}`,
      [query],
    );
  const holder = await pool.connect();
  try {
    await holder.query(`BEGIN; LOCK TABLE ${table} IN SHARE MODE`);
    const forgetting = forgetPerson(test.database, personId, { rehearse: false });
    forgetting.catch(() => {});
    await untilWaiting('forget_person');
    goOn();
    await untilWaiting('action_pages|tickets', isOver);
    await holder.query('COMMIT');
    await forgetting;
  } finally {
    holder.release();
  }
}
