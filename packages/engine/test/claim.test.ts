import { type Call, digestOf } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { performersOf, type SeededGuild, seedGuild } from '#src/testing.ts';
import { claim } from '#src/worker/claim.ts';
import { continueAction } from '#src/worker/continue-action.ts';

let test: TestDatabase;
let guild: SeededGuild;
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

/** Records an action of the guild's owner that waits for a worker, for these seconds. */
async function waiting({ operation, input }: Call, seconds = 60): Promise<string> {
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
  const third = await waiting(COMMAND, 10);
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
    const refuse = () => Promise.reject(new Error('It is not performed.'));
    const performers = performersOf({ perform: refuse, verify: refuse });
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
