import { type Database, type RowOf, sql } from '@bailiff/prisma';
import { CASE, CASE_COLUMNS } from '#src/cases/cases.ts';
import { coalesce, MOST_EVENTS_WAITING } from '#src/database/coalesce.ts';

const queueAlerts = sql.command({
  parameters: [sql.arrayOf(sql.text), sql.arrayOf(sql.text)],
  text: 'SELECT alert_of_joins($1, $2)',
});

/** Somebody who joined a guild. */
export interface Join {
  readonly guildId: string;
  readonly userId: string;
}

/**
 * A function that queues the post about somebody who joined, if their guild wants one. Those who join meanwhile share a
 * statement, and behind too many it is refused with DatabaseTooSlow.
 */
export function joinAlerts({ pool }: Pick<Database, 'pool'>): (join: Join) => Promise<void> {
  const queue = coalesce(
    async (joins: readonly Join[]) => {
      await queueAlerts.run(pool, [joins.map(({ guildId }) => guildId), joins.map(({ userId }) => userId)]);
      return joins.map(() => undefined);
    },
    1,
    { waiting: MOST_EVENTS_WAITING, turnOf: ({ guildId }) => guildId },
  );
  return (join) => queue(join);
}

/** How many of their cases a post shows. */
const SHOWN = 5;

const countedCases = sql.statement({
  parameters: [sql.text, sql.text],
  columns: { ...CASE, total: sql.int },
  text: `SELECT ${CASE_COLUMNS}, (count(*) OVER ())::int AS total FROM cases
    WHERE guild_id = $1 AND user_id = $2
      AND (issued_at > now() - interval '90 days' OR case_is_in_force(ended_at, expires_at))
    ORDER BY issued_at DESC, case_number DESC LIMIT ${SHOWN}`,
});

/** The latest cases for which moderators are told of somebody, each with how many there are of all. */
export function casesToTell(
  { pool }: Pick<Database, 'pool'>,
  { guildId, userId }: Join,
): Promise<RowOf<typeof CASE & { total: typeof sql.int }>[]> {
  return countedCases.all(pool, [guildId, userId]);
}
