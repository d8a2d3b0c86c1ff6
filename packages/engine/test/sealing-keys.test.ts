import { randomBytes } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { inTransaction } from '#src/database/transaction.ts';
import { keyringOf, openPassword, sealingPair, sealPassword } from '#src/servers/sealing.ts';
import { currentSealingKey, publishSealingKey } from '#src/servers/sealing-keys.ts';
import { putServer, updateServer } from '#src/servers/servers.ts';
import { seedGuild } from '#src/testing.ts';

let at: TestDatabase;
let guildId: string;
let ownerId: string;
beforeAll(async () => {
  at = await createTestDatabase();
});
afterAll(() => at.drop());
beforeEach(async () => {
  await at.database.pool.query('TRUNCATE sealing_keys, game_servers CASCADE');
  ({ id: guildId, ownerId } = await seedGuild(at.database));
});

const put = async (name: string) => {
  const policy = { allow: [], deny: [] };
  const put = await putServer(at.database, guildId, {
    name,
    host: 'g.example',
    port: 1,
    password: name,
    policy,
  });
  return put?.id ?? '';
};

const call = () => ({
  userId: ownerId,
  sessionProof: undefined,
  requestId: 'req_servers',
  address: '192.0.2.1',
});

const opened = async (serverId: string, secretsKey: Buffer) => {
  const { rows } = await at.database.pool.query('SELECT * FROM game_servers WHERE id = $1', [serverId]);
  const [{ host, port, password_sealed }] = rows;
  return openPassword([sealingPair(secretsKey)], { serverId, host, port }, password_sealed);
};

test('a rotation seals what the previous key opens anew, and names what it cannot open', async () => {
  const db = at.database;
  const [oldKey, newKey, lostKey] = [randomBytes(32), randomBytes(32), randomBytes(32)];
  expect(await publishSealingKey(db, keyringOf(lostKey))).toEqual({ resealed: [], lost: [] });
  const lost = await put('lost');
  expect(await publishSealingKey(db, keyringOf(oldKey))).toEqual({ resealed: [], lost: [lost] });
  const [first, second] = [await put('first'), await put('second')];
  expect(await opened(first, oldKey)).toBe('first');

  const resealed = await publishSealingKey(db, keyringOf(newKey, oldKey));
  expect(resealed).toEqual({ resealed: [first, second], lost: [lost] });
  expect([await opened(first, newKey), await opened(second, newKey)]).toEqual(['first', 'second']);
  await expect(opened(first, oldKey)).rejects.toThrow('another key');
  // The previous key can go; what is sealed from now on is sealed to the new one.
  expect(await publishSealingKey(db, keyringOf(newKey))).toEqual({ resealed: [], lost: [lost] });
  expect(await opened(await put('third'), newKey)).toBe('third');
});

test('a password that is being sealed while the key changes is not left behind', async () => {
  const db = at.database;
  const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
  await publishSealingKey(db, keyringOf(oldKey));
  const serverId = `srv_${'0'.repeat(32)}`;
  const where = { serverId, host: 'g.example', port: 1 };
  let rotation: ReturnType<typeof publishSealingKey> | undefined;
  await inTransaction(db, async (tx) => {
    const sealed = sealPassword(await currentSealingKey(tx), where, 'in between');
    rotation = publishSealingKey(db, keyringOf(newKey, oldKey));
    await waitsForALock(db);
    await tx.query(
      `INSERT INTO game_servers (id, guild_id, name, host, port, password_sealed, created_by)
       VALUES ($1, $2, 'n', 'g.example', 1, $3, 'o')`,
      [serverId, guildId, sealed],
    );
  });
  expect(await rotation).toEqual({ resealed: [serverId], lost: [] });
  expect(await opened(serverId, newKey)).toBe('in between');
});

test.each([
  [
    'the owner',
    (serverId: string) => updateServer(at.database, call(), guildId, serverId, { password: 'new' }),
  ],
  ['the operator', () => put('new')],
])('a password that %s changes while the key changes is sealed to the new key', async (_who, change) => {
  const db = at.database;
  const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
  await publishSealingKey(db, keyringOf(oldKey));
  const serverId = await put('new');
  const holder = await db.pool.connect();
  await holder.query('BEGIN');
  await holder.query('SELECT FROM sealing_keys FOR UPDATE');
  const rotation = publishSealingKey(db, keyringOf(newKey, oldKey));
  await waitsForALock(db);
  const changed = change(serverId);
  await waitsForALock(db, 2);
  await holder.query('COMMIT');
  holder.release();
  expect(await Promise.all([rotation, changed])).toMatchObject([{ resealed: [serverId], lost: [] }, {}]);
  expect(await opened(serverId, newKey)).toBe('new');
});

test('of two bots with different keys that start at once, the second has the only key', async () => {
  const db = at.database;
  const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
  await publishSealingKey(db, keyringOf(oldKey));
  await put('kept');
  const holder = await db.pool.connect();
  await holder.query('BEGIN; SELECT FROM game_servers FOR UPDATE');
  const first = publishSealingKey(db, keyringOf(newKey, oldKey));
  await waitsForALock(db);
  const second = publishSealingKey(db, keyringOf(oldKey));
  await waitsForALock(db, 2);
  await holder.query('COMMIT');
  holder.release();
  await Promise.all([first, second]);
  const { rows } = await db.pool.query('SELECT id FROM sealing_keys');
  expect(rows).toEqual([{ id: sealingPair(oldKey).id }]);
});

async function waitsForALock({ pool }: TestDatabase['database'], waiters = 1): Promise<void> {
  const deadline = performance.now() + 120_000;
  while (performance.now() < deadline) {
    const { rowCount } = await pool.query(
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    if (rowCount === waiters) return;
  }
  throw new Error(`No ${waiters} waited for a lock within 120 s`);
}

test('without a bot that published a key nothing is stored', async () => {
  await expect(put('early')).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', status: 503 });
  expect((await at.database.pool.query('SELECT FROM game_servers')).rowCount).toBe(0);
});
