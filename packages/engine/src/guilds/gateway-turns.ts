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
