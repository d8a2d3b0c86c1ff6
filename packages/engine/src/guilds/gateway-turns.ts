import { type Database, sql } from '@bailiff/prisma';

/**
 * Discord accepts one identify per bucket of shards every five seconds. The rest allows for the message's travel time.
 */
const TURN_SECONDS = 5.25;
/** A turn further away did not come from a queue: the database's clock was set back. */
const LONGEST_QUEUE_SECONDS = 300;

const reserveTurn = sql.statement({
  parameters: [sql.int, sql.float, sql.float],
  columns: { wait_ms: sql.float },
  text: `INSERT INTO gateway_turns AS turn (bucket, at) VALUES ($1, clock_timestamp())
    ON CONFLICT (bucket) DO UPDATE SET at = greatest(clock_timestamp(),
      least(turn.at, clock_timestamp() + make_interval(secs => $3)) + make_interval(secs => $2))
    RETURNING greatest(0, extract(epoch FROM at - clock_timestamp()) * 1000)::float8 AS wait_ms`,
});

/**
 * Reserves the next identify of a bucket (a shard's id modulo Discord's `max_concurrency`) among all processes of the
 * bot.
 *
 * @returns milliseconds until the reserved turn
 */
export async function takeIdentifyTurn(db: Pick<Database, 'pool'>, bucket: number): Promise<number> {
  const turn = await reserveTurn.only(db.pool, [bucket, TURN_SECONDS, LONGEST_QUEUE_SECONDS]);
  return turn.wait_ms;
}

const noteTurn = sql.command({
  parameters: [sql.int],
  text: `INSERT INTO gateway_turns (bucket, at) VALUES ($1, clock_timestamp())
    ON CONFLICT (bucket) DO UPDATE SET at = EXCLUDED.at`,
});

/** Records an identify of a process that has all shards and takes turns with nobody. @returns 0: it need not wait */
export async function noteIdentify(db: Pick<Database, 'pool'>, bucket: number): Promise<number> {
  await noteTurn.run(db.pool, [bucket]);
  return 0;
}

const lastTurn = sql.statement({
  parameters: [],
  columns: { ms: sql.float.orNull },
  text: `SELECT greatest(0, extract(epoch FROM clock_timestamp() - max(at)) * 1000)::float8 AS ms
    FROM gateway_turns`,
});

/** Milliseconds since the last identify of the bot, in whichever process. Null if there was none. */
export async function sinceLastIdentify(db: Pick<Database, 'pool'>): Promise<number | null> {
  return (await lastTurn.only(db.pool, [])).ms;
}
