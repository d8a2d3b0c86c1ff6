import { verifies } from '@bailiff/core/testing';
import { type SeededGuild, seedToken, snowflake } from '@bailiff/engine/testing';
import { expect, test } from 'vitest';
import { guildForEachTest } from './each-test.ts';
import { exhaust, type Person, signedIn, type TestServer, type TestWeb, windowSeconds } from './support.ts';

let web: TestWeb;
let server: TestServer;
let guild: SeededGuild;
let owner: Person;

guildForEachTest((given) => {
  ({ web, server, guild, owner } = given);
});

const query = async (text: string, ...values: unknown[]) => (await web.db.pool.query(text, values)).rows;
const begin = (person: Person) => person.call('POST', `/api/guilds/${guild.id}/archive`, {});
const download = (href: string, { cookie }: Person) =>
  fetch(`http://127.0.0.1:${server.port}${href}`, { headers: { Cookie: cookie } });

/** As many warnings, each with a reason of 200 characters. */
async function seedCases(count: number): Promise<void> {
  await query(
    `INSERT INTO cases (id, guild_id, case_number, kind, user_id, reason, issued_by)
     SELECT new_id('wrn'), $1, n, 'warning', $2, repeat('x', 200), $2 FROM generate_series(1, $3::int) AS n`,
    guild.id,
    snowflake(),
    count,
  );
}

test('the owner downloads everything as lines, which is recorded, and no secret or address is among them', async () => {
  verifies('archive.export');
  await seedCases(1_200);
  const token = await seedToken(web.db, guild);
  const { status, body } = await begin(owner);
  expect(status).toBe(201);
  const answer = await download(body.href, owner);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-disposition')).toMatch(
    new RegExp(`^attachment; filename="bailiff-${guild.id}-\\d{4}-\\d\\d-\\d\\d\\.jsonl"$`),
  );
  const text = await answer.text();
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines[0]).toMatchObject({ format: 'bailiff-archive', version: 1, guild_id: guild.id });
  const settings = lines.filter(({ type }) => type === 'setting').map(({ name }) => name);
  expect(settings).toEqual(['guild', 'escalation', 'presets', 'tickets', 'appeals', 'grants']);
  expect(lines.filter(({ type }) => type === 'case').map(({ number }) => number)).toEqual(
    Array.from({ length: 1_200 }, (_, n) => n + 1),
  );
  for (const hidden of [token.secret, token.id, '192.0.2.', '127.0.0.1']) expect(text).not.toContain(hidden);
  const rows = await query(
    "SELECT actor_user_id, at FROM audit WHERE guild_id = $1 AND operation = 'archive.export'",
    guild.id,
  );
  expect(rows).toEqual([{ actor_user_id: guild.ownerId, at: new Date(lines[0].exported_at) }]);
});

test('nobody else gets it, nor the owner whose sign-in is old, nor anybody a while later', async () => {
  verifies('archive.export');
  const moderator = await signedIn(web, guild.moderatorId);
  const { body } = await begin(owner);
  expect([403, 404]).toContain((await begin(moderator)).status);
  expect([403, 404]).toContain((await download(body.href, moderator)).status);
  await query(
    "UPDATE sessions SET signed_in_at = now() - interval '2 hours' WHERE user_id = $1",
    guild.ownerId,
  );
  for (const answer of [await begin(owner), { status: (await download(body.href, owner)).status }]) {
    expect(answer.status).toBe(401);
  }
  const fresh = await signedIn(web, guild.ownerId);
  const foreign = body.href.replace(/aud_.*/, 'aud_01900000000170000000000000000001');
  expect((await download(foreign, fresh)).status).toBe(404);
  expect((await download(body.href, fresh)).status).toBe(200);
});

test('who owns the guild by now does not get the archive that the owner before them has begun', async () => {
  verifies('archive.export');
  const { body } = await begin(owner);
  await query('UPDATE guilds SET owner_id = $2 WHERE id = $1', guild.id, guild.moderatorId);
  const heir = await signedIn(web, guild.moderatorId);
  expect((await download(body.href, heir)).status).toBe(404);
  expect((await download((await begin(heir)).body.href, heir)).status).toBe(200);
});

test('an archive breaks off when the session ends in which it was begun, or the guild has another owner', async () => {
  verifies('archive.ends');
  // More than a connection holds.
  await query(
    `INSERT INTO tickets (guild_id, number, subject, status, opened_by, closed_at, transcript)
     SELECT $1, n, 'Long', 'closed', $2, now(), (SELECT jsonb_agg(jsonb_build_object('text', repeat('x', 4000)))
       FROM generate_series(1, 500)) FROM generate_series(1, 15) AS n`,
    guild.id,
    snowflake(),
  );
  for (const end of [
    () => query('DELETE FROM sessions WHERE user_id = $1', guild.ownerId),
    () => query('UPDATE guilds SET owner_id = $2 WHERE id = $1', guild.id, guild.moderatorId),
  ]) {
    const person = await signedIn(web, guild.ownerId);
    const answer = await download((await begin(person)).body.href, person);
    expect(answer.status).toBe(200);
    await end();
    await expect(answer.text()).rejects.toThrow('terminated');
  }
});

test('one archive of a person runs at a time, and one that nobody reads any more makes room', async () => {
  verifies('archive.export');
  // More than a connection holds, so that an archive that began is still running.
  await query(
    `INSERT INTO tickets (guild_id, number, subject, status, opened_by, closed_at, transcript)
     SELECT $1, n, 'Long', 'closed', $2, now(), (SELECT jsonb_agg(jsonb_build_object('text', repeat('x', 4000)))
       FROM generate_series(1, 500)) FROM generate_series(1, 15) AS n`,
    guild.id,
    snowflake(),
  );
  const hrefs = [(await begin(owner)).body.href, (await begin(owner)).body.href];
  const answers = await Promise.all(hrefs.map((href) => download(href, owner)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 429]);
  for (const answer of answers) await answer.body?.cancel();
  await expect.poll(async () => (await download(hrefs[0] ?? '', owner)).status).toBe(200);
});

test('an owner asks for six archives within an hour, and those that are refused are not on record', async () => {
  verifies('archive.export');
  const key = `archive:${guild.ownerId}`;
  await exhaust(web.db, key, 5);
  expect((await begin(owner)).status).toBe(201);
  expect(await windowSeconds(web, key)).toBe(3600);
  expect(await begin(owner)).toMatchObject({ status: 429, body: { error: { code: 'RATE_LIMITED' } } });
  const rows = await query(
    "SELECT FROM audit WHERE guild_id = $1 AND operation = 'archive.export'",
    guild.id,
  );
  expect(rows).toHaveLength(1);
});
