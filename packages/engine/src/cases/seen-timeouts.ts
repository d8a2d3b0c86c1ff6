import { type Queryable, sql } from '@bailiff/prisma';

/** The timeout of a member, as an event shows it. */
export interface SeenTimeout {
  readonly guildId: string;
  readonly userId: string;
  /** Null: there is none. */
  readonly until: Date | null;
  readonly at: Date;
}

interface OffRecord {
  readonly seen: SeenTimeout;
  /** Whether Bailiff is renewing the mute at this moment, so that the record is behind. */
  readonly isRenewing: boolean;
}

const offRecord = sql.statement({
  parameters: [sql.arrayOf(sql.text), sql.arrayOf(sql.text), sql.arrayOf(sql.timestamptz.orNull), sql.float],
  columns: { place: sql.bigint, is_renewing: sql.bool },
  text: `SELECT seen.place, EXISTS (SELECT FROM graphile_worker.jobs j
        WHERE j.key = 'renew_mute:' || known.id AND j.locked_at IS NOT NULL) AS is_renewing
    FROM unnest($1::text[], $2::text[], $3::timestamptz[]) WITH ORDINALITY AS seen (guild_id, user_id, until, place)
    LEFT JOIN LATERAL (
      SELECT c.id, c.import_id, coalesce(c.timeout_until, c.expires_at) AS until, c.renewing_until,
        c.timeout_until IS NULL AND c.action_id IS NOT NULL AS is_forgotten FROM cases c
      WHERE c.guild_id = seen.guild_id AND c.user_id = seen.user_id AND c.kind = 'mute'
        AND case_is_in_force(c.ended_at, c.expires_at)
      ORDER BY c.issued_at DESC LIMIT 1) AS known ON true
    WHERE CASE WHEN seen.until > clock_timestamp()
      -- The answer to a renewal may have been lost, so that its end is not noted as what stands.
      THEN (known.id IS NULL OR least(abs(extract(epoch FROM seen.until - known.until)),
          abs(extract(epoch FROM seen.until - known.renewing_until))) * 1000 > $4::float8)
        -- What is left of a mute that ended while its person was gone is taken off (bot: renewing-mutes.ts). Its end is
        -- the one that Bailiff set, to the second: a timeout by hand may take the place of a mute that was just lifted.
        AND NOT EXISTS (SELECT FROM cases c
          WHERE c.guild_id = seen.guild_id AND c.user_id = seen.user_id AND c.kind = 'mute'
            AND NOT case_is_in_force(c.ended_at, c.expires_at) AND (c.ended_at IS NULL OR c.end_action_id IS NOT NULL)
            AND case_is_enforced(c.id, c.import_id)
            AND least(abs(extract(epoch FROM seen.until - coalesce(c.timeout_until, c.expires_at))),
              abs(extract(epoch FROM seen.until - c.renewing_until))) < 1)
      -- What lapsed while its person was gone was taken off by nobody: it is put back (bot: renewing-mutes.ts).
      ELSE NOT known.is_forgotten AND known.until > clock_timestamp() + make_interval(secs => $4::float8 / 1000)
        AND case_is_enforced(known.id, known.import_id) END`,
});

/** Those of the timeouts that differ from the mutes on record by more than a tolerance in milliseconds. */
export async function timeoutsOffRecord(
  db: Queryable,
  events: readonly SeenTimeout[],
  toleranceMs: number,
): Promise<OffRecord[]> {
  const rows = await offRecord.all(db, [
    events.map(({ guildId }) => guildId),
    events.map(({ userId }) => userId),
    events.map(({ until }) => until),
    toleranceMs,
  ]);
  return rows.flatMap(({ place, is_renewing: isRenewing }) => {
    const seen = events[Number(place) - 1];
    return seen === undefined ? [] : [{ seen, isRenewing }];
  });
}
