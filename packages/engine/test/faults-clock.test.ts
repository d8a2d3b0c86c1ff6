import { TIERS } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Engine } from '#src/engine.ts';
import {
  performersOf,
  type SeededGuild,
  type SeededToken,
  seedGuild,
  seedToken,
  seedWindow,
} from '#src/testing.ts';
import { openWindow } from '#src/tokens/windows.ts';
import { recoverActions } from '#src/worker/perform-action.ts';
import { engineOn, guard, strike } from './faults-calls.ts';

let database: TestDatabase;
let guild: SeededGuild;
let token: SeededToken;
let engine: Engine;

beforeAll(async () => {
  database = await createTestDatabase();
  guild = await seedGuild(database.database);
  engine = engineOn(database.database);
});

afterAll(() => database.drop());

beforeEach(async () => {
  token = await seedToken(database.database, guild);
  await database.database.pool.query('TRUNCATE budgets');
});

const { capacity } = TIERS.destructive_write;

/** Steps the clock: for the database, everything it has stored moves the other way. */
async function step(minutes: number): Promise<void> {
  const by = [-minutes];
  const { pool } = database.database;
  await pool.query('UPDATE budgets SET updated_at = updated_at + make_interval(mins => $1)', by);
  await pool.query(
    `UPDATE windows SET opened_at = opened_at + make_interval(mins => $1),
       expires_at = expires_at + make_interval(mins => $1)`,
    by,
  );
}

/** How many of a number of calls, made one after the other, were performed, and the codes of the rest. */
async function strikes(many: number): Promise<Record<string, number>> {
  const outcomes: Record<string, number> = {};
  for (let n = 0; n < many; n += 1) {
    const outcome = await guard(engine, guild, token.secret, strike(guild))
      .then(({ submit }) => submit())
      .then(
        () => 'performed',
        (error) => error.code,
      );
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  }
  return outcomes;
}

async function balances(): Promise<number[]> {
  const { rows } = await database.database.pool.query<{ balance: number }>('SELECT balance FROM budgets');
  return rows.map(({ balance }) => balance);
}

test('a window that was opened before the clock went back by less than a minute has not begun', async () => {
  verifies('H10');
  await seedWindow(database.database, guild, token);
  await database.database.pool.query(
    "UPDATE windows SET opened_at = clock_timestamp() + interval '50 seconds' WHERE token_id = $1",
    [token.id],
  );
  expect(await strikes(1)).toEqual({ RE_AUTH_REQUIRED: 1 });
});

test.each([60, -60])(
  'a clock that steps by %i minutes and back again gives at most one full budget',
  async (minutes) => {
    verifies('H10');
    await seedWindow(database.database, guild, token);
    expect(await strikes(capacity + 1)).toEqual({ performed: capacity, RATE_LIMITED: 1 });
    await step(minutes);
    await seedWindow(database.database, guild, token);
    const { performed: afterOne = 0 } = await strikes(capacity + 1);
    await step(-minutes);
    await seedWindow(database.database, guild, token);
    const { performed: afterTwo = 0 } = await strikes(capacity + 1);
    expect(afterOne + afterTwo).toBeLessThanOrEqual(capacity);
    for (const balance of await balances()) {
      expect(balance).toBeGreaterThanOrEqual(0);
      expect(balance).toBeLessThanOrEqual(capacity);
    }
  },
);

test('a clock that stepped back does not freeze an empty budget', async () => {
  verifies('H10');
  await seedWindow(database.database, guild, token);
  expect(await strikes(capacity + 1)).toMatchObject({ RATE_LIMITED: 1 });
  await step(-60);
  await seedWindow(database.database, guild, token);
  expect(await strikes(1)).toEqual({ RATE_LIMITED: 1 });
  await step(1);
  expect(await strikes(2)).toEqual({ performed: 1, RATE_LIMITED: 1 });
});

const owner = () => ({ userId: guild.ownerId, requestId: 'req_owner', address: '192.0.2.9' });

test('a window ends with its minutes when the clock steps forward', async () => {
  verifies('G8', 'H10');
  await openWindow(database.database, owner(), token.id, 15);
  expect(await strikes(1)).toEqual({ performed: 1 });
  await step(60);
  expect(await strikes(1)).toEqual({ RE_AUTH_REQUIRED: 1 });
});

async function nothing(): Promise<never> {
  throw new Error('Nothing is to be done.');
}

test('a window does not live on when the clock steps back to before it was opened', async () => {
  verifies('G8', 'H10');
  await openWindow(database.database, owner(), token.id, 15);
  await step(-60);
  expect(await strikes(1)).toEqual({ RE_AUTH_REQUIRED: 1 });
  // Nor does it begin anew once the clock comes to that moment again.
  await recoverActions(database.database, performersOf({ perform: nothing, verify: nothing }), {
    info: () => {},
    error: () => {},
  });
  await step(60);
  expect(await strikes(1)).toEqual({ RE_AUTH_REQUIRED: 1 });
});
