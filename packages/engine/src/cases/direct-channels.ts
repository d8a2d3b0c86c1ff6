import { type Database, sql } from '@bailiff/prisma';

const channelOf = sql.statement({
  parameters: [sql.text],
  columns: { channel_id: sql.text },
  text: 'SELECT channel_id FROM direct_channels WHERE user_id = $1',
});

/** The channel of the bot's conversation with a person. Null if none was opened within half a year. */
export async function directChannelOf(db: Database, userId: string): Promise<string | null> {
  const known = await channelOf.first(db.pool, [userId]);
  return known?.channel_id ?? null;
}

const keepChannel = sql.command({
  parameters: [sql.text, sql.text],
  text: 'SELECT keep_direct_channel($1, $2)',
});

/** Remembers the channel of a conversation that was opened, unless the person was forgotten meanwhile. */
export async function keepDirectChannel(db: Database, userId: string, channelId: string): Promise<void> {
  await keepChannel.run(db.pool, [userId, channelId]);
}

/** Turns that all processes of the bot share: `most` at once, and one more after each `everyMs`. */
export interface TurnBound {
  readonly key: string;
  readonly most: number;
  readonly everyMs: number;
}

/** The key of the time in which Discord lets the bot open no conversation. */
const HELD = 'conversations held';
/** The longest such time. */
const LONGEST_HOLD_MS = 3_600_000;

// `expire` is when all turns are free again, or when the hold is over. One that is later than it can be is from before
// the clock was set back (hazards H10): nobody knows how many turns were taken before, so one is given.
const takeTurnOf = sql.command({
  parameters: [sql.text, sql.int, sql.bigint, sql.text, sql.bigint],
  text: `INSERT INTO rate_limits AS kept (key, expire)
    SELECT $1, now_ms + $3 FROM (SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now_ms) AS clock
    WHERE NOT EXISTS (
      SELECT FROM rate_limits held WHERE held.key = $4 AND held.expire > now_ms AND held.expire <= now_ms + $5)
    ON CONFLICT (key) DO UPDATE SET
      expire = least(greatest(kept.expire + $3, excluded.expire), excluded.expire + ($2 - 1) * $3)
    WHERE kept.expire <= excluded.expire + ($2 - 2) * $3 OR kept.expire > excluded.expire + $2 * $3`,
});

/**
 * Takes a turn to open a conversation from each of these bounds, in their order. Discord counts those of a bot, and not
 * those of its processes.
 *
 * @returns false if one of them has no turn left
 */
export async function takeConversationTurn(
  { pool }: Pick<Database, 'pool'>,
  bounds: readonly TurnBound[],
): Promise<boolean> {
  for (const { key, most, everyMs } of bounds) {
    if ((await takeTurnOf.run(pool, [key, most, everyMs, HELD, LONGEST_HOLD_MS])) === 0) return false;
  }
  return true;
}

const holdTurns = sql.command({
  parameters: [sql.text, sql.bigint, sql.bigint],
  text: `INSERT INTO rate_limits AS kept (key, expire)
    VALUES ($1, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint + $2)
    ON CONFLICT (key) DO UPDATE SET expire = greatest(excluded.expire, least(kept.expire, excluded.expire - $2 + $3))`,
});

/** Lets no process of the bot take a turn for this time. */
export async function holdConversationTurns({ pool }: Pick<Database, 'pool'>, ms: number): Promise<void> {
  await holdTurns.run(pool, [HELD, ms, LONGEST_HOLD_MS]);
}
