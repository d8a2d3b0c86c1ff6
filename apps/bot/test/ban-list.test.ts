import { verifies } from '@bailiff/core/testing';
import { importBanPage, keepBanPage } from '@bailiff/engine/imports/ban-list';
import { beginImport, finishImport, undoImport } from '@bailiff/engine/imports/imports';
import { expect, test } from 'vitest';
import { guildForEachTest } from './each-test.ts';
import { bot, newMember, refusalOf, type Stage } from './harness.ts';

let stage: Stage;
guildForEachTest((next) => {
  stage = next;
});

const LIST = { source: 'discord', fileName: 'Discord', fileSize: 0 } as const;
let asked = 0;
const call = (by = 'owner') => {
  asked += 1;
  return { userId: stage.people[by] ?? '', requestId: `req_bans_${asked}`, address: '192.0.2.1' };
};
const begin = async () => (await beginImport(stage.test.database, call(), stage.guildId, LIST)).id;
const page = (id: string, after: string, isDry = false) =>
  importBanPage(stage.engine, call(), stage.guildId, id, { after, isDry });
const casesNow = async () =>
  (
    await stage.test.database.pool.query(
      "SELECT user_id, reason, import_id, issued_by FROM cases WHERE kind = 'ban' AND ended_at IS NULL ORDER BY user_id",
    )
  ).rows;
const bansNow = () =>
  stage.sandbox.getState(1).guilds.find(({ id }) => id === stage.guildId)?.bans.length ?? 0;

/** Every page, as the dashboard asks for them. Returns how many bans have each fate. */
async function readAll(id: string, isDry: boolean, from = '0'): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (let after: string | null = from; after !== null; ) {
    const { fates, next }: Awaited<ReturnType<typeof page>> = await page(id, after, isDry);
    for (const { fate } of fates) counts[fate] = (counts[fate] ?? 0) + 1;
    after = next;
  }
  return counts;
}

test('bans that Bailiff does not know become cases, page by page, once, also when the bot is killed between two', async () => {
  verifies('imports.discord');
  const known = newMember(stage.sandbox);
  await stage.act('bans.add', 'owner', { user_id: known, reason: 'Spam' });
  stage.sandbox.control.bans({ action: 'old', count: 2_100, reason: 'Long ago' });
  const before = bansNow();
  const id = await begin();
  expect(await readAll(id, true)).toEqual({ new: 2_100, known: before - 2_100 });
  expect(await casesNow()).toHaveLength(1);

  const first = await page(id, '0');
  expect([first.fates.length, first.next]).toEqual([1_000, expect.any(String)]);
  await stage.bot.stop();
  const failed = await refusalOf(page(id, first.next ?? '') as never);
  expect(failed).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
  expect(await casesNow()).toHaveLength(1_001);
  stage = { ...stage, bot: await bot(stage.config) };
  await stage.bot.settled;
  // The owner begins again: the same import goes on, and what came is known.
  expect(await begin()).toBe(id);
  expect(await readAll(id, false)).toEqual({ new: 1_100, known: before - 1_100 });
  await finishImport(stage.test.database, call(), stage.guildId, id);
  const cases = await casesNow();
  expect(cases).toHaveLength(2_101);
  expect(cases[0]).toEqual({
    user_id: expect.any(String),
    reason: 'Long ago',
    import_id: id,
    issued_by: stage.people.owner,
  });
  expect(new Set(cases.map(({ user_id }) => user_id)).size).toBe(2_101);
  const { rows } = await stage.test.database.pool.query('SELECT page FROM imports');
  expect(rows).toEqual([{ page: null }]);

  // An undo takes the records and lifts nothing.
  for (let kept: number | null = null; kept === null; ) {
    ({ kept } = await undoImport(stage.test.database, call(), stage.guildId, id));
  }
  expect([(await casesNow()).length, bansNow()]).toEqual([1, before]);
  await stage.bot.stop();
});

test('who was unbanned and banned again comes again, and a list that Discord does not show says what is missing', async () => {
  verifies('imports.discord');
  stage.sandbox.control.bans({ action: 'old', count: 2 });
  const id = await begin();
  expect((await readAll(id, false)).new).toBe(2);
  await finishImport(stage.test.database, call(), stage.guildId, id);
  await stage.test.database.pool.query('UPDATE cases SET ended_at = now() WHERE import_id = $1', [id]);
  const again = await begin();
  expect(again).not.toBe(id);
  expect((await readAll(again, true)).new).toBe(2);
  // An action that is under way about somebody makes their case itself.
  const { rows: doing } = await stage.test.database.pool.query<{ id: string }>(
    `INSERT INTO actions (guild_id, operation, target_type, target_id, input, digest, actor_source, actor_user_id,
       request_id, claim_by, state, claimed_at, lease_expires_at, worker)
     SELECT guild_id, 'bans.add', 'user', user_id, '{}', '', 'chat', issued_by, 'req_doing', now(),
       'running', now(), now() + interval '1 hour', 'another' FROM cases WHERE import_id = $1 LIMIT 1 RETURNING id`,
    [id],
  );
  expect(await readAll(again, true)).toMatchObject({ new: 1 });
  await stage.test.database.pool.query('DELETE FROM actions WHERE id = $1', [doing[0]?.id]);
  stage.sandbox.control.roles({
    action: 'update',
    role: 'Bailiff',
    permissions: ['ViewChannel', 'SendMessages'],
  });
  expect(await refusalOf(page(again, '0') as never)).toMatchObject({ code: 'FORBIDDEN' });
  // Nobody else has the list read.
  for (const by of ['moderator', 'member']) {
    const foreign = importBanPage(stage.engine, call(by), stage.guildId, again, { after: '0', isDry: true });
    expect(['NOT_FOUND', 'CAPABILITY_DENIED', 'FORBIDDEN']).toContain(
      (await refusalOf(foreign as never)).code,
    );
  }
});

test('a page that another window of the owner has had read meanwhile is not taken for the one that was asked for', async () => {
  verifies('imports.discord');
  const id = await begin();
  const held = stage.sandbox.control.addFault({ route: '/guilds/*/bans', held: true });
  const asking = call();
  const read = importBanPage(stage.engine, asking, stage.guildId, id, { after: '0', isDry: false });
  const refused = refusalOf(read);
  await stage.sandbox.until(() => stage.sandbox.requests.some(({ fault }) => fault === held.id));
  const after = '100000000000000009';
  const other = { after, bans: [{ user_id: '100000000000000010', reason: null }] };
  await keepBanPage(stage.test.database.pool, id, `bans:${asking.requestId}`, other);
  expect(await refused).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
  stage.sandbox.control.clearFaults();
  expect(await casesNow()).toEqual([]);
});

test('an empty reason is none, and a longer one than a case may have is cut', async () => {
  verifies('imports.discord');
  const reasons = {
    '100000000000000011': '',
    '100000000000000012': null,
    '100000000000000013': 'a'.repeat(600),
  };
  const body = Object.entries(reasons).map(([id, reason]) => ({
    reason,
    user: { id, username: `u${id}`, discriminator: '0', global_name: null, avatar: null },
  }));
  stage.sandbox.control.addFault({ route: '/guilds/*/bans', status: 200, body });
  expect(await readAll(await begin(), false)).toEqual({ new: 3 });
  stage.sandbox.control.clearFaults();
  expect((await casesNow()).map(({ reason }) => reason)).toEqual([null, null, 'a'.repeat(512)]);
});

test('a page of bans that nobody waits for any more is not read', async () => {
  verifies('imports.discord');
  const { pool } = stage.test.database;
  const asked_at = new Date(Date.now() - 9_000).toISOString();
  const payload = {
    guild_id: stage.guildId,
    import_id: await begin(),
    after: '0',
    request_id: 'bans:req_late',
    asked_at,
  };
  await pool.query("SELECT graphile_worker.add_job('list_bans', $1)", [JSON.stringify(payload)]);
  await stage.row("SELECT FROM graphile_worker.jobs WHERE task_identifier = 'list_bans' HAVING count(*) = 0");
  const isRead = ({ path }: { readonly path: string }) => path.endsWith(`/guilds/${stage.guildId}/bans`);
  expect(stage.sandbox.requests.filter(isRead)).toEqual([]);
});
