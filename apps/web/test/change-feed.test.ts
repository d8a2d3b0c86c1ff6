import { grantRole, seedGuild } from '@bailiff/engine/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createChangeFeed, type Stream } from '#src/change-feed.ts';
import { signedIn, startTestWeb, type TestWeb } from './support.ts';

let web: TestWeb;
beforeAll(async () => {
  web = await startTestWeb();
});
afterAll(() => web.close());
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** The key of a new session. */
async function newSession(userId: string): Promise<string> {
  await signedIn(web, userId);
  const { rows } = await web.db.pool.query<{ key: string }>(
    "SELECT encode(token_hash, 'hex') AS key FROM sessions WHERE user_id = $1",
    [userId],
  );
  return rows[0]?.key ?? '';
}

async function openPage() {
  const guild = await seedGuild(web.db);
  const sessionKey = await newSession(guild.ownerId);
  const ended = Promise.withResolvers<string>();
  const stream: Stream = {
    guildId: guild.id,
    userId: guild.ownerId,
    sessionKey,
    send: () => undefined,
    end: () => ended.resolve('ended'),
  };
  return { guild, stream, ended: ended.promise };
}

test('within a minute a page of an ended session is closed, though nothing has changed, and others stay', async () => {
  const feed = createChangeFeed(web.db, web.runtime.log);
  const leaving = await openPage();
  const staying = await openPage();
  feed.subscribe(leaving.stream, 0);
  feed.subscribe(staying.stream, 0);
  await web.db.pool.query('DELETE FROM sessions WHERE user_id = $1', [leaving.guild.ownerId]);
  vi.advanceTimersByTime(60_000);
  expect(await leaving.ended).toBe('ended');
  expect(await Promise.race([staying.ended, 'open'])).toBe('open');
  feed.close();
  expect(await staying.ended).toBe('ended');
});

test('a page that nothing happens to hears every twenty seconds that its connection lives, or proxies would close it', async () => {
  const feed = createChangeFeed(web.db, web.runtime.log);
  const { stream } = await openPage();
  const heard: string[] = [];
  feed.subscribe({ ...stream, send: (text) => void heard.push(text) }, 0);
  vi.advanceTimersByTime(40_000);
  // A comment of the stream, which is no event.
  expect(heard).toEqual([': still here\n\n', ': still here\n\n']);
  feed.close();
});

test('what may wait for a decision is counted anew for open pages, whichever kind of it has changed', async () => {
  const feed = createChangeFeed(web.db, web.runtime.log);
  const { guild, stream } = await openPage();
  let heard = Promise.withResolvers<string>();
  feed.subscribe({ ...stream, send: (text) => heard.resolve(text) }, 0);
  const counted: string[] = [];
  const kinds = [
    'action',
    'appeal',
    'approval',
    'case',
    'report',
    'server',
    'settings',
    'ticket',
    'token',
    'window',
  ] as const;
  for (const kind of kinds) {
    heard = Promise.withResolvers();
    feed.publish({ kind, guild_id: guild.id });
    vi.advanceTimersByTime(1_000);
    if ((await heard.promise).includes('"attention"')) counted.push(kind);
  }
  expect(counted).toEqual(kinds);
  feed.close();
});

test('a change costs the same two queries however many pages are open', async () => {
  const feed = createChangeFeed(web.db, web.runtime.log);
  const { guild, stream } = await openPage();
  await grantRole(web.db, guild, guild.moderatorRoleId, ['audit.read']);
  const userId = guild.moderatorId;
  const viewers = [stream, { ...stream, userId, sessionKey: await newSession(userId) }];
  const told = Array.from({ length: 20 }, () => viewers)
    .flat()
    .map((viewer) => {
      const { promise, resolve } = Promise.withResolvers<string>();
      feed.subscribe({ ...viewer, send: resolve }, 0);
      return promise;
    });
  const { rows } = await web.db.pool.query<{ id: string }>(
    `INSERT INTO audit (guild_id, actor_source, operation, target_type, outcome)
     VALUES ($1, 'chat', 'strikes.add', 'user', 'performed') RETURNING id`,
    [guild.id],
  );
  const id = rows[0]?.id ?? '';
  const queries = vi.fn();
  web.db.pool.on('acquire', queries);
  feed.publish({ kind: 'audit', guild_id: guild.id, id });
  for (const event of await Promise.all(told)) expect(event).toContain(`"id":"${id}"`);
  web.db.pool.off('acquire', queries);
  expect(queries).toHaveBeenCalledTimes(2); // one for the viewers' permissions, one for the row
  feed.close();
});

test('pages that could not be told of a change are closed, so that they ask again', async () => {
  const feed = createChangeFeed(web.db, web.runtime.log);
  const { guild, stream, ended } = await openPage();
  feed.subscribe(stream, 0);
  await web.db.pool.query('ALTER TABLE sessions RENAME TO hidden');
  feed.publish({ kind: 'case', guild_id: guild.id });
  vi.advanceTimersByTime(1_000);
  expect(await ended).toBe('ended');
  await web.db.pool.query('ALTER TABLE hidden RENAME TO sessions');
  feed.close();
});
