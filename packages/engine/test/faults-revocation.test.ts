import { verifies } from '@bailiff/core/testing';
import { openDatabase } from '@bailiff/prisma';
import { createTestDatabase, LONG_LIMITS, type TestDatabase } from '@bailiff/prisma/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SeededGuild, type SeededToken, seedGuild, seedToken } from '#src/testing.ts';
import { revokeToken } from '#src/tokens/tokens.ts';
import { count, engineOn, guard, refusalOf, strike } from './faults-calls.ts';

let database: TestDatabase;
let guild: SeededGuild;
let dashboard: ReturnType<typeof openDatabase>;
let api: ReturnType<typeof openDatabase>;

// Two processes on one database share nothing but the database; so do these two.
beforeAll(async () => {
  database = await createTestDatabase();
  guild = await seedGuild(database.database);
  dashboard = openDatabase(database.url, { ...LONG_LIMITS, applicationName: 'dashboard' });
  api = openDatabase(database.url, { ...LONG_LIMITS, applicationName: 'api' });
});

afterAll(async () => {
  await dashboard.close();
  await api.close();
  await database.drop();
});

/** Does it to each, four at a time. */
async function each(tokens: SeededToken[], work: (token: SeededToken) => Promise<void>): Promise<void> {
  const left = [...tokens];
  const lane = async () => {
    for (let token = left.pop(); token !== undefined; token = left.pop()) await work(token);
  };
  await Promise.all([lane(), lane(), lane(), lane()]);
}

/** Tokens with an open window each. */
async function seedTokens(many: number): Promise<SeededToken[]> {
  const tokens: SeededToken[] = [];
  for (let n = 0; n < many; n += 1) tokens.push(await seedToken(database.database, guild));
  await database.database.pool.query(
    `INSERT INTO windows (token_id, guild_id, opened_by, expires_at)
     SELECT id, guild_id, issuer_id, now() + interval '15 minutes' FROM tokens WHERE revoked_at IS NULL`,
  );
  return tokens;
}

test('of 1,000 tokens revoked in one process, none makes another call in a second one', async () => {
  verifies('G1', 'H14');
  const engine = engineOn(api);
  const owner = { userId: guild.ownerId, requestId: 'req_revoke', address: '192.0.2.9' };
  const tokens = await seedTokens(1_000);
  const codes = new Map<string, number>();
  await each(tokens, async ({ id, secret }) => {
    // The second process has met the token, and is in the middle of a call with it.
    const underWay = await guard(engine, guild, secret, strike(guild));
    await revokeToken(dashboard, owner, id);
    const anew = async () => (await guard(engine, guild, secret, strike(guild))).submit();
    for (const call of [anew, underWay.submit]) {
      const code = await call().then(
        () => 'performed',
        (error) => error.code,
      );
      codes.set(code, (codes.get(code) ?? 0) + 1);
    }
  });
  expect([...codes]).toEqual([['TOKEN_REVOKED', 2_000]]);
  expect(await count(api, "actions WHERE operation = 'strikes.add'")).toBe(0);
});

test('a token that expires between guard and effect makes no call', async () => {
  verifies('H14');
  const engine = engineOn(api);
  await each(await seedTokens(50), async (token) => {
    const underWay = await guard(engine, guild, token.secret, strike(guild));
    const expire = "UPDATE tokens SET expires_at = clock_timestamp() - interval '1 second' WHERE id = $1";
    await dashboard.pool.query(expire, [token.id]);
    expect(await refusalOf(underWay.submit())).toMatchObject({ code: 'TOKEN_EXPIRED', status: 401 });
    expect(await refusalOf(guard(engine, guild, token.secret, strike(guild)))).toMatchObject({
      code: 'TOKEN_EXPIRED',
    });
  });
  expect(await count(api, 'cases')).toBe(0);
});
