import { createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type SeededGuild, seedGuild, seedToken } from '#src/testing.ts';
import { issuerChecked, issuersToCheck } from '#src/tokens/issuers.ts';

let db: TestDatabase;
let guild: SeededGuild;

beforeEach(async () => {
  db = await createTestDatabase();
  guild = await seedGuild(db.database);
});
afterEach(() => db.drop());

test('Discord is asked about every issuer in turn, and about none of a revoked token', async () => {
  const { database } = db;
  const issuers = [guild.ownerId, guild.moderatorId, guild.memberId];
  for (const issuerId of issuers) await seedToken(database, guild, { issuerId });
  const { id } = await seedToken(database, guild, { issuerId: guild.strangerId });
  await database.pool.query('UPDATE tokens SET revoked_at = now() WHERE id = $1', [id]);

  const asked = new Set<string>();
  for (const _run of [1, 2]) {
    for (const issuer of await issuersToCheck(database, 2)) {
      asked.add(issuer.userId);
      await issuerChecked(database, issuer);
    }
  }
  expect([...asked].toSorted()).toEqual(issuers.toSorted());
});
