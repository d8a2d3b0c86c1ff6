import { verifies } from '@bailiff/core/testing';
import { createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { admit } from '#src/calls/admission.ts';
import { entitleGuild, setTier } from '#src/guilds/tiers.ts';
import { type SeededGuild, seedGuild, seedToken } from '#src/testing.ts';

let test: TestDatabase;
let guild: SeededGuild;

beforeEach(async () => {
  test = await createTestDatabase();
  guild = await seedGuild(test.database);
});

afterEach(() => test.drop());

it('a guild that falls off the paid tier loses its tokens at once and permanently, with an audit row each', async () => {
  verifies('tier.drop-revokes', 'tier.values', 'revocation.final');
  const tokens = [await seedToken(test.database, guild), await seedToken(test.database, guild)];
  const elsewhere = await seedToken(test.database, await seedGuild(test.database));

  const change = await setTier(test.database, guild.id, 'free');
  expect(change).toMatchObject({ guildName: 'Seeded', before: 'pro' });
  expect([...(change?.revoked ?? [])].sort()).toEqual(tokens.map(({ id }) => id).sort());
  for (const { secret } of tokens)
    expect(await admit(test.database, secret)).toMatchObject({ revoked: true });
  expect(await admit(test.database, elsewhere.secret)).toMatchObject({ revoked: false });
  const { rows } = await test.database.pool.query(
    "SELECT token_id, actor_source, details FROM audit WHERE operation = 'tokens.revoke' ORDER BY token_id",
  );
  expect(rows).toEqual(
    tokens
      .map(({ id }) => id)
      .sort()
      .map((id) => ({ token_id: id, actor_source: 'operator', details: { reason: 'tier_lost' } })),
  );

  await setTier(test.database, guild.id, 'pro');
  for (const { secret } of tokens)
    expect(await admit(test.database, secret)).toMatchObject({ revoked: true });
});

it('the audit log says who has changed the tier of a guild, and by what', async () => {
  verifies('tier.entitlement');
  await entitleGuild(test.database, guild.id, '900000000000000001');
  await setTier(test.database, guild.id, 'operator');
  const { rows } = await test.database.pool.query(
    "SELECT actor_source, target_id, details FROM audit WHERE operation = 'guilds.tier' ORDER BY id",
  );
  expect(rows).toEqual([
    {
      actor_source: 'system',
      target_id: guild.id,
      details: { tier: 'pro', entitlement_id: '900000000000000001' },
    },
    { actor_source: 'operator', target_id: guild.id, details: { tier: 'operator' } },
  ]);
});

it('a guild on tier operator keeps its tokens, and an unknown guild is not invented', async () => {
  verifies('tier.operator-paid');
  const { secret } = await seedToken(test.database, guild);
  expect(await setTier(test.database, guild.id, 'operator')).toMatchObject({ revoked: [] });
  expect(await admit(test.database, secret)).toMatchObject({ revoked: false, guild: { tier: 'operator' } });
  expect(await setTier(test.database, '123456789012345678', 'pro')).toBeNull();
});

it('what is bought makes a guild pro, once, and changes nothing of a tier that the operator has set', async () => {
  verifies('tier.entitlement');
  expect(await entitleGuild(test.database, guild.id, '900000000000000001')).not.toBeNull();
  expect(await entitleGuild(test.database, guild.id, '900000000000000001')).toBeNull();
  await setTier(test.database, guild.id, 'free');
  expect(await entitleGuild(test.database, guild.id, '900000000000000002')).toBeNull();
  const { rows } = await test.database.pool.query('SELECT tier, tier_source FROM guilds WHERE id = $1', [
    guild.id,
  ]);
  expect(rows).toEqual([{ tier: 'free', tier_source: 'operator' }]);
});
