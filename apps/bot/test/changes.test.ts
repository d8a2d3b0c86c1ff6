import type { WriteOperation } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { countAttention } from '@bailiff/engine/desk/attention';
import { expect, test, vi } from 'vitest';
import { endOverdueBans } from '#src/jobs.ts';
import { type ChatStage, chatGuildForEachTest } from './chat-harness.ts';
import { refusalOf } from './harness.ts';
import { undoThatWaits } from './undoing.ts';

let stage: ChatStage;
chatGuildForEachTest(
  {
    Moderator: ['strikes.write', 'strikes.read', 'bans.write', 'bans.read', 'mutes.write', 'mutes.read'],
    Helper: ['strikes.read', 'mutes.write', 'mutes.read'],
  },
  (next) => {
    stage = next;
  },
);

/** The statements that wait for a lock. */
const WAITING =
  "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";

const DAY_MS = 86_400_000;
const MEMBER = '/guilds/{guild_id}/members/{user_id}';

const query = async <Row extends object>(text: string) =>
  (await stage.test.database.pool.query<Row>(text)).rows;
const troll = () => stage.people.troll ?? '';
const says = (command: string, options: Parameters<ChatStage['says']>[2], by = 'moderator') =>
  stage.says(by, command, options);
const act = (operation: WriteOperation, input: object, by = 'owner') => stage.act(operation, by, input);
const strike = () => act('strikes.add', { user_id: troll(), reason: 'Griefing', severity: 'minor' });
const mute = (minutes: number) =>
  act('mutes.add', { user_id: troll(), reason: 'Noise', duration_minutes: minutes });
const ban = (minutes: number) =>
  act('bans.add', { user_id: troll(), reason: 'Spam', duration_minutes: minutes });
const changes = () =>
  query<{ changed_by: string; why: string | null; before: object; after: object }>(
    'SELECT changed_by, why, before, after FROM case_changes ORDER BY id',
  );
const reasonOf = async (call: Promise<unknown>) =>
  (await refusalOf(call as ReturnType<typeof act>)) as { code: string; details?: { reason?: string } };

const guild = () => stage.sandbox.getState(200).guilds.find(({ id }) => id === stage.guildId);
function timeoutLeftMs(): number {
  const member = guild()?.members.find(({ user_id }) => user_id === troll());
  const until = member?.communication_disabled_until ?? null;
  return until === null ? 0 : Date.parse(until) - Date.now();
}
const isBanned = () => guild()?.bans.some(({ user_id }) => user_id === troll()) === true;
const post = () => {
  const log = guild()?.channels.find(({ id }) => id === stage.sandbox.channels.mod_log);
  return log?.messages.find(({ embeds }) => embeds[0]?.title?.startsWith('Case #1'))?.embeds[0];
};

test('/case edit changes a reason, keeps the former one, and the post in the log channel follows', async () => {
  verifies('cases.edit', 'cases.edit.timeline', 'cases.edit.log');
  await query(`UPDATE guilds SET log_channel_id = '${stage.sandbox.channels.mod_log}'`);
  await strike();
  await stage.sandbox.until(() => post());
  const edited = await says('case edit', { case: 1, reason: 'Griefing **twice**' });
  expect(edited).toBe('Done. Case #1 now says: "Griefing \\*\\*twice\\*\\*"');
  await stage.sandbox.until(() => post()?.fields?.some(({ value }) => value.includes('twice')));
  expect(post()?.fields).toContainEqual(
    expect.objectContaining({
      name: 'Changed',
      value: expect.stringContaining(stage.people.moderator ?? '-'),
    }),
  );
  expect(await changes()).toEqual([
    {
      ...{ changed_by: stage.people.moderator, why: null },
      ...{ before: { reason: 'Griefing' }, after: { reason: 'Griefing **twice**' } },
    },
  ]);
  // Said again it is no change.
  await says('case edit', { case: 1, reason: 'Griefing **twice**' });
  expect(await changes()).toHaveLength(1);
  expect(await says('case show', { number: 1 })).toContain('twice');
});

test('a case is changed only by who may write its kind, and by nobody about themselves', async () => {
  verifies('cases.edit.who');
  await strike();
  await mute(60);
  expect(await says('case edit', { case: 2, reason: 'Loud' }, 'helper')).toMatch(/^Done\./);
  expect(await says('case edit', { case: 1, reason: 'Nothing' }, 'helper')).toMatch(
    /^Not done\..*strikes\.write/,
  );
  expect(await says('case edit', { case: 9, reason: 'Nothing' })).toMatch(/^Not done\..*no case 9/);
  await act('strikes.add', { user_id: stage.people.moderator, reason: 'Sleeping', severity: 'major' });
  expect(await says('case edit', { case: 3, reason: 'Nothing' })).toMatch(/^Not done\..*yourself/);
  expect(await says('strike severity', { case: 3, severity: 'minor' })).toMatch(/^Not done\..*yourself/);
});

test('a strike that counts can weigh more or less, one that was removed cannot', async () => {
  verifies('strikes.change');
  await strike();
  const changed = await says('strike severity', { case: 1, severity: 'major', reason: 'The third house' });
  expect(changed).toMatch(/^Done\. Make #1 .* in Harbourlight .* a major one: "The third house"/);
  expect(await query('SELECT severity FROM cases')).toEqual([{ severity: 'major' }]);
  expect(await changes()).toMatchObject([
    { why: 'The third house', before: { severity: 'minor' }, after: { severity: 'major' } },
  ]);
  await says('strike remove', { case: 1 });
  expect(await says('strike severity', { case: 1, severity: 'minor' })).toMatch(/^Not done\./);
  expect(await says('case edit', { case: 1, reason: 'It was somebody else' })).toMatch(/^Done\./);
});

test('two changes at once both count, one after the other', async () => {
  verifies('cases.edit.races');
  await strike();
  const [row] = await query<{ id: string }>('SELECT id FROM cases');
  const reasons = ['One', 'Two', 'Three', 'Four'];
  const holder = await stage.test.database.pool.connect();
  try {
    await holder.query("BEGIN; SELECT FROM cases WHERE kind = 'strike' FOR UPDATE");
    const edits = reasons.map((reason) => act('cases.edit', { caseId: row?.id, reason }));
    await vi.waitFor(async () => expect((await query(WAITING)).length).toBeGreaterThan(1), 180_000);
    await holder.query('COMMIT');
    await Promise.all(edits);
  } finally {
    holder.release();
  }
  const told = await changes();
  expect(told.map(({ after }) => after)).toHaveLength(4);
  const [first, ...others] = told;
  expect(first?.before).toEqual({ reason: 'Griefing' });
  expect(others.map(({ before }) => before)).toEqual(told.slice(0, 3).map(({ after }) => after));
});

test('a case is changed at most 50 times, and not at all once its person is forgotten', async () => {
  verifies('cases.edit.limits');
  await strike();
  const [row] = await query<{ id: string }>('SELECT id FROM cases');
  const edit = (reason: string) => act('cases.edit', { caseId: row?.id, reason });
  await query(`INSERT INTO case_changes (guild_id, case_id, action_id, changed_by, before, after)
    SELECT guild_id, id, 'act_1', issued_by, '{}', '{}' FROM cases, generate_series(1, 50)`);
  expect(await reasonOf(edit('More'))).toMatchObject({ details: { reason: 'CASE_CHANGE_LIMIT' } });
  const severity = (word: string) => act('strikes.change', { strikeId: row?.id, severity: word });
  expect(await reasonOf(severity('major'))).toMatchObject({ details: { reason: 'CASE_CHANGE_LIMIT' } });
  // What it says already is no change: whoever lost the answer to the last one makes that again.
  expect((await edit('Griefing')).body).toMatchObject({ case: { reason: 'Griefing' } });
  expect((await severity('minor')).body).toMatchObject({ strike: { severity: 'minor' } });
  expect(await changes()).toHaveLength(50);
  await query(`SELECT forget_person('${troll()}')`);
  expect(await changes()).toEqual([]);
  expect(await reasonOf(edit('More'))).toMatchObject({ details: { reason: 'CASE_FORGOTTEN' } });
});

test('a mute gets another end, and the timeout at Discord with it', async () => {
  verifies('mutes.change');
  await mute(60);
  const longer = await says('mutelength', { user: troll(), duration: '3 days', reason: 'Again' });
  expect(longer).toMatch(/^Done\. The mute of <@\d+> ends now on <t:\d+:f> \(case #1\)\.$/);
  expect(Math.abs(timeoutLeftMs() - 3 * DAY_MS)).toBeLessThan(60_000);
  expect(await query('SELECT duration_minutes FROM cases')).toEqual([{ duration_minutes: 4320 }]);
  const { body } = await act('mutes.change', { userId: troll(), duration_minutes: 120 });
  expect(body).toMatchObject({ mute: { duration_minutes: 120, active: true } });
  expect(Math.abs(timeoutLeftMs() - 2 * 3_600_000)).toBeLessThan(60_000);
  expect((await changes()).map(({ why }) => why)).toEqual(['Again', null]);
  // Longer than Discord times out, so it is renewed.
  await act('mutes.change', { userId: troll(), duration_minutes: 60 * 24 * 60 });
  expect(timeoutLeftMs()).toBeLessThan(28 * DAY_MS);
  await stage.row("SELECT FROM graphile_worker.jobs WHERE task_identifier = 'renew_mute'");
  // One that is not a member any more gets it when they come back.
  stage.sandbox.control.members({ action: 'leave', user: 'troll' });
  await act('mutes.change', { userId: troll(), duration_minutes: 180 });
  const again = stage.sandbox.nextRequest('PATCH', MEMBER);
  stage.sandbox.control.members({ action: 'join', user: 'troll' });
  await again;
  await stage.sandbox.until(() => timeoutLeftMs() > 2 * 3_600_000 && timeoutLeftMs() < 3.1 * 3_600_000);
});

test('a mute whose change Discord refuses stays as it was, and one whose answer is lost is found', async () => {
  verifies('mutes.change.crash');
  await mute(60);
  const fault = { route: `/guilds/${stage.guildId}/members/*`, method: 'PATCH', status: 500 } as const;
  stage.sandbox.control.addFault(fault);
  const longer = { userId: troll(), duration_minutes: 600 };
  expect(await reasonOf(act('mutes.change', longer))).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
  expect(await query('SELECT duration_minutes FROM cases')).toEqual([{ duration_minutes: 60 }]);
  expect(timeoutLeftMs()).toBeLessThan(3_700_000);
  stage.sandbox.control.addFault({ ...fault, status: 504, when: 'after' });
  expect((await act('mutes.change', longer)).body).toMatchObject({ mute: { duration_minutes: 600 } });
  expect(timeoutLeftMs()).toBeGreaterThan(9.9 * 3_600_000);
});

test('a sanction gets another end at most 50 times', async () => {
  verifies('cases.edit.limits');
  await mute(600);
  await query(`INSERT INTO case_changes (guild_id, case_id, action_id, changed_by, before, after)
    SELECT guild_id, id, 'act_1', issued_by, '{}', '{}' FROM cases, generate_series(1, 50)`);
  const longer = act('mutes.change', { userId: troll(), duration_minutes: 6_000 });
  expect(await reasonOf(longer)).toMatchObject({ details: { reason: 'CASE_CHANGE_LIMIT' } });
  expect(timeoutLeftMs()).toBeLessThan(10 * 3_600_000);
  const same = await act('mutes.change', { userId: troll(), duration_minutes: 600 });
  expect(same.body).toMatchObject({ mute: { duration_minutes: 600 } });
  expect(await changes()).toHaveLength(50);
});

test('what was never in force, is over already, or would be over, gets no other end', async () => {
  verifies('cases.change.refusals');
  const change = (kind: 'bans' | 'mutes', minutes: number) =>
    reasonOf(act(`${kind}.change`, { userId: troll(), duration_minutes: minutes }));
  expect(await change('mutes', 60)).toMatchObject({ code: 'NOT_FOUND' });
  expect(await change('bans', 60)).toMatchObject({ code: 'NOT_FOUND' });
  await mute(600);
  await query("UPDATE cases SET issued_at = issued_at - interval '2 hours'");
  expect(await change('mutes', 60)).toMatchObject({ details: { reason: 'END_IS_PAST' } });
  await query("UPDATE cases SET expires_at = now() - interval '1 second'");
  expect(await change('mutes', 6_000)).toMatchObject({ code: 'NOT_FOUND' });
  expect(await changes()).toEqual([]);
});

test('a ban gets another end, the job that lifts it moves, and a permanent one is lifted by nobody', async () => {
  verifies('bans.change');
  const job = () =>
    query<{ late: number }>(
      `SELECT round(extract(epoch FROM run_at - issued_at) / 60)::int AS late
       FROM graphile_worker.jobs, cases WHERE task_identifier = 'end_ban'`,
    );
  await ban(60);
  expect(await job()).toEqual([{ late: 60 }]);
  const longer = await says('banlength', { user: troll(), duration: '2d' });
  expect(longer).toMatch(/^Done\. The ban of <@\d+> ends now on <t:\d+:f> \(case #1\)\.$/);
  expect(await job()).toEqual([{ late: 2880 }]);
  expect(await says('banlength', { user: troll() })).toMatch(/is permanent now \(case #1\)/);
  expect(await job()).toEqual([]);
  expect(await query('SELECT expires_at, duration_minutes FROM cases')).toEqual([
    { expires_at: null, duration_minutes: null },
  ]);
  await act('bans.change', { userId: troll(), duration_minutes: 30 });
  expect(await job()).toEqual([{ late: 30 }]);
  await query(
    "UPDATE cases SET expires_at = now() - interval '1 second', issued_at = now() - interval '1 hour'",
  );
  await query("SELECT graphile_worker.add_job('overdue_bans', '{}')");
  await stage.sandbox.until(() => !isBanned());
});

test('a ban that is being lifted because its time is over is not prolonged, and one that was prolonged is not lifted', async () => {
  verifies('cases.edit.races');
  const isIdle = () =>
    stage.row(
      "SELECT FROM (VALUES (1)) AS one WHERE NOT EXISTS (SELECT FROM graphile_worker.jobs WHERE task_identifier = 'end_ban' AND run_at <= now())",
    );
  await ban(60);
  await act('bans.change', { userId: troll(), duration_minutes: 120 });
  // As if the job for the former end came all the same.
  await query("SELECT graphile_worker.add_job('end_ban', json_build_object('case_id', id)) FROM cases");
  await isIdle();
  expect([isBanned(), await query("SELECT FROM actions WHERE operation = 'bans.lift'")]).toEqual([true, []]);

  const route = `/guilds/${stage.guildId}/bans/*`;
  stage.sandbox.control.addFault({ route, method: 'DELETE', when: 'after', held: true });
  await query(
    "UPDATE cases SET expires_at = now() - interval '1 second', issued_at = now() - interval '1 hour'",
  );
  await query("SELECT graphile_worker.add_job('overdue_bans', '{}')");
  await stage.sandbox.until(() => !isBanned());
  const prolonged = reasonOf(act('bans.change', { userId: troll(), duration_minutes: 6_000 }));
  await stage.row("SELECT FROM actions WHERE operation = 'bans.change' AND state = 'pending'");
  stage.sandbox.control.clearFaults();
  expect(await prolonged).toMatchObject({ code: 'NOT_FOUND' });
  expect(await changes()).toHaveLength(1);
});

test('cases are linked once, from either side, and unlinked; never with themselves or with too many', async () => {
  verifies('cases.link');
  await strike();
  await mute(60);
  const links = () => query('SELECT FROM case_links');
  expect(await says('case link', { case: 2, other: 1 })).toBe('Done. Case #2 and case #1 are linked.');
  expect(await says('case link', { case: 1, other: 2 })).toBe('Done. Case #1 and case #2 are linked.');
  expect(await links()).toHaveLength(1);
  expect(await says('case link', { case: 1, other: 1 })).toMatch(/^Not done\. These two numbers/);
  expect(await says('case link', { case: 1, other: 9 })).toMatch(/^Not done\./);
  expect(await says('case link', { case: 1, other: 2 }, 'helper')).toMatch(/^Not done\..*strikes\.write/);
  expect(await says('case unlink', { case: 1, other: 2 })).toMatch(/are linked no more\.$/);
  expect(await links()).toEqual([]);
  for (let n = 0; n < 20; n += 1) await strike();
  const [first] = await query<{ id: string }>('SELECT id FROM cases WHERE case_number = 1');
  const link = (other_number: number) => act('cases.link', { caseId: first?.id, other_number });
  for (let n = 3; n < 23; n += 1) await link(n);
  expect(await reasonOf(link(2))).toMatchObject({ details: { reason: 'CASE_LINK_LIMIT' } });
  // Nor from the other side.
  const { id: caseId } = await stage.row<{ id: string }>('SELECT id FROM cases WHERE case_number = 2');
  const fromOther = act('cases.link', { caseId, other_number: 1 });
  expect(await reasonOf(fromOther)).toMatchObject({ details: { reason: 'CASE_LINK_LIMIT' } });
  // Those that are linked already can be linked again, also by whoever lost the answer to the last one.
  expect((await link(22)).body).toMatchObject({ link: { case_number: 1, other_number: 22 } });
  expect(await links()).toHaveLength(20);
});

test('an imported ban is a record until a moderator gives it an end: that end is kept, also after a lost job', async () => {
  verifies('imports.end-set-here');
  await ban(60);
  // As an import leaves it, while the ban stands at Discord, and an archive that knows of a change that was decided
  // elsewhere. In one transaction, so that no worker takes a job which an import does not add.
  await query(`DO $$ BEGIN
    UPDATE cases SET import_id = 'imp_1', action_id = NULL, expires_at = now() - interval '1 minute';
    INSERT INTO case_changes (guild_id, case_id, action_id, changed_by, before, after)
      SELECT guild_id, id, 'imp_1', issued_by, '{"expires_at": null}', '{"expires_at": null}' FROM cases;
    DELETE FROM graphile_worker._private_jobs WHERE key LIKE 'end_ban:%';
  END $$`);
  await endOverdueBans(stage.test.database.pool);
  const ending = "SELECT FROM graphile_worker._private_jobs WHERE key LIKE 'end_ban:%'";
  expect([isBanned(), await query(ending)]).toEqual([true, []]);

  await query("UPDATE cases SET expires_at = NULL, issued_at = now() - interval '2 hours'");
  expect(await says('banlength', { user: troll(), duration: '3 hours' })).toMatch(/^Done\./);
  expect(await query(ending)).toHaveLength(1);
  await query("DELETE FROM graphile_worker._private_jobs WHERE key LIKE 'end_ban:%'");
  await query("UPDATE cases SET expires_at = now() - interval '1 second'");
  await endOverdueBans(stage.test.database.pool);
  await stage.sandbox.until(() => !isBanned());
});

test('a mute whose record an undo of its import is removing at this moment gets no other end', async () => {
  verifies('imports.undo');
  await mute(600);
  const [record] = await query<{ id: string }>('SELECT id FROM cases');
  const undo = await undoThatWaits(stage, record?.id ?? '');
  const change = reasonOf(act('mutes.change', { userId: troll(), duration_minutes: 6_000 }));
  await undo.isInTheWay();
  expect(await undo.finish()).toEqual({ removed: 1, kept: 0 });
  expect(await change).toMatchObject({ code: 'NOT_FOUND' });
  expect(timeoutLeftMs()).toBeLessThan(601 * 60_000);
});

test('a ban that could not be lifted in time needs no attention any more once it has another end', async () => {
  verifies('bans.change');
  await ban(60);
  await query('UPDATE cases SET end_failed_at = now()');
  await act('bans.change', { userId: troll(), duration_minutes: 120 });
  const { database } = stage.test;
  expect(await countAttention(database, stage.guildId)).toMatchObject({ bans_not_lifted: 0 });
});
