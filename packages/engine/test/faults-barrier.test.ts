import { verifies } from '@bailiff/core/testing';
import { createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import { afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import type { Engine } from '#src/engine.ts';
import { setTier } from '#src/guilds/tiers.ts';
import {
  giveTime,
  grantRole,
  type SeededGuild,
  type SeededToken,
  seedGuild,
  seedToken,
  seedWindow,
} from '#src/testing.ts';
import { revokeToken } from '#src/tokens/tokens.ts';
import { closeWindow } from '#src/tokens/windows.ts';
import {
  count,
  engineOn,
  guard,
  holdLock,
  refusalOf,
  strike,
  type TokenWrite,
  untilCount,
  untilWaiting,
} from './faults-calls.ts';
import { createFarEnd } from './faults-far-end.ts';

let database: TestDatabase;
let guild: SeededGuild;
let token: SeededToken;
let engine: Engine;

beforeAll(() => giveTime('bot'));
/** A token of a moderator, who is there by a role and what it was granted, with a window. */
beforeEach(async () => {
  database = await createTestDatabase();
  guild = await seedGuild(database.database);
  await grantRole(database.database, guild, guild.moderatorRoleId, ['strikes.write', 'bans.write']);
  token = await seedToken(database.database, guild, { issuerId: guild.moderatorId });
  await seedWindow(database.database, guild, token);
  engine = engineOn(database.database);
});

afterEach(() => database.drop());

const owner = () => ({ userId: guild.ownerId, requestId: 'req_owner', address: '192.0.2.9' });
const ban = (): TokenWrite => ({
  operation: 'bans.add',
  body: { user_id: guild.strangerId, reason: 'spam' },
});

// Each is what the dashboard, the mirror or the operator do, in the one statement that counts here.
const REVOKED = { code: 'TOKEN_REVOKED', status: 401 };
const DENIED = { code: 'CAPABILITY_DENIED', status: 403 };
const CLOSED = { code: 'RE_AUTH_REQUIRED', status: 403 };
const UNKNOWN = { code: 'UNAUTHORIZED', status: 401 };
const ofToken = () => token.id;
describe.each([
  [
    'its window is closed',
    'UPDATE windows SET closed_at = clock_timestamp() WHERE token_id = $1',
    ofToken,
    CLOSED,
  ],
  [
    'its window ends',
    "UPDATE windows SET expires_at = clock_timestamp() - interval '1 second' WHERE token_id = $1",
    ofToken,
    CLOSED,
  ],
  [
    'its token is revoked',
    'UPDATE tokens SET revoked_at = clock_timestamp() WHERE id = $1',
    ofToken,
    REVOKED,
  ],
  [
    'its token gets another secret',
    "UPDATE tokens SET secret_hash = sha256(sha256('another')) WHERE id = $1",
    ofToken,
    UNKNOWN,
  ],
  ['the guild loses its tier', "UPDATE guilds SET tier = 'free' WHERE id = $1", () => guild.id, REVOKED],
  [
    'its issuer loses the role',
    "UPDATE members SET role_ids = '{}' WHERE user_id = $1",
    () => guild.moderatorId,
    DENIED,
  ],
  [
    'its issuer is timed out',
    "UPDATE members SET timed_out_until = now() + interval '1 hour' WHERE user_id = $1",
    () => guild.moderatorId,
    DENIED,
  ],
  [
    'the role loses its grant',
    'DELETE FROM role_grants WHERE role_id = $1',
    () => guild.moderatorRoleId,
    DENIED,
  ],
])('when %s', (_change, sql, about, refusal) => {
  it('while a call waits between guard and effect, nothing is done', async () => {
    verifies('G2', 'G8', 'H16');
    const { pool } = database.database;
    const barrier = await holdLock(database.database, 'SELECT FROM tokens WHERE id = $1 FOR UPDATE', [
      token.id,
    ]);
    const writes = [strike(guild), ban()];
    const guarded = await Promise.all(writes.map((write) => guard(engine, guild, token.secret, write)));
    const refused = Promise.all(guarded.map(({ submit }) => refusalOf(submit())));
    await untilWaiting(database.database, 2);
    await barrier.session.query(sql, [about()]);
    await barrier.release();
    expect(await refused).toMatchObject([refusal, refusal]);
    const { rows } = await pool.query(
      'SELECT FROM actions UNION ALL SELECT FROM cases UNION ALL SELECT FROM budgets WHERE balance < 6',
    );
    expect(rows).toEqual([]);
  });
});

describe.each([
  {
    change: 'its window is closed',
    make: () => closeWindow(database.database, owner(), token.id),
    refusal: { code: 'RE_AUTH_REQUIRED', status: 403 },
    // Closing a window cancels what waits under it.
    outcome: 'cancelled',
  },
  {
    change: 'its token is revoked',
    make: () => revokeToken(database.database, owner(), token.id),
    refusal: { code: 'TOKEN_REVOKED', status: 401 },
    // So does revoking its token, with all its windows.
    outcome: 'cancelled',
  },
  {
    change: 'the guild loses its tier',
    make: () => setTier(database.database, guild.id, 'free'),
    refusal: { code: 'TOKEN_REVOKED', status: 401 },
  },
  {
    change: 'the role loses its grant',
    make: () => grantRole(database.database, guild, guild.moderatorRoleId, []),
    refusal: { code: 'CAPABILITY_DENIED', status: 403 },
  },
  {
    change: 'its issuer is timed out',
    make: () =>
      database.database.pool.query(
        "UPDATE members SET timed_out_until = now() + interval '1 hour' WHERE user_id = $1",
        [guild.moderatorId],
      ),
    refusal: { code: 'CAPABILITY_DENIED', status: 403 },
  },
])('when $change', ({ make, refusal, outcome = 'failed' }) => {
  it('after a call was recorded and before the bot takes it up, nothing is done', async () => {
    verifies('G2', 'G8', 'H16');
    const farEnd = createFarEnd();
    const { submit } = await guard(engine, guild, token.secret, ban());
    const refused = refusalOf(submit());
    await untilCount(database.database, "actions WHERE state = 'pending'", 1);
    await make();
    await farEnd.work(database.database);
    engine.waiters.wakeAll();
    expect(await refused).toMatchObject(refusal);
    expect(farEnd.done).toEqual([]);
    expect(await count(database.database, 'cases')).toBe(0);
    const { rows } = await database.database.pool.query(
      'SELECT outcome, code FROM audit WHERE action_id IS NOT NULL ORDER BY id',
    );
    expect(rows).toEqual([
      { outcome: 'requested', code: null },
      { outcome, code: refusal.code },
    ]);
  });
});

test.each([
  ['closing its window', () => closeWindow(database.database, owner(), token.id), 'RE_AUTH_REQUIRED'],
  ['revoking its token', () => revokeToken(database.database, owner(), token.id), 'TOKEN_REVOKED'],
  ['taking the tier away', () => setTier(database.database, guild.id, 'free'), 'TOKEN_REVOKED'],
] as const)(
  '%s waits for the effect that is being made, and nothing is made after it',
  async (_name, change, code) => {
    verifies('G1', 'G8', 'H16');
    const { pool } = database.database;
    await pool.query('INSERT INTO guild_counters (guild_id) VALUES ($1)', [guild.id]);
    const barrier = await holdLock(database.database, 'SELECT FROM guild_counters FOR UPDATE');
    const call = (await guard(engine, guild, token.secret, strike(guild))).submit();
    await untilWaiting(database.database, 1);
    const changed = change();
    await untilWaiting(database.database, 2);
    await barrier.release();
    expect(await call).toMatchObject({ status: 201 });
    await changed;
    const again = guard(engine, guild, token.secret, strike(guild)).then(({ submit }) => submit());
    expect(await refusalOf(again)).toMatchObject({ code });
    expect(await count(database.database, 'cases')).toBe(1);
  },
);
