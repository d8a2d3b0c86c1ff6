import type { Listener } from '@bailiff/prisma';
import { createTestDatabase, listenAtLast, type TestDatabase } from '@bailiff/prisma/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWaiters, type Waiters } from '#src/database/waiters.ts';
import {
  endSession,
  endSessions,
  findSession,
  hashSessionToken,
  keepUser,
  sessionsOf,
} from '#src/desk/sessions.ts';
import { confirmSession, startSession } from '#src/desk/sign-ins.ts';
import { keyringOf } from '#src/servers/sealing.ts';
import { publishSealingKey } from '#src/servers/sealing-keys.ts';
import { type SeededGuild, seedGuild, seedSession } from '#src/testing.ts';

const keyring = keyringOf(Buffer.alloc(32, 7));
let database: TestDatabase;
let listener: Listener;
let waiters: Waiters;
let guild: SeededGuild;

beforeAll(async () => {
  database = await createTestDatabase();
  waiters = createWaiters();
  listener = await listenAtLast(database.url, ['bailiff'], (_channel, payload) =>
    waiters.notify(JSON.parse(payload)),
  );
  guild = await seedGuild(database.database);
  await publishSealingKey(database.database, keyring);
  await keepUser(database.database, { id: guild.ownerId, name: 'Ada', image: null });
});
afterAll(async () => {
  await listener.close();
  await database.drop();
});

/** Signs in while the bot hears from Discord that the access token is `whose`. */
async function signIn(
  sessionToken: string,
  whose: string | null,
  before?: string,
  browser = '',
  keys = keyring,
) {
  const { database: db } = database;
  const heard: string[] = [];
  const started = startSession(
    { db, waiters },
    {
      userId: guild.ownerId,
      sessionToken,
      before,
      accessToken: `token of ${sessionToken}`,
      browser,
      address: '192.0.2.1',
    },
  );
  const key = await asked();
  const outcome = await confirmSession(db, keys, key, async (accessToken) => {
    heard.push(accessToken);
    return whose;
  });
  await started;
  return { key, outcome, heard };
}

/** The key of the session that the bot is to ask about. */
async function asked(): Promise<string> {
  for (;;) {
    const { rows } = await database.database.pool.query<{ session: string }>(
      `SELECT j.payload->>'session' AS session FROM graphile_worker._private_jobs j
       JOIN sessions s ON encode(s.token_hash, 'hex') = j.payload->>'session' WHERE s.confirmed_at IS NULL`,
    );
    if (rows[0] !== undefined) return rows[0].session;
  }
}

test('a session is found by its cookie until it ends, and follows the name Discord gives', async () => {
  const { database: db } = database;
  await signIn('first', guild.ownerId);
  await keepUser(db, { id: guild.ownerId, name: 'Ada L.', image: null });
  expect(await findSession(db, 'first')).toMatchObject({ userId: guild.ownerId, name: 'Ada L.' });
  await signIn('second', guild.ownerId, 'first');
  expect(await findSession(db, 'first')).toBeNull();
  await endSession(db, 'second');
  expect(await findSession(db, 'second')).toBeNull();
});

test('the bot opens the access token of the sign-in, and nothing of it stays', async () => {
  const { key, outcome, heard } = await signIn('confirmed', guild.ownerId);
  expect(outcome).toBe('confirmed');
  expect(heard).toEqual(['token of confirmed']);
  const { rows } = await database.database.pool.query(
    "SELECT access_token_sealed, confirmed_at FROM sessions WHERE token_hash = decode($1, 'hex')",
    [key],
  );
  expect(rows).toEqual([{ access_token_sealed: null, confirmed_at: expect.any(Date) }]);
  expect(await confirmSession(database.database, keyring, key, async () => guild.strangerId)).toBeNull();
});

test('the bot asks about each of two sessions that begin at once', async () => {
  const { database: db } = database;
  const begun = ['left', 'right'].map((sessionToken) =>
    startSession(
      { db, waiters },
      {
        userId: guild.ownerId,
        sessionToken,
        before: undefined,
        accessToken: sessionToken,
        browser: '',
        address: '192.0.2.1',
      },
    ),
  );
  const keys = ['left', 'right'].map((token) => hashSessionToken(token).toString('hex'));
  const { pool } = db;
  await expect
    .poll(async () => (await pool.query('SELECT FROM sessions WHERE confirmed_at IS NULL')).rowCount)
    .toBe(2);
  const { rows } = await pool.query<{ session: string }>(
    "SELECT payload->>'session' AS session FROM graphile_worker._private_jobs WHERE key LIKE 'confirm_session:%'",
  );
  expect(rows.map(({ session }) => session)).toEqual(expect.arrayContaining(keys));
  for (const key of keys) await confirmSession(db, keyring, key, async () => guild.ownerId);
  await Promise.all(begun);
});

test('a sign-in from before SECRETS_KEY was changed is confirmed too', async () => {
  const next = keyringOf(Buffer.alloc(32, 8), Buffer.alloc(32, 7));
  const { outcome, heard } = await signIn('before', guild.ownerId, undefined, '', next);
  expect(outcome).toBe('confirmed');
  expect(heard).toEqual(['token of before']);
});

test.each([
  ['somebody else', () => guild.strangerId],
  ['nobody whom Discord knows', () => null],
])('a session whose access token is that of %s is ended', async (_who, whose) => {
  const { database: db } = database;
  const { outcome } = await signIn('claimed', whose());
  expect(outcome).toBe('refused');
  expect(await findSession(db, 'claimed')).toBeNull();
});

test('of what a browser calls itself, no more is kept than tells two apart', async () => {
  const { key } = await signIn('talkative', guild.ownerId, undefined, `Firefox ${'x'.repeat(10_000)}`);
  const { rows } = await database.database.pool.query(
    "SELECT browser FROM sessions WHERE token_hash = decode($1, 'hex')",
    [key],
  );
  expect(rows[0].browser).toBe(`Firefox ${'x'.repeat(292)}`);
});

test('somebody who signs in again and again keeps fifty sessions, those that were used last', async () => {
  const { database: db } = database;
  const person = guild.ownerId;
  await endSessions(db, { userId: person });
  const cookie = (n: number) => `again ${n}`;
  for (let n = 1; n <= 60; n += 1) await seedSession(db, person, cookie(n));
  await seedSession(db, guild.memberId, 'somebody else');
  // The first of them, which was signed in earliest, is in use.
  for (let n = 2; n <= 60; n += 1)
    await db.pool.query(
      'UPDATE sessions SET expires_at = expires_at - make_interval(hours => 61 - $2) WHERE token_hash = $1',
      [hashSessionToken(cookie(n)), n],
    );
  await signIn('the newest', person);
  const live = [];
  for await (const { key } of sessionsOf(db, person)) live.push(key);
  const keyOf = (token: string) => hashSessionToken(token).toString('hex');
  const kept = [1, ...Array.from({ length: 48 }, (_, n) => 13 + n)].map(cookie);
  expect(live.toSorted()).toEqual([...kept, 'the newest'].map(keyOf).toSorted());
  expect(await findSession(db, 'somebody else')).not.toBeNull();
});
