import { ActorSource, AuditOutcome, type Database, sql } from '@bailiff/prisma';
import { pageInTurn } from '#src/database/in-turn.ts';

/** How often operations happened, by outcome. Requests are not counted. */
export interface ActivityCount {
  readonly operation: string;
  readonly source: ActorSource;
  readonly actorId: string | null;
  readonly outcome: AuditOutcome;
  readonly count: number;
}

export interface ActivityOfDay {
  /** In UTC: `2026-11-21`. */
  readonly day: string;
  readonly counts: readonly ActivityCount[];
}

export interface Activity {
  /** Oldest first, today last. Days without rows are included. */
  readonly days: readonly ActivityOfDay[];
  readonly last24Hours: readonly ActivityCount[];
}

/**
 * The activity of a guild today and on the days before. Past days never change, so each is counted once, on first use,
 * and stored (decisions: Audit).
 */
export async function activityOf(db: Database, guildId: string, days: number): Promise<Activity> {
  const recent = await countRecent(db, guildId);
  // The same day is today for both: at midnight the chart would have a day twice, or lack one.
  const calendar = await pageInTurn(db, guildId, () =>
    calendarOfGuild.all(db.pool, [guildId, days, recent.today]),
  );
  const past: ActivityOfDay[] = [];
  // One day after the other: the first view of a large guild counts a month, beside the pages of all other guilds.
  for (const { day, counts, is_over } of calendar) {
    const counted =
      counts ??
      (
        await pageInTurn(db, guildId, () =>
          (is_over ? countAndKeepDay : countOfDay).only(db.pool, [guildId, day]),
        )
      ).counts;
    past.push({ day, counts: counted.map(countFrom) });
  }
  return {
    days: [...past, { day: recent.today, counts: recent.ofToday }],
    last24Hours: recent.ofLast24Hours,
  };
}

/** As stored: operation, source, person, outcome, count. */
type Kept = readonly [string, ActorSource, string | null, AuditOutcome, number];

const countFrom = ([operation, source, actorId, outcome, count]: Kept): ActivityCount => ({
  operation,
  source,
  actorId,
  outcome,
  count,
});

/** The days before today, oldest first, with their counts if those are stored. */
const calendarOfGuild = sql.statement({
  parameters: [sql.text, sql.int, sql.date],
  columns: { day: sql.text, counts: sql.jsonb<readonly Kept[]>().orNull, is_over: sql.bool },
  // A row's time is the start of its transaction. Shortly after midnight, some rows may not be committed yet.
  text: `SELECT to_char(past.day, 'YYYY-MM-DD') AS day, kept.counts,
      now() AT TIME ZONE 'UTC' > past.day + interval '1 day 15 minutes' AS is_over
    FROM generate_series(1, $2::int - 1) AS n
    CROSS JOIN LATERAL (SELECT $3::date - n AS day) AS past
    LEFT JOIN activity_days kept ON kept.guild_id = $1 AND kept.day = past.day
    ORDER BY past.day`,
});

const COUNTED_DAY = `counted AS (
    SELECT coalesce(jsonb_agg(jsonb_build_array(operation, actor_source, actor_user_id, outcome, n)), '[]') AS counts
    FROM (SELECT operation, actor_source, actor_user_id, outcome, count(*) AS n FROM audit
          WHERE guild_id = $1 AND NOT is_read AND outcome <> 'requested'
            AND at >= $2::date::timestamp AT TIME ZONE 'UTC' AND at < ($2::date + 1)::timestamp AT TIME ZONE 'UTC'
          GROUP BY operation, actor_source, actor_user_id, outcome) AS grouped)`;

const countOfDay = sql.statement({
  parameters: [sql.text, sql.date],
  columns: { counts: sql.jsonb<readonly Kept[]>() },
  text: `WITH ${COUNTED_DAY} SELECT counts FROM counted`,
});

const countAndKeepDay = sql.statement({
  parameters: [sql.text, sql.date],
  columns: { counts: sql.jsonb<readonly Kept[]>() },
  text: `WITH ${COUNTED_DAY},
      kept AS (INSERT INTO activity_days SELECT $1, $2::date, counts FROM counted ON CONFLICT DO NOTHING)
    SELECT counts FROM counted`,
});

const recentActivity = sql.statement({
  parameters: [sql.text],
  columns: {
    today: sql.text,
    operation: sql.text.orNull,
    actor_source: sql.oneOf({ ActorSource }),
    actor_user_id: sql.text.orNull,
    outcome: sql.oneOf({ AuditOutcome }),
    of_today: sql.int,
    of_last_24_hours: sql.int,
  },
  text: `SELECT to_char(today, 'YYYY-MM-DD') AS today, operation, actor_source, actor_user_id, outcome,
      count(*) FILTER (WHERE at >= today AT TIME ZONE 'UTC')::int AS of_today, count(*)::int AS of_last_24_hours
    FROM (SELECT date_trunc('day', now() AT TIME ZONE 'UTC') AS today) AS clock
    LEFT JOIN audit ON guild_id = $1 AND NOT is_read AND outcome <> 'requested' AND at >= now() - interval '24 hours'
    GROUP BY today, operation, actor_source, actor_user_id, outcome`,
});

async function countRecent(db: Database, guildId: string) {
  const rows = await pageInTurn(db, guildId, () => recentActivity.all(db.pool, [guildId]));
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
