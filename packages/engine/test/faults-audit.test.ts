import { verifies } from '@bailiff/core/testing';
import { createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Engine } from '#src/engine.ts';
import {
  giveTime,
  type SeededGuild,
  type SeededToken,
  seedGuild,
  seedToken,
  seedWindow,
} from '#src/testing.ts';
import { count, engineOn, guard, refusalOf, strike, type TokenWrite, untilCount } from './faults-calls.ts';
import { createFarEnd } from './faults-far-end.ts';

let test: TestDatabase;
let guild: SeededGuild;
let token: SeededToken;
let engine: Engine;

beforeAll(() => giveTime('bot'));
beforeEach(async () => {
  test = await createTestDatabase();
  guild = await seedGuild(test.database);
  token = await seedToken(test.database, guild);
  await seedWindow(test.database, guild, token);
  engine = engineOn(test.database);
});

afterEach(() => test.drop());

/** No row of the audit log is taken, or none with this outcome. */
async function refuseAuditRows(sqlState: string, outcome?: string): Promise<void> {
  await test.database.pool.query(
    `CREATE FUNCTION refuse_row() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN RAISE EXCEPTION 'no room for the audit row' USING ERRCODE = '${sqlState}'; END $$`,
  );
  await test.database.pool.query(
    `CREATE TRIGGER refuse_row BEFORE INSERT ON audit FOR EACH ROW
     ${outcome === undefined ? '' : `WHEN (NEW.outcome = '${outcome}')`} EXECUTE FUNCTION refuse_row()`,
  );
}

async function send(write: TokenWrite) {
  return (await guard(engine, guild, token.secret, write)).submit();
}

const ban = (): TokenWrite => ({
  operation: 'bans.add',
  body: { user_id: guild.strangerId, reason: 'spam' },
});

const EFFECTS = ['actions', 'cases', 'idempotency_keys', 'budgets', 'graphile_worker.jobs'] as const;

async function effects(): Promise<Record<string, number>> {
  const counted = EFFECTS.map(async (table) => [table, await count(test.database, table)] as const);
  return Object.fromEntries(await Promise.all(counted));
}

const NONE = Object.fromEntries(EFFECTS.map((table) => [table, 0]));

describe('when the audit row of its intent cannot be written', () => {
  it('nothing is done or spent, and a call after it is as the first', async () => {
    verifies('G7');
    await refuseAuditRows('P0001');
    for (const write of [strike(guild, 'key'), { ...ban(), idempotencyKey: 'other' }]) {
      await expect(send(write)).rejects.toThrow(/no room for the audit row/);
    }
    expect(await effects()).toEqual(NONE);
    await test.database.pool.query('DROP TRIGGER refuse_row ON audit');
    expect(await send(strike(guild, 'key'))).toMatchObject({ status: 201 });
  });

  it('for want of room, the caller is told that nothing was done', async () => {
    verifies('G7');
    await refuseAuditRows('53100');
    for (const write of [strike(guild), ban()]) {
      expect(await refusalOf(send(write))).toMatchObject({
        status: 503,
        code: 'UPSTREAM_UNAVAILABLE',
        details: { outcome: 'not_performed' },
      });
    }
    expect(await effects()).toEqual(NONE);
  });
});

describe('when the audit row of its end cannot be written', () => {
  it('a strike is not made', async () => {
    verifies('G7');
    await refuseAuditRows('P0001', 'performed');
    await expect(send(strike(guild))).rejects.toThrow(/no room for the audit row/);
    expect(await effects()).toEqual(NONE);
  });

  it('what the bot has done is settled later, by looking and not by doing it again', async () => {
    verifies('G7', 'H28');
    await refuseAuditRows('P0001', 'performed');
    const farEnd = createFarEnd();
    const call = send(ban());
    await untilCount(test.database, "actions WHERE state = 'pending'", 1);
    await farEnd.work(test.database);
    expect(await count(test.database, 'cases')).toBe(0);

    await test.database.pool.query('DROP TRIGGER refuse_row ON audit');
    await farEnd.recover(test.database);
    engine.waiters.wakeAll();
    expect(await call).toMatchObject({ status: 201, body: { ban: { user_id: guild.strangerId } } });
    const { rows } = await test.database.pool.query('SELECT outcome FROM audit ORDER BY id');
    expect(rows).toEqual([{ outcome: 'requested' }, { outcome: 'performed' }]);
    expect(farEnd.done).toHaveLength(1);
    expect(await count(test.database, 'cases')).toBe(1);
  });
});
