import { callOf, type InputOf } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { type Database, openDatabase } from '@bailiff/prisma';
import { createTestDatabase, LONG_LIMITS, type TestDatabase } from '@bailiff/prisma/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { appealFile, listAppeals } from '#src/appeals/appeal-list.ts';
import {
  claimAppealPost,
  leaveAppealPost,
  postUnfinishedAppeals,
  settleAppealPost,
} from '#src/appeals/appeal-posts.ts';
import { endLapsedAppeals } from '#src/appeals/appeals.ts';
import { fileAppeal, listOwnCases, ownCase } from '#src/appeals/own-appeals.ts';
import { appealSettings, updateAppealSettings } from '#src/appeals/settings.ts';
import type { DashboardCall } from '#src/calls/dashboard-call.ts';
import { readForPage } from '#src/calls/read-call.ts';
import { performForPerson } from '#src/calls/write-call.ts';
import { createWaiters } from '#src/database/waiters.ts';
import type { Engine } from '#src/engine.ts';
import { giveTime, grantRole, type SeededGuild, seedGuild, signedIn, snowflake } from '#src/testing.ts';

const QUESTIONS = ['Why should it be lifted?', 'What will you do otherwise?'];
const ANSWERS = ['My account was stolen.', 'I have a second factor now.'];
/** What a web process under foreign control can send in place of answers. */
const NO_TEXT: string[] = JSON.parse('[null, null]');
const SETTINGS = {
  kinds: ['ban', 'mute', 'strike'] as const,
  introduction: 'Be honest.',
  questions: QUESTIONS,
  cooldown_days: 30,
  votes_needed: 0,
  channel_id: null,
};

let database: TestDatabase;
let db: Database;
/** The login of the process that is reachable from the internet. */
let web: Database;
let engine: Engine;
let guild: SeededGuild;
let person: string;
let call: DashboardCall;
let ban: string;

beforeAll(() => giveTime('database'));
beforeAll(async () => {
  database = await createTestDatabase();
  db = database.database;
  web = openDatabase(database.processUrls.web, { ...LONG_LIMITS, applicationName: 'web' });
  engine = { db: web, waiters: createWaiters(), dashboardUrl: 'http://localhost:3000' };
});
afterAll(async () => {
  await web.close();
  await database.drop();
});
beforeEach(async () => {
  guild = await seedGuild(db);
  await grantRole(db, guild, guild.moderatorRoleId, ['appeals.read', 'appeals.write', 'strikes.write']);
  person = snowflake();
  call = await signedIn(db, person);
  await updateAppealSettings(web, await signedIn(db, guild.ownerId), guild.id, {
    ...SETTINGS,
    kinds: [...SETTINGS.kinds],
  });
  ban = await open('ban', person);
});

const rows = async (text: string, ...values: unknown[]) => (await db.pool.query(text, values)).rows;

async function open(
  kind: 'ban' | 'mute' | 'strike' | 'warning',
  userId: string,
  where = guild,
): Promise<string> {
  const [row] = await rows(
    `SELECT id FROM open_case($1, $2::"CaseKind", $3, $4, 'Spam', $5, NULL, NULL)`,
    where.id,
    kind,
    kind.slice(0, 3),
    userId,
    where.moderatorId,
  );
  return row?.id;
}

const file = (named: string, by = call, questions = QUESTIONS, answers = ANSWERS) =>
  fileAppeal(web, by, named, { questions, answers, language: 'de' });
const stateOf = async (named = ban) => (await ownCase(web, person, named))?.state;
const appealOf = async (named = ban) => (await rows('SELECT * FROM appeals WHERE case_id = $1', named))[0];

async function act<N extends 'appeals.vote' | 'appeals.refuse' | 'strikes.remove'>(
  operation: N,
  input: InputOf<N>,
  userId = guild.moderatorId,
) {
  const { sessionProof, requestId, address } = await signedIn(db, userId);
  const actor = { source: 'dashboard', userId, sessionProof } as const;
  const made = { ...callOf(operation, input), guildId: guild.id, actor, requestId, address };
  return performForPerson(engine, made);
}

test('a person who is in no guild appeals once, and reads what becomes of it', async () => {
  verifies('appeals.file', 'appeals.settings');
  expect(await appealSettings(web, guild.id)).toEqual(SETTINGS);
  expect(await listOwnCases(web, person)).toMatchObject([
    {
      case_id: ban,
      guild_name: 'Seeded',
      kind: 'ban',
      introduction: 'Be honest.',
      questions: QUESTIONS,
      state: null,
    },
  ]);
  await file(ban);
  await file(ban, call, QUESTIONS, ['Another', 'answer']);
  expect(await listOwnCases(web, person)).toMatchObject([
    { state: 'sent', answers: QUESTIONS.map((question, n) => ({ question, answer: ANSWERS[n] })) },
  ]);
  const audit = await rows(
    "SELECT * FROM audit WHERE guild_id = $1 AND operation = 'appeals.file'",
    guild.id,
  );
  expect(audit).toMatchObject([{ actor_user_id: person, target_id: (await appealOf()).id, address: null }]);
});

test('a ban is listed however many strikes another guild has given since', async () => {
  verifies('appeals.file');
  const other = await seedGuild(db);
  await rows(
    `INSERT INTO appeal_settings (guild_id, kinds, questions) VALUES ($1, '{strike}', '{"Why?"}')`,
    other.id,
  );
  await rows(
    `SELECT open_case($1, 'strike', 'str', $2, 'Spam', $3, NULL, NULL, 'minor') FROM generate_series(1, 200)`,
    other.id,
    person,
    other.ownerId,
  );
  const listed = await listOwnCases(web, person);
  expect(listed.map(({ guild_id }) => guild_id).slice(0, 3)).toEqual([other.id, guild.id, other.id]);
  expect(listed).toHaveLength(200);
});

test('of two appeals at once one counts', async () => {
  verifies('appeals.file');
  await Promise.all([file(ban), file(ban), file(ban)]);
  expect(await rows('SELECT FROM appeals WHERE case_id = $1', ban)).toHaveLength(1);
});

test('nobody learns of a case that is not theirs to appeal', async () => {
  verifies('appeals.hidden');
  const other = snowflake();
  const theirs = await open('ban', other);
  const unappealable = await open('warning', person);
  const ended = await open('strike', person);
  await rows('UPDATE cases SET ended_at = now() WHERE id = $1', ended);
  const refusals = [];
  for (const named of [theirs, unappealable, ended, `ban_${'0'.repeat(32)}`]) {
    expect(await ownCase(web, person, named)).toBeNull();
    refusals.push(await file(named).catch(({ code, message }) => ({ code, message })));
  }
  expect(new Set(refusals.map((each) => JSON.stringify(each))).size).toBe(1);
  expect(refusals[0]).toMatchObject({ code: 'NOT_FOUND' });
  await rows('UPDATE guilds SET left_at = now() WHERE id = $1', guild.id);
  await expect(file(ban)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect([await ownCase(web, person, ban), await listOwnCases(web, person)]).toEqual([null, []]);
  expect(await rows('SELECT FROM appeals WHERE guild_id = $1', guild.id)).toEqual([]);
});

test('questions that have changed, a missing answer and one that is too long are not taken', async () => {
  verifies('appeals.limits');
  await expect(file(ban, call, ['Other?'], ['Yes'])).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  await expect(file(ban, call, QUESTIONS, ['One'])).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  await expect(file(ban, call, QUESTIONS, NO_TEXT)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  const long = ['x'.repeat(2_001), 'y'];
  await expect(file(ban, call, QUESTIONS, long)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  expect(await appealOf()).toBeUndefined();
});

test.each(['pending', 'running', 'unknown'])(
  'an appeal is not refused while somebody else lifts its case, or is about to, or may have: %s',
  async (state) => {
    verifies('appeals.refuse', 'appeals.accepted-by-lifting');
    await file(ban);
    const { id: appealId } = await appealOf();
    const lift = await doing('bans.lift', person, state);
    await isNotRefusedYet(appealId);
    await rows("UPDATE actions SET state = 'failed' WHERE id = $1", lift);
    await act('appeals.refuse', { appealId });
    expect(await stateOf()).toBe('refused');
  },
);

test.each([
  ['nobody looks for any more', "SET looked_at = 'infinity'"],
  ['is older than the case', "SET created_at = now() - interval '1 hour'"],
])(
  'a lifting of which nobody knows whether it happened, and which %s, keeps no appeal open',
  async (_which, so) => {
    await file(ban);
    await rows(`UPDATE actions ${so} WHERE id = $1`, await doing('bans.lift', person, 'unknown'));
    await act('appeals.refuse', { appealId: (await appealOf()).id });
    expect(await stateOf()).toBe('refused');
  },
);

test('an appeal is not refused while its ban is one of a mass ban that is being undone', async () => {
  verifies('appeals.refuse', 'appeals.accepted-by-lifting');
  await file(ban);
  const { id: appealId } = await appealOf();
  const listed = async (personAction: string, massId: string) => {
    const [list] = await rows(
      `INSERT INTO person_lists (action_id, guild_id, kind, people, taken_by)
       VALUES (new_id('act'), $1, 'ban', 1, $2) RETURNING action_id`,
      ...[guild.id, massId],
    );
    await rows(
      'INSERT INTO listed_people (list_id, place, line, user_id, action_id) VALUES ($1, 1, 1, $2, $3)',
      ...[list.action_id, person, personAction],
    );
  };
  const [masses, bans] = [
    [await doing('bans.many', null, 'done'), await doing('bans.many', null, 'done')],
    [await doing('bans.add', person, 'done'), await doing('bans.add', person, 'done')],
  ];
  for (const [place, each] of bans.entries()) await listed(each, masses[place] ?? '');
  await rows('UPDATE cases SET action_id = $2 WHERE id = $1', ban, bans[0]);
  await doing('bans.undo', masses[1] ?? '', 'running');
  const undo = await doing('bans.undo', masses[0] ?? '', 'pending');
  await isNotRefusedYet(appealId);
  await rows("UPDATE actions SET state = 'running' WHERE id = $1", undo);
  await isNotRefusedYet(appealId);
  // That other mass ban has another ban of the person, which this one has replaced.
  await rows("UPDATE actions SET state = 'done' WHERE id = $1", undo);
  await act('appeals.refuse', { appealId });
  expect(await stateOf()).toBe('refused');
});

/** An action of the owner on somebody or something. */
async function doing(operation: string, targetId: string | null, state: string): Promise<string> {
  const [action] = await rows(
    `INSERT INTO actions (guild_id, operation, input, digest, target_id, state, actor_source, actor_user_id, request_id,
     claim_by) VALUES ($1, $2, '{}', '', $3, $4::"ActionState", 'chat', $5, 'req_lift', now()) RETURNING id`,
    ...[guild.id, operation, targetId, state, guild.ownerId],
  );
  return action.id;
}

async function isNotRefusedYet(appealId: string): Promise<void> {
  await expect(act('appeals.refuse', { appealId })).rejects.toMatchObject({
    details: { reason: 'STILL_RUNNING' },
  });
  expect(await stateOf()).toBe('sent');
}

test('somebody whose appeal was refused waits before the next one, and nobody sends more than five a day', async () => {
  verifies('appeals.limits', 'appeals.refuse');
  await file(ban);
  await act('appeals.refuse', { appealId: (await appealOf()).id, reply: 'Not yet.' });
  expect(await ownCase(web, person, ban)).toMatchObject({ state: 'refused', reply: 'Not yet.' });
  const strike = await open('strike', person);
  await expect(file(strike)).rejects.toMatchObject({ details: { reason: 'APPEAL_TOO_SOON' } });
  await rows("UPDATE appeals SET decided_at = now() - interval '31 days' WHERE case_id = $1", ban);
  await file(strike);
  for (const _ of [3, 4, 5]) await file(await open('strike', person));
  const sixth = await open('strike', person);
  await expect(file(sixth)).rejects.toMatchObject({ details: { reason: 'APPEAL_LIMIT' } });
  await rows("UPDATE appeals SET sent_at = now() - interval '2 days' WHERE user_id = $1", person);
  await file(sixth);
});

/** An appeal of the person that another guild has just refused. */
async function refusedElsewhere(): Promise<void> {
  const elsewhere = await seedGuild(db);
  await rows(
    `WITH opened AS (SELECT id FROM open_case($1, 'ban', 'ban', $2, 'Spam', $3, NULL, NULL))
     INSERT INTO appeals (guild_id, case_id, user_id, language, answers, state, decided_at, decided_by)
     SELECT $1, id, $2, 'en', '[]', 'refused', now(), $3 FROM opened`,
    elsewhere.id,
    person,
    elsewhere.moderatorId,
  );
}

test('whose appeal was refused in one guild may send one to another', async () => {
  verifies('appeals.limits');
  await refusedElsewhere();
  await file(ban);
  expect(await stateOf()).toBe('sent');
});

test('whose appeal was refused in one guild is not shown as having to wait in another', async () => {
  verifies('appeals.limits');
  await refusedElsewhere();
  expect(await ownCase(web, person, ban)).toMatchObject({ waits_until: null });
});

test('five hundred appeals may wait in a guild, and who sends another one is told to come back', async () => {
  verifies('appeals.limits');
  for (const table of ['cases', 'appeals']) await rows(`ALTER TABLE ${table} DISABLE TRIGGER USER`); // nothing is posted
  const waiting = (from: number, to: number) =>
    rows(
      `WITH appealed AS (
         INSERT INTO cases (id, guild_id, case_number, kind, user_id, issued_by)
         SELECT 'old_' || $1 || n, $1, -n, 'strike', 'p' || n, 'm' FROM generate_series($2::int, $3::int) AS n
         RETURNING id, user_id)
       INSERT INTO appeals (guild_id, case_id, user_id, language, answers)
       SELECT $1, id, user_id, 'en', '[]' FROM appealed`,
      guild.id,
      from,
      to,
    );
  await waiting(1, 499);
  for (const table of ['cases', 'appeals']) await rows(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
  await file(ban);
  await expect(file(await open('strike', person))).rejects.toMatchObject({
    details: { reason: 'APPEAL_LIMIT' },
  });
  await rows(
    "UPDATE appeals SET state = 'over', decided_at = now() WHERE guild_id = $1 AND user_id = 'p1'",
    guild.id,
  );
  await file(await open('strike', person));
});

test('votes put an appeal in review, and a refusal waits for as many as the guild wants', async () => {
  verifies('appeals.vote', 'appeals.refuse');
  await rows('UPDATE appeal_settings SET votes_needed = 2 WHERE guild_id = $1', guild.id);
  await file(ban);
  const { id: appealId } = await appealOf();
  await act('appeals.vote', { appealId, vote: 'for' });
  expect(await stateOf()).toBe('in_review');
  const voted = await act('appeals.vote', { appealId, vote: 'against' });
  expect(voted.body).toMatchObject({ appeal: { votes: { for: 0, against: 1 } } });
  await expect(act('appeals.refuse', { appealId })).rejects.toMatchObject({
    details: { reason: 'VOTES_NEEDED' },
  });
  await act('appeals.vote', { appealId, vote: 'against' }, guild.ownerId);
  await act('appeals.refuse', { appealId });
  await expect(act('appeals.refuse', { appealId }, guild.ownerId)).rejects.toMatchObject({
    details: { reason: 'APPEAL_DECIDED' },
  });
  await expect(act('appeals.vote', { appealId, vote: 'for' })).rejects.toMatchObject({
    details: { reason: 'APPEAL_DECIDED' },
  });
});

test('nobody decides about their own appeal, or without the capability', async () => {
  verifies('appeals.refuse');
  const strike = await open('strike', guild.moderatorId);
  await file(strike, await signedIn(db, guild.moderatorId));
  const { id: appealId } = await appealOf(strike);
  await expect(act('appeals.vote', { appealId, vote: 'for' })).rejects.toMatchObject({
    details: { reason: 'TARGET_IS_SELF' },
  });
  await expect(act('appeals.refuse', { appealId }, guild.memberId)).rejects.toMatchObject({
    code: 'CAPABILITY_DENIED',
  });
});

test('who removes the case accepts the appeal, and the person does not learn who', async () => {
  verifies('appeals.accepted-by-lifting', 'appeals.anonymous');
  const strike = await open('strike', person);
  await file(strike);
  await act('strikes.remove', { strikeId: strike, reason: 'A secret of the moderators' });
  expect(await appealOf(strike)).toMatchObject({ state: 'accepted', decided_by: guild.moderatorId });
  const seen = JSON.stringify(await ownCase(web, person, strike));
  expect(seen).toContain('accepted');
  expect(seen).not.toContain(guild.moderatorId);
  expect(seen).not.toContain('secret');
  const jobs = await rows(
    "SELECT FROM graphile_worker.jobs WHERE key = 'tell_appeal:' || $1",
    (await appealOf(strike)).id,
  );
  expect(jobs).toHaveLength(1);
});

test('a moderator who appealed their own case does not learn who decided, and the others do', async () => {
  verifies('appeals.anonymous');
  const strike = await open('strike', guild.moderatorId);
  await file(strike, await signedIn(db, guild.moderatorId));
  const { id: appealId } = await appealOf(strike);
  const answer = await act('appeals.refuse', { appealId, reply: 'No.' }, guild.ownerId);
  expect(answer).toMatchObject({ body: { appeal: { state: 'refused', reply: 'No.', decided_by: null } } });
  const readBy = async (userId: string) => {
    const capabilities = ['appeals.read'] as const;
    const viewer = { id: guild.id, userId, isOwner: userId === guild.ownerId, capabilities };
    const number = (await rows('SELECT case_number FROM cases WHERE id = $1', strike))[0].case_number;
    return [
      (await readForPage(web, viewer, 'appeals.get', { appealId })).decided_by,
      (await readForPage(web, viewer, 'appeals.list', { limit: 50 })).data.map((each) => each.decided_by),
      (await listAppeals(web, viewer, 'refused', { limit: 50 })).rows.map((each) => each.decided_by),
      (await appealFile(web, viewer, number))?.decided_by,
    ];
  };
  expect(await readBy(guild.moderatorId)).toEqual([null, [null], [null], null]);
  const named = guild.ownerId;
  expect(await readBy(guild.ownerId)).toEqual([named, [named], [named], named]);
});

test('the latest appeals are listed first, from either end', async () => {
  const filed = [];
  for (const kind of ['ban', 'mute', 'strike'] as const) {
    const named = kind === 'ban' ? ban : await open(kind, person);
    await file(named);
    filed.push((await appealOf(named)).id);
  }
  const [first, second, third] = filed;
  const viewer = {
    ...{ id: guild.id, userId: guild.ownerId, isOwner: true },
    capabilities: ['appeals.read'],
  } as const;
  const page = async (from: { before?: string; after?: string }) =>
    (await listAppeals(web, viewer, undefined, { limit: 1, ...from })).rows.map(({ id }) => id);
  expect([await page({}), await page({ before: third }), await page({ after: first })]).toEqual([
    [third],
    [second],
    [second],
  ]);
});

test('an appeal is accepted though its person stays banned in another guild', async () => {
  verifies('appeals.accepted-by-lifting');
  await open('ban', person, await seedGuild(db));
  await file(ban);
  await rows('UPDATE cases SET ended_at = now(), ended_by = $2 WHERE id = $1', ban, guild.ownerId);
  expect(await appealOf()).toMatchObject({ state: 'accepted', decided_by: guild.ownerId });
});

test('an appeal is over, and not accepted, when its ban runs out or is replaced', async () => {
  verifies('appeals.accepted-by-lifting');
  await file(ban);
  await rows("UPDATE cases SET expires_at = now() - interval '1 s', ended_at = now() WHERE id = $1", ban);
  expect(await appealOf()).toMatchObject({ state: 'over', decided_by: null });
  const second = await open('ban', person);
  await file(second);
  await rows(
    `WITH ended AS (SELECT end_cases_of($1, 'ban', $2, $3, 'Replaced', NULL, clock_timestamp(), true))
     SELECT open_case($1, 'ban', 'ban', $2, 'Again', $3, NULL, NULL) FROM ended`,
    guild.id,
    person,
    guild.ownerId,
  );
  expect(await appealOf(second)).toMatchObject({ state: 'over', decided_by: null });
});

test('a ban that ends in one guild stays in force in every other', async () => {
  const elsewhere = await seedGuild(db);
  const theirs = await open('ban', person, elsewhere);
  const ended = await rows(
    "SELECT id FROM end_cases_of($1, 'ban', $2, $3, 'Lifted', NULL, clock_timestamp(), true)",
    ...[guild.id, person, guild.ownerId],
  );
  expect(ended).toEqual([{ id: ban }]);
  expect(await rows('SELECT ended_at FROM cases WHERE id = $1', theirs)).toEqual([{ ended_at: null }]);
});

test('an unban by hand accepts an appeal, also in review, and a refused one stays refused', async () => {
  verifies('appeals.accepted-by-lifting');
  const lift = (id: string) =>
    rows('UPDATE cases SET ended_at = now(), ended_by = $2 WHERE id = $1', id, guild.ownerId);
  await file(ban);
  await act('appeals.vote', { appealId: (await appealOf()).id, vote: 'against' });
  expect(await stateOf()).toBe('in_review');
  await lift(ban);
  expect(await appealOf()).toMatchObject({ state: 'accepted', decided_by: guild.ownerId });
  const second = await open('ban', person);
  await file(second);
  await act('appeals.refuse', { appealId: (await appealOf(second)).id });
  await lift(second);
  expect(await stateOf(second)).toBe('refused');
});

test.each(['sent', 'in_review'])(
  'housekeeping ends the appeal against a mute that Discord has ended: %s',
  async (state) => {
    verifies('appeals.accepted-by-lifting');
    const mute = await open('mute', person);
    await file(mute);
    const { id: appealId } = await appealOf(mute);
    if (state === 'in_review') await act('appeals.vote', { appealId, vote: 'for' });
    await endLapsedAppeals(db);
    expect(await stateOf(mute)).toBe(state);
    await rows("UPDATE cases SET expires_at = now() - interval '1 s' WHERE id = $1", mute);
    // Nobody need decide about it any more, though nothing has noted that yet.
    await expect(act('appeals.refuse', { appealId })).rejects.toMatchObject({
      details: { reason: 'APPEAL_DECIDED' },
    });
    await endLapsedAppeals(db);
    expect(await stateOf(mute)).toBe('over');
  },
);

test('the web process acts only for those whose session it shows', async () => {
  verifies('appeals.walls');
  await expect(file(ban, { ...call, sessionProof: undefined })).rejects.toMatchObject({ code: '42501' });
  const other = await signedIn(db, snowflake());
  await expect(file(ban, { ...other, userId: person })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await file(ban);
  const { id } = await appealOf();
  for (const forged of ['SELECT refuse_appeal($1, NULL)', 'SELECT vote_on_appeal($1, true)']) {
    await expect(web.pool.query(forged, [id])).rejects.toMatchObject({ code: '42501' });
  }
  expect(await stateOf()).toBe('sent');
});

test('a message about an appeal follows it also after the guild has chosen no channel for appeals any more', async () => {
  verifies('appeals.settings');
  await file(ban);
  const { id: appealId } = await appealOf();
  const queued = () => rows('SELECT FROM graphile_worker.jobs WHERE key = $1', `post_appeal:${appealId}`);
  await act('appeals.vote', { appealId, vote: 'for' });
  expect(await queued()).toEqual([]);
  await rows(
    "UPDATE appeals SET channel_id = '834989431927603200', message_id = '1' WHERE id = $1",
    appealId,
  );
  await act('appeals.vote', { appealId, vote: 'against' });
  expect(await queued()).toHaveLength(1);
});

test('without a channel for appeals nobody posts one, and nobody tries again', async () => {
  await file(ban);
  const { id } = await appealOf();
  expect(await claimAppealPost(db, id)).toBeNull();
  expect(await claimAppealPost(db, id), 'as soon as a channel is chosen it can be posted').toBeNull();
});

test('forgetting a person deletes their appeals', async () => {
  verifies('appeals.forgotten');
  await file(ban);
  await act('appeals.vote', { appealId: (await appealOf()).id, vote: 'for' });
  await rows('SELECT forget_person($1)', person);
  expect(await appealOf()).toBeUndefined();
  expect(
    await rows(
      'SELECT FROM appeal_votes v JOIN appeals a ON a.id = v.appeal_id WHERE guild_id = $1',
      guild.id,
    ),
  ).toEqual([]);
});

test('one worker posts an appeal, for twenty seconds, and another one posts it when that worker has died', async () => {
  await updateAppealSettings(web, await signedIn(db, guild.ownerId), guild.id, {
    ...SETTINGS,
    kinds: [...SETTINGS.kinds],
    channel_id: '834989431927603200',
  });
  await file(ban);
  const { id } = await appealOf();
  const passes = (seconds: number) =>
    rows('UPDATE appeals SET busy_until = busy_until - make_interval(secs => $2) WHERE id = $1', id, seconds);
  const queued = async () => {
    await rows('DELETE FROM graphile_worker._private_jobs');
    await postUnfinishedAppeals(db);
    const jobs = await rows('SELECT key FROM graphile_worker.jobs');
    return jobs.some(({ key }) => key === `post_appeal:${id}`);
  };
  const post = { channelId: '834989431927603200', messageId: null };
  expect(await claimAppealPost(db, id)).toEqual({ ...post, beganBefore: false });
  await passes(15);
  expect([await claimAppealPost(db, id), await queued()]).toEqual(['busy', false]);
  await passes(10);
  expect(await queued()).toBe(true);
  expect(await claimAppealPost(db, id)).toEqual({ ...post, beganBefore: true });
  await settleAppealPost(db, id, '1');
  await leaveAppealPost(db, id, { mayBeThere: false });
  expect(await appealOf()).toMatchObject({ channel_id: post.channelId, message_id: '1' });
  expect([await claimAppealPost(db, id), await queued()]).toEqual([
    { ...post, messageId: '1', beganBefore: false },
    false,
  ]);
});
