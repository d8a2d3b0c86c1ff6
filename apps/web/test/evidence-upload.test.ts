import { createHash, randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { CAPABILITIES, CASE_KIND_NAMES, CASE_KINDS, type CaseKind } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { caseFile } from '@bailiff/engine/cases/case-list';
import { MOST_EVIDENCE_BYTES } from '@bailiff/engine/cases/evidence';
import type { downloadInTurn } from '@bailiff/engine/database/in-turn';
import { grantRole, type SeededGuild, seedGuild } from '@bailiff/engine/testing';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { beginInTurn } from '#src/dashboard-api/begin-in-turn.ts';
import {
  exhaust,
  ORIGIN,
  type Person,
  serve,
  signedIn,
  startTestWeb,
  type TestWeb,
  windowSeconds,
} from './support.ts';

let web: TestWeb;
let guild: SeededGuild;
let other: SeededGuild;
let caseId: string;
const people = {} as Record<'owner' | 'moderator' | 'otherOwner', Person>;

beforeAll(async () => {
  web = await startTestWeb();
  guild = await seedGuild(web.db);
  other = await seedGuild(web.db);
  people.owner = await signedIn(web, guild.ownerId);
  people.moderator = await signedIn(web, guild.moderatorId);
  people.otherOwner = await signedIn(web, other.ownerId);
});
beforeEach(async () => {
  caseId = await openedCase('strike');
});
afterAll(() => web.close());

const query = async (sql: string, values: unknown[] = []) => (await web.db.pool.query(sql, values)).rows;

async function openedCase(kind: CaseKind, userId = guild.memberId, of = guild): Promise<string> {
  const [row] = await query(`SELECT (open_case($1, $2::"CaseKind", $3, $4, 'Spam', $5, 5, NULL)).id`, [
    of.id,
    kind,
    CASE_KINDS[kind].idPrefix,
    userId,
    of.ownerId,
  ]);
  return row.id;
}

/** Sends a file to a case of the guild, as its page does. */
async function upload(
  content: BodyInit,
  {
    as = people.owner as Person | null,
    name = 'proof.txt',
    to = caseId,
    of = guild.id,
    headers = {} as Record<string, string>,
  } = {},
) {
  const path = `/api/guilds/${of}/cases/${to}/evidence?${new URLSearchParams({ name })}`;
  const request = new Request(`${ORIGIN}${path}`, {
    method: 'POST',
    headers: { Origin: ORIGIN, ...(as === null ? {} : { Cookie: as.cookie }), ...headers },
    body: content,
    duplex: 'half',
  } as RequestInit);
  const answer = await web.runtime.dashboardApi(request, { address: '203.0.113.9' });
  return { status: answer.status, body: await answer.json() };
}

const filesOf = (id = caseId) =>
  query(
    `SELECT name, media_type, size_bytes, encode(sha256, 'hex') AS sha256, content FROM evidence
     WHERE case_id = $1 ORDER BY id`,
    [id],
  );
const writtenOf = (id = caseId) =>
  query("SELECT state::text FROM actions WHERE operation = 'cases.attach' AND target_id = $1 ORDER BY id", [
    id,
  ]);

/** A body of which one sees how much was read. */
function counted(bytes: number, { stallsAfter = Number.POSITIVE_INFINITY } = {}) {
  const read = { bytes: 0 };
  let breakOff = () => {};
  const part = new Uint8Array(64 * 1024);
  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        breakOff = () => controller.error(new Error('gone'));
      },
      pull(controller) {
        if (read.bytes >= stallsAfter) return new Promise<void>(() => {});
        if (read.bytes >= bytes) return controller.close();
        read.bytes += part.length;
        controller.enqueue(part);
      },
    },
    { highWaterMark: 0 },
  );
  return { stream, read, breakOff: () => breakOff() };
}

test('a file that is attached on the page of a case is kept with it, hashed and on record, and comes back as it was', async () => {
  verifies('evidence.upload');
  const content = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), randomBytes(1024 * 1024)]);
  const name = `it's "mine" <b>\r\n😀.svg`;
  expect(await upload(content, { name })).toMatchObject({ status: 201, body: { case: { id: caseId } } });
  const [file, ...others] = await filesOf();
  expect(others).toEqual([]);
  expect(file).toMatchObject({
    name,
    media_type: 'image/png',
    size_bytes: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
  });
  expect(content.equals(file.content)).toBe(true);
  const audit = await query(
    `SELECT outcome::text, actor_user_id, address FROM audit WHERE operation = 'cases.attach' AND target_id = $1 ORDER BY id`,
    [caseId],
  );
  expect(audit.map(({ outcome }) => outcome)).toEqual(['requested', 'performed']);
  const [{ case_number }] = await query('SELECT case_number FROM cases WHERE id = $1', [caseId]);
  const viewer = { id: guild.id, capabilities: [...CAPABILITIES], isOwner: true };
  const shown = (await caseFile(web.runtime.db, viewer, case_number))?.audit ?? [];
  expect(shown.map(({ operation, outcome }) => [operation, outcome])).toContainEqual([
    'cases.attach',
    'performed',
  ]);
  for (const row of audit)
    expect(row).toMatchObject({ actor_user_id: guild.ownerId, address: '203.0.113.9' });
});

test('the same file twice is kept once, also when both come at the same time, under whatever name', async () => {
  verifies('evidence.upload');
  const sent = await Promise.all([upload('same', { name: 'a' }), upload('same', { name: 'b' })]);
  sent.push(await upload('same', { name: 'c' }), await upload('another', { name: 'a' }));
  expect(sent.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  expect((await filesOf()).map(({ content }) => String(content))).toEqual(['same', 'another']);
});

test('a file that an archive names without its content is kept when it is attached', async () => {
  verifies('evidence.upload');
  await query(
    `INSERT INTO evidence (guild_id, case_id, name, size_bytes, sha256, problem)
     VALUES ($1, $2, 'old', 4, sha256('same'), 'elsewhere')`,
    [guild.id, caseId],
  );
  expect((await upload('same')).status).toBe(201);
  expect((await filesOf()).map(({ content }) => content?.toString() ?? null)).toEqual([null, 'same']);
});

test('a file that says it is too large is refused before any of it is read', async () => {
  verifies('evidence.upload-bounds');
  const { stream, read } = counted(MOST_EVIDENCE_BYTES + 1);
  const refused = await upload(stream, {
    name: 'film.mp4',
    headers: { 'Content-Length': String(MOST_EVIDENCE_BYTES + 1) },
  });
  expect(refused).toMatchObject({
    status: 413,
    body: {
      error: {
        code: 'VALIDATION_FAILED',
        message: expect.stringMatching(/^film\.mp4 is larger than 8\u00a0MB/),
      },
    },
  });
  expect(read.bytes).toBe(0);
  expect([await filesOf(), await writtenOf()]).toEqual([[], []]);
});

test.each([{ length: undefined }, { length: '10' }])(
  'a file that is larger than it says ($length) is read up to the bound only',
  async ({ length }) => {
    verifies('evidence.upload-bounds');
    const { stream, read } = counted(4 * MOST_EVIDENCE_BYTES);
    const headers = {
      'Accept-Language': 'de',
      ...(length === undefined ? {} : { 'Content-Length': length }),
    };
    const refused = await upload(stream, { headers });
    expect(refused).toMatchObject({
      status: 413,
      body: { error: { message: expect.stringMatching(/^proof\.txt ist größer als 8\u00a0MB/) } },
    });
    expect(read.bytes).toBeLessThanOrEqual(MOST_EVIDENCE_BYTES + 128 * 1024);
    expect([await filesOf(), await writtenOf()]).toEqual([[], []]);
  },
);

test('a file of exactly 8 MB is kept', async () => {
  verifies('evidence.upload-bounds');
  expect((await upload(counted(MOST_EVIDENCE_BYTES).stream)).status).toBe(201);
  expect(await filesOf()).toMatchObject([{ size_bytes: MOST_EVIDENCE_BYTES }]);
});

test('a connection that breaks off in the middle of a file leaves nothing, and its turn is free again', async () => {
  verifies('evidence.upload-bounds');
  const server = await serve(web);
  const looks = vi.spyOn(web.runtime.db.pool, 'query');
  const path = `/api/guilds/${guild.id}/cases/${caseId}/evidence?name=x`;
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const socket = connect(server.port, '127.0.0.1');
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nOrigin: ${ORIGIN}\r\nCookie: ${people.owner.cookie}\r\n`;
    socket.write(`${head}Content-Length: 1000\r\n\r\nonly the beginning`);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    looks.mockClear();
    await vi.waitFor(() => expect(JSON.stringify(looks.mock.calls)).toContain('upload'), 120_000);
    socket.destroy();
    await closed;
  }
  looks.mockRestore();
  expect((await upload('whole')).status).toBe(201);
  expect((await filesOf()).map(({ content }) => String(content))).toEqual(['whole']);
  expect(await writtenOf()).toEqual([{ state: 'done' }]);
  server.close();
});

test('two slow senders of a guild keep its next file waiting, unread, and no other guild', async () => {
  verifies('evidence.upload-bounds');
  const elsewhere = await openedCase('strike', other.memberId, other);
  const slow = Array.from({ length: 2 }, () => counted(MOST_EVIDENCE_BYTES, { stallsAfter: 64 * 1024 }));
  const stalled = slow.map(({ stream }) => upload(stream));
  await vi.waitFor(() => expect(slow.map(({ read }) => read.bytes)).toEqual([64 * 1024, 64 * 1024]), 120_000);
  const third = counted(64 * 1024);
  await grantRole(web.db, guild, guild.moderatorRoleId, ['strikes.write']);
  const waiting = upload(third.stream, { as: people.moderator });
  expect((await upload('x', { as: people.otherOwner, of: other.id, to: elsewhere })).status).toBe(201);
  expect(third.read.bytes).toBe(0);
  expect(await waiting).toMatchObject({
    status: 429,
    body: { error: { message: 'Other files of this server are being sent. Try again.' } },
  });
  expect(third.read.bytes).toBe(0);
  for (const { breakOff } of slow) breakOff();
  expect((await Promise.all(stalled)).map(({ status }) => status)).toEqual([400, 400]);
  expect([await filesOf(), await writtenOf()]).toEqual([[], []]);
});

test('a turn that comes once its caller has gone is over at once', async () => {
  verifies('evidence.slow-readers');
  const given = Promise.withResolvers<() => Promise<unknown>>();
  const late: typeof downloadInTurn = (_db, _guildId, _patience, work) => {
    given.resolve(work);
    return new Promise<never>(() => {});
  };
  const begun = beginInTurn(late, web.db, guild.id, { waitMs: 1, others: 'Others take long.' });
  await expect(begun).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  await (await given.promise)();
});

test('a person who sends slowly to guilds of theirs keeps their own next file waiting, and nobody else', async () => {
  verifies('evidence.upload-bounds');
  const [second, third] = [await seedGuild(web.db), await seedGuild(web.db)];
  const theirs = [guild, second, third];
  await query('UPDATE guilds SET owner_id = $1 WHERE id = ANY ($2)', [
    guild.ownerId,
    theirs.map(({ id }) => id),
  ]);
  const cases = await Promise.all(theirs.map((of) => openedCase('strike', of.memberId, of)));
  const [, , inThird = ''] = cases;
  const slow = Array.from({ length: 2 }, () => counted(MOST_EVIDENCE_BYTES, { stallsAfter: 64 * 1024 }));
  const stalled = slow.map(({ stream }, at) =>
    upload(stream, { of: theirs[at]?.id ?? '', to: cases[at] ?? '' }),
  );
  await vi.waitFor(() => expect(slow.map(({ read }) => read.bytes)).toEqual([64 * 1024, 64 * 1024]), 120_000);
  const waits = counted(64 * 1024);
  const waiting = upload(waits.stream, { of: third.id, to: inThird });
  const moderator = await signedIn(web, third.moderatorId);
  await grantRole(web.db, third, third.moderatorRoleId, ['strikes.write']);
  expect((await upload('x', { as: moderator, of: third.id, to: inThird })).status).toBe(201);
  expect(await waiting).toMatchObject({
    status: 429,
    body: { error: { message: 'Other files of yours are being sent. Try again.' } },
  });
  expect(waits.read.bytes).toBe(0);
  for (const { breakOff } of slow) breakOff();
  expect((await Promise.all(stalled)).map(({ status }) => status)).toEqual([400, 400]);
  expect((await upload('x', { of: third.id, to: inThird })).status).toBe(201);
});

test('who may not write cases of the kind attaches nothing, and nobody learns more than that', async () => {
  verifies('evidence.upload');
  await grantRole(web.db, guild, guild.moderatorRoleId, ['strikes.write', 'bans.read']);
  const [ofBan, ofModerator, elsewhere] = [
    await openedCase('ban'),
    await openedCase('strike', guild.moderatorId),
    await openedCase('strike', other.memberId, other),
  ];
  expect((await upload('x', { as: people.moderator })).status).toBe(201);
  const unread = counted(1024);
  expect(await upload(unread.stream, { as: people.moderator, to: ofBan })).toMatchObject({
    status: 403,
    body: { error: { code: 'CAPABILITY_DENIED', details: { missing: ['bans.write'] } } },
  });
  expect(unread.read.bytes).toBe(0);
  expect(await upload('x', { as: people.moderator, to: ofModerator })).toMatchObject({
    status: 403,
    body: { error: { details: { reason: 'TARGET_IS_SELF' } } },
  });
  expect((await upload('x', { to: elsewhere })).status).toBe(404);
  expect((await upload('x', { as: people.otherOwner })).status).toBe(404);
  expect((await upload('x', { as: null })).status).toBe(401);
  for (const id of [ofBan, ofModerator, elsewhere]) expect(await filesOf(id)).toEqual([]);
});

test.each(CASE_KIND_NAMES)('who writes %s cases, and nobody else, attaches to them', async (kind) => {
  verifies('evidence.upload');
  const id = await openedCase(kind);
  const statuses: Record<string, number> = {};
  for (const capability of new Set(Object.values(CASE_KINDS).map(({ writer }) => writer))) {
    await grantRole(web.db, guild, guild.moderatorRoleId, [capability]);
    statuses[capability] = (await upload('x', { as: people.moderator, to: id })).status;
  }
  expect(statuses).toEqual({
    'strikes.write': 403,
    'bans.write': 403,
    'mutes.write': 403,
    [CASE_KINDS[kind].writer]: 201,
  });
});

test('a case takes 50 files and messages, and a guild 512 MB of files', async () => {
  verifies('evidence.upload-bounds');
  await query(
    `INSERT INTO evidence (guild_id, case_id, name, size_bytes, problem)
     SELECT $1, $2, 'x', 1, 'unread' FROM generate_series(1, 49)`,
    [guild.id, caseId],
  );
  expect((await upload('fiftieth')).status).toBe(201);
  expect(await upload('one more')).toMatchObject({
    status: 403,
    body: { error: { details: { reason: 'CASE_EVIDENCE_LIMIT' } } },
  });
  caseId = await openedCase('strike');
  const [{ room }] = await query('SELECT evidence_room($1)::int AS room', [guild.id]);
  const [{ id }] = await query(
    "INSERT INTO evidence (guild_id, case_id, name, size_bytes, content) VALUES ($1, $2, 'all', $3, '') RETURNING id",
    [guild.id, caseId, room - 5],
  );
  expect(await upload('beyond')).toMatchObject({
    status: 403,
    body: { error: { details: { reason: 'GUILD_EVIDENCE_LIMIT' } } },
  });
  expect((await upload('fits!')).status).toBe(201);
  await query('DELETE FROM evidence WHERE id = $1', [id]);
});

test('nothing is attached to a case about somebody who is forgotten', async () => {
  verifies('evidence.upload');
  await query("UPDATE cases SET user_id = '10000000000000001' WHERE id = $1", [caseId]);
  expect(await upload('x')).toMatchObject({
    status: 403,
    body: { error: { details: { reason: 'CASE_FORGOTTEN' } } },
  });
  expect(await filesOf()).toEqual([]);
});

test.each([
  ['no name', '', 'x', 422],
  ['a name that is too long', 'x'.repeat(256), 'x', 422],
  ['a name with U+0000', 'x\u0000', 'x', 422],
  ['an empty file', 'empty.txt', '', 400],
])('%s is refused', async (_what, name, content, status) => {
  verifies('evidence.upload-bounds');
  expect((await upload(content, { name })).status).toBe(status);
  expect(await filesOf()).toEqual([]);
});

test('the operation without a file attaches nothing and says what is missing', async () => {
  verifies('evidence.upload');
  const body = { operation: 'cases.attach', input: { case_id: caseId } };
  expect(await people.owner.call('POST', `/api/guilds/${guild.id}/actions`, body)).toMatchObject({
    body: { error: { code: 'VALIDATION_FAILED', message: 'Attach a file on the page of the case.' } },
  });
  expect(await filesOf()).toEqual([]);
});

test('a person sends 60 files a minute', async () => {
  verifies('evidence.upload-bounds');
  const person = await signedIn(web, guild.ownerId);
  const key = `upload:${guild.ownerId}`;
  await exhaust(web.db, key, 59);
  expect((await upload('the sixtieth', { as: person })).status).toBe(201);
  expect(await windowSeconds(web, key)).toBe(60);
  const unread = counted(1024);
  expect((await upload(unread.stream, { as: person })).status).toBe(429);
  expect(unread.read.bytes).toBe(0);
});
