import { randomBytes } from 'node:crypto';
import { CASE_KIND_NAMES, CASE_KINDS, type CaseKind } from '@bailiff/core';
import { inTime, verifies } from '@bailiff/core/testing';
import { grantRole, type SeededGuild, seedGuild } from '@bailiff/engine/testing';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import {
  exhaust,
  ORIGIN,
  type Person,
  signedIn,
  startTestWeb,
  type TestWeb,
  windowSeconds,
} from './support.ts';

let web: TestWeb;
let guild: SeededGuild;
let other: SeededGuild;
const people = {} as Record<'owner' | 'moderator' | 'otherOwner', Person>;

beforeAll(async () => {
  web = await startTestWeb();
  guild = await seedGuild(web.db);
  other = await seedGuild(web.db);
  people.owner = await signedIn(web, guild.ownerId);
  people.moderator = await signedIn(web, guild.moderatorId);
  people.otherOwner = await signedIn(web, other.ownerId);
});
afterAll(() => web.close());

/** A file of a new case of the guild. Returns its id. */
async function kept(kind: CaseKind, name: string, content: Buffer | string, of = guild): Promise<string> {
  await web.db.pool.query(
    `SELECT keep_evidence((open_case($1, $2::"CaseKind", 'x', $3, 'Spam', $4, 5, NULL)).id, $5, 1, $6, NULL)`,
    [of.id, kind, of.memberId, of.ownerId, name, Buffer.from(content)],
  );
  const { rows } = await web.db.pool.query('SELECT id FROM evidence ORDER BY id DESC LIMIT 1');
  return rows[0].id;
}

function download(person: Person | null, id: string, guildId = guild.id): Promise<Response> {
  const request = new Request(`${ORIGIN}/api/guilds/${guildId}/evidence/${id}`, {
    headers: person === null ? {} : { Cookie: person.cookie },
  });
  return web.runtime.dashboardApi(request, { address: '203.0.113.9' });
}

const headersOf = ({ headers }: Response) =>
  [
    'content-type',
    'content-disposition',
    'x-content-type-options',
    'content-security-policy',
    'cache-control',
    'cross-origin-resource-policy',
  ].map((name) => headers.get(name));

test('a person downloads sixty files a minute', async () => {
  verifies('evidence.download');
  const elsewhere = await seedGuild(web.db);
  const person = await signedIn(web, elsewhere.ownerId);
  const id = await kept('ban', 'x.txt', 'proof', elsewhere);
  const key = `evidence:${elsewhere.ownerId}`;
  await exhaust(web.db, key, 59);
  expect((await download(person, id, elsewhere.id)).status).toBe(200);
  expect(await windowSeconds(web, key)).toBe(60);
  expect((await download(person, id, elsewhere.id)).status).toBe(429);
});

test('a file comes as a download that no browser runs, whatever it holds and is called', async () => {
  verifies('evidence.download');
  const page = '<script>alert(1)</script>';
  const answer = await download(people.owner, await kept('ban', `it's "mine"\r\n€.html`, page));
  expect(answer.status).toBe(200);
  expect(await answer.text()).toBe(page);
  expect(headersOf(answer)).toEqual([
    'application/octet-stream',
    `attachment; filename="evidence"; filename*=UTF-8''it%27s%20%22mine%22%E2%82%AC.html`,
    'nosniff',
    "sandbox; default-src 'none'",
    'no-store',
    'same-origin',
  ]);
});

test.each([
  ['report\u202efdp.exe', 'reportfdp.exe'],
  ['in\u200bvoice.pdf', 'invoice.pdf'],
  ['\u2066\u200b', 'evidence'],
])('the name %j hides nothing on the computer of who downloads it', async (name, saved) => {
  verifies('evidence.download');
  const [, disposition] = headersOf(await download(people.owner, await kept('ban', name, 'x')));
  expect(disposition).toBe(`attachment; filename="evidence"; filename*=UTF-8''${saved}`);
});

test.each([
  ['image/png', Buffer.from('\x89PNG\r\n\x1a\nx', 'latin1')],
  ['image/jpeg', Buffer.from('\xff\xd8\xff\xe0x', 'latin1')],
  ['image/gif', 'GIF87a-x'],
  ['image/gif', 'GIF89a-x'],
  ['image/webp', 'RIFF0000WEBPx'],
  ['application/octet-stream', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
  ['application/octet-stream', ''],
])('a file is %s by its first bytes, not by its name', async (type, content) => {
  verifies('evidence.download');
  const answer = await download(people.owner, await kept('ban', 'picture.svg', content));
  expect(headersOf(answer)[0]).toBe(type);
  expect(Buffer.from(await answer.arrayBuffer())).toEqual(Buffer.from(content));
});

test('only who may read the kind of the case gets its file; for others there is none', async () => {
  verifies('evidence.download');
  const [ofBan, ofMute] = [await kept('ban', 'a', 'a'), await kept('mute', 'b', 'b')];
  await grantRole(web.db, guild, guild.moderatorRoleId, ['mutes.read', 'members.read']);
  expect((await download(people.moderator, ofMute)).status).toBe(200);
  const answers = await Promise.all([
    download(people.moderator, ofBan),
    download(people.otherOwner, ofBan),
    download(people.otherOwner, ofBan, other.id),
    download(people.owner, 'evi_00000000000000000000000000000009'),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  expect((await download(null, ofBan)).status).toBe(401);
  await grantRole(web.db, guild, guild.moderatorRoleId, ['members.read']);
  expect((await download(people.moderator, ofMute)).status).toBe(404);
});

test.each(CASE_KIND_NAMES)('who reads %s cases, and nobody else, gets their files', async (kind) => {
  verifies('evidence.download');
  const elsewhere = await seedGuild(web.db);
  const id = await kept(kind, 'a', 'a', elsewhere);
  const reader = await signedIn(web, elsewhere.moderatorId);
  const statuses: Record<string, number> = {};
  for (const capability of new Set(Object.values(CASE_KINDS).map((entry) => entry.reader))) {
    await grantRole(web.db, elsewhere, elsewhere.moderatorRoleId, [capability]);
    statuses[capability] = (await download(reader, id, elsewhere.id)).status;
  }
  expect(statuses).toEqual({
    'strikes.read': 404,
    'bans.read': 404,
    'mutes.read': 404,
    [CASE_KINDS[kind].reader]: 200,
  });
});

test('a file that is not kept is none', async () => {
  verifies('evidence.download');
  const id = await kept('ban', 'a', 'a');
  await web.db.pool.query("UPDATE evidence SET content = NULL, problem = 'unread' WHERE id = $1", [id]);
  expect((await download(people.owner, id)).status).toBe(404);
});

const LARGE = randomBytes(2 * 1024 * 1024 + 11);

test('a large file comes whole', async () => {
  verifies('evidence.download');
  const answer = await download(people.owner, await kept('ban', 'large', LARGE));
  expect(answer.headers.get('content-length')).toBe(String(LARGE.length));
  expect(Buffer.from(await answer.arrayBuffer()).equals(LARGE)).toBe(true);
});

test('a file whose reader does not read is not read either, and keeps no other guild from its files', async () => {
  verifies('evidence.slow-readers');
  const id = await kept('ban', 'large', LARGE);
  const ofOther = await kept('ban', 'a', 'a', other);
  const queries = vi.spyOn(web.runtime.db.pool, 'query');
  const parts = () => queries.mock.calls.filter(([asked]) => JSON.stringify(asked).includes('read_evidence'));
  // Who waits ten seconds for a turn is refused.
  const { seen, statuses } = await inTime(9, async () => {
    await web.db.pool.query('TRUNCATE rate_limits');
    queries.mockClear();
    const stalled = await Promise.all(Array.from({ length: 8 }, () => download(people.owner, id)));
    let hasBegun = false;
    const ninth = download(people.owner, id).then((answer) => {
      hasBegun = true;
      return answer;
    });
    stalled.push(await download(people.otherOwner, ofOther, other.id));
    const seen = [hasBegun, parts().length];
    await stalled[0]?.body?.cancel();
    stalled.push(await ninth);
    for (const { body } of stalled.slice(1)) await body?.cancel();
    return { seen, statuses: stalled.map(({ status }) => status) };
  });
  expect(seen).toEqual([false, 9]);
  expect(statuses).toEqual(Array(10).fill(200));
  queries.mockRestore();
});

test('a download that is not read within five minutes breaks off, and leaves its turn to another', async () => {
  verifies('evidence.slow-readers');
  const id = await kept('ban', 'large', LARGE);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const stalled = await Promise.all(Array.from({ length: 8 }, () => download(people.owner, id)));
  const readers = stalled.map(({ body }) => body?.getReader());
  vi.advanceTimersByTime(5 * 60_000 - 1);
  expect((await readers[0]?.read())?.done).toBe(false);
  vi.advanceTimersByTime(1);
  vi.useRealTimers();
  for (const reader of readers) await expect(reader?.read()).rejects.toThrow('was not read in time');
  const { status, body } = await download(people.owner, id);
  expect(status).toBe(200);
  await body?.cancel();
});

test('a download breaks off when its session ends', async () => {
  verifies('evidence.download');
  const id = await kept('ban', 'large', LARGE);
  const person = await signedIn(web, guild.ownerId);
  const reader = (await download(person, id)).body?.getReader();
  expect((await reader?.read())?.done).toBe(false);
  expect((await person.call('DELETE', '/api/sessions/current')).status).toBe(200);
  await expect(reader?.read()).rejects.toThrow('Your session has ended.');
});

test('a session that the bot has not confirmed gets no file, and is told why', async () => {
  verifies('evidence.download');
  const id = await kept('ban', 'a', 'a');
  const person = await signedIn(web, guild.ownerId);
  await web.db.pool.query('UPDATE sessions SET confirmed_at = NULL WHERE user_id = $1', [guild.ownerId]);
  expect(await person.call('GET', `/api/guilds/${guild.id}/evidence/${id}`)).toMatchObject({
    status: 503,
    body: { error: { code: 'UPSTREAM_UNAVAILABLE', details: { upstream: 'bot' } } },
  });
});
