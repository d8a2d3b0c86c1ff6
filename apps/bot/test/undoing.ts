import type { Stage } from './harness.ts';

/** What waits for a row that an undo has locked. */
const BEHIND_UNDO = `SELECT FROM pg_stat_activity AS waits, unnest(pg_blocking_pids(waits.pid)) AS blocking
  JOIN pg_stat_activity AS undo ON undo.pid = blocking AND undo.query LIKE '%undo_import(%'
  WHERE waits.datname = current_database()`;

/**
 * Begins to undo the import of a record, as if an import had brought it. It has chosen what it removes, and waits before
 * it does so.
 */
export async function undoThatWaits({ test, guildId, people, row }: Stage, recordId: string) {
  const { pool } = test.database;
  const { id: importId } = await row<{ id: string }>(
    `WITH made AS (
       INSERT INTO imports (guild_id, source, file_name, file_size, begun_by)
       VALUES ('${guildId}', 'zeppelin', 'export.json', 1, '${people.owner}') RETURNING id, guild_id, source),
     brought AS (
       INSERT INTO imported_rows (guild_id, source, external_id, import_id, record_id)
       SELECT guild_id, source, '1', id, '${recordId}' FROM made)
     SELECT id FROM made`,
  );
  const holder = await pool.connect();
  await holder.query('BEGIN');
  await holder.query('SELECT FROM imported_rows WHERE record_id = $1 FOR UPDATE', [recordId]);
  const undone = pool.query<{ removed: number; kept: number | null }>(
    'SELECT removed, kept FROM undo_import($1, 1000)',
    [{ guild_id: guildId, import_id: importId, actor_user_id: people.owner }],
  );
  undone.catch(() => {});
  await row(`SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%undo_import(%'
    AND datname = current_database()`);
  return {
    /** Resolves when somebody waits for what the undo has locked. */
    isInTheWay: () => row(BEHIND_UNDO),
    /** Lets it remove what it has chosen. */
    finish: async () => {
      await holder.query('COMMIT');
      holder.release();
      return (await undone).rows[0];
    },
  };
}
