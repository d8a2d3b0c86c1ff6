import { randomUUID } from 'node:crypto';
import { verifies } from '@bailiff/core/testing';
import { inTransaction } from '@bailiff/engine/database/transaction';
import { heldBy, shardHolders, takeShards, wasReplaced } from '@bailiff/engine/guilds/shard-holders';
import { type Database, type Listener, openDatabase } from '@bailiff/prisma';
import { createTestDatabase, listenAtLast, type TestDatabase } from '@bailiff/prisma/testing';
import { expect, test } from 'vitest';
import { createLog } from '#src/log.ts';
import { type LeaseTiming, ShardLease } from '#src/shard-lease.ts';

/** As the real ones stand to each other, and long enough for a busy machine. */
const TIMING: LeaseTiming = {
  renewedEvery: 400,
  lapsesAfter: 9_600,
  modesty: 800,
  unheldFor: 12_000,
  givenBackAfter: 14_000,
  longestGap: 4_800,
  longestDoubt: 2_400,
};
const STATEMENT_TIMEOUT_MS = 2_400;
const WITHIN_MS = 180_000;

/** A test with a database of its own. These tests wait most of their time, so some run at the same time. */
function leaseTest(name: string, body: (scene: Scene) => Promise<void>): void {
  test.concurrent(name, async () => {
    verifies('bot.shards.taken-over');
    const scene = new Scene(await createTestDatabase());
    try {
      await body(scene);
    } finally {
      for (const process of scene.running) await process.end();
      await scene.test.drop();
    }
  });
}

class Scene {
  readonly test: TestDatabase;
  readonly running = new Set<Process>();

  constructor(database: TestDatabase) {
    this.test = database;
  }

  get pool() {
    return this.test.database.pool;
  }

  begin(ids: readonly number[], count = 4): Promise<Process> {
    return new Process(this).begin(ids, count);
  }

  async pair(): Promise<[Process, Process]> {
    const [low, high] = await Promise.all([this.begin([0, 1]), this.begin([2, 3])]);
    await until('each has its shards', async () => (await has(low, [0, 1])()) && (await has(high, [2, 3])()));
    return [low, high];
  }

  /** Does something while the transaction of a statement is open. */
  async during(sql: string, work: () => Promise<void>): Promise<void> {
    const session = await this.pool.connect();
    try {
      await session.query(`BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0; ${sql}`);
      await work();
      await session.query('COMMIT');
    } finally {
      session.release(true);
    }
  }
}

/** What a bot is to its lease: some shards, a connection that others see, and what was done with its shards. */
class Process {
  readonly id = randomUUID();
  readonly taken: number[] = [];
  readonly givenBack: number[] = [];
  isReading = true;
  others = 0;
  readonly scene: Scene;
  isLost = false;
  lease!: ShardLease;
  #db!: Database;
  #listener: Listener | undefined;

  constructor(scene: Scene) {
    this.scene = scene;
  }

  async begin(ids: readonly number[], count: number): Promise<this> {
    const { running, test: database } = this.scene;
    running.add(this);
    this.#db = openDatabase(database.processUrls.bot, {
      applicationName: 'lease',
      max: 1,
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    });
    const session = `bailiff bot ${this.id}`;
    const url = database.processUrls.bot;
    this.#listener = await listenAtLast(url, ['bailiff'], () => {}, { applicationName: session });
    this.lease = new ShardLease({
      db: this.#db,
      id: this.id,
      session,
      home: { ids, count },
      log: createLog('silent', []),
      timing: TIMING,
      onTaken: (shardIds) => this.taken.push(...shardIds),
      isReading: () => this.isReading,
      onOthersReading: (others) => {
        this.others = others;
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
    this.scene.running.delete(this);
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

async function shardsOf({ id, scene }: Process): Promise<number[]> {
  const holder = (await shardHolders(scene.pool)).find((each) => each.id === id);
  return [...(holder?.shardIds ?? [])].sort();
}

/** For so long a process would need to take what it may not. */
const longerThan = (ms: number) => new Promise<void>((done) => setTimeout(done, 1.3 * ms));

const has = (process: Process, ids: readonly number[]) => async () =>
  JSON.stringify(await shardsOf(process)) === JSON.stringify(ids);

leaseTest(
  'the shards of a process that stands still are taken, and what it still writes is refused',
  async (scene) => {
    const [low, high] = await scene.pair();
    await until(
      'each leaves the other one its part of the reads',
      () => low.others === 1 && high.others === 1,
    );
    low.isReading = false;
    await until('who has read all leaves its part to the other one', () => high.others === 0);
    const asHigh = heldBy(high.id, scene.test.database);
    const write = {
      text: 'INSERT INTO gateway_turns VALUES (77, now()) ON CONFLICT (bucket) DO UPDATE SET at = now()',
    };
    await asHigh.pool.query(write);
    await high.standStill();
    await until('the other one has them', has(low, [0, 1, 2, 3]));
    expect(low.taken).toEqual([0, 1, 2, 3]);
    await until('who is gone reads nothing', () => low.others === 0);

    await scene.pool.query('DELETE FROM gateway_turns');
    await expect(asHigh.pool.query(write)).rejects.toSatisfy(wasReplaced);
    await expect(inTransaction(asHigh, (tx) => tx.query(write))).rejects.toThrow();
    expect((await scene.pool.query('SELECT FROM gateway_turns')).rowCount).toBe(0);
    await heldBy(low.id, scene.test.database).pool.query(write);
  },
);

leaseTest('a write that has begun is over before the shards are taken', async (scene) => {
  const [low, high] = await scene.pair();
  await scene.during(`SELECT require_holder('${high.id}')`, async () => {
    await high.standStill();
    await longerThan(TIMING.lapsesAfter);
    expect(await shardsOf(low)).toEqual([0, 1]);
  });
  await until('the other one has them', has(low, [0, 1, 2, 3]));
});

leaseTest('while the database is away nobody loses shards, however long it is', async (scene) => {
  const [low, high] = await scene.pair();
  for (let outage = 0; outage < 2; outage += 1) {
    await scene.during('LOCK TABLE shard_holders IN ACCESS EXCLUSIVE MODE', () =>
      longerThan(TIMING.lapsesAfter),
    );
  }
  await longerThan(TIMING.lapsesAfter);
  expect([await shardsOf(low), await shardsOf(high)]).toEqual([
    [0, 1],
    [2, 3],
  ]);
  expect([low.isLost, high.isLost]).toEqual([false, false]);
});

leaseTest('a process that finds its shards taken says so, and takes nothing any more', async (scene) => {
  const [low, high] = await scene.pair();
  const { pool } = scene;
  await until('they are taken', async () => {
    const seen = (await shardHolders(pool)).find(({ id }) => id === high.id);
    // It may be there between the two statements.
    return seen === undefined || (await takeShards(pool, low.id, [2, 3], seen))?.length === 2;
  });
  await until('it knows', () => high.isLost);
  await longerThan(TIMING.unheldFor);
  expect([await shardsOf(low), await shardsOf(high)]).toEqual([[0, 1, 2, 3], []]);
});

leaseTest('of many that see a process lost, one gets each shard', async (scene) => {
  const lost = await scene.begin([0, 1, 2], 6);
  await until('it has its shards', has(lost, [0, 1, 2]));
  const others = await Promise.all([3, 4, 5].map((id) => scene.begin([id], 6)));
  await until('they have theirs', () => others.every(({ taken }) => taken.length > 0));
  await lost.standStill();
  await until('all are taken', async () => others.flatMap(({ taken }) => taken).length === 6);
  await longerThan(TIMING.unheldFor);
  expect(others.flatMap(({ taken }) => taken).sort()).toEqual([0, 1, 2, 3, 4, 5]);
});

leaseTest(
  'a process that begins again at once has its shards at once, and one of others waits',
  async (scene) => {
    const [low, high] = await scene.pair();
    await high.die();
    const again = await scene.begin([2, 3]);
    await until('it has them', () => again.taken.length === 2);
    expect(low.taken).toEqual([0, 1]);
  },
);

leaseTest(
  'a process that stands by takes nothing from one whose connection is lost for a moment',
  async (scene) => {
    const first = await scene.begin([0, 1, 2, 3]);
    await until('it has its shards', has(first, [0, 1, 2, 3]));
    const standby = await scene.begin([0, 1, 2, 3]);
    const { pool } = scene;
    const renewals = async () =>
      Number((await shardHolders(pool)).find(({ id }) => id === first.id)?.renewals);
    const before = await renewals();
    await until('it is seen to be there', async () => (await renewals()) > before + 5);
    const session = [`bailiff bot ${first.id}`];
    const { rows: ended } = await pool.query(
      'SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1',
      session,
    );
    const others = 'SELECT FROM pg_stat_activity WHERE application_name = $1 AND pid <> $2';
    const isConnectedAgain = async () =>
      (await pool.query(others, [...session, ended[0].pid])).rowCount === 1;
    await until('it is connected again', isConnectedAgain);
    expect([standby.taken, first.isLost, await shardsOf(first)]).toEqual([[], false, [0, 1, 2, 3]]);
    await first.die();
    await until('the standby has them once it has ended', () => standby.taken.length === 4);
  },
);

leaseTest('a process that comes back gets its shards, once it has proved to stay', async (scene) => {
  const [low, high] = await scene.pair();
  await high.die();
  await until('the other one has them', has(low, [0, 1, 2, 3]));
  const again = await scene.begin([2, 3]);
  await new Promise((done) => setTimeout(done, TIMING.givenBackAfter / 2));
  expect(again.taken).toEqual([]);
  await until('it has them', () => again.taken.length === 2);
  expect(low.givenBack.sort()).toEqual([2, 3]);
  expect(await shardsOf(low)).toEqual([0, 1]);
});

leaseTest(
  'shards that nobody has are taken after a while, but not those that a release before this one follows',
  async (scene) => {
    await scene.pool.query(
      "INSERT INTO gateway_shards (shard_id, shard_count, bot_user_id, heartbeat_at) VALUES (3, 4, '1', now())",
    );
    const low = await scene.begin([0, 1]);
    await until('it has a shard of nobody', has(low, [0, 1, 2]));
    await longerThan(TIMING.unheldFor);
    expect(await shardsOf(low)).toEqual([0, 1, 2]);
  },
);

leaseTest('shards of another number are not taken beside others, which share their guilds', async (scene) => {
  const before = await scene.begin([0], 1);
  await until('it has its shard', () => before.taken.length === 1);
  const next = await scene.begin([0, 1], 2);
  await longerThan(TIMING.unheldFor);
  expect(next.taken).toEqual([]);
  await before.end();
  await until('it has its shards', () => next.taken.length === 2);
});
