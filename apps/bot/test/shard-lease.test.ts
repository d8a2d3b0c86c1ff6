import { randomUUID } from 'node:crypto';
import { verifies } from '@bailiff/core/testing';
import { inTransaction } from '@bailiff/engine/database/transaction';
import { heldBy, shardHolders, takeShards, wasReplaced } from '@bailiff/engine/guilds/shard-holders';
import { type Database, type Listener, listen, openDatabase } from '@bailiff/prisma';
import { createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { createLog } from '#src/log.ts';
import { type LeaseTiming, ShardLease } from '#src/shard-lease.ts';

/** A tenth of the real times, and less. */
const TIMING: LeaseTiming = {
  renewedEvery: 100,
  lapsesAfter: 1_200,
  modesty: 100,
  unheldFor: 2_000,
  givenBackAfter: 2_500,
  longestGap: 600,
  longestDoubt: 300,
};
const WITHIN_MS = 30_000;

let test_: TestDatabase;
let running: Process[];
beforeEach(async () => {
  test_ = await createTestDatabase();
  running = [];
});
afterEach(async () => {
  for (const process of running) await process.end();
  await test_.drop();
});

/** What a bot is to its lease: some shards, a connection that others see, and what was done with its shards. */
class Process {
  readonly id = randomUUID();
  readonly taken: number[] = [];
  readonly givenBack: number[] = [];
  share = 0;
  isLost = false;
  lease!: ShardLease;
  #db!: Database;
  #listener: Listener | undefined;

  async begin(ids: readonly number[], count = 4): Promise<this> {
    running.push(this);
    this.#db = openDatabase(test_.processUrls.bot, {
      applicationName: 'lease',
      max: 1,
      statementTimeoutMs: 300,
    });
    const session = `bailiff bot ${this.id}`;
    this.#listener = await listen(test_.processUrls.bot, ['bailiff'], () => {}, { applicationName: session });
    this.lease = new ShardLease({
      db: this.#db,
      id: this.id,
      session,
      home: { ids, count },
      log: createLog('silent', []),
      timing: TIMING,
      onTaken: (shardIds) => this.taken.push(...shardIds),
      onShare: (share) => {
        this.share = share;
      },
      onGiveBack: async (shardId) => void this.givenBack.push(shardId),
      onLost: () => {
        this.isLost = true;
      },
    });
    await this.lease.begin();
    return this;
  }

  /** Says no more that it is there, as a process that stands still. Its connections stay. */
  async standStill(): Promise<void> {
    await this.lease.handOver();
  }

  /** Ends at once, without leaving anything to others in order. */
  async die(): Promise<void> {
    await this.standStill();
    await this.#listener?.close();
    this.#listener = undefined;
  }

  async end(): Promise<void> {
    running = running.filter((each) => each !== this);
    await this.lease.close();
    await this.#listener?.close();
    await this.#db.close();
  }
}

async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + WITHIN_MS;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`It was not so that ${what}.`);
    await new Promise((done) => setTimeout(done, 20));
  }
}

async function shardsOf({ id }: Process): Promise<number[]> {
  const holder = (await shardHolders(test_.database.pool)).find((each) => each.id === id);
  return [...(holder?.shardIds ?? [])].sort();
}

const has = (process: Process, ids: readonly number[]) => async () =>
  JSON.stringify(await shardsOf(process)) === JSON.stringify(ids);

async function pair(): Promise<[Process, Process]> {
  const [low, high] = await Promise.all([new Process().begin([0, 1]), new Process().begin([2, 3])]);
  await until('each has its shards', async () => (await has(low, [0, 1])()) && (await has(high, [2, 3])()));
  return [low, high];
}

test('the shards of a process that stands still are taken, and what it still writes is refused', async () => {
  verifies('bot.shards.taken-over');
  const [low, high] = await pair();
  await until('each reads half of what a bot may', () => low.share === 0.5 && high.share === 0.5);
  const asHigh = heldBy(high.id, test_.database);
  const write = {
    text: 'INSERT INTO gateway_turns VALUES (77, now()) ON CONFLICT (bucket) DO UPDATE SET at = now()',
  };
  await asHigh.pool.query(write);
  await high.standStill();
  await until('the other one has them', has(low, [0, 1, 2, 3]));
  expect(low.taken).toEqual([0, 1, 2, 3]);
  await until('it reads all that a bot may', () => low.share === 1);

  await test_.database.pool.query('DELETE FROM gateway_turns');
  await expect(asHigh.pool.query(write)).rejects.toSatisfy(wasReplaced);
  await expect(inTransaction(asHigh, (tx) => tx.query(write))).rejects.toThrow();
  expect((await test_.database.pool.query('SELECT FROM gateway_turns')).rowCount).toBe(0);
  await heldBy(low.id, test_.database).pool.query(write);
});

test('a write that has begun is over before the shards are taken', async () => {
  verifies('bot.shards.taken-over');
  const [low, high] = await pair();
  const session = await test_.database.pool.connect();
  onTestFinished(() => session.release());
  await session.query('BEGIN');
  await session.query('SELECT require_holder($1)', [high.id]);
  await high.standStill();
  await new Promise((done) => setTimeout(done, 2 * TIMING.lapsesAfter));
  expect(await shardsOf(low)).toEqual([0, 1]);
  await session.query('COMMIT');
  await until('the other one has them', has(low, [0, 1, 2, 3]));
});

test('while the database is away nobody loses shards, however long it is', async () => {
  verifies('bot.shards.taken-over');
  const [low, high] = await pair();
  const session = await test_.database.pool.connect();
  onTestFinished(() => session.release());
  for (let outage = 0; outage < 2; outage += 1) {
    await session.query('BEGIN; LOCK TABLE shard_holders IN ACCESS EXCLUSIVE MODE');
    await new Promise((done) => setTimeout(done, 3 * TIMING.lapsesAfter));
    await session.query('COMMIT');
  }
  await new Promise((done) => setTimeout(done, 2 * TIMING.lapsesAfter));
  expect([await shardsOf(low), await shardsOf(high)]).toEqual([
    [0, 1],
    [2, 3],
  ]);
  expect([low.isLost, high.isLost]).toEqual([false, false]);
});

test('a process that finds its shards taken says so, and takes nothing any more', async () => {
  verifies('bot.shards.taken-over');
  const [low, high] = await pair();
  const { pool } = test_.database;
  await until('they are taken', async () => {
    const seen = (await shardHolders(pool)).find(({ id }) => id === high.id);
    // It may be there between the two statements.
    return seen === undefined || (await takeShards(pool, low.id, [2, 3], seen))?.length === 2;
  });
  await until('it knows', () => high.isLost);
  await new Promise((done) => setTimeout(done, TIMING.unheldFor));
  expect([await shardsOf(low), await shardsOf(high)]).toEqual([[0, 1, 2, 3], []]);
});

test('of many that see a process lost, one gets each shard', async () => {
  verifies('bot.shards.taken-over');
  const lost = await new Process().begin([0, 1, 2], 6);
  await until('it has its shards', has(lost, [0, 1, 2]));
  const others = await Promise.all([3, 4, 5].map((id) => new Process().begin([id], 6)));
  await until('they have theirs', () => others.every(({ taken }) => taken.length > 0));
  await lost.standStill();
  await until('all are taken', async () => others.flatMap(({ taken }) => taken).length === 6);
  await new Promise((done) => setTimeout(done, TIMING.unheldFor));
  expect(others.flatMap(({ taken }) => taken).sort()).toEqual([0, 1, 2, 3, 4, 5]);
});

test('a process that begins again at once has its shards at once, and one of others waits', async () => {
  verifies('bot.shards.taken-over');
  const [low, high] = await pair();
  await high.die();
  const again = await new Process().begin([2, 3]);
  await until('it has them', () => again.taken.length === 2);
  expect(low.taken).toEqual([0, 1]);
});

test('a process that stands by takes nothing from one whose connection is lost for a moment', async () => {
  verifies('bot.shards.taken-over');
  const first = await new Process().begin([0, 1, 2, 3]);
  await until('it has its shards', has(first, [0, 1, 2, 3]));
  const standby = await new Process().begin([0, 1, 2, 3]);
  const { pool } = test_.database;
  const renewals = async () => Number((await shardHolders(pool)).find(({ id }) => id === first.id)?.renewals);
  const before = await renewals();
  await until('it is seen to be there', async () => (await renewals()) > before + 5);
  const session = [`bailiff bot ${first.id}`];
  await pool.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1',
    session,
  );
  const isConnected = async () =>
    (await pool.query('SELECT FROM pg_stat_activity WHERE application_name = $1', session)).rowCount === 1;
  await until('it is not connected', async () => !(await isConnected()));
  await until('it is connected again', isConnected);
  expect([standby.taken, first.isLost, await shardsOf(first)]).toEqual([[], false, [0, 1, 2, 3]]);
  await first.die();
  await until('the standby has them once it has ended', () => standby.taken.length === 4);
});

test('a process that comes back gets its shards, once it has proved to stay', async () => {
  verifies('bot.shards.taken-over');
  const [low, high] = await pair();
  await high.die();
  await until('the other one has them', has(low, [0, 1, 2, 3]));
  const again = await new Process().begin([2, 3]);
  await new Promise((done) => setTimeout(done, TIMING.givenBackAfter / 2));
  expect(again.taken).toEqual([]);
  await until('it has them', () => again.taken.length === 2);
  expect(low.givenBack.sort()).toEqual([2, 3]);
  expect(await shardsOf(low)).toEqual([0, 1]);
});

test('shards that nobody has are taken after a while, but not those that a release before this one follows', async () => {
  verifies('bot.shards.taken-over');
  await test_.database.pool.query(
    "INSERT INTO gateway_shards (shard_id, shard_count, bot_user_id, heartbeat_at) VALUES (3, 4, '1', now())",
  );
  const low = await new Process().begin([0, 1]);
  await until('it has a shard of nobody', has(low, [0, 1, 2]));
  await new Promise((done) => setTimeout(done, TIMING.unheldFor));
  expect(await shardsOf(low)).toEqual([0, 1, 2]);
});

test('shards of another number are not taken beside others, which share their guilds', async () => {
  verifies('bot.shards.taken-over');
  const before = await new Process().begin([0], 1);
  await until('it has its shard', () => before.taken.length === 1);
  const next = await new Process().begin([0, 1], 2);
  await new Promise((done) => setTimeout(done, 2 * TIMING.lapsesAfter));
  expect(next.taken).toEqual([]);
  await before.end();
  await until('it has its shards', () => next.taken.length === 2);
});
