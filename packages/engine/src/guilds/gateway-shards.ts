import { type Database, MirrorProblem, sql } from '@bailiff/prisma';

const distrustGuildsOfShard = sql.command({
  parameters: [sql.int, sql.numeric],
  text: `UPDATE guilds SET mirrored_at = NULL, mirror_problem = NULL
    WHERE (mirrored_at IS NOT NULL OR mirror_problem IS NOT NULL)
      AND (shard_id = $1 OR div(id::numeric, 4194304) % $2 = $1)`,
});

/** Marks the mirror of a shard's guilds as not trusted, until each guild is compared with Discord again. */
export async function distrustShard(db: Database, shardId: number, shardCount: number): Promise<void> {
  await distrustGuildsOfShard.run(db.pool, [shardId, shardCount]);
}

const putHeartbeat = sql.command({
  parameters: [sql.int, sql.int, sql.text, sql.float],
  text: `INSERT INTO gateway_shards (shard_id, shard_count, bot_user_id, heartbeat_at)
    VALUES ($1, $2, $3, clock_timestamp() - make_interval(secs => $4))
    ON CONFLICT (shard_id) DO UPDATE SET shard_count = EXCLUDED.shard_count, bot_user_id = EXCLUDED.bot_user_id,
      heartbeat_at = EXCLUDED.heartbeat_at, lost_at = NULL`,
});

/**
 * Records that a shard's connection was alive `ageSeconds` ago. The mirror of its guilds is fresh for a minute from
 * then (SQL `live_guilds`).
 */
export async function beatShard(
  db: Database,
  shard: { shardId: number; shardCount: number; botUserId: string; ageSeconds: number },
): Promise<void> {
  await putHeartbeat.run(db.pool, [shard.shardId, shard.shardCount, shard.botUserId, shard.ageSeconds]);
}

const putLoss = sql.command({
  parameters: [sql.int],
  text: `UPDATE gateway_shards SET lost_at = coalesce(lost_at, clock_timestamp()) WHERE shard_id = $1`,
});

/** Records that a shard's connection is lost. The next heartbeat says that it is back. */
export async function shardLost(db: Database, shardId: number): Promise<void> {
  await putLoss.run(db.pool, [shardId]);
}

const freshShard = sql.command({
  parameters: [sql.int],
  text: 'SELECT FROM gateway_shards WHERE shard_id = $1 AND heartbeat_is_fresh(heartbeat_at)',
});

/** Whether any process follows the events of a shard at the moment. */
export async function shardIsAlive(db: Database, shardId: number): Promise<boolean> {
  return (await freshShard.run(db.pool, [shardId])) === 1;
}

const freshShards = sql.statement({
  parameters: [sql.int],
  columns: { shard_id: sql.int },
  text: 'SELECT shard_id FROM gateway_shards WHERE shard_count = $1 AND heartbeat_is_fresh(heartbeat_at)',
});

/** The shards whose events a process followed within the last minute. */
export async function followedShards(db: Pick<Database, 'pool'>, shardCount: number): Promise<number[]> {
  return (await freshShards.all(db.pool, [shardCount])).map(({ shard_id }) => shard_id);
}

const removeHeartbeat = sql.command({
  parameters: [sql.int],
  text: 'DELETE FROM gateway_shards WHERE shard_id = $1',
});

/** Removes a shard's heartbeat, because its connection was closed on purpose. */
export async function endShard(db: Database, shardId: number): Promise<void> {
  await removeHeartbeat.run(db.pool, [shardId]);
}

const idsOfShard = sql.statement({
  parameters: [sql.numeric, sql.numeric],
  columns: { id: sql.text, rank: sql.int },
  text: `SELECT id, CASE
        WHEN EXISTS (SELECT FROM actions a WHERE a.guild_id = g.id AND a.state = 'pending'
          AND a.claim_by > clock_timestamp()) THEN 0
        WHEN EXISTS (SELECT FROM tokens t WHERE t.guild_id = g.id AND t.revoked_at IS NULL
          AND t.last_used_at > clock_timestamp() - interval '1 hour') THEN 1
        WHEN EXISTS (SELECT FROM tokens t WHERE t.guild_id = g.id AND t.revoked_at IS NULL) THEN 2
        ELSE 3 END AS rank
    FROM guilds g WHERE left_at IS NULL AND div(id::numeric, 4194304) % $2 = $1 ORDER BY id`,
});

/** A guild's place among those that wait to be compared: the lower, the sooner. */
export type ComparisonRank = number;

/** For guilds that somebody waits for at this moment. */
export const AWAITED: ComparisonRank = 0;
/** For guilds without tokens. */
export const UNHURRIED: ComparisonRank = 3;

/**
 * The guilds of a shard, by Discord's formula, that the bot has not left. Guilds with waiting calls come before those
 * with tokens in use, these before those with tokens, and these before the others.
 */
export async function guildsOfShard(
  db: Database,
  shardId: number,
  shardCount: number,
): Promise<Map<string, ComparisonRank>> {
  const rows = await idsOfShard.all(db.pool, [shardId, shardCount]);
  return new Map(rows.map(({ id, rank }) => [id, rank]));
}

const knownGuildsOfShard = sql.statement({
  parameters: [sql.numeric, sql.numeric],
  columns: {
    id: sql.text,
    name: sql.text,
    owner_id: sql.text,
    needs_comparison: sql.bool,
    problem: sql.oneOf({ MirrorProblem }).orNull,
  },
  text: `SELECT id, name, owner_id, mirror_problem AS problem, mirrored_at IS NULL
      OR NOT EXISTS (SELECT FROM members m WHERE m.guild_id = g.id AND m.user_id = g.owner_id) AS needs_comparison
    FROM guilds g WHERE left_at IS NULL AND div(id::numeric, 4194304) % $2 = $1 ORDER BY id`,
});

/** The guilds of a shard as the process knew them that followed its events last, and which of them must be compared. */
export function guildsInHand(db: Database, shardId: number, shardCount: number) {
  return knownGuildsOfShard.all(db.pool, [shardId, shardCount]);
}
