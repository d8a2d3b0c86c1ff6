import type { Database } from '@bailiff/prisma';

/** What is kept for a time, and until when. Rows that refer to others come before them. */
const LAPSED = {
  /** Decided requests too: the dashboard shows those of a day, and the audit log has what was decided. */
  approval_requests: "expires_at < now() - interval '30 days'",
  windows: "expires_at < now() - interval '30 days'",
  device_authorizations: "expires_at < now() - interval '1 day'",
  /** A key is free again after 24 hours (decisions: Idempotency). */
  idempotency_keys: "created_at <= now() - interval '24 hours'",
  /** What a purge deleted (decisions: Operations). */
  message_archives: 'expires_at <= now()',
  sessions: 'expires_at <= now()',
} as const;

const BATCH = 1_000;
/** Of one table in one run; what is left waits for the next. */
const MOST_BATCHES = 100;

export type Dropped = Record<keyof typeof LAPSED, number>;

/** Deletes what has been kept long enough, in small batches. Returns how many rows of each table. */
export async function dropLapsed(db: Database): Promise<Dropped> {
  const dropped = {} as Dropped;
  for (const table of Object.keys(LAPSED) as (keyof Dropped)[]) dropped[table] = await dropFrom(db, table);
  return dropped;
}

async function dropFrom(db: Database, table: keyof Dropped): Promise<number> {
  let count = 0;
  for (let batch = 0; batch < MOST_BATCHES; batch += 1) {
    const { rowCount } = await db.pool.query(
      `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM ${table} WHERE ${LAPSED[table]} LIMIT $1 FOR UPDATE SKIP LOCKED))`,
      [BATCH],
    );
    count += rowCount ?? 0;
    if ((rowCount ?? 0) < BATCH) break;
  }
  return count;
}
