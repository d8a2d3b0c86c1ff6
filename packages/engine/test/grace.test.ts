import { verifies } from '@bailiff/core/testing';
import { createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { admit } from '#src/calls/admission.ts';
import {
  grantRole,
  type SeededGuild,
  type SeededToken,
  seedGuild,
  seedToken,
  seedWindow,
} from '#src/testing.ts';
import { sweepLostCapabilities } from '#src/tokens/grace.ts';

let database: TestDatabase;
let guild: SeededGuild;
let token: SeededToken;

beforeEach(async () => {
  database = await createTestDatabase();
  guild = await seedGuild(database.database);
  await grantRole(database.database, guild, guild.moderatorRoleId, ['bans.read', 'bans.write']);
  token = await seedToken(database.database, guild, {
    issuerId: guild.moderatorId,
    capabilities: ['bans.read', 'bans.write'],
  });
});
afterEach(() => database.drop());

const sweep = () => sweepLostCapabilities(database.database);
const sql = async (text: string, ...values: unknown[]) =>
  (await database.database.pool.query(text, values)).rows;
const lose = () => grantRole(database.database, guild, guild.moderatorRoleId, ['tickets.read']);
const regain = () => grantRole(database.database, guild, guild.moderatorRoleId, ['bans.read']);

/** Moves time forward, as if sweeps in between had kept finding the same. */
const hoursPass = (hours: number) =>
  sql('UPDATE tokens SET capability_lost_at = capability_lost_at - make_interval(secs => $1)', hours * 3600);

async function isRevoked(): Promise<boolean> {
  return (await admit(database.database, token.secret))?.revoked === true;
}

test('a token that could do nothing for 24 hours is revoked, and at less than 24 hours it is not', async () => {
  verifies('grace.revokes-after-24h', 'revocation.automatic-audit');
  const windowId = await seedWindow(database.database, guild, token);
  await lose();
  expect(await sweep()).toEqual([]);
  await hoursPass(23.99);
  expect(await sweep()).toEqual([]);
  expect(await isRevoked()).toBe(false);
  await hoursPass(0.02);
  expect(await sweep()).toEqual([token.id]);
  expect(await isRevoked()).toBe(true);
  expect(
    await sql(
      "SELECT actor_source, outcome, details FROM audit WHERE operation = 'tokens.revoke' AND token_id = $1",
      token.id,
    ),
  ).toEqual([{ actor_source: 'system', outcome: 'performed', details: { reason: 'capabilities_lost' } }]);
  expect(await sql('SELECT FROM windows WHERE id = $1 AND closed_at IS NULL', windowId)).toEqual([]);

  expect(await sweep()).toEqual([]);
  await regain();
  await sweep();
  expect(await isRevoked()).toBe(true);
});

test('what comes back within 24 hours and is lost again counts from the second loss', async () => {
  verifies('grace.recovery-resets');
  await lose();
  await sweep();
  await hoursPass(23);
  await regain();
  await sweep();
  await lose();
  await sweep();
  await hoursPass(23);
  expect(await sweep()).toEqual([]);
  expect(await isRevoked()).toBe(false);
  await hoursPass(1.01);
  expect(await sweep()).toEqual([token.id]);
});

test('the loss of some capabilities narrows a token and never revokes it', async () => {
  verifies('grace.partial-loss');
  await grantRole(database.database, guild, guild.moderatorRoleId, ['bans.read']);
  await sweep();
  expect(await sql('SELECT capability_lost_at FROM tokens')).toEqual([{ capability_lost_at: null }]);
  await sql("UPDATE tokens SET capability_lost_at = now() - interval '1 year'");
  expect(await sweep()).toEqual([]);
  expect(await admit(database.database, token.secret)).toMatchObject({
    revoked: false,
    capabilities: ['bans.read'],
  });
});

test('a token whose issuer is timed out can do nothing meanwhile, and is not revoked for it', async () => {
  const holds = async () => (await admit(database.database, token.secret))?.capabilities;
  await sql(
    "UPDATE members SET timed_out_until = now() + interval '28 days' WHERE user_id = $1",
    guild.moderatorId,
  );
  expect(await holds()).toEqual([]);
  await sweep();
  await hoursPass(48);
  expect(await sweep()).toEqual([]);
  await sql('UPDATE members SET timed_out_until = now()');
  expect(await holds()).toEqual(['bans.read', 'bans.write']);
});

test.each([
  ['is away', "UPDATE gateway_shards SET heartbeat_at = now() - interval '2 minutes'"],
  ['has not been compared with Discord', 'UPDATE guilds SET mirrored_at = NULL'],
  ['was removed from the guild', 'UPDATE guilds SET left_at = now()'],
])('while the bot %s, nothing is revoked and no loss begins', async (_what, away) => {
  verifies('H22');
  await lose();
  await sql(away);
  await sweep();
  expect(await sql('SELECT capability_lost_at FROM tokens')).toEqual([{ capability_lost_at: null }]);
  await sql(
    "UPDATE tokens SET capability_lost_at = now() - interval '2 days', capability_lost_seen_at = now()",
  );
  expect(await sweep()).toEqual([]);
  expect(await isRevoked()).toBe(false);
});

test('hours in which nobody could see the roles do not count', async () => {
  verifies('H22');
  await lose();
  await sweep();
  await sql(
    "UPDATE tokens SET capability_lost_at = now() - interval '30 hours', capability_lost_seen_at = now() - interval '29 hours'",
  );
  expect(await sweep()).toEqual([]);
  expect(await isRevoked()).toBe(false);
  await hoursPass(24.01);
  expect(await sweep()).toEqual([token.id]);
});

test.each([
  [59, true],
  [61, false],
])('a silence of %i minutes at the end of a day of loss: revoked %s', async (minutes, isOver) => {
  verifies('H22');
  await lose();
  await sweep();
  await sql(
    `UPDATE tokens SET capability_lost_at = now() - interval '25 hours',
       capability_lost_seen_at = now() - make_interval(mins => $1)`,
    minutes,
  );
  await sweep();
  expect(await isRevoked()).toBe(isOver);
});

test("the owner's tokens lose nothing by roles; those of a former owner do", async () => {
  const owned = await seedToken(database.database, guild);
  await sweep();
  await hoursPass(48);
  expect(await sweep()).toEqual([]);
  await sql('UPDATE guilds SET owner_id = $1', guild.memberId);
  await sweep();
  await hoursPass(24.01);
  expect(await sweep()).toEqual([owned.id]);
});

test('the loss of who has become the owner meanwhile counts no more, also once they are it no longer', async () => {
  verifies('grace.recovery-resets');
  await lose();
  await sweep();
  await sql('UPDATE guilds SET owner_id = $1', guild.moderatorId);
  await sweep();
  expect(await sql('SELECT capability_lost_at FROM tokens')).toEqual([{ capability_lost_at: null }]);
  await sql('UPDATE guilds SET owner_id = $1', guild.ownerId);
  await sweep();
  await hoursPass(23.99);
  expect(await sweep()).toEqual([]);
});
