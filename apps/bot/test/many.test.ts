import { encodeCursor, type OutputOf } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { readForPerson } from '@bailiff/engine/calls/read-call';
import { seedGuild } from '@bailiff/engine/testing';
import { decideApproval } from '@bailiff/engine/tokens/approvals';
import { revokeToken } from '@bailiff/engine/tokens/tokens';
import { openWindow } from '@bailiff/engine/tokens/windows';
import { RESTJSONErrorCodes } from 'discord.js';
import { expect, test } from 'vitest';
import { type ChatStage, chatGuildForEachTest } from './chat-harness.ts';
import { bot, grant, limitPerforming, mint, overToken, ownerOf, refusalOf } from './harness.ts';

let stage: ChatStage;
const { spoil } = chatGuildForEachTest(
  { Moderator: ['bans.read', 'bans.write', 'mutes.write'] },
  async (next) => {
    stage = next;
    await limitPerforming(next);
  },
);

const guild = () => {
  const found = stage.sandbox.getState(200).guilds.find(({ id }) => id === stage.guildId);
  if (found === undefined) throw new Error('The sandbox has no such guild');
  return found;
};
const bans = () => guild().bans.map(({ user_id }) => user_id);
const has = (name: string) => stage.people[name] ?? '';

/** New members. Returns their ids. */
function join(count: number): string[] {
  return Array.from({ length: count }, (_, n) => {
    const { member } = stage.sandbox.control.members({ action: 'join', name: `raider${n}` });
    return member?.user?.id ?? '';
  });
}

type Preview = OutputOf<'bans.preview'>['preview'];
type Many = OutputOf<'bans.many'>['many'];

async function preview(input: object, by = 'owner', of: 'bans' | 'mutes' = 'bans'): Promise<Preview> {
  const whole = of === 'bans' ? { include_left: false, ...input } : input;
  return (await resultOf(`${of}.preview`, by, whole)).preview;
}

type Operation = Parameters<typeof stage.act>[0];
interface Result {
  readonly preview: Preview;
  readonly many: Many;
}

/** The answer of an action, which may go on after its caller was answered. */
async function resultOf(operation: Operation, by: string, input: object): Promise<Result> {
  const { status, body } = await stage.act(operation, by, input);
  if (status !== 202) return body as Result;
  const { action } = body as { action: { id: string } };
  const done = "SELECT result FROM actions WHERE id = $1 AND state = 'done'";
  return (await stage.row<{ result: Result }>(done, [action.id])).result;
}
const ended = async (operation: Operation, by: string, input: object) =>
  (await resultOf(operation, by, input)).many;
const banMany = ({ id, count }: Preview, more: object = {}, by = 'owner') =>
  ended('bans.many', by, { preview_id: id, count, reason: 'Raid', ...more });
const rows = async (sql: string, values: unknown[] = []) =>
  (await stage.test.database.pool.query(sql, values)).rows;

test('a preview names whom it would spare and why, and does nothing', async () => {
  verifies('mass.preview');
  const [first = '', second = '', third = ''] = join(3);
  stage.sandbox.control.bans({ user: third, by: 'owner' });
  // A mute keeps nobody from being banned.
  stage.sandbox.control.members({ action: 'timeout', user: first, minutes: 60, by: 'owner' });
  const users = [
    ...[first, `<@${second}>`, first, third, 'nobody', '12345'],
    ...[has('owner'), has('moderator'), has('admin'), stage.sandbox.clientId, '100000000000000001'],
  ].join('\n');
  const made = await preview({ users }, 'moderator');
  expect(made.count).toBe(2);
  expect(Object.fromEntries(made.spared.map(({ why, count }) => [why, count]))).toMatchObject({
    unreadable: 2,
    duplicate: 1,
    already: 1,
    left: 1,
    self: 1,
  });
  expect(bans()).toEqual([third]);
  const { input } = await stage.row<{ input: object }>('SELECT input FROM actions WHERE id = $1', [made.id]);
  expect(input).toEqual({ include_left: false });
  expect((await preview({ users: '100000000000000001', include_left: true })).count).toBe(1);
  expect(await preview({})).toMatchObject({ count: 0, spared: [] });
});

test('exactly the people of the preview are banned, each with a case, and one undoing lifts exactly these bans', async () => {
  verifies('mass.bound', 'mass.effects', 'mass.undo', 'mass.fates');
  const log = stage.sandbox.channels.mod_log;
  await stage.test.database.pool.query('UPDATE guilds SET log_channel_id = $1 WHERE id = $2', [
    log,
    stage.guildId,
  ]);
  const ids = join(6);
  stage.sandbox.control.roles({ action: 'create', name: 'Raider' });
  for (const user of ids)
    stage.sandbox.control.members({ action: 'add_role', user, role: 'Raider', by: 'owner' });
  const role = guild().roles.find(({ name }) => name === 'Raider')?.id;
  const made = await preview({ role_id: role });
  expect(made.count).toBe(6);
  const [before = '', late = ''] = [ids[0], join(1)[0]];
  stage.sandbox.control.members({ action: 'remove_role', user: before, role: 'Raider', by: 'owner' });
  stage.sandbox.control.members({ action: 'add_role', user: late, role: 'Raider', by: 'owner' });
  const wrong = { preview_id: made.id, count: 5, reason: 'Raid' };
  expect(await refusalOf(stage.act('bans.many', 'owner', wrong))).toMatchObject({
    details: { reason: 'COUNT_DIFFERS' },
  });
  expect(await refusalOf(stage.act('bans.many', 'moderator', { ...wrong, count: 6 }))).toMatchObject({
    code: 'NOT_FOUND',
  });
  expect(bans()).toEqual([]);

  const many = await banMany(made);
  expect(many).toMatchObject({ done: 6, failed: 0, unknown: 0, not_tried: 0 });
  expect(bans().toSorted()).toEqual(ids.toSorted());
  expect(await rows("SELECT DISTINCT issued_by, reason FROM cases WHERE kind = 'ban'")).toEqual([
    { issued_by: has('owner'), reason: 'Raid' },
  ]);
  const audited = await rows(
    "SELECT outcome, count(*)::int FROM audit WHERE operation = 'bans.add' GROUP BY 1 ORDER BY 1",
  );
  expect(audited).toEqual([
    { outcome: 'requested', count: 6 },
    { outcome: 'performed', count: 6 },
  ]);
  expect(await refusalOf(stage.act('bans.many', 'owner', { ...wrong, count: 6 }))).toMatchObject({
    details: { reason: 'PREVIEW_LAPSED' },
  });
  // One was unbanned by hand, and somebody else was banned by hand.
  stage.sandbox.control.bans({ action: 'unban', user: before, by: 'owner' });
  stage.sandbox.control.bans({ user: late, by: 'owner' });
  await stage.row('SELECT FROM cases WHERE user_id = $1 AND ended_at IS NOT NULL', [before]);
  await stage.row('SELECT FROM cases WHERE user_id = $1', [late]);

  const undone = await ended('bans.undo', 'owner', { massId: many.id });
  expect(undone).toMatchObject({ done: 5, failed: 0, unknown: 0, not_tried: 0 });
  expect(bans()).toEqual([late]);
  expect(await ended('bans.undo', 'owner', { massId: many.id })).toMatchObject({ done: 5, failed: 0 });
  const lifted = stage.sandbox.requests.filter(
    ({ method, path }) => method === 'DELETE' && path.startsWith(`/guilds/${stage.guildId}/bans/`),
  );
  expect(lifted).toHaveLength(5);
  expect(stage.sandbox.requests.filter(({ path }) => path === '/users/@me/channels')).toEqual([]);
  await stage.sandbox.until(() => posts(log).some((text) => text.includes('6 people')));
  expect(posts(log).filter((text) => text.includes('Raid'))).toHaveLength(1);
});

const posts = (channel: string | undefined) =>
  (guild().channels.find(({ id }) => id === channel)?.messages ?? []).map((message) =>
    JSON.stringify(message),
  );

test('a ban of a mass ban that ends after its list was deleted has no post either', async () => {
  verifies('mass.effects');
  const [raider = ''] = join(1);
  await banMany(await preview({ users: raider }));
  await rows('UPDATE guilds SET log_channel_id = $1 WHERE id = $2', [
    stage.sandbox.channels.mod_log,
    stage.guildId,
  ]);
  await rows('DELETE FROM person_lists');
  stage.sandbox.control.bans({ action: 'unban', user: raider, by: 'owner' });
  await stage.row('SELECT FROM cases WHERE user_id = $1 AND ended_at IS NOT NULL', [raider]);
  // The transaction that ends a case adds the job of its post, which begins the post before it is done.
  const begun = `SELECT key FROM graphile_worker.jobs WHERE task_identifier = 'post_case'
    UNION ALL SELECT case_id FROM case_posts`;
  expect(await rows(begun)).toEqual([]);
});

/** Bans one raider by a mass ban in a guild with a log channel. */
async function banWithLog() {
  const log = stage.sandbox.channels.mod_log;
  await rows('UPDATE guilds SET log_channel_id = $1 WHERE id = $2', [log, stage.guildId]);
  const [raider = ''] = join(1);
  await banMany(await preview({ users: raider }));
  const [{ id: caseId }] = await rows('SELECT id FROM cases WHERE user_id = $1', [raider]);
  return { log, raider, caseId };
}

test('a case of a mass ban that was changed, and so has a post, is shown there as lifted once it is', async () => {
  verifies('mass.effects');
  const { log, raider, caseId } = await banWithLog();
  await stage.act('cases.edit', 'owner', { caseId, reason: 'Sold sheep' });
  const post = () => posts(log).find((text) => text.includes(caseId));
  await stage.sandbox.until(() => post()?.includes('Sold sheep'));
  await stage.act('bans.lift', 'owner', { userId: raider, reason: 'A mistake' });
  await stage.sandbox.until(() => post()?.includes('A mistake'));
});

test('a case of a mass ban whose post is still to come is shown as lifted where it was lifted meanwhile', async () => {
  verifies('mass.effects');
  const { log, raider, caseId } = await banWithLog();
  await rows(
    `SELECT graphile_worker.add_job('post_case', json_build_object('case_id', $1::text),
       job_key => 'post_case:' || $1, run_at => now() + interval '1 hour')`,
    [caseId],
  );
  await stage.act('bans.lift', 'owner', { userId: raider, reason: 'A mistake' });
  await stage.sandbox.until(() =>
    posts(log).some((text) => text.includes(caseId) && text.includes('A mistake')),
  );
});

test('a mass mute mutes for its time and is undone, and who was muted before keeps their mute', async () => {
  verifies('mass.effects', 'mass.undo', 'mass.bound');
  const [first = '', second = '', third = ''] = join(3);
  const since = '2020-01-01T00:00:00Z';
  stage.sandbox.control.members({ action: 'timeout', user: first, minutes: 60, by: 'owner' });
  const made = await preview(
    { users: [first, second, third].join(' '), joined_since: since },
    'owner',
    'mutes',
  );
  expect(made).toMatchObject({ count: 2, spared: [{ why: 'already', count: 1 }] });
  stage.sandbox.control.members({ action: 'timeout', user: third, minutes: 60, by: 'owner' });
  await stage.row('SELECT FROM cases WHERE user_id = $1', [third]);
  const input = { preview_id: made.id, count: 2, reason: 'Raid', duration_minutes: 30 };
  const many = await ended('mutes.many', 'owner', input);
  expect(many).toMatchObject({ done: 1, failed: 0 });
  expect(await ended('mutes.undo', 'owner', { massId: many.id })).toMatchObject({ done: 1, failed: 0 });
  const muted = guild().members.filter(({ communication_disabled_until: until }) => until !== null);
  expect(muted.map(({ user_id }) => user_id).toSorted()).toEqual([first, third].toSorted());
});

test('who is banned in another guild is banned all the same', async () => {
  verifies('mass.effects');
  const [raider = ''] = join(1);
  const { id, ownerId } = await seedGuild(stage.test.database);
  await rows("SELECT open_case($1, 'ban', 'ban', $2, 'Raid', $3, NULL, NULL)", [id, raider, ownerId]);
  const made = await preview({ users: raider });
  expect(made).toMatchObject({ count: 1, spared: [] });
  expect(await banMany(made)).toMatchObject({ done: 1, not_tried: 0 });
  expect(bans()).toEqual([raider]);
});

test('somebody who asks for one preview after the other keeps the newest twenty', async () => {
  verifies('mass.preview');
  const [raider = ''] = join(1);
  const made: Preview[] = [];
  for (let n = 0; n < 21; n += 1) made.push(await preview({ users: raider }));
  const [pushedOut, oldest] = made as [Preview, Preview];
  const ban = ({ id, count }: Preview) =>
    stage.act('bans.many', 'owner', { preview_id: id, count, reason: 'Raid' });
  expect(await refusalOf(ban(pushedOut))).toMatchObject({ code: 'NOT_FOUND' });
  expect(await banMany(oldest)).toMatchObject({ done: 1 });
});

test('a token that asks for one preview after the other drops neither one of its issuer nor one that waits for approval', async () => {
  verifies('mass.preview');
  const [first = '', second = ''] = join(2);
  const { secret } = await mint(stage, 'raid guard');
  const previewOver = async (users: string) => {
    const { body } = await overToken(stage, secret, { operation: 'bans.preview', body: { users } });
    return (body as { preview: Preview }).preview;
  };
  const issuers = await preview({ users: first });
  const waiting = await previewOver(second);
  const body = { preview_id: waiting.id, count: waiting.count, reason: 'Raid' };
  const ban = () => overToken(stage, secret, { operation: 'bans.many', body });
  expect(await refusalOf(ban())).toMatchObject({ code: 'RE_AUTH_REQUIRED' });
  for (let n = 0; n < 21; n += 1) await previewOver(second);
  expect(await rows('SELECT count(*)::int FROM person_lists')).toEqual([{ count: 22 }]);
  expect(await banMany(issuers)).toMatchObject({ done: 1 });
  const { id } = await stage.row<{ id: string }>("SELECT id FROM approval_requests WHERE state = 'pending'");
  await decideApproval(stage.engine.db, ownerOf(stage.sandbox), id, 'call', 15);
  expect((await ban()).body).toMatchObject({ many: { done: 1 } });
  expect(bans().toSorted()).toEqual([first, second].toSorted());
});

test('who has an imported ban in force that does not stand at Discord is banned all the same', async () => {
  verifies('mass.effects', 'imports.records-only');
  const [raider = ''] = join(1);
  await rows(
    `INSERT INTO cases (id, guild_id, case_number, kind, user_id, issued_by, import_id)
     VALUES (new_id('ban'), $1, 900, 'ban', $2, $3, 'imp_1')`,
    [stage.guildId, raider, has('owner')],
  );
  const made = await preview({ users: raider });
  expect(made).toMatchObject({ count: 1, spared: [] });
  expect(await banMany(made)).toMatchObject({ done: 1, not_tried: 0 });
  expect(bans()).toEqual([raider]);
});

test('a mass ban and a mass mute last as long as they were asked to, and the ban deletes what it was asked to', async () => {
  verifies('mass.effects');
  const [banned = '', muted = ''] = join(2);
  const lasting = { duration_minutes: 60, delete_message_seconds: 7_200 };
  expect(await banMany(await preview({ users: banned }), lasting)).toMatchObject({ done: 1 });
  const put = stage.sandbox.requests.find(({ method, path }) => method === 'PUT' && path.endsWith(banned));
  expect(put?.body).toMatchObject({ delete_message_seconds: 7_200 });
  const made = await preview({ users: muted }, 'owner', 'mutes');
  const input = { preview_id: made.id, count: 1, reason: 'Raid', duration_minutes: 45 };
  expect(await ended('mutes.many', 'owner', input)).toMatchObject({ done: 1 });
  expect(
    await rows(
      `SELECT kind, round(extract(epoch FROM expires_at - issued_at) / 60)::int AS minutes FROM cases
       WHERE user_id = ANY ($1) ORDER BY case_number`,
      [[banned, muted]],
    ),
  ).toEqual([
    { kind: 'ban', minutes: 60 },
    { kind: 'mute', minutes: 45 },
  ]);
  const until = guild().members.find(({ user_id }) => user_id === muted)?.communication_disabled_until;
  const leftMinutes = (Date.parse(until ?? '') - Date.now()) / 60_000;
  expect(leftMinutes).toBeGreaterThan(40);
  expect(leftMinutes).toBeLessThan(46);
});

test('other bots are spared, and of more than 1,000 people those beyond', async () => {
  verifies('mass.preview');
  const bot = guild().members.find(({ username }) => username === 'music-box')?.user_id ?? '';
  const gone = Array.from({ length: 1_001 }, (_, n) => String(200_000_000_000_000_000n + BigInt(n)));
  const { count, spared } = await preview({ users: [bot, ...gone].join('\n'), include_left: true });
  expect({ count, spared }).toEqual({
    count: 1_000,
    spared: [
      { why: 'bot', count: 1 },
      { why: 'later', count: 1 },
    ],
  });
});

test('who was granted anything is spared as staff, also without any power in Discord', async () => {
  verifies('mass.preview');
  const [raider = '', clerk = ''] = join(2);
  await grant(stage, 'Artist', ['members.read']);
  stage.sandbox.control.members({ action: 'add_role', user: clerk, role: 'Artist', by: 'owner' });
  expect(await preview({ users: `${raider} ${clerk}` })).toMatchObject({
    count: 1,
    spared: [{ why: 'staff', count: 1 }],
  });
});

test('of people who have left nobody is taken by a role or a time of joining, which nobody knows any more', async () => {
  verifies('mass.preview');
  const [gone = ''] = join(1);
  stage.sandbox.control.members({ action: 'leave', user: gone });
  const role_id = guild().roles.find(({ name }) => name === 'Artist')?.id;
  for (const narrowed of [{ role_id }, { joined_since: '2020-01-01T00:00:00Z' }]) {
    expect(await preview({ users: gone, include_left: true, ...narrowed })).toMatchObject({
      count: 0,
      spared: [{ why: 'unfit', count: 1 }],
    });
  }
});

const pageOf = (actionId: string, limit: number, cursor?: string) =>
  readForPerson(stage.engine, {
    operation: 'actions.people',
    input: { actionId, limit, cursor },
    ...{ guildId: stage.guildId, userId: has('owner'), requestId: 'req_people' },
  });

test('what Discord refuses to all ends it, and what it refuses to one is told with the line', async () => {
  verifies('mass.fates', 'mass.effects');
  const ids = join(4);
  for (const [code, reason] of [
    [RESTJSONErrorCodes.MissingPermissions, 'BOT_MISSING_PERMISSION'],
    [RESTJSONErrorCodes.TwoFactorAuthenticationIsRequired, 'TWO_FACTOR_REQUIRED'],
  ] as const) {
    const made = await preview({ users: ids.join('\n') });
    stage.sandbox.control.addFault({
      route: '/guilds/*/bans/*',
      method: 'PUT',
      status: 403,
      body: { code, message: 'Not now' },
      times: 4,
    });
    expect(await refusalOf(banMany(made))).toMatchObject({ details: { reason } });
    expect(bans()).toEqual([]);
    stage.sandbox.control.clearFaults();
  }

  const again = await preview({ users: [...ids, 'nobody'].join('\n') });
  const [first = '', second = ''] = ids;
  // They rise above the bot meanwhile.
  stage.sandbox.control.members({ action: 'add_role', user: first, role: 'Admin', by: 'owner' });
  stage.sandbox.control.addFault({ route: `/guilds/*/bans/${second}`, method: 'PUT', status: 500 });
  const many = await banMany(again);
  expect(many).toMatchObject({ done: 3, failed: 1, unknown: 0, not_tried: 0 });
  expect(bans().toSorted()).toEqual(ids.slice(1).toSorted());
  const page = await pageOf(many.id, 2);
  expect(page.data).toMatchObject([
    {
      line: 1,
      user_id: first,
      spared: null,
      state: 'failed',
      error: expect.stringContaining('role'),
      case_number: null,
    },
    { line: 2, user_id: second, spared: null, state: 'done', error: null, case_number: expect.any(Number) },
  ]);
  const rest = await pageOf(many.id, 10, page.next_cursor ?? undefined);
  expect(rest.data.map(({ line, spared, state }) => [line, spared, state])).toEqual([
    [3, null, 'done'],
    [4, null, 'done'],
    [5, 'unreadable', null],
  ]);
  expect(rest.next_cursor).toBeNull();
  // A cursor that was made by hand can hold any place.
  const scope = { list: 'actions.people', guildId: stage.guildId, filters: { actionId: many.id } };
  const beyond = encodeCursor({ ...scope, after: `act_${'f'.repeat(32)}` });
  expect(await pageOf(many.id, 10, beyond)).toEqual({ data: [], next_cursor: null });
  expect((await pageOf(again.id, 10)).data).toHaveLength(5);
  // As where no worker took it up in time, for the last time.
  await rows("UPDATE actions SET state = 'cancelled' WHERE target_id = $1 AND request_id = $2", [
    first,
    many.id,
  ]);
  expect((await pageOf(many.id, 1)).data).toMatchObject([{ user_id: first, state: 'failed' }]);
});

test('whom the edge of Discord refuses for a moment is banned all the same', async () => {
  verifies('mass.fates', 'mass.effects');
  const ids = join(4);
  const made = await preview({ users: ids.join(' ') });
  const bansOf = { route: '/guilds/*/bans/*', method: 'PUT', status: 403 } as const;
  stage.sandbox.control.addFault({ ...bansOf, body: '<html>Access denied</html>', times: 2 });
  const code = RESTJSONErrorCodes.CloudflareIsBlockingYourRequest;
  stage.sandbox.control.addFault({
    ...bansOf,
    body: { code, message: 'Cloudflare is blocking your request' },
  });
  expect(await banMany(made)).toMatchObject({ done: 4, failed: 0, unknown: 0, not_tried: 0 });
  expect(bans().toSorted()).toEqual(ids.toSorted());
});

test('whom the edge of Discord refuses at each of five tries is not banned, and counts as failed', async () => {
  verifies('mass.fates', 'mass.effects');
  const [refused = '', other = ''] = join(2);
  const made = await preview({ users: `${refused} ${other}` });
  // As after four tries.
  await rows('UPDATE listed_people SET attempts = 4 WHERE user_id = $1', [refused]);
  const banOf = { route: `/guilds/*/bans/${refused}`, method: 'PUT', status: 403 } as const;
  stage.sandbox.control.addFault({ ...banOf, body: '<html>Access denied</html>', times: 1 });
  expect(await banMany(made)).toMatchObject({ done: 1, failed: 1, unknown: 0, not_tried: 0 });
  expect(bans()).toEqual([other]);
});

test('where Discord takes no more bans of people who left, the members are banned all the same', async () => {
  verifies('mass.fates', 'mass.effects');
  const [gone = '', ...members] = join(6);
  stage.sandbox.control.members({ action: 'leave', user: gone });
  const made = await preview({ users: [gone, ...members].join(' '), include_left: true });
  const code = RESTJSONErrorCodes.MaximumNumberOfNonGuildMemberBansHasBeenExceeded;
  stage.sandbox.control.addFault({
    route: `/guilds/*/bans/${gone}`,
    method: 'PUT',
    status: 400,
    body: { code, message: 'Maximum number of bans for non-guild members have been exceeded' },
    times: null,
  });
  const many = await banMany(made);
  expect(many).toMatchObject({ done: 5, failed: 1, unknown: 0, not_tried: 0 });
  expect(bans().toSorted()).toEqual(members.toSorted());
  const error = expect.stringContaining('no more bans of people who are not members');
  expect((await pageOf(many.id, 1)).data).toMatchObject([{ user_id: gone, state: 'failed', error }]);
});

test('a preview of more than an hour ago bans nobody, and a younger one those whom it names', async () => {
  verifies('mass.bound');
  const ids = join(2);
  const made = await preview({ users: ids.join(' ') });
  const madeBefore = (minutes: number) =>
    rows('UPDATE person_lists SET created_at = now() - make_interval(mins => $2) WHERE action_id = $1', [
      made.id,
      minutes,
    ]);
  await madeBefore(61);
  expect(await refusalOf(banMany(made))).toMatchObject({ details: { reason: 'PREVIEW_LAPSED' } });
  expect(bans()).toEqual([]);
  await madeBefore(55);
  expect(await banMany(made)).toMatchObject({ done: 2 });
  expect(bans().toSorted()).toEqual(ids.toSorted());
});

test('whom an undoing could not release is released by the next one, and nobody else is touched again', async () => {
  verifies('mass.undo');
  const [first = '', second = ''] = join(2);
  const many = await banMany(await preview({ users: `${first} ${second}` }));
  stage.sandbox.control.addFault({
    route: `/guilds/*/bans/${second}`,
    method: 'DELETE',
    status: 403,
    body: { code: 99_999, message: 'Refused' },
  });
  expect(await ended('bans.undo', 'owner', { massId: many.id })).toMatchObject({ done: 1, failed: 1 });
  expect(bans()).toEqual([second]);
  await stage.act('bans.undo', 'owner', { massId: many.id });
  await stage.sandbox.until(() => bans().length === 0);
  const lifted = stage.sandbox.requests.filter(
    ({ method, path }) => method === 'DELETE' && path.endsWith(`/bans/${first}`),
  );
  expect(lifted).toHaveLength(1);
});

test('a mass action is not undone while it runs', async () => {
  verifies('mass.undo');
  const [raider = ''] = join(1);
  const many = await banMany(await preview({ users: raider }));
  const mark = (text: string) => rows(`UPDATE actions SET ${text} WHERE id = $1`, [many.id]);
  await mark("state = 'running', lease_expires_at = now() + interval '1 hour', worker = 'another'");
  expect(await refusalOf(stage.act('bans.undo', 'owner', { massId: many.id }))).toMatchObject({
    details: { reason: 'STILL_RUNNING' },
  });
  expect(bans()).toEqual([raider]);
  await mark("state = 'done', lease_expires_at = NULL, worker = NULL");
  await ended('bans.undo', 'owner', { massId: many.id });
});

/** Holds the next ban of this person at Discord. */
const holdBan = (user: string) =>
  stage.sandbox.control.addFault({ route: `/guilds/*/bans/${user}`, method: 'PUT', held: true });
const fatesOf = async ({ id }: Many) =>
  (await pageOf(id, 10)).data.map(({ spared, state, error }) => ({ spared, state, error }));
const LEFT_ALONE = { spared: 'already', state: null, error: null };

test('whom a moderator bans before their turn keeps that ban, also when the mass ban is undone', async () => {
  verifies('mass.effects', 'mass.undo', 'bot.never-undo-foreign');
  const ids = join(5);
  const last = ids.at(-1) ?? '';
  const made = await preview({ users: ids.join(' ') });
  for (const user of ids.slice(0, 3)) holdBan(user);
  const banning = banMany(made, { duration_minutes: 60 });
  await stage.row("SELECT FROM actions WHERE target_id = $1 AND operation = 'bans.add'", [ids[2]]);
  stage.sandbox.control.bans({ user: last, by: 'owner', reason: 'Their own doing' });
  await stage.row('SELECT FROM cases WHERE user_id = $1', [last]);
  stage.sandbox.control.clearFaults();
  const many = await banning;
  expect(many).toMatchObject({ done: 4, failed: 0, unknown: 0, not_tried: 0 });
  expect((await fatesOf(many)).at(-1)).toEqual(LEFT_ALONE);
  const cases = () => rows('SELECT reason, ended_at, expires_at FROM cases WHERE user_id = $1', [last]);
  const theirs = [{ reason: 'Their own doing', ended_at: null, expires_at: null }];
  expect(await cases()).toEqual(theirs);
  expect(await ended('bans.undo', 'owner', { massId: many.id })).toMatchObject({ done: 4 });
  expect([bans(), await cases()]).toEqual([[last], theirs]);
});

test('a mass ban leaves a ban that was being given when their turn came', async () => {
  verifies('mass.effects', 'bot.never-undo-foreign');
  const [raider = ''] = join(1);
  const made = await preview({ users: raider });
  holdBan(raider);
  const given = stage.act('bans.add', 'owner', { user_id: raider, reason: 'Their own doing' });
  await stage.row(
    "SELECT FROM actions WHERE target_id = $1 AND operation = 'bans.add' AND state = 'running'",
    [raider],
  );
  const banning = banMany(made, { duration_minutes: 60 });
  await stage.row("SELECT FROM actions WHERE target_id = $1 AND actor_source = 'system'", [raider]);
  stage.sandbox.control.clearFaults();
  await given;
  const many = await banning;
  expect(many).toMatchObject({ done: 0, failed: 0, unknown: 0, not_tried: 0 });
  expect(await fatesOf(many)).toEqual([LEFT_ALONE]);
  expect(await rows('SELECT reason, ended_at FROM cases WHERE user_id = $1', [raider])).toEqual([
    { reason: 'Their own doing', ended_at: null },
  ]);
});

/** Begins to ban so many while Discord's limit on bans lasts. `limited` finds the bans that met it. */
async function banManyUnderLimit(people: number) {
  const made = await preview({ users: join(people).join(' ') });
  // As after four tries that failed for other reasons: the next one is the last that counts.
  await rows('UPDATE listed_people SET attempts = 4');
  stage.sandbox.control.addFault({
    route: '/guilds/*/bans/*',
    method: 'PUT',
    rate_limit: { retry_after: 65 },
    times: null,
  });
  return { banning: banMany(made), limited: "operation = 'bans.add' AND state = 'failed'" };
}

test('a limit of Discord is waited for, and is no failure of those who wait', async () => {
  verifies('mass.effects');
  const { banning, limited } = await banManyUnderLimit(5);
  await stage.row(`SELECT FROM actions WHERE ${limited} HAVING count(*) = 3`);
  // Another bot process, whose own memory of the limit is empty, when that is over.
  await stage.bot.stop();
  stage.sandbox.control.clearFaults();
  await rows(`UPDATE actions SET settled_at = settled_at - interval '70 seconds' WHERE ${limited}`);
  const again = await bot(stage.config);
  try {
    expect(await banning).toMatchObject({ done: 5, failed: 0, unknown: 0, not_tried: 0 });
    expect(bans()).toHaveLength(5);
    // Nobody else was handed out while the limit lasted.
    expect(await rows(`SELECT count(*)::int FROM actions WHERE ${limited}`)).toEqual([{ count: 3 }]);
  } finally {
    await again.stop();
  }
});

test('a longer limit of Discord is waited for an hour at a time, and for six hours in all', async () => {
  verifies('mass.effects');
  const { banning, limited } = await banManyUnderLimit(3);
  const tried = (times: number) =>
    stage.row(`SELECT FROM actions WHERE ${limited} HAVING count(*) >= $1`, [3 * times]);
  const began = (ago: string) =>
    rows("UPDATE actions SET created_at = now() - $1::interval WHERE operation = 'bans.many'", [ago]);
  await tried(1);
  await began('5 hours 50 minutes');
  await rows(
    `UPDATE actions SET settled_at = settled_at - interval '61 minutes',
       error = jsonb_set(error, '{details,retry_after_seconds}', '7200') WHERE ${limited}`,
  );
  await tried(2);
  await began('6 hours 10 minutes');
  expect(await banning).toMatchObject({ done: 0, failed: 3, unknown: 0, not_tried: 0 });
  stage.sandbox.control.clearFaults();
});

const OF_TEN = 10;

/** A preview of new people, who cannot be banned until the faults are cleared. */
async function held(by: string): Promise<Preview> {
  const made = await preview({ users: join(OF_TEN).join(' ') }, by);
  stage.sandbox.control.addFault({ route: '/guilds/*/bans/*', method: 'PUT', held: true, times: null });
  return made;
}

/** Lets the mass ban go on once a ban is at Discord and then what lets it go on is gone. Returns how it ended. */
async function endedWithout(right: () => Promise<unknown>): Promise<Many> {
  await stage.sandbox.until(() =>
    stage.sandbox.requests.some(
      ({ method, path, status }) => method === 'PUT' && path.includes('/bans/') && status === null,
    ),
  );
  await right();
  stage.sandbox.control.clearFaults();
  const { result } = await stage.row<{ result: { many: Many } }>(
    "SELECT result FROM actions WHERE operation = 'bans.many' AND state = 'done'",
  );
  return result.many;
}

test('a mass ban ends with what is under way when its token is revoked', async () => {
  verifies('mass.effects', 'pipeline.recheck.token');
  const { id, secret } = await mint(stage, 'raid guard');
  await openWindow(stage.engine.db, ownerOf(stage.sandbox), id, 15);
  const made = await held('owner');
  const body = { preview_id: made.id, count: made.count, reason: 'Raid' };
  const call = overToken(stage, secret, { operation: 'bans.many', body });
  const many = await endedWithout(() => revokeToken(stage.engine.db, ownerOf(stage.sandbox), id));
  await call;
  expect(many.done).toBeLessThanOrEqual(3);
  expect(many.done + many.not_tried).toBe(OF_TEN);
  expect(bans()).toHaveLength(many.done);
  const states = (await pageOf(many.id, OF_TEN)).data.map(({ state }) => state);
  expect(states.filter((state) => state === 'done')).toHaveLength(many.done);
  expect(states.filter((state) => state === 'not_tried')).toHaveLength(many.not_tried);
});

test('a mass ban ends with what is under way when who asked for it may ban nobody any more', async () => {
  verifies('mass.effects', 'pipeline.recheck.token');
  const made = await held('moderator');
  const call = banMany(made, {}, 'moderator');
  const many = await endedWithout(() => rows('DELETE FROM role_grants'));
  await call;
  expect(many.done).toBeLessThanOrEqual(3);
  expect(many.done + many.not_tried).toBe(OF_TEN);
});

/** Begins an undoing, which cannot release this person yet. */
async function undoWithout(user: string, operation: 'bans.undo' | 'mutes.undo', massId: string) {
  const [path, method] =
    operation === 'bans.undo' ? (['bans', 'DELETE'] as const) : (['members', 'PATCH'] as const);
  stage.sandbox.control.addFault({ route: `/guilds/*/${path}/${user}`, method, status: 503, times: null });
  const undone = ended(operation, 'owner', { massId });
  undone.catch(() => {});
  await stage.row(
    "SELECT FROM actions WHERE target_id = $1 AND operation LIKE '%.lift' AND state = 'failed'",
    [user],
  );
  return { undone };
}

test('an undoing that could not lift a ban leaves the one that a moderator has given meanwhile', async () => {
  verifies('mass.undo');
  const [first = '', second = ''] = join(2);
  const many = await banMany(await preview({ users: `${first} ${second}` }));
  const { undone } = await undoWithout(second, 'bans.undo', many.id);
  await stage.act('bans.add', 'owner', { user_id: second, reason: 'Their own doing' });
  stage.sandbox.control.clearFaults();
  expect(await undone).toMatchObject({ done: 1, failed: 0, unknown: 0, not_tried: 0 });
  expect(bans()).toEqual([second]);
});

test('an undoing leaves a ban that was being given when it began', async () => {
  verifies('mass.undo');
  const [raider = ''] = join(1);
  const many = await banMany(await preview({ users: raider }));
  stage.sandbox.control.addFault({ route: `/guilds/*/bans/${raider}`, method: 'PUT', held: true });
  const given = stage.act('bans.add', 'owner', { user_id: raider, reason: 'Their own doing' });
  await stage.row(
    "SELECT FROM actions WHERE target_id = $1 AND operation = 'bans.add' AND state = 'running'",
    [raider],
  );
  const undone = ended('bans.undo', 'owner', { massId: many.id });
  await stage.row("SELECT FROM actions WHERE target_id = $1 AND operation = 'bans.lift'", [raider]);
  stage.sandbox.control.clearFaults();
  await given;
  expect(await undone).toMatchObject({ done: 0, unknown: 0, not_tried: 0 });
  expect(bans()).toEqual([raider]);
});

test('an undoing that is stopped while a limit keeps the bot from reading what was done by hand ends', async () => {
  verifies('mass.undo', 'action.stop');
  spoil();
  const [raider = ''] = join(1);
  const many = await banMany(await preview({ users: raider }));
  stage.sandbox.control.addFault({
    route: '/guilds/*/audit-logs',
    method: 'GET',
    rate_limit: { retry_after: 600 },
    times: null,
  });
  const { status, body } = await stage.act('bans.undo', 'owner', { massId: many.id });
  expect(status).toBe(202);
  const { action } = body as { action: { id: string } };
  await stage.act('actions.stop', 'owner', { actionId: action.id });
  const over = await stage.row<{ error: object }>(
    "SELECT error FROM actions WHERE id = $1 AND state = 'failed'",
    [action.id],
  );
  expect(over.error).toMatchObject({ details: { reason: 'STOPPED' } });
  expect(bans()).toEqual([raider]);
});

test('an undoing leaves a timeout that a moderator has set by hand while no bot ran', async () => {
  verifies('mass.undo', 'bot.never-undo-foreign');
  const { control } = stage.sandbox;
  const [first = '', second = ''] = join(2);
  const made = await preview({ users: `${first} ${second}` }, 'owner', 'mutes');
  const input = { preview_id: made.id, count: 2, reason: 'Raid', duration_minutes: 30 };
  const many = await ended('mutes.many', 'owner', input);
  await undoWithout(second, 'mutes.undo', many.id);
  await stage.bot.stop();
  // Another try that nobody has taken up comes too late.
  await rows("UPDATE actions SET claim_by = now() - interval '1 minute' WHERE state = 'pending'");
  control.members({ action: 'timeout', user: second, minutes: 10_080, by: 'owner' });
  control.clearFaults();
  // For a while nobody can read what happened.
  control.addFault({ route: '/guilds/*/audit-logs', method: 'GET', status: 500, times: 4 });
  const again = await bot(stage.config);
  try {
    await stage.row("SELECT FROM actions WHERE operation = 'mutes.undo' AND state = 'done'");
    const found = guild().members.find(({ user_id }) => user_id === second);
    const leftMinutes = (Date.parse(found?.communication_disabled_until ?? '') - Date.now()) / 60_000;
    expect(leftMinutes).toBeGreaterThan(10_000);
    await stage.row('SELECT FROM cases WHERE user_id = $1 AND ended_at IS NULL AND issued_by = $2', [
      second,
      has('owner'),
    ]);
  } finally {
    await again.stop();
  }
});
