import { type Database, sql } from '@bailiff/prisma';

const listedByRequest = sql.statement({
  parameters: [sql.text, sql.arrayOf(sql.text)],
  columns: { id: sql.text, user_ids: sql.arrayOf(sql.text) },
  text: `SELECT a.id, ARRAY(SELECT p.user_id FROM listed_people p
      WHERE p.list_id = l.action_id AND p.spared IS NULL AND p.user_id IS NOT NULL ORDER BY p.place) AS user_ids
    FROM approval_requests a
    JOIN person_lists l ON l.guild_id = a.guild_id AND l.action_id = coalesce(
      (SELECT m.action_id FROM person_lists m WHERE m.taken_by = a.target_id), a.target_id)
    WHERE a.guild_id = $1 AND a.id = ANY ($2) AND a.target_type = 'action'`,
});

/** The people on whom requests about a list would act, by request, in the order of the list. */
export async function peopleOfRequests(
  { pool }: Pick<Database, 'pool'>,
  guildId: string,
  requestIds: readonly string[],
): Promise<Readonly<Record<string, readonly string[]>>> {
  const rows = await listedByRequest.all(pool, [guildId, requestIds]);
  return Object.fromEntries(rows.map(({ id, user_ids }) => [id, user_ids]));
}
