import { type Database, type Queryable, sql } from '@bailiff/prisma';
import { databaseErrorCode } from '#src/database/database-errors.ts';
import { inTransaction } from '#src/database/transaction.ts';

/** A bot process that follows shards, or waits for some. */
export interface ShardHolder {
  readonly id: string;
  readonly shardCount: number;
  /** The shards that it is meant for. */
  readonly home: readonly number[];
  readonly shardIds: readonly number[];
  /** Another number than before if it was there meanwhile. */
  readonly renewals: string;
  /** Whether its own connection to the database is there. A process that has ended has none. */
  readonly isConnected: boolean;
  /** Whether it has guilds to read at Discord. */
  readonly isReading: boolean;
}

const putHolder = sql.command({
  parameters: [sql.text, sql.text, sql.int, sql.arrayOf(sql.int)],
  text: `INSERT INTO shard_holders (id, session, shard_count, home, shard_ids) VALUES ($1, $2, $3, $4, '{}')`,
});

/** Lets a process take shards from now on. `session` is the `application_name` of a connection that it keeps. */
export async function enterHolder(
  db: Queryable,
  holder: Pick<ShardHolder, 'id' | 'shardCount' | 'home'> & { readonly session: string },
): Promise<void> {
  await putHolder.run(db, [holder.id, holder.session, holder.shardCount, holder.home]);
}

const renew = sql.command({
  parameters: [sql.text, sql.text, sql.bool],
  text: `UPDATE shard_holders SET renewals = renewals + 1, session = $2, is_reading = $3, renewed_at = clock_timestamp()
    WHERE id = $1`,
});

/** Says that a process is there, and whether it reads guilds. False if another one has taken its shards. */
export async function renewHolder(
  db: Queryable,
  id: string,
  session: string,
  isReading: boolean,
): Promise<boolean> {
  return (await renew.run(db, [id, session, isReading])) === 1;
}

const allHolders = sql.statement({
  parameters: [],
  columns: {
    id: sql.text,
    shard_count: sql.int,
    home: sql.arrayOf(sql.int).neverNull,
    shard_ids: sql.arrayOf(sql.int).neverNull,
    renewals: sql.bigint,
    is_reading: sql.bool,
    is_connected: sql.bool,
  },
  text: `SELECT id, shard_count, home, shard_ids, renewals, is_reading,
      EXISTS (SELECT FROM pg_stat_activity a WHERE a.application_name = session) AS is_connected
    FROM shard_holders ORDER BY id`,
});

/** All processes that have shards or wait for some, dead ones included. */
export async function shardHolders(db: Queryable): Promise<ShardHolder[]> {
  const rows = await allHolders.all(db, []);
  return rows.map(({ id, home, renewals, ...row }) => ({
    ...{ id, home, renewals, shardCount: row.shard_count, shardIds: row.shard_ids },
    ...{ isConnected: row.is_connected, isReading: row.is_reading },
  }));
}

const take = sql.statement({
  parameters: [sql.text, sql.arrayOf(sql.int), sql.text.orNull, sql.bigint.orNull],
  columns: { taken: sql.arrayOf(sql.int).orNull },
  text: 'SELECT take_shards($1, $2, $3, $4) AS taken',
});

/**
 * Takes those of some shards that nobody else has. Whoever is named in `from`, and was not there since, loses its own.
 *
 * @returns the shards that the process has got; null if it was replaced itself
 */
export async function takeShards(
  db: Queryable,
  id: string,
  wanted: readonly number[],
  from: Pick<ShardHolder, 'id' | 'renewals'> | null = null,
): Promise<number[] | null> {
  return (await take.only(db, [id, wanted, from?.id ?? null, from?.renewals ?? null])).taken;
}

const giveBack = sql.command({
  parameters: [sql.text, sql.arrayOf(sql.int)],
  text: `UPDATE shard_holders
    SET shard_ids = ARRAY(SELECT unnest(shard_ids) EXCEPT SELECT unnest($2::int[])) WHERE id = $1`,
});

/** Leaves shards to others. */
export async function giveShardsBack(db: Queryable, id: string, shardIds: readonly number[]): Promise<void> {
  await giveBack.run(db, [id, shardIds]);
}

const remove = sql.command({
  parameters: [sql.text],
  text: 'DELETE FROM shard_holders WHERE id = $1',
});

/** Leaves all shards to others, at once. */
export async function leaveShards(db: Queryable, id: string): Promise<void> {
  await remove.run(db, [id]);
}

const requireHolder = sql.command({ parameters: [sql.text], text: 'SELECT require_holder($1)' });

/** SQLSTATE of `require_holder`. */
const REPLACED = 'BF006';

/** Whether a write was refused because another process has taken the shards. */
export function wasReplaced(error: unknown): boolean {
  return error instanceof Error && databaseErrorCode(error) === REPLACED;
}

/**
 * The database for what a process writes about its shards. Each statement and transaction makes sure that no other
 * process has taken them: one that stood still would otherwise write what is long outdated.
 * Prisma Client is for transactions only.
 */
export function heldBy(holderId: string, db: Database): Database {
  const query: Queryable['query'] = async (config) => {
    const [sent] = await inTransaction(held, async (tx, commitBehind) => {
      const running = tx.query(config);
      commitBehind(running);
      return [running];
    });
    return sent as ReturnType<Queryable['query']>;
  };
  const held: Database = {
    url: db.url,
    reads: db.reads,
    pool: { query, connect: () => db.pool.connect() } as unknown as Database['pool'],
    guard: requireHolder.query([holderId]),
    get prisma(): never {
      throw new Error('What is written for a shard is a statement of sql, or a transaction.');
    },
    prismaOn: (connection) => db.prismaOn(connection),
    close: () => db.close(),
  };
  return held;
}
