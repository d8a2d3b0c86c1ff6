import { type Database, sql } from '@bailiff/prisma';

/** How many people of all requests are read: the longest list, and another. */
const MOST_LISTED = 2_000;

/** The people of a list. */
interface ListedPeople {
  readonly count: number;
  /** In the order of the list. Empty if requests before have used up {@link MOST_LISTED}. */
  readonly userIds: readonly string[];
}

const listedByRequest = sql.statement({
  parameters: [sql.text, sql.arrayOf(sql.text), sql.bigint],
  columns: { id: sql.text, count: sql.int, user_ids: sql.arrayOf(sql.text) },
  text: `SELECT id, count, CASE WHEN together <= $3 THEN ARRAY(SELECT p.user_id FROM listed_people p
        WHERE p.list_id = sums.list_id AND p.spared IS NULL AND p.user_id IS NOT NULL ORDER BY p.place)
      ELSE '{}' END AS user_ids
    FROM (SELECT id, list_id, count, sum(count) OVER (ORDER BY array_position($2, id)) AS together
      FROM (SELECT a.id, l.action_id AS list_id, (SELECT count(*)::int FROM listed_people p
            WHERE p.list_id = l.action_id AND p.spared IS NULL AND p.user_id IS NOT NULL) AS count
        FROM approval_requests a
        JOIN person_lists l ON l.guild_id = a.guild_id AND l.action_id = coalesce(
          (SELECT m.action_id FROM person_lists m WHERE m.taken_by = a.target_id), a.target_id)
        WHERE a.guild_id = $1 AND a.id = ANY ($2) AND a.target_type = 'action') AS counted) AS sums`,
});

/**
 * The people on whom requests about a list would act, by request. A token can ask about a list of a thousand again and
 * again, so the people of the first requests are read, and of the others how many they are.
 */
export async function peopleOfRequests(
  { pool }: Pick<Database, 'pool'>,
  guildId: string,
  requestIds: readonly string[],
): Promise<Readonly<Record<string, ListedPeople>>> {
  const rows = await listedByRequest.all(pool, [guildId, requestIds, MOST_LISTED]);
  return Object.fromEntries(rows.map(({ id, count, user_ids }) => [id, { count, userIds: user_ids }]));
}
