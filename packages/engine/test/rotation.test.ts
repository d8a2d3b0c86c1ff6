import { verifies } from '@bailiff/core/testing';
import { createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { admit } from '#src/calls/admission.ts';
import { type SeededGuild, type SeededToken, seedGuild, seedToken } from '#src/testing.ts';
import { claimNotice, requireRotation, settleNotice, waitingNotices } from '#src/tokens/rotation.ts';
import { rotateToken } from '#src/tokens/tokens.ts';

let database: TestDatabase;
let guild: SeededGuild;
let token: SeededToken;

beforeEach(async () => {
  database = await createTestDatabase();
  guild = await seedGuild(database.database);
  token = await seedToken(database.database, guild, { name: 'nightly' });
});
afterEach(() => database.drop());

const sql = async (text: string, ...values: unknown[]) =>
  (await database.database.pool.query(text, values)).rows;
const require = () => requireRotation(database.database);

/** Makes every token of the database older by a number of days, without expiring any. */
const daysPass = (days: number) =>
  sql(
    `UPDATE tokens SET created_at = created_at - make_interval(secs => $1), rotated_at = rotated_at - make_interval(secs => $1),
       rotation_required_at = rotation_required_at - make_interval(secs => $1)`,
    days * 86_400,
  );

async function isRequired(id = token.id): Promise<boolean> {
  const [row] = await sql(
    'SELECT rotation_required_at IS NOT NULL AS required FROM tokens WHERE id = $1',
    id,
  );
  return row?.required;
}

function rotate() {
  const call = { userId: guild.ownerId, requestId: 'req_1', address: '203.0.113.9' };
  return rotateToken(database.database, call, token.id, { overlap: false });
}

test('at 180 days rotation is required, of tokens without expiry too, and before that age it is not', async () => {
  verifies('rotation.required-180');
  const eternal = await seedToken(database.database, guild);
  await sql('UPDATE tokens SET expires_at = NULL, lifetime_days = NULL WHERE id = $1', eternal.id);
  await daysPass(179.99);
  expect(await require()).toEqual({ required: 0 });
  expect(await isRequired()).toBe(false);
  await daysPass(0.02);
  expect(await require()).toEqual({ required: 2 });
  expect(await isRequired()).toBe(true);
  expect(await isRequired(eternal.id)).toBe(true);
  expect(await require()).toEqual({ required: 0 });
});

test('the age counts from the last rotation, which takes the requirement away', async () => {
  verifies('rotation.required-180');
  await daysPass(181);
  await require();
  await rotate();
  expect(await isRequired()).toBe(false);
  await daysPass(179);
  expect(await require()).toEqual({ required: 0 });
  await daysPass(2);
  expect(await require()).toEqual({ required: 1 });
});

test('a token whose rotation is required works as before and is not revoked for its age', async () => {
  verifies('rotation.keeps-working');
  await daysPass(271);
  await require();
  expect(await admit(database.database, token.secret)).toMatchObject({ revoked: false, expired: false });
});

test('nobody is told of tokens in a guild that the bot has left', async () => {
  verifies('rotation.dm-180');
  await daysPass(181);
  await require();
  await sql('UPDATE guilds SET left_at = now() WHERE id = $1', guild.id);
  expect(await waitingNotices(database.database, 10)).toEqual([]);
});

test('a revoked token is left alone, and many are marked in one run', async () => {
  await sql('UPDATE tokens SET revoked_at = now()');
  await sql(
    `INSERT INTO tokens (guild_id, issuer_id, name, kind, secret_hash, secret_last_four)
     SELECT $1, $2, 'bulk', 'rest', sha256(n::text::bytea), 'abcd' FROM generate_series(1, 12000) AS n`,
    guild.id,
    guild.ownerId,
  );
  await daysPass(200);
  expect(await require()).toEqual({ required: 12_000 });
  expect(await isRequired()).toBe(false);
});

test('an issuer is told of all their tokens in a guild at once, and never twice of the same 180 days', async () => {
  const second = await seedToken(database.database, guild, { name: 'second' });
  await daysPass(181);
  await require();
  const [to, ...others] = await waitingNotices(database.database, 10);
  expect([to, others]).toEqual([{ guildId: guild.id, userId: guild.ownerId }, []]);
  if (to === undefined) throw new Error('Nobody waits');
  const claims = await Promise.all(Array.from({ length: 8 }, () => claimNotice(database.database, to)));
  const [notice, ...more] = claims.filter((claim) => claim !== null);
  expect(more).toEqual([]);
  expect(notice?.tokens.map(({ id }) => id).sort()).toEqual([token.id, second.id].sort());
  expect(await waitingNotices(database.database, 10)).toEqual([]);
  await daysPass(90);
  await require();
  expect(await waitingNotices(database.database, 10)).toEqual([]);

  await rotate();
  await daysPass(181);
  await require();
  expect((await claimNotice(database.database, to))?.tokens.map(({ id }) => id)).toEqual([token.id]);
});

test.each([
  ['not_sent', 3],
  ['closed', 1],
  ['unknown', 1],
] as const)(
  'a message that ends as %s is tried %i times in all, and the banner stays',
  async (failure, times) => {
    verifies('H30');
    await daysPass(181);
    await require();
    let attempts = 0;
    for (; attempts < 10; attempts += 1) {
      const [to] = await waitingNotices(database.database, 10);
      if (to === undefined) break;
      const notice = await claimNotice(database.database, to);
      if (notice === null) break;
      await settleNotice(database.database, notice, failure);
    }
    expect(attempts).toBe(times);
    expect(await isRequired()).toBe(true);
    const rows = await sql(
      "SELECT outcome, details->>'reason' AS reason FROM audit WHERE operation = 'tokens.remind'",
    );
    expect(rows).toHaveLength(times);
    expect(rows[0]).toEqual({ outcome: failure === 'unknown' ? 'unknown' : 'failed', reason: failure });
  },
);

test('a message that was not sent is tried again, and none of those that others have got', async () => {
  await seedToken(database.database, guild, { issuerId: guild.moderatorId });
  await daysPass(181);
  await require();
  const told = { guildId: guild.id, userId: guild.ownerId };
  const missed = { guildId: guild.id, userId: guild.moderatorId };
  expect(await waitingNotices(database.database, 10)).toEqual(expect.arrayContaining([told, missed]));
  for (const [to, failure] of [
    [told, null],
    [missed, 'not_sent'],
  ] as const) {
    const notice = await claimNotice(database.database, to);
    if (notice === null) throw new Error('Nobody waits');
    await settleNotice(database.database, notice, failure);
  }
  expect(await waitingNotices(database.database, 10)).toEqual([missed]);
});

test('nobody is told of a token that was revoked after its rotation was required', async () => {
  await daysPass(181);
  await require();
  await sql('UPDATE tokens SET revoked_at = now()');
  expect(await waitingNotices(database.database, 10)).toEqual([]);
  expect(await claimNotice(database.database, { guildId: guild.id, userId: guild.ownerId })).toBeNull();
});

test('nobody is told of a token that has expired, and of one that was rotated meanwhile', async () => {
  await daysPass(181);
  await require();
  await sql("UPDATE tokens SET expires_at = now() - interval '1 day'");
  expect(await waitingNotices(database.database, 10)).toEqual([]);
  await rotate();
  expect(await claimNotice(database.database, { guildId: guild.id, userId: guild.ownerId })).toBeNull();
});

test('nobody is told of a token while Bailiff is not in its guild, and they are once it is back', async () => {
  await daysPass(181);
  await require();
  await sql('UPDATE guilds SET left_at = now() WHERE id = $1', guild.id);
  expect(await waitingNotices(database.database, 10)).toEqual([]);
  await sql('UPDATE guilds SET left_at = NULL WHERE id = $1', guild.id);
  expect(await waitingNotices(database.database, 10)).toEqual([{ guildId: guild.id, userId: guild.ownerId }]);
});
