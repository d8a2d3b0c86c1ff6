import { ApiError } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { expect, test } from 'vitest';
import { explain } from '#src/chat/explain.ts';
import { createLog } from '#src/log.ts';
import { startUpkeep } from '#src/upkeep.ts';
import { type ChatStage, chatGuildForEachTest } from './chat-harness.ts';

let stage: ChatStage;
const { spoil } = chatGuildForEachTest(
  { Moderator: ['appeals.read', 'appeals.write', 'bans.write', 'mutes.write', 'strikes.write'] },
  (next) => {
    stage = next;
  },
);

const rows = async (text: string, ...values: unknown[]) =>
  (await stage.test.database.pool.query(text, values)).rows;
const idOf = (name: string) => stage.people[name] ?? '';

/** Lets people appeal everything, and has the appeals posted. */
async function takeAppeals(votesNeeded = 0): Promise<void> {
  await rows(
    `INSERT INTO appeal_settings (guild_id, kinds, questions, votes_needed, channel_id)
     VALUES ($1, '{ban,mute,strike,warning}', '{"Why @everyone?"}', $2, $3)`,
    stage.guildId,
    votesNeeded,
    stage.sandbox.channels.mod_log,
  );
}

/** The latest case of the troll is appealed, as on the page. Returns the id of the appeal. */
async function appealed(
  answer = 'It was <@&1> a joke.',
  otherQuestions: readonly string[] = [],
): Promise<string> {
  const { id: named } = await stage.row<{ id: string }>(
    'SELECT id FROM cases WHERE guild_id = $1 AND user_id = $2 ORDER BY case_number DESC LIMIT 1',
    [stage.guildId, idOf('troll')],
  );
  const questions = ['Why @everyone?', ...otherQuestions];
  const appeal = { named, questions, answers: questions.map(() => answer), language: 'de' };
  await rows('SELECT file_appeal($1)', { ...appeal, request_id: 'req_1', actor_user_id: idOf('troll') });
  const { id } = await stage.row<{ id: string }>('SELECT id FROM appeals WHERE case_id = $1', [named]);
  return id;
}

type State = ReturnType<ChatStage['sandbox']['getState']>;
type Posted = State['guilds'][number]['channels'][number]['messages'][number];

/** The message of an appeal, once it looks as it should. */
const posted = (appealId: string, isReady: (message: Posted) => boolean = () => true) =>
  stage.sandbox.until((state) =>
    state.guilds
      .flatMap(({ channels }) => channels)
      .flatMap(({ messages }) => messages)
      .find((message) => message.embeds[0]?.footer?.text === appealId && isReady(message)),
  );
const press = async (appealId: string, button: string, user = 'moderator', locale = 'en-US') =>
  stage.does({
    type: 'button',
    user,
    locale,
    message_id: (await posted(appealId)).id,
    custom_id: `appeal:${button}:${appealId}`,
  });
const stateOf = async (id: string) =>
  (await rows('SELECT state, decided_by FROM appeals WHERE id = $1', id))[0];
const told = () =>
  stage.sandbox.getState().dms.find(({ user_id }) => user_id === idOf('troll'))?.messages ?? [];
const untilTold = (part: string) =>
  stage.sandbox.until(() => told().find(({ content }) => content.includes(part))?.content);
const isDecided = ({ components }: Posted) => components.length === 0;

test('an appeal is posted with buttons, votes show on it, and accepting lifts the ban', async () => {
  verifies('appeals.posted', 'appeals.vote', 'appeals.accepted-by-lifting');
  await takeAppeals();
  await stage.says('moderator', 'ban', { user: 'troll', reason: 'Enough' });
  const id = await appealed();
  const message = await posted(id);
  expect(JSON.stringify(message.embeds)).toContain('It was <@&1> a joke.');
  // The record of the case says all that does not fit here.
  const record = `${stage.engine.dashboardUrl}/guilds/${stage.guildId}/appeals/1`;
  expect(message.embeds[0]?.description).toMatch(new RegExp(`${record}(?!\\d)`));
  expect([message.mention_everyone, message.mentions]).toEqual([false, []]);
  expect((await press(id, 'against')).message?.content).toBe('Your vote is counted.');
  await posted(id, ({ embeds }) => JSON.stringify(embeds).includes('0 for, 1 against'));
  expect((await press(id, 'for')).message?.content).toBe('Your vote is counted.');
  await posted(id, ({ embeds }) => JSON.stringify(embeds).includes('1 for, 0 against'));
  expect(await stateOf(id)).toMatchObject({ state: 'in_review' });
  expect((await press(id, 'accept')).message?.content).toMatch(/^Done\. Lift/);
  expect(await stateOf(id)).toMatchObject({ state: 'accepted', decided_by: idOf('moderator') });
  const guild = stage.sandbox.getState().guilds.find(({ id: each }) => each === stage.guildId);
  expect(guild?.bans).toEqual([]);
  const decided = `Accepted, by <@${idOf('moderator')}>`;
  expect((await posted(id, isDecided)).embeds[0]?.fields).toContainEqual(
    expect.objectContaining({ value: decided }),
  );
});

test('an accepted appeal is on record in the language of the guild, whatever the moderator speaks', async () => {
  verifies('appeals.accepted-by-lifting');
  await takeAppeals();
  await rows("UPDATE guilds SET language = 'de' WHERE id = $1", stage.guildId);
  await stage.says('moderator', 'ban', { user: 'troll', reason: 'Genug' });
  const id = await appealed();
  const { message } = await press(id, 'accept', 'moderator', 'fr');
  expect(message?.content).toMatch(/^C’est fait\./);
  expect(await rows('SELECT end_reason FROM cases WHERE user_id = $1', idOf('troll'))).toEqual([
    { end_reason: 'Einspruch angenommen' },
  ]);
});

test('an imported ban that does not stand at Discord ends when somebody lifts it, and so its appeal is accepted', async () => {
  verifies('appeals.accepted-by-lifting', 'imports.records-only');
  await takeAppeals();
  await rows(
    `INSERT INTO cases (id, guild_id, case_number, kind, user_id, issued_by, import_id)
     VALUES (new_id('ban'), $1, 900, 'ban', $2, $3, 'imp_1')`,
    stage.guildId,
    idOf('troll'),
    idOf('owner'),
  );
  const id = await appealed();
  expect((await press(id, 'accept')).message?.content).toMatch(/^Done\. Lift/);
  expect(await stateOf(id)).toMatchObject({ state: 'accepted', decided_by: idOf('moderator') });
  expect(await rows('SELECT ended_by, ended_at FROM cases WHERE user_id = $1', idOf('troll'))).toEqual([
    { ended_by: idOf('moderator'), ended_at: expect.any(Date) },
  ]);
  const ofGuild = stage.sandbox.requests.filter(({ path }) =>
    path.startsWith(`/guilds/${stage.guildId}/bans/`),
  );
  expect(ofGuild.map(({ method }) => method)).not.toContain('DELETE');
});

test('who accepts an appeal that the database does not give reads that it failed, and can accept it again', async () => {
  verifies('appeals.accepted-by-lifting');
  await takeAppeals();
  await stage.says('moderator', 'strike add', { user: 'troll', reason: 'Spam', severity: 'minor' });
  const id = await appealed();
  await posted(id);
  await rows('ALTER TABLE appeals RENAME TO out_of_order');
  const failed = await press(id, 'accept').finally(() => rows('ALTER TABLE out_of_order RENAME TO appeals'));
  expect(failed.message?.content).toMatch(/^Something went wrong on our side\..*\nRequest `req_/);
  expect((await press(id, 'accept')).message?.content).toMatch(/^Done\. Remove/);
});

test('who is refused reads what they lack, though the database does not say who could grant it', async () => {
  spoil();
  await rows('ALTER TABLE guilds RENAME TO out_of_order');
  const denied = new ApiError('CAPABILITY_DENIED', 'Denied.', { details: { missing: ['bans.write'] } });
  const refused = { guildId: stage.guildId, requestId: 'req_1', locale: 'en' } as const;
  const content = await explain(stage.engine, denied, refused, createLog('silent', []));
  expect(content).toMatch(/^Not done\. .*bans\.write.*\nRequest `req_1`$/);
});

test('an appeal of marks alone is posted too, within what Discord takes', async () => {
  verifies('appeals.posted');
  await takeAppeals();
  await rows(`UPDATE appeal_settings SET questions = '{"Why @everyone?","${'__'.repeat(100)}"}'`);
  await stage.says('moderator', 'ban', { user: 'troll', reason: '||'.repeat(250) });
  const id = await appealed('**'.repeat(1_000), ['__'.repeat(100)]);
  const [embed] = (await posted(id)).embeds;
  expect(Math.max(...(embed?.fields ?? []).map(({ value }) => value.length))).toBeGreaterThan(500);
  await press(id, 'refuse').then((form) => stage.fills('moderator', form, { reply: '~~'.repeat(500) }));
  await posted(id, isDecided);
});

test('of two moderators who accept at once both get an answer, and the ban is lifted once', async () => {
  verifies('appeals.accepted-by-lifting');
  await takeAppeals();
  await stage.says('moderator', 'ban', { user: 'troll', reason: 'Enough' });
  const id = await appealed();
  await posted(id);
  const answers = await Promise.all([press(id, 'accept'), press(id, 'accept', 'owner')]);
  const said = answers.map(({ message }) => message?.content ?? '');
  expect(said.filter((each) => each.startsWith('Done.'))).toHaveLength(1);
  expect(said.filter((each) => each.startsWith('Not done'))).toHaveLength(1);
  const lifted = await rows(
    "SELECT FROM actions WHERE operation = 'bans.lift' AND state = 'done' AND guild_id = $1",
    stage.guildId,
  );
  expect(lifted).toHaveLength(1);
});

test('a refusal in chat reaches the person in their language, with the answer and without a name', async () => {
  verifies('appeals.refuse', 'appeals.told', 'appeals.anonymous');
  await takeAppeals();
  await stage.says('moderator', 'strike add', { user: 'troll', reason: 'Spam', severity: 'minor' });
  const id = await appealed();
  const form = await press(id, 'refuse');
  expect(await stage.fills('moderator', form, { reply: 'Denk darüber nach.' })).toContain('is refused');
  const content = await untilTold('abgelehnt');
  expect(content).toContain('Denk darüber nach.');
  const [{ case_id }] = await rows('SELECT case_id FROM appeals WHERE id = $1', id);
  expect(content).toContain(`${stage.engine.dashboardUrl}/appeal/${case_id}`);
  expect(content).not.toContain(idOf('moderator'));
  await posted(id, isDecided);
  expect(told().filter(({ content }) => content.includes('abgelehnt'))).toHaveLength(1);
});

test('a refusal reaches the person without the answer where Discord blocks that', async () => {
  verifies('appeals.told');
  await takeAppeals();
  await stage.says('moderator', 'warn', { user: 'troll', reason: 'Noise' });
  const id = await appealed();
  stage.sandbox.control.addFault({
    ...{ method: 'POST', route: '/channels/*/messages', contains: 'scam.test', times: null },
    ...{ status: 400, body: { code: 240_000, message: 'Message blocked by harmful links filter' } },
  });
  const form = await press(id, 'refuse');
  await stage.fills('moderator', form, { reply: 'Siehe scam.test' });
  expect(await untilTold('abgelehnt')).toMatch(
    /\/appeal\/\w+.*\nDiscord lässt den Text der Moderatoren nicht zu/,
  );
});

test('removing a strike tells the person that their appeal is accepted', async () => {
  verifies('appeals.told', 'appeals.accepted-by-lifting');
  await takeAppeals();
  await stage.says('moderator', 'strike add', { user: 'troll', reason: 'Spam', severity: 'minor' });
  const id = await appealed();
  expect((await press(id, 'accept')).message?.content).toMatch(/^Done\./);
  expect(await untilTold('angenommen')).not.toContain(idOf('moderator'));
});

test('a button decides only with enough votes and for who may lift the case', async () => {
  verifies('appeals.refuse', 'appeals.vote');
  await takeAppeals(1);
  await stage.says('moderator', 'strike add', { user: 'troll', reason: 'Spam', severity: 'minor' });
  const id = await appealed();
  expect((await press(id, 'accept')).message?.content).toContain('Not enough moderators');
  expect((await press(id, 'for', 'helper')).message?.content).toMatch(/^Not done/);
  expect((await press(id, 'accept', 'helper')).message?.content).toMatch(/^Not done/);
  expect(await stateOf(id)).toMatchObject({ state: 'sent' });
  await press(id, 'for');
  expect((await press(id, 'accept')).message?.content).toMatch(/^Done\./);
});

test.each([
  ['mute', { duration: '2h', reason: 'Noise' }],
  ['warn', { reason: 'Noise' }],
])('accepting an appeal of a /%s ends its case', async (command, options) => {
  verifies('appeals.accepted-by-lifting');
  await takeAppeals();
  await stage.says('moderator', command, { user: 'troll', ...options });
  const id = await appealed();
  expect((await press(id, 'accept')).message?.content).toMatch(/^Done\./);
  expect(await stateOf(id)).toMatchObject({ state: 'accepted', decided_by: idOf('moderator') });
  expect(await rows('SELECT FROM cases WHERE guild_id = $1 AND ended_at IS NULL', stage.guildId)).toEqual([]);
});

test('an appeal that Discord did not take is posted when something happens to it', async () => {
  verifies('appeals.posted');
  await takeAppeals();
  await stage.says('moderator', 'warn', { user: 'troll', reason: 'Noise' });
  const body = { message: 'Missing Permissions', code: 50_013 };
  const route = `/channels/${stage.sandbox.channels.mod_log}/messages`;
  stage.sandbox.control.addFault({ method: 'POST', route, status: 403, body });
  const id = await appealed();
  await stage.row(
    `SELECT FROM appeals WHERE id = $1 AND channel_id IS NULL AND busy_until IS NULL
     AND NOT EXISTS (SELECT FROM graphile_worker.jobs WHERE key = 'post_appeal:' || appeals.id)`,
    [id],
  );
  await stage.act('appeals.vote', 'moderator', { appealId: id, vote: 'for' });
  await posted(id);
});

test('the post of an appeal says that it is over once its mute has run out, and has no buttons any more', async () => {
  verifies('appeals.posted');
  await takeAppeals();
  await stage.says('moderator', 'mute', { user: 'troll', duration: '2h', reason: 'Noise' });
  const id = await appealed();
  expect((await posted(id)).embeds[0]?.fields).toContainEqual(expect.objectContaining({ value: 'New' }));
  const settled = 'SELECT FROM appeals WHERE id = $1 AND message_id IS NOT NULL AND busy_until IS NULL';
  await stage.row(settled, [id]);
  await rows("UPDATE cases SET expires_at = now() - interval '1 second' WHERE guild_id = $1", stage.guildId);
  // Discord has ended the mute by itself, and the job that finds that has not run yet.
  await rows("SELECT graphile_worker.add_job('post_appeal', json_build_object('appeal_id', $1::text))", id);
  const { embeds } = await posted(id, isDecided);
  expect(embeds[0]?.fields).toContainEqual(expect.objectContaining({ value: 'Over: the case has ended' }));
});

test('an appeal that Discord refused for a moment is posted', async () => {
  verifies('appeals.posted');
  await takeAppeals();
  await stage.says('moderator', 'warn', { user: 'troll', reason: 'Noise' });
  const body = { message: '404: Not Found', code: 0 };
  const route = `/channels/${stage.sandbox.channels.mod_log}/messages`;
  stage.sandbox.control.addFault({ method: 'POST', route, status: 404, body });
  await posted(await appealed());
});

test('an appeal whose post Discord did not confirm has one post, which shows the votes since', async () => {
  verifies('appeals.posted');
  await takeAppeals();
  await stage.says('moderator', 'warn', { user: 'troll', reason: 'Noise' });
  const route = `/channels/${stage.sandbox.channels.mod_log}/messages`;
  stage.sandbox.control.addFault({ when: 'after', method: 'POST', route, socket: 'reset', times: 2 });
  const id = await appealed();
  const { id: messageId } = await posted(id);
  await rows('UPDATE appeal_settings SET channel_id = $1', stage.sandbox.channels.general);
  await stage.act('appeals.vote', 'moderator', { appealId: id, vote: 'for' });
  await posted(
    id,
    ({ embeds }) => embeds[0]?.fields?.some(({ value }) => /\b1\b.*\b0\b/.test(value)) === true,
  );
  const all = stage.sandbox
    .getState()
    .guilds.flatMap(({ channels }) => channels.flatMap(({ messages }) => messages))
    .filter(({ embeds }) => embeds[0]?.footer?.text === id);
  expect(all.map(({ id }) => id)).toEqual([messageId]);
});

test('an appeal that a bot was posting when it died has one post, once a bot starts', async () => {
  verifies('appeals.posted');
  await takeAppeals();
  await stage.says('moderator', 'warn', { user: 'troll', reason: 'Noise' });
  const id = await appealed();
  const { id: messageId } = await posted(id);
  const isSettled = 'SELECT FROM appeals WHERE id = $1 AND message_id = $2 AND busy_until IS NULL';
  await stage.row(isSettled, [id, messageId]);
  // As it is between the post and its record.
  await rows(
    "UPDATE appeals SET message_id = NULL, busy_until = now() - interval '1 minute' WHERE id = $1",
    id,
  );
  const { signal } = new AbortController();
  const { engine } = stage;
  await startUpkeep({ engine, log: createLog('silent', []), auditReadRetentionDays: 30, signal });
  await stage.row(isSettled, [id, messageId]);
});

test('nobody accepts their own appeal, whatever they may do', async () => {
  verifies('appeals.accepted-by-lifting');
  await takeAppeals();
  await stage.says('moderator', 'warn', { user: 'troll', reason: 'Noise' });
  const id = await appealed();
  stage.sandbox.control.members({ action: 'add_role', user: 'troll', role: 'Moderator', by: 'owner' });
  await stage.row('SELECT FROM members WHERE user_id = $1', [idOf('troll')]);
  expect((await press(id, 'accept', 'troll')).message?.content).toMatch(/^Not done\. .*yourself/);
  expect(await stateOf(id)).toMatchObject({ state: 'sent' });
});

test('an appeal is refused without an answer too', async () => {
  verifies('appeals.refuse');
  await takeAppeals();
  await stage.says('moderator', 'warn', { user: 'troll', reason: 'Noise' });
  const id = await appealed();
  const said = await stage.fills('moderator', await press(id, 'refuse'), { reply: ' ' });
  expect(said).toMatch(/^The appeal against case #1 is refused/);
  expect(await rows('SELECT state, reply FROM appeals WHERE id = $1', id)).toEqual([
    { state: 'refused', reply: null },
  ]);
});

test('a button says nothing about an appeal to who may do nothing about it, and opens no form for them', async () => {
  verifies('appeals.refuse', 'appeals.vote');
  await takeAppeals(3);
  await stage.says('moderator', 'strike add', { user: 'troll', reason: 'Spam', severity: 'minor' });
  const id = await appealed();
  for (const button of ['accept', 'refuse', 'for']) {
    expect((await press(id, button, 'helper')).message?.content, button).toContain('needs the capability');
  }
});

test.each(['is no moderator', 'is a moderator', 'is a moderator who is away'])(
  'the post names who decided, unless its person may read it sooner or later: one who %s',
  async (who) => {
    verifies('appeals.anonymous', 'appeals.posted');
    await takeAppeals();
    await stage.says('moderator', 'strike add', { user: 'troll', reason: 'Spam', severity: 'minor' });
    if (who === 'is a moderator who is away') {
      await stage.says('moderator', 'strike add', { user: 'newcomer', reason: 'Spam', severity: 'minor' });
      await rows('UPDATE cases SET issued_by = $1 WHERE user_id = $2', idOf('troll'), idOf('newcomer'));
    }
    if (who === 'is a moderator') {
      stage.sandbox.control.members({ action: 'add_role', user: 'troll', role: 'Helper', by: 'owner' });
      await stage.row('SELECT FROM members WHERE user_id = $1', [idOf('troll')]);
    }
    const id = await appealed();
    await stage.fills('moderator', await press(id, 'refuse'), { reply: 'No.' });
    const { embeds } = await posted(id, isDecided);
    expect(JSON.stringify(embeds).includes(idOf('moderator'))).toBe(who === 'is no moderator');
  },
);

test('a vote while the post of its appeal is being sent is shown a moment later', async () => {
  verifies('appeals.posted');
  await takeAppeals();
  await stage.says('moderator', 'strike add', { user: 'troll', reason: 'Spam', severity: 'minor' });
  const id = await appealed();
  await posted(id);
  await stage.row('SELECT FROM appeals WHERE id = $1 AND message_id IS NOT NULL AND busy_until IS NULL', [
    id,
  ]);
  await rows("UPDATE appeals SET busy_until = clock_timestamp() + interval '1 hour' WHERE id = $1", id);
  await press(id, 'for');
  await stage.row('SELECT FROM graphile_worker.jobs WHERE key = $1 AND run_at > now()', [
    `post_appeal:${id}`,
  ]);
  await rows('UPDATE appeals SET busy_until = NULL WHERE id = $1', id);
  await posted(id, ({ embeds }) => JSON.stringify(embeds).includes('1 for, 0 against'));
});

test('a decision that cannot be told at once is told later', async () => {
  verifies('appeals.told');
  // No conversation with the bot begins for a while.
  spoil();
  await takeAppeals();
  await rows('UPDATE guilds SET notifies_targets = false WHERE id = $1', stage.guildId);
  await stage.says('moderator', 'strike add', { user: 'troll', reason: 'Spam', severity: 'minor' });
  const id = await appealed();
  const body = { message: 'You are opening direct messages too fast.', code: 40003 };
  const route = '/users/@me/channels';
  stage.sandbox.control.addFault({ method: 'POST', route, status: 403, body, times: null });
  expect((await press(id, 'accept')).message?.content).toMatch(/^Done\./);
  const told = await stage.row<{ waiting: number }>(
    `SELECT count(*)::int AS waiting FROM graphile_worker.jobs WHERE task_identifier = 'tell_appeal'
     HAVING count(*) FILTER (WHERE attempts = 0 OR locked_at IS NOT NULL) = 0`,
  );
  expect(told.waiting).toBe(1);
  stage.sandbox.control.clearFaults();
});
