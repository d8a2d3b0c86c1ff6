import type { ActorSource, AuditOutcome } from '@bailiff/core';
import type { Database } from '@bailiff/prisma';

/** How often something happened; requests are left out, how they ended counts. */
export interface ActivityCount {
  readonly operation: string;
  readonly source: ActorSource;
  readonly actorId: string | null;
  readonly outcome: AuditOutcome;
  readonly count: number;
}

export interface ActivityOfDay {
  /** Of UTC: `2026-11-21`. */
  readonly day: string;
  readonly counts: readonly ActivityCount[];
}

export interface Activity {
  /** Oldest first, today last; days without a row among them. */
  readonly days: readonly ActivityOfDay[];
  readonly last24Hours: readonly ActivityCount[];
}

/**
 * What happened in a guild today and on the days before. Days that are over never change: each is counted once, by who
 * first asks for it, and kept (decisions: Audit).
 */
export async function activityOf(db: Database, guildId: string, days: number): Promise<Activity> {
  const [calendar, recent] = await Promise.all([readCalendar(db, guildId, days), countRecent(db, guildId)]);
  const past = calendar.map(async ({ day, counts, is_over }): Promise<ActivityOfDay> => {
    const kept = counts ?? (await countDay(db, guildId, day, is_over));
    return { day, counts: kept.map(countFrom) };
  });
  return {
    days: [...(await Promise.all(past)), { day: recent.today, counts: recent.ofToday }],
    last24Hours: recent.ofLast24Hours,
  };
}

/** As it is kept: operation, source, person, outcome, how often. */
type Kept = readonly [string, ActorSource, string | null, AuditOutcome, number];

const countFrom = ([operation, source, actorId, outcome, count]: Kept): ActivityCount => ({
  operation,
  source,
  actorId,
  outcome,
  count,
});

interface CalendarRow {
  day: string;
  counts: readonly Kept[] | null;
  is_over: boolean;
}

/** The days before today, oldest first, with their counts where they are kept. */
async function readCalendar(db: Database, guildId: string, days: number): Promise<CalendarRow[]> {
  const { rows } = await db.pool.query<CalendarRow>({
    name: 'activity_calendar',
    // A row has the time at which its transaction began: shortly after midnight some may still be on their way.
    text: `SELECT to_char(past.day, 'YYYY-MM-DD') AS day, kept.counts,
             now() AT TIME ZONE 'UTC' > past.day + interval '1 day 15 minutes' AS is_over
           FROM generate_series(1, $2::int - 1) AS n
           CROSS JOIN LATERAL (SELECT (now() AT TIME ZONE 'UTC')::date - n AS day) AS past
           LEFT JOIN activity_days kept ON kept.guild_id = $1 AND kept.day = past.day
           ORDER BY past.day`,
    values: [guildId, days],
  });
  return rows;
}

async function countDay(
  db: Database,
  guildId: string,
  day: string,
  isOver: boolean,
): Promise<readonly Kept[]> {
  const { rows } = await db.pool.query<{ counts: readonly Kept[] }>({
    name: isOver ? 'keep_activity_of_day' : 'count_activity_of_day',
    text: `WITH counted AS (
             SELECT coalesce(jsonb_agg(jsonb_build_array(operation, actor_source, actor_user_id, outcome, n)), '[]') AS counts
             FROM (SELECT operation, actor_source, actor_user_id, outcome, count(*) AS n FROM audit
                   WHERE guild_id = $1 AND NOT is_read AND outcome <> 'requested'
                     AND at >= $2::date::timestamp AT TIME ZONE 'UTC' AND at < ($2::date + 1)::timestamp AT TIME ZONE 'UTC'
                   GROUP BY operation, actor_source, actor_user_id, outcome) AS grouped
           )${isOver ? ', kept AS (INSERT INTO activity_days SELECT $1, $2::date, counts FROM counted ON CONFLICT DO NOTHING)' : ''}
           SELECT counts FROM counted`,
    values: [guildId, day],
  });
  return rows[0]?.counts ?? [];
}

interface RecentRow {
  today: string;
  operation: string | null;
  actor_source: ActorSource;
  actor_user_id: string | null;
  outcome: AuditOutcome;
  of_today: number;
  of_last_24_hours: number;
}

async function countRecent(db: Database, guildId: string) {
  const { rows } = await db.pool.query<RecentRow>({
    name: 'recent_activity',
    text: `SELECT to_char(today, 'YYYY-MM-DD') AS today, operation, actor_source, actor_user_id, outcome,
             count(*) FILTER (WHERE at >= today AT TIME ZONE 'UTC')::int AS of_today, count(*)::int AS of_last_24_hours
           FROM (SELECT date_trunc('day', now() AT TIME ZONE 'UTC') AS today) AS clock
           LEFT JOIN audit ON guild_id = $1 AND NOT is_read AND outcome <> 'requested' AND at >= now() - interval '24 hours'
           GROUP BY today, operation, actor_source, actor_user_id, outcome`,
    values: [guildId],
  });
  const happened = rows.filter((row) => row.operation !== null);
  const counted = (which: 'of_today' | 'of_last_24_hours'): ActivityCount[] =>
    happened
      .filter((row) => row[which] > 0)
      .map((row) => ({
        operation: row.operation ?? '',
        source: row.actor_source,
        actorId: row.actor_user_id,
        outcome: row.outcome,
        count: row[which],
      }));
  return {
    today: rows[0]?.today ?? '',
    ofToday: counted('of_today'),
    ofLast24Hours: counted('of_last_24_hours'),
  };
}
