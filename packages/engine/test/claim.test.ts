import { type Call, digestOf } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { giveTime, performersOf, type SeededGuild, seedGuild, snowflake } from '#src/testing.ts';
import { claim } from '#src/worker/claim.ts';
import { continueAction } from '#src/worker/continue-action.ts';
import { LeaseLost, type Run } from '#src/worker/long-actions.ts';
import { type Performers, performAction } from '#src/worker/perform-action.ts';

let test: TestDatabase;
let guild: SeededGuild;
beforeAll(() => giveTime('bot'));
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(async () => {
  guild = await seedGuild(test.database);
});

const LOCKDOWN = { operation: 'channels.lockdown', input: {} } as const;
const REOPEN = { operation: 'channels.reopen', input: {} } as const;
const COMMAND = {
  operation: 'servers.rcon',
  input: { serverId: 'srv_0198c0a0000070008000000000000001', command: 'list' },
} as const;

const NEVER = () => Promise.reject(new Error('It is not performed.'));

/** Records an action of the guild's owner that waits for a worker, for these seconds. */
async function waiting({ operation, input }: Call, seconds = 600): Promise<string> {
  const { rows } = await test.database.pool.query<{ id: string }>(
    `INSERT INTO actions (guild_id, operation, input, digest, actor_source, actor_user_id, request_id, claim_by)
     VALUES ($1, $2, $3, $4, 'chat', $5, 'req_waits', clock_timestamp() + make_interval(secs => $6)) RETURNING id`,
    [guild.id, operation, input, digestOf(operation, guild.id, input), guild.ownerId, seconds],
  );
  return rows[0]?.id ?? '';
}

const claimed = async (actionId: string) => (await claim(test.database, actionId, 'worker'))?.id ?? null;
const change = (set: string, actionId: string) =>
  test.database.pool.query(`UPDATE actions SET ${set} WHERE id = $1`, [actionId]);

it('a lockdown is not ended while it begins, though neither is about one channel', async () => {
  verifies('locks.guild');
  const [lockdown, reopen, command] = [
    await waiting(LOCKDOWN),
    await waiting(REOPEN),
    await waiting(COMMAND),
  ];
  expect(await claimed(lockdown)).toBe(lockdown);
  let isClaimed = false;
  const next = claimed(reopen).then((id) => {
    isClaimed = true;
    return id;
  });
  expect(await claimed(command)).toBe(command);
  expect(isClaimed).toBe(false);
  await change("state = 'done'", lockdown);
  expect(await next).toBe(reopen);
});

it('two slow actions of a guild run at once, besides those for which nobody waits any more', async () => {
  const running = [await waiting(COMMAND), await waiting(COMMAND)];
  for (const id of running) {
    expect(await claimed(id)).toBe(id);
    await change("lease_expires_at = now() + interval '5 minutes'", id);
  }
  expect(await claimed(await waiting(COMMAND, 0.5))).toBeNull();
  await change('continues_since = now()', running[0] ?? '');
  const third = await waiting(COMMAND);
  expect(await claimed(third)).toBe(third);
});

it('two actions of a guild go on at once, and the third when one of them has ended or lost its worker', async () => {
  const [first = '', second = '', third = ''] = [
    await waiting(COMMAND),
    await waiting(COMMAND),
    await waiting(COMMAND),
  ];
  for (const id of [first, second, third]) await change("state = 'running', continues_since = now()", id);
  for (const id of [first, second])
    await change("worker = 'another', lease_expires_at = clock_timestamp() + interval '1 hour'", id);
  const stateAfterTry = async () => {
    const log = { info: () => {}, error: () => {} };
    const performers = performersOf({ perform: NEVER, verify: NEVER });
    const closing = new AbortController().signal;
    await continueAction({ db: test.database, performers, log, closing }, third);
    const { rows } = await test.database.pool.query('SELECT state FROM actions WHERE id = $1', [third]);
    return rows[0]?.state;
  };
  expect(await stateAfterTry()).toBe('running');
  await change("lease_expires_at = clock_timestamp() - interval '1 second'", second);
  // A command on a game server is none that goes on, so who takes it up ends it.
  expect(await stateAfterTry()).toBe('failed');
});

describe('a worker whose action another one has taken over', () => {
  const PURGE = {
    operation: 'messages.purge',
    input: { channel_id: snowflake(), count: 2, include_pinned: false },
  } as const;
  const PROGRESS = { done: 1, of: 2 };
  let purge: string;
  /** Begins work on the action. The work calls `takeOver` to give the action to another worker. */
  async function takenFrom(work: (run: Run, takeOver: () => Promise<unknown>) => Promise<'unfinished'>) {
    purge = await waiting(PURGE);
    await change("state = 'running', continues_since = now()", purge);
    const takeOver = () => change("worker = 'another'", purge);
    const performer = performersOf({ perform: NEVER, verify: NEVER });
    const performers: Performers = {
      ...performer,
      'messages.purge': { ...performer['messages.purge'], work: (_action, run) => work(run, takeOver) },
    };
    const log = { info: () => {}, error: () => {} };
    const closing = new AbortController().signal;
    await continueAction({ db: test.database, performers, log, closing }, purge);
  }
  const held = async () => {
    const { rows } = await test.database.pool.query(
      'SELECT worker, state, work, lease_expires_at > clock_timestamp() AS is_held FROM actions WHERE id = $1',
      [purge],
    );
    return rows[0];
  };
  const UNTOUCHED = { worker: 'another', state: 'running', work: null, is_held: true };

  it('saves nothing over its work, and stops', async () => {
    const stopped = takenFrom(async (run, takeOver) => {
      await takeOver();
      await run.save({ deleted: ['1'] }, PROGRESS);
      return 'unfinished';
    });
    await expect(stopped).rejects.toThrow(LeaseLost);
    expect(await held()).toEqual(UNTOUCHED);
  });

  it('does not free the action when its own stretch is over', async () => {
    await takenFrom(async (_run, takeOver) => {
      await takeOver();
      return 'unfinished';
    });
    expect(await held()).toEqual(UNTOUCHED);
  });

  it('is told within seconds, also between two saves', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const stopped = takenFrom(async (run, takeOver) => {
      await takeOver();
      vi.advanceTimersByTime(5_000);
      await new Promise((resolve) => run.signal.addEventListener('abort', resolve));
      return 'unfinished';
    });
    await expect(stopped).rejects.toThrow(LeaseLost);
    expect(await held()).toEqual(UNTOUCHED);
  });
});

describe('an action that goes on', () => {
  const PURGE = {
    operation: 'messages.purge',
    input: { channel_id: snowflake(), count: 2, include_pinned: false },
  } as const;
  const PROGRESS = { done: 1, of: 2 };
  const FAILED = { state: 'failed', error: { code: 'NOT_FOUND', message: 'It was worked on.' } } as const;
  const log = { info: () => {}, error: () => {} };
  const DISTRUSTED = 'UPDATE guilds SET mirrored_at = NULL WHERE id = $1';
  const query = (text: string) => test.database.pool.query(text, [guild.id]);

  /** Takes up a purge that was left. Returns why it was told to stop, in each stretch of work. */
  async function takeUp(
    id: string,
    work: Performers['messages.purge']['work'] = async () => FAILED,
  ): Promise<(string | undefined)[]> {
    const stops: (string | undefined)[] = [];
    const performers: Performers = {
      ...performersOf({ perform: NEVER, verify: NEVER }),
      'messages.purge': {
        work: (action, run) => {
          stops.push(run.stop?.code);
          return work(action, run);
        },
        verify: NEVER,
      },
    };
    await continueAction({ db: test.database, performers, log, closing: new AbortController().signal }, id);
    return stops;
  }
  /** A purge whose worker has left it. */
  async function left(): Promise<string> {
    const id = await waiting(PURGE);
    await change("state = 'running', continues_since = now()", id);
    return id;
  }
  const stateOf = async (id: string) => {
    const { rows } = await test.database.pool.query(
      `SELECT state, worker, EXISTS (SELECT FROM graphile_worker.jobs WHERE key = 'continue_action:' || actions.id) AS is_queued
        FROM actions WHERE id = $1`,
      [id],
    );
    return rows[0];
  };
  const LEFT = { state: 'running', worker: null, is_queued: true };

  it('waits until its guild is trusted: until then nobody knows what who asked for it may do', async () => {
    verifies('G2', 'H23');
    const id = await left();
    await query(DISTRUSTED);
    expect(await takeUp(id)).toEqual([]);
    expect(await stateOf(id)).toEqual(LEFT);
    await query('UPDATE guilds SET mirrored_at = now() WHERE id = $1');
    expect(await takeUp(id)).toEqual([undefined]);
    expect(await stateOf(id)).toMatchObject({ state: 'failed' });
  });

  it.each([
    ['is the system’s', "actor_source = 'system'", undefined],
    ['was stopped', "stopped_by = '1'", 'FORBIDDEN'],
  ])('does not wait for that if it %s', async (_what, set, stop) => {
    const id = await left();
    await change(set, id);
    await query(DISTRUSTED);
    expect(await takeUp(id)).toEqual([stop]);
  });

  it('is not ended by a failure of Bailiff itself: it is taken up again when its lease expires', async () => {
    const id = await waiting(PURGE);
    let stretches = 0;
    const work = async () => {
      stretches += 1;
      throw new Error('out of memory');
    };
    const performers: Performers = {
      ...performersOf({ perform: NEVER, verify: NEVER }),
      'messages.purge': { work, verify: NEVER },
    };
    expect(await performAction(test.database, performers, id, log)).toBeNull();
    expect(stretches).toBe(1);
    expect(await stateOf(id)).toMatchObject({ state: 'running' });
    await change("lease_expires_at = now() - interval '1 second'", id);
    expect(await takeUp(id)).toEqual([undefined]);
    expect(await stateOf(id)).toMatchObject({ state: 'failed' });
  });

  it('ends without another step if the bot has left the guild, and says what to do next', async () => {
    const id = await left();
    await query('UPDATE guilds SET mirrored_at = NULL, left_at = now() WHERE id = $1');
    let stop: Run['stop'] = null;
    await takeUp(id, async (_action, run) => {
      stop = run.stop;
      return FAILED;
    });
    expect(stop).toMatchObject({
      code: 'UPSTREAM_UNAVAILABLE',
      message: expect.stringContaining('add it again'),
      details: { upstream: 'bot', outcome: 'not_performed', guild_state: 'left' },
    });
  });

  it('is given up after a day, though its guild is not trusted', async () => {
    const id = await left();
    await change("created_at = now() - interval '25 hours'", id);
    await query(DISTRUSTED);
    expect(await takeUp(id)).toEqual([]);
    expect(await stateOf(id)).toMatchObject({ state: 'unknown' });
  });

  it('is left at its next save when its guild is not trusted any more', async () => {
    verifies('G2', 'H23');
    const id = await left();
    let isOver = false;
    await takeUp(id, async (_action, run) => {
      await query(DISTRUSTED);
      await run.save({ deleted: ['1'] }, PROGRESS);
      isOver = run.signal.aborted;
      return 'unfinished';
    });
    expect(isOver).toBe(true);
    expect(await stateOf(id)).toEqual(LEFT);
  });

  it('is left within seconds, also between two saves', async () => {
    verifies('G2', 'H23');
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const id = await left();
    await takeUp(id, async (_action, run) => {
      await query(DISTRUSTED);
      vi.advanceTimersByTime(5_000);
      await new Promise((resolve) => run.signal.addEventListener('abort', resolve));
      return 'unfinished';
    });
    expect(await stateOf(id)).toEqual(LEFT);
  });
});
