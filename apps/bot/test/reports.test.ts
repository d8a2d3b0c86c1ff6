import { verifies } from '@bailiff/core/testing';
import { messagesOf } from '@bailiff/engine/cases/evidence';
import { expect, test } from 'vitest';
import { OpenReports } from '#src/chat/reports.ts';
import { type ChatStage, chatGuildForEachTest } from './chat-harness.ts';
import { acquaint, bot, newMember } from './harness.ts';
import { runJob } from './upkeep-support.ts';

let stage: ChatStage;
chatGuildForEachTest(
  { Moderator: ['reports.read', 'reports.write', 'strikes.read', 'strikes.write', 'bans.write'] },
  (made) => {
    stage = made;
  },
);

const guild = () => stage.sandbox.getState().guilds.find(({ id }) => id === stage.guildId);
const channel = (name: string) => guild()?.channels.find((each) => each.name === name);
const query = (text: string, values: unknown[] = []) => stage.test.database.pool.query(text, values);
const allowReports = () =>
  query('UPDATE guilds SET reports_channel_id = $2 WHERE id = $1', [stage.guildId, channel('mod-log')?.id]);
const directMessagesTo = (name: string) =>
  (stage.sandbox.getState().dms.find(({ user_id }) => user_id === stage.people[name])?.messages ?? []).map(
    ({ content }) => content,
  );

/** The post of the guild's report with this number, once it fits. */
async function postOf(number: number, fits: (text: string) => boolean = () => true) {
  const found = () =>
    channel('mod-log')?.messages.find(({ embeds }) => {
      const text = JSON.stringify(embeds);
      return text.includes(`"Report #${number}"`) && fits(text);
    });
  await stage.sandbox.until(() => found() !== undefined);
  const post = found();
  return { id: post?.id ?? '', text: JSON.stringify(post?.embeds), post };
}

type Rows = { readonly components: { readonly label: string; readonly custom_id: string }[] }[];
const shownButtonsOf = (post: { readonly components?: unknown } | undefined) =>
  ((post?.components ?? []) as Rows).flatMap(({ components }) => components);
const buttonsOf = (post: { readonly components?: unknown } | undefined) =>
  shownButtonsOf(post).map(({ custom_id }) => custom_id);

function written(
  user: string,
  files: { filename: string; base64: string }[] = [],
  content = 'You are all *idiots*',
): string {
  const { messages } = stage.sandbox.control.messages({ user, channel: 'general', content, files });
  return messages[0]?.id ?? '';
}

async function press(user: string, message_id: string, purpose: string) {
  const { post } = await stage.sandbox
    .until(() => channel('mod-log')?.messages.some(({ id }) => id === message_id) ?? false)
    .then(() => ({ post: channel('mod-log')?.messages.find(({ id }) => id === message_id) }));
  const custom_id = buttonsOf(post).find((id) => id.startsWith(`report:${purpose}:`)) ?? purpose;
  return stage.does({ type: 'button', user, message_id, custom_id, channel: 'mod-log' });
}

test('a reported message reaches the moderators, is claimed, acted on and closed, and who reported it is told', async () => {
  verifies('reports.message', 'reports.queue', 'reports.answer', 'reports.act');
  await allowReports();
  await query(
    "INSERT INTO known_names (user_id, username, display_name, guild_ids) VALUES ($1, 'x', 'GriefLord', ARRAY[$2])",
    [stage.people.troll, stage.guildId],
  );
  const files = [{ filename: 'proof.png', base64: Buffer.from('seen').toString('base64') }];
  const id = written('troll', files);
  const opened = await stage.picks('member', 'Report this message', id);
  const answer = await stage.fills('member', opened, { reason: 'Insults' });
  expect(answer).toMatch(/^Done\. Report #1 is with the moderators\. <@\d+> is not told of it/);

  const { id: postId, text, post } = await postOf(1);
  stage.sandbox.control.messages({ action: 'delete', user: 'troll', channel: 'general', message_id: id });
  expect(text).toContain('Insults');
  expect(text).toContain('You are all \\\\*idiots\\\\*');
  expect(text).toContain(`<@${stage.people.member}>`);
  expect(text).toContain('1 file: proof.png');
  const kept = await fetch(post?.attachments[0]?.url ?? '');
  expect([post?.attachments[0]?.filename, await kept.text()]).toEqual(['SPOILER_proof.png', 'seen']);

  const claimed = await press('moderator', postId, 'claim');
  expect(claimed.message?.content).toBe('Done. Report #1 is yours.');
  const taken = await postOf(1, (each) => each.includes(`Claimed by <@${stage.people.moderator}>`));
  const purposes = (each: typeof post) =>
    shownButtonsOf(each).map(({ label, custom_id }) => [label, custom_id.split(':')[1]]);
  expect(purposes(post)).toEqual([
    ['Claim', 'claim'],
    ['Close', 'close'],
    ['Warn', 'warnings.add'],
    ['Strike', 'strikes.add'],
    ['Mute', 'mutes.add'],
    ['Kick', 'members.kick'],
    ['Ban', 'bans.add'],
  ]);
  expect(purposes(taken.post)).toEqual(purposes(post).slice(1));

  const form = await press('moderator', postId, 'warnings.add');
  expect(form.modal).toMatchObject({ title: 'Warn GriefLord' });
  expect(await stage.fills('moderator', form, { reason: 'Be friendly' })).toMatch(/^Done\. Warn/);
  const { reason } = await stage.row<{ reason: string }>('SELECT reason FROM cases WHERE guild_id = $1', [
    stage.guildId,
  ]);
  expect(reason).toMatch(/^Be friendly: “You are all \*idiots\*” \[1 attached\] https:\/\/discord\.com/);

  const closing = await press('moderator', postId, 'close');
  // Nobody has to answer, and Discord would insist on it.
  expect(closing.modal).toMatchObject({ components: [{ component: { required: false } }] });
  expect(await stage.fills('moderator', closing, { answer: 'Thank you. We warned them.' })).toBe(
    'Done. Report #1 is closed, and who made it is told.',
  );
  const after = await postOf(1, (each) => each.includes('Closed by'));
  expect(buttonsOf(after.post)).toEqual([]);
  const [red, amber, grey] = [0xd65454, 0xe0a83c, 0x6b7280];
  const colours = [post, taken.post, after.post].map((each) => each?.embeds[0]?.color);
  expect(colours).toEqual([red, amber, grey]);
  await stage.sandbox.until(() => directMessagesTo('member').length > 0);
  expect(directMessagesTo('member').join()).toMatch(
    /Harbourlight\*\*: the moderators have looked at your report #1 about <@\d+>\.\nTheir answer: Thank you\. We warned them\./,
  );
  expect(directMessagesTo('troll').join()).not.toContain(stage.people.member);
});

test('who reported is told without the answer of the moderators where Discord blocks that', async () => {
  verifies('reports.answer');
  await allowReports();
  const opened = await stage.picks('member', 'Report this message', written('troll'));
  await stage.fills('member', opened, { reason: 'Insults' });
  stage.sandbox.control.addFault({
    ...{ method: 'POST', route: '/channels/*/messages', contains: 'scam.test', times: null },
    ...{ status: 400, body: { code: 240_000, message: 'Message blocked by harmful links filter' } },
  });
  const closing = await press('moderator', (await postOf(1)).id, 'close');
  await stage.fills('moderator', closing, { answer: 'Never open scam.test' });
  await stage.sandbox.until(() => directMessagesTo('member').length > 0);
  expect(directMessagesTo('member').at(-1)).toMatch(
    /looked at your report #1 about <@\d+>\.\nDiscord blocks what the moderators wrote,/,
  );
});

test('a reported forward reaches the moderators with what was forwarded, and so does a poll', async () => {
  verifies('reports.message');
  await allowReports();
  const files = [{ filename: 'proof.png', base64: Buffer.from('seen').toString('base64') }];
  const [forward] = stage.sandbox.control.messages({
    user: 'troll',
    channel: 'general',
    forward: written('member2', files),
  }).messages;
  const opened = await stage.picks('member', 'Report this message', forward?.id ?? '');
  expect(await stage.fills('member', opened, { reason: 'Insults' })).toMatch(/^Done\./);
  const { text, post } = await postOf(1);
  expect(text).toContain('You are all \\\\*idiots\\\\*');
  expect(text).toContain('1 file: proof.png');
  expect(await (await fetch(post?.attachments[0]?.url ?? '')).text()).toBe('seen');

  const poll = { question: 'Who is the idiot?', answers: ['Alex', 'Sam'] };
  const [asked] = stage.sandbox.control.messages({ user: 'newcomer', channel: 'general', poll }).messages;
  const second = await stage.picks('member', 'Report this message', asked?.id ?? '');
  expect(await stage.fills('member', second, { reason: 'Insults' })).toMatch(/^Done\./);
  expect((await postOf(2)).text).toMatch(/Who is the idiot\?.*Alex.*Sam/);
});

/** What may have become of a reported message before somebody acts on the report, and what its file says then. */
const SINCE = {
  'still there': [{}, 'seen'],
  edited: [{ action: 'edit', content: 'Hello' }, 'seen'],
  // Discord deletes its files, too. The post of the report has them.
  deleted: [{ action: 'delete' }, null],
} as const;

test.each(Object.entries(SINCE))(
  'a case that is opened from a report keeps the message and its files as reported when it is %s',
  async (_what, [since, words]) => {
    verifies('reports.act');
    await allowReports();
    const files = [{ filename: 'proof.png', base64: Buffer.from('seen').toString('base64') }];
    const id = written('troll', files);
    const opened = await stage.picks('member', 'Report this message', id);
    await stage.fills('member', opened, { reason: 'Insults' });
    const { id: postId } = await postOf(1);
    if ('action' in since)
      stage.sandbox.control.messages({ ...since, user: 'troll', channel: 'general', message_id: id });
    const form = await press('moderator', postId, 'strikes.add');
    expect(await stage.fills('moderator', form, { reason: 'Be friendly', severity: 'minor' })).toMatch(
      /^Done\./,
    );
    const kept = await stage.row<{ case_id: string; name: string; words: string | null }>(
      `SELECT case_id, name, convert_from(content, 'UTF8') AS words FROM evidence
       WHERE guild_id = $1 AND case_id IS NOT NULL AND (content IS NOT NULL OR $2)`,
      [stage.guildId, words === null],
    );
    expect(kept).toMatchObject({ name: 'proof.png', words });
    expect(await messagesOf(stage.engine.db, kept.case_id)).toMatchObject([
      { message_id: id, author_id: stage.people.troll, text: 'You are all *idiots*' },
    ]);
  },
);

test('what another bot answers to a command in the channel can be reported, and acted on', async () => {
  verifies('reports.message');
  await allowReports();
  const scam = newMember(stage.sandbox, 'Free nitro');
  const content = 'Free nitro at evil.example';
  const { messages } = stage.sandbox.control.messages({ user: scam, answers: 'troll', content });
  const id = messages[0]?.id ?? '';
  const reported = await stage.picks('member', 'Report this message', id);
  expect(await stage.fills('member', reported, { reason: 'Scam' })).toMatch(
    new RegExp(`^Done\\. Report #1 is with the moderators\\. <@${scam}> is not told of it`),
  );
  expect((await postOf(1)).text).toContain(content);
  const striking = await stage.picks('moderator', 'Strike for this message', id);
  expect(await stage.fills('moderator', striking, { severity: ['minor'], reason: 'Scam' })).toMatch(
    /^Done\./,
  );
  await stage.row('SELECT FROM cases WHERE user_id = $1', [scam]);
});

test('a post that a moderator has deleted does not come back, and nothing goes on trying', async () => {
  verifies('reports.queue');
  await allowReports();
  const opened = await stage.picks('member', 'Report this message', written('troll'));
  await stage.fills('member', opened, { reason: 'Insults' });
  const { id } = await postOf(1);
  stage.sandbox.control.messages({ action: 'delete', user: 'owner', channel: 'mod-log', message_id: id });
  await stage.act('reports.close', 'owner', {
    reportId: (await stage.row<{ id: string }>('SELECT id FROM reports WHERE guild_id = $1', [stage.guildId]))
      .id,
  });
  await stage.row(
    `SELECT FROM (SELECT) AS one WHERE NOT EXISTS (
       SELECT FROM graphile_worker.jobs WHERE task_identifier = 'post_report')`,
  );
  const { rows } = await query('SELECT post_message_id FROM reports WHERE guild_id = $1', [stage.guildId]);
  expect(rows).toEqual([{ post_message_id: id }]);
  expect(channel('mod-log')?.messages.filter(({ embeds }) => embeds.length > 0)).toEqual([]);
});

test('a report whose files the bot may not attach is posted without them, and says what to grant', async () => {
  verifies('bot.invitation');
  await allowReports();
  const overwrite = {
    of: 'Bailiff',
    allow: ['ViewChannel', 'SendMessages', 'EmbedLinks'],
    deny: ['AttachFiles'],
  };
  stage.sandbox.control.channels({ action: 'update', channel: 'mod-log', overwrite });
  const files = [{ filename: 'proof.png', base64: 'AAAA' }];
  const opened = await stage.picks('member', 'Report this message', written('troll', files));
  await stage.fills('member', opened, { reason: 'Insults' });
  const { post } = await postOf(1);
  expect(post?.content).toContain('lacks Attach Files in this channel');
  expect(post?.attachments).toEqual([]);
});

test('a report whose files Discord does not take is posted without them, and blames no permission', async () => {
  verifies('reports.message');
  await allowReports();
  const files = [{ filename: 'proof.png', base64: 'AAAA' }];
  const opened = await stage.picks('member', 'Report this message', written('troll', files));
  const body = { code: 40005, message: 'Request entity too large' };
  const route = `/channels/${channel('mod-log')?.id}/messages`;
  stage.sandbox.control.addFault({ route, method: 'POST', status: 413, body, times: 1 });
  await stage.fills('member', opened, { reason: 'Insults' });
  const { post } = await postOf(1);
  expect(post?.content).toBe('Discord did not take the files of the message, so they are named only.');
  expect(post?.attachments).toEqual([]);
});

/** What Discord answers to a message with a link that it knows for harm. */
const BLOCKED = { status: 400, body: { code: 240_000, message: 'Message blocked by harmful links filter' } };

test('a report of a link that Discord blocks reaches the moderators without it, and blames no channel', async () => {
  verifies('reports.message');
  await allowReports();
  const route = `/channels/${channel('mod-log')?.id}/messages`;
  stage.sandbox.control.addFault({ route, method: 'POST', ...BLOCKED });
  const opened = await stage.picks('member', 'Report this message', written('troll', [], 'Free: scam.test'));
  await stage.fills('member', opened, { reason: 'A scam: scam.test' });
  const { id, text, post } = await postOf(1);
  expect(text).not.toContain('scam');
  expect(text).toContain(`<@${stage.people.troll}>`);
  expect(post?.embeds[0]?.description).toMatch(/^Discord blocks the text.*\/guilds\/\d+\/reports$/);
  stage.sandbox.control.addFault({ route: `${route}/${id}`, method: 'PATCH', ...BLOCKED });
  expect((await press('moderator', id, 'claim')).message?.content).toBe('Done. Report #1 is yours.');
  const claimed = await postOf(1, (each) => each.includes(`Claimed by <@${stage.people.moderator}>`));
  expect(claimed.text).not.toContain('scam');
});

/** What of a report Discord blocks, for a picture and for a link, and whether its post then has words and the file. */
const BLOCKED_PARTS = [
  ['a picture', { picture: 'explicit', link: 'fine.test' }, { hasWords: true, hasFile: false }],
  ['a link beside a picture', { picture: 'harmless', link: 'scam.test' }, { hasWords: false, hasFile: true }],
  ['a picture and a link', { picture: 'explicit', link: 'scam.test' }, { hasWords: false, hasFile: false }],
] as const;

test.each(BLOCKED_PARTS)(
  'a report of %s that Discord blocks reaches the moderators without what is blocked',
  async (_what, { picture, link }, { hasWords, hasFile }) => {
    verifies('reports.message');
    await allowReports();
    const files = [{ filename: 'photo.png', base64: Buffer.from(picture).toString('base64') }];
    const opened = await stage.picks('member', 'Report this message', written('troll', files, `See ${link}`));
    const toReports = { route: `/channels/${channel('mod-log')?.id}/messages`, method: 'POST', times: null };
    stage.sandbox.control.addFault({ ...toReports, contains: 'scam.test', ...BLOCKED });
    const explicit = { code: 20_009, message: 'Explicit content cannot be sent to the desired recipient(s)' };
    stage.sandbox.control.addFault({ ...toReports, contains: 'explicit', status: 400, body: explicit });
    await stage.fills('member', opened, { reason: 'Insults' });
    const { text, post } = await postOf(1);
    expect([text.includes(link), post?.attachments.length === 1]).toEqual([hasWords, hasFile]);
    expect(post?.content).toMatch(hasFile ? /^$/ : /^Discord did not take the files/);
  },
);

test('a report is posted with the files that come in time, and does not wait for the others', async () => {
  verifies('reports.message');
  await allowReports();
  const { sandbox } = stage;
  const files = [{ filename: 'proof.png', base64: 'AAAA' }];
  const opened = await stage.picks('member', 'Report this message', written('troll', files));
  // Its first file is where a fault can make it hang.
  const route = `/channels/${channel('mod-log')?.id}/messages`;
  sandbox.control.addFault({ method: 'POST', route, status: 500, times: null });
  await stage.fills('member', opened, { reason: 'Insults' });
  // Until it is given up for now. It is not tried again before all is ready.
  const job = (when: string) =>
    `UPDATE graphile_worker._private_jobs SET run_at = ${when}
     WHERE key LIKE 'post_report:%' AND attempts > 0 AND locked_at IS NULL RETURNING key`;
  await stage.row(job("now() + interval '1 hour'"));
  const slow = { url: `${sandbox.apiUrl}/files/slow`, name: 'slow.png', bytes: 4 };
  await query(
    `UPDATE reports SET message = jsonb_set(message, '{files}', $2::jsonb || (message->'files')) WHERE guild_id = $1`,
    [stage.guildId, JSON.stringify([slow])],
  );
  sandbox.control.clearFaults();
  sandbox.control.addFault({ route: '/files/slow', socket: 'hang', times: null });
  await stage.row(job('now()'));
  const { text, post } = await postOf(1, (each) => each.includes('slow.png'));
  expect(text).toContain('2 files: slow.png, proof.png');
  expect(post?.attachments.map(({ filename }) => filename)).toEqual(['SPOILER_proof.png']);
});

test('a bot that ends while it fetches the files of a report leaves the post with them to its next start', async () => {
  verifies('reports.message', 'reports.queue');
  await allowReports();
  const { sandbox } = stage;
  const route = `/channels/${channel('mod-log')?.id}/messages`;
  const job = (when: string) =>
    `UPDATE graphile_worker._private_jobs SET run_at = ${when}
     WHERE key LIKE 'post_report:%' AND attempts > 0 AND locked_at IS NULL RETURNING key`;
  sandbox.control.addFault({ method: 'POST', route, status: 500, times: null });
  const opened = await stage.picks('member', 'Report this message', written('troll'));
  await stage.fills('member', opened, { reason: 'Insults' });
  await stage.row(job("now() + interval '1 hour'"));
  const slow = { url: `${sandbox.apiUrl}/files/slow`, name: 'slow.png', bytes: 100 };
  await query("UPDATE reports SET message = jsonb_set(message, '{files}', $2) WHERE guild_id = $1", [
    stage.guildId,
    JSON.stringify([slow]),
  ]);
  sandbox.control.clearFaults();
  const hanging = sandbox.control.addFault({ route: '/files/slow', socket: 'hang', times: null });
  await stage.row(job('now()'));
  await sandbox.until(() => sandbox.requests.some(({ fault }) => fault === hanging.id));
  await stage.bot.stop();
  expect(channel('mod-log')?.messages.filter(({ embeds }) => embeds.length > 0)).toEqual([]);
  sandbox.control.clearFaults();
  sandbox.control.addFault({ route: '/files/slow', status: 200, body: 'seen', times: null });
  const again = await bot(stage.config);
  try {
    expect((await postOf(1)).post?.attachments.map(({ filename }) => filename)).toEqual(['SPOILER_slow.png']);
  } finally {
    await again.stop();
  }
});

test('of the files of a reported message those are posted that fit into one message', async () => {
  verifies('reports.message');
  await allowReports();
  const file = (filename: string, bytes: number) => ({
    filename,
    base64: Buffer.alloc(bytes).toString('base64'),
  });
  const files = [file('one.bin', 6 * 1024 * 1024), file('two.bin', 5 * 1024 * 1024), file('three.bin', 1024)];
  const opened = await stage.picks('member', 'Report this message', written('troll', files));
  await stage.fills('member', opened, { reason: 'Insults' });
  const { text, post } = await postOf(1);
  expect(text).toContain('3 files: one.bin, two.bin, three.bin');
  expect(post?.attachments.map(({ filename }) => filename)).toEqual(['SPOILER_one.bin', 'SPOILER_three.bin']);
});

/** Closes a ticket of the member, who is to get its transcript. */
async function closeTicket() {
  await query('INSERT INTO ticket_settings (guild_id, sends_transcript) VALUES ($1, true)', [stage.guildId]);
  await stage.says('member', 'ticket open', { subject: 'Griefed' });
  const { id, channel_id } = await stage.row<{ id: string; channel_id: string }>(
    'SELECT id, channel_id FROM tickets WHERE guild_id = $1 AND channel_id IS NOT NULL',
    [stage.guildId],
  );
  stage.sandbox.control.messages({ user: 'member', channel: channel_id, content: 'My house is gone' });
  await stage.act('tickets.close', 'owner', { ticket_id: id });
}

test('reports whose files go out slowly keep back other files only, and all get their posts', async () => {
  verifies('bot.fairness', 'reports.message');
  await allowReports();
  const { control, requests, until } = stage.sandbox;
  const route = `/channels/${channel('mod-log')?.id}/messages`;
  const held = control.addFault({ method: 'POST', route, held: true, times: null });
  const posting = () => requests.filter(({ fault }) => fault === held.id);
  // So large that they may take longer than anything else here.
  const files = [{ filename: 'proof.bin', base64: Buffer.alloc(8 * 1024 * 1024).toString('base64') }];
  for (const author of ['troll', 'member2', 'newcomer']) {
    const opened = await stage.picks('member', 'Report this message', written(author, files));
    await stage.fills('member', opened, { reason: 'Insults' });
  }
  await stage.row(
    `SELECT FROM graphile_worker._private_jobs WHERE key LIKE 'post_report:%' AND payload->>'guild_id' = $1
       AND (locked_at IS NOT NULL OR run_at > now()) HAVING count(*) = 3`,
    [stage.guildId],
  );
  await closeTicket();
  const transcript = await stage.row<{ notice: string | null }>(
    `SELECT transcript_notice::text AS notice FROM tickets t WHERE guild_id = $1 AND (transcript_notice IS NOT NULL
       OR EXISTS (SELECT FROM graphile_worker.jobs WHERE key = 'send_transcript:' || t.id AND run_at > now()))`,
    [stage.guildId],
  );
  expect(transcript.notice).toBeNull();
  await stage.says('moderator', 'warn', { user: 'helper', reason: 'Be friendly' });
  await until(() => directMessagesTo('helper').length > 0);
  expect(posting()).toHaveLength(1);
  await stage.says('member', 'report', { user: 'admin', reason: 'Spam' });
  await until(() => posting().some(({ body }) => JSON.stringify(body).includes('"Report #4"')));
  control.clearFaults();
  for (const number of [1, 2, 3]) expect((await postOf(number)).post?.attachments).toHaveLength(1);
  expect((await postOf(4)).post?.attachments).toHaveLength(0);
  await stage.row("SELECT FROM tickets WHERE guild_id = $1 AND transcript_notice = 'told'", [stage.guildId]);
});

test('what nobody sees in a reported message and in the names of its files is written out in the post', async () => {
  verifies('reports.message');
  await allowReports();
  const files = [{ filename: 'photo\u202egnp.exe', base64: 'AAAA' }];
  const id = written('troll', files, 'Cheap\u200b coins \u202edab');
  const opened = await stage.picks('member', 'Report this message', id);
  await stage.fills('member', opened, { reason: 'Sells \u202ethings' });
  const { post } = await postOf(1);
  const values = post?.embeds[0]?.fields?.map(({ value }) => value).join('\n') ?? '';
  expect(values).toContain('1 file: photo\\u202egnp.exe');
  expect(values).toContain('Cheap');
  expect(values).not.toMatch(/[\u200b\u202e]/);
});

test('a reported message of marks alone, as spam has them, reaches the moderators, and so does an answer of marks', async () => {
  verifies('reports.message', 'reports.answer');
  await allowReports();
  const opened = await stage.picks('member', 'Report this message', written('troll', [], '||'.repeat(900)));
  await stage.fills('member', opened, { reason: '*_~'.repeat(170) });
  const { id, text } = await postOf(1);
  expect(text).toContain('\\\\|\\\\|');
  const closing = await press('moderator', id, 'close');
  await stage.fills('moderator', closing, { answer: '~~'.repeat(500) });
  await stage.sandbox.until(() => directMessagesTo('member').length > 0);
  await postOf(1, (each) => each.includes('Closed by'));
});

test('nobody reports somebody for a message that another wrote, also with a client that sends another form', async () => {
  verifies('reports.message');
  await allowReports();
  const { troll = '', member2 = '' } = stage.people;
  const opened = await stage.picks('member', 'Report this message', written('troll'));
  const custom_id = String(opened.modal?.custom_id).replace(troll, member2);
  const fields = { reason: 'Insults' };
  const forged = { type: 'modal', user: 'member', interaction_id: opened.id, custom_id, fields } as const;
  expect((await stage.does(forged)).message?.content).toMatch(/^Not done\. .*Report the message again\.$/);
  expect((await query('SELECT FROM reports WHERE guild_id = $1', [stage.guildId])).rows).toEqual([]);
  expect(await stage.fills('member', opened, fields)).toMatch(/^Done\. Report #1/);
});

test('the form of a report counts once and for its author, however many somebody else has opened since', () => {
  verifies('reports.message');
  const open = new OpenReports();
  const author = { id: 'troll' };
  const keep = (id: string, by: string) =>
    open.keep(
      { id, channelId: '1', createdAt: new Date(), author },
      { text: 'You are all idiots', files: [] },
      by,
    );
  const key = keep('1', 'member');
  for (let count = 0; count < 500; count += 1) keep('2', 'newcomer');
  const take = (which: string, by: string) => () => open.take(which, { by, authorId: author.id }, 'en');
  const forgotten = /form was open\. Report the message again\.$/;
  expect(take('ffffffffffffffff', 'member')).toThrow(forgotten);
  expect(take(key, 'newcomer')).toThrow(forgotten);
  expect(take(key, 'member')()).toEqual({
    ...{ id: '1', channelId: '1', sentAt: expect.any(String), text: 'You are all idiots', files: [] },
  });
  expect(take(key, 'member')).toThrow(forgotten);
});

test('without a channel for reports nobody writes one in vain', async () => {
  verifies('reports.off');
  const opened = await stage.picks('member', 'Report to the moderators', stage.people.troll ?? '');
  expect(opened.message?.content).toMatch(/^Not done\. This server takes no reports through Bailiff/);
  expect(await stage.says('member', 'report', { user: 'troll', reason: 'Spam' })).toMatch(
    /^Not done\. This server takes no reports/,
  );
  // One of before the owner took the channel away waits for none.
  const { rows } = await query(
    `INSERT INTO reports (guild_id, number, user_id, reported_by, reason)
     VALUES ($1, 1, '3', '4', 'Spam') RETURNING id`,
    [stage.guildId],
  );
  const job = { guild_id: stage.guildId, report_id: rows[0].id };
  expect(await runJob(stage, 'post_report', job)).toBeNull();
});

test('the same is reported once, nobody reports themselves, and five in an hour are enough', async () => {
  verifies('reports.limits');
  await allowReports();
  const report = (options: object) =>
    stage.says('member', 'report', { user: 'troll', reason: 'Spam', ...options });
  expect(await report({})).toMatch(/^Done\. Report #1/);
  expect(await report({})).toMatch(/^Not done\. You have reported this already/);
  expect(await report({ user: 'member' })).toMatch(/^Not done\. You cannot do this to yourself/);
  for (const [at, user] of ['newcomer', 'helper', 'moderator', 'owner'].entries()) {
    expect(await report({ user })).toMatch(new RegExp(`^Done\\. Report #${at + 2}`));
  }
  await query("UPDATE reports SET status = 'closed' WHERE guild_id = $1", [stage.guildId]);
  expect(await report({})).toMatch(/^Not done\. You have made 5 reports within an hour/);
  await query("UPDATE reports SET reported_at = reported_at - interval '2 hours' WHERE guild_id = $1", [
    stage.guildId,
  ]);
  expect(await report({})).toMatch(/^Done\. Report #6/);
});

test('a moderator who is reported does not learn by whom, and does not handle it', async () => {
  verifies('reports.author-hidden');
  await allowReports();
  await stage.says('member', 'report', { user: 'moderator', reason: 'Bans his rivals' });
  const { id, text } = await postOf(1);
  expect(text).not.toContain(stage.people.member);
  for (const purpose of ['claim', 'close'] as const) {
    const pressed = await press('moderator', id, purpose);
    const told =
      purpose === 'claim'
        ? (pressed.message?.content ?? '')
        : await stage.fills('moderator', pressed, { answer: 'No' });
    expect(told).toMatch(/^Not done\. You cannot do this to yourself/);
  }
  const { answers } = await stage.row<{ answers: string }>(
    `SELECT coalesce(string_agg(target_id, ' '), '') AS answers FROM audit
     WHERE guild_id = $1 AND actor_user_id = $2`,
    [stage.guildId, stage.people.member],
  );
  expect(answers).not.toContain(stage.people.moderator);
});

test('the post about a moderator who has left meanwhile does not name who reported them: they may come back', async () => {
  verifies('reports.author-hidden');
  await allowReports();
  await stage.says('member', 'report', { user: 'moderator', reason: 'Bans his rivals' });
  const { id } = await postOf(1);
  stage.sandbox.control.members({ action: 'leave', user: 'moderator' });
  await stage.row('SELECT FROM members WHERE guild_id = $1 HAVING count(*) FILTER (WHERE user_id = $2) = 0', [
    stage.guildId,
    stage.people.moderator,
  ]);
  await stage.fills('owner', await press('owner', id, 'close'), { answer: 'Thank you' });
  const { text } = await postOf(1, (written) => written.includes('Closed by'));
  expect(text).not.toContain(stage.people.member);
});

test('the post about a reported moderator does not name who reported them when the answer could not be delivered', async () => {
  verifies('reports.author-hidden');
  await allowReports();
  stage.sandbox.control.members({ action: 'close_dms', user: 'member' });
  await stage.says('member', 'report', { user: 'moderator', reason: 'Bans his rivals' });
  const { id } = await postOf(1);
  await stage.fills('owner', await press('owner', id, 'close'), { answer: 'Thank you' });
  await stage.row("SELECT FROM reports WHERE guild_id = $1 AND notice = 'closed'", [stage.guildId]);
  await stage.row(
    `SELECT FROM graphile_worker.jobs WHERE task_identifier IN ('tell_reporter', 'post_report')
     HAVING count(*) = 0`,
  );
  const { text } = await postOf(1, (written) => written.includes('Closed by'));
  expect(text).not.toContain(stage.people.member);
});

test('the answer to who made a report shows what a moderator wrote, and no link that hides its address', async () => {
  verifies('reports.answer');
  await allowReports();
  await stage.says('member', 'report', { user: 'troll', reason: 'Spam' });
  const { id } = await postOf(1);
  stage.sandbox.control.guilds({ action: 'update', name: 'The *Harbour*' });
  await stage.row("SELECT FROM guilds WHERE id = $1 AND name = 'The *Harbour*'", [stage.guildId]);
  const answer = 'Read [the rules](https://example.com) *now*';
  await stage.fills('moderator', await press('moderator', id, 'close'), { answer });
  await stage.sandbox.until(() => directMessagesTo('member').length === 1);
  const [told] = directMessagesTo('member');
  expect(told).toContain('Read [the rules]\\(https://example.com) \\*now\\*');
  expect(told).toContain('The \\*Harbour\\*');
});

test('who made a report is thanked where the moderators write no answer', async () => {
  verifies('reports.answer');
  await allowReports();
  await acquaint(stage, stage.people.member ?? '');
  for (const [at, answer] of ['', ' '].entries()) {
    await stage.says('member', 'report', { user: at === 0 ? 'troll' : 'newcomer', reason: 'Spam' });
    const { id } = await postOf(at + 1);
    const said = await stage.fills('moderator', await press('moderator', id, 'close'), { answer });
    expect(said).toBe(`Done. Report #${at + 1} is closed, and who made it is told.`);
  }
  const { rows } = await query('SELECT answer FROM reports WHERE guild_id = $1', [stage.guildId]);
  expect(rows).toEqual([{ answer: null }, { answer: null }]);
  await stage.sandbox.until(() => directMessagesTo('member').length > 0);
  expect(directMessagesTo('member')[0]).toMatch(
    /looked at your report #\d about <@\d+>\.\nThank you for telling them\.$/,
  );
});

test('who made a report is told later when no conversation could be opened, and told once', async () => {
  verifies('reports.answer');
  await allowReports();
  await stage.says('member', 'report', { user: 'troll', reason: 'Spam' });
  const { id } = await postOf(1);
  stage.sandbox.control.addFault({
    method: 'POST',
    route: '/users/@me/channels',
    times: null,
    status: 503,
  });
  await stage.fills('moderator', await press('moderator', id, 'close'), { answer: 'Thank you' });
  await stage.row(
    `SELECT FROM graphile_worker.jobs JOIN reports ON key = 'tell_reporter:' || reports.id
     WHERE guild_id = $1 AND notice IS NULL AND run_at > now() AND locked_at IS NULL`,
    [stage.guildId],
  );
  stage.sandbox.control.clearFaults();
  await query("UPDATE graphile_worker._private_jobs SET run_at = now() WHERE key LIKE 'tell_reporter:%'");
  await stage.row("SELECT FROM reports WHERE guild_id = $1 AND notice = 'told'", [stage.guildId]);
  expect(directMessagesTo('member')).toHaveLength(1);
});

test('who may not handle reports cannot with the buttons either', async () => {
  verifies('reports.queue');
  await allowReports();
  await stage.says('member', 'report', { user: 'troll', reason: 'Spam' });
  const { id } = await postOf(1);
  await query("UPDATE role_grants SET capabilities = ARRAY['strikes.write'] WHERE guild_id = $1", [
    stage.guildId,
  ]);
  for (const purpose of ['claim', 'close', 'warnings.add']) {
    const pressed = await press('moderator', id, purpose);
    expect(pressed.message?.content, purpose).toMatch(/^Not done\. You may not do this.*reports\./);
  }
});

test('who made a report and could not be told is not told when the job runs again', async () => {
  verifies('reports.answer');
  await allowReports();
  stage.sandbox.control.members({ action: 'close_dms', user: 'member' });
  await stage.says('member', 'report', { user: 'troll', reason: 'Spam' });
  const { id } = await postOf(1);
  await stage.fills('moderator', await press('moderator', id, 'close'), { answer: 'Thank you' });
  const isClosed = "SELECT FROM reports WHERE guild_id = $1 AND notice = 'closed'";
  await stage.row(isClosed, [stage.guildId]);
  stage.sandbox.control.members({ action: 'open_dms', user: 'member' });
  await query(
    `SELECT graphile_worker.add_job('tell_reporter', json_build_object('guild_id', guild_id, 'report_id', id))
     FROM reports WHERE guild_id = $1`,
    [stage.guildId],
  );
  await stage.row(
    "SELECT FROM graphile_worker.jobs WHERE task_identifier = 'tell_reporter' HAVING count(*) = 0",
  );
  expect(directMessagesTo('member')).toEqual([]);
});

test('the post of a report stays where it is when the guild takes another channel for reports', async () => {
  verifies('reports.queue');
  await allowReports();
  await stage.says('member', 'report', { user: 'troll', reason: 'Spam' });
  const { id } = await postOf(1);
  await query('UPDATE guilds SET reports_channel_id = $2 WHERE id = $1', [
    stage.guildId,
    channel('general')?.id,
  ]);
  await stage.fills('moderator', await press('moderator', id, 'close'), { answer: 'Thank you' });
  await postOf(1, (text) => text.includes('Closed by'));
});

test('a report whose post Discord did not confirm has one post, which shows that it was claimed meanwhile', async () => {
  verifies('reports.queue');
  await allowReports();
  stage.sandbox.control.addFault({
    when: 'after',
    method: 'POST',
    route: '/channels/*/messages',
    socket: 'reset',
  });
  await stage.says('member', 'report', { user: 'troll', reason: 'Spam' });
  await postOf(1);
  await query('UPDATE guilds SET reports_channel_id = $2 WHERE id = $1', [
    stage.guildId,
    channel('general')?.id,
  ]);
  const { id: reportId } = await stage.row<{ id: string }>('SELECT id FROM reports WHERE guild_id = $1', [
    stage.guildId,
  ]);
  await stage.act('reports.claim', 'owner', { reportId });
  await postOf(1, (text) => text.includes('Claimed by'));
  const posts = guild()?.channels.flatMap(({ messages }) =>
    messages.filter(({ embeds }) => embeds.some(({ title }) => title === 'Report #1')),
  );
  expect(posts).toHaveLength(1);
});

test('a report that Discord refused for a moment is posted in its channel', async () => {
  verifies('reports.queue');
  await allowReports();
  const route = `/channels/${channel('mod-log')?.id}/messages`;
  const body = { code: 0, message: '404: Not Found' };
  stage.sandbox.control.addFault({ method: 'POST', route, status: 404, body });
  await stage.says('member', 'report', { user: 'troll', reason: 'Spam' });
  await postOf(1);
});

test.each([
  ['refused', { status: 403, body: { code: 50_013, message: 'Missing Permissions' } }],
  ['did not take for its limits', { rate_limit: { retry_after: 60, scope: 'shared' } }],
] as const)(
  'a report that Discord %s is posted in the channel that is chosen then, and nowhere else',
  async (_what, fault) => {
    verifies('reports.queue');
    await allowReports();
    const route = `/channels/${channel('mod-log')?.id}/messages`;
    stage.sandbox.control.addFault({ method: 'POST', route, ...fault });
    await stage.says('member', 'report', { user: 'troll', reason: 'Spam' });
    const { id: reportId } = await stage.row<{ id: string }>(
      `SELECT id FROM reports WHERE guild_id = $1 AND post_channel_id IS NULL AND NOT EXISTS (
       SELECT FROM graphile_worker.jobs
       WHERE key = 'post_report:' || reports.id AND (attempts = 0 OR locked_at IS NOT NULL))`,
      [stage.guildId],
    );
    await query('UPDATE guilds SET reports_channel_id = $2 WHERE id = $1', [
      stage.guildId,
      channel('general')?.id,
    ]);
    await stage.act('reports.claim', 'owner', { reportId });
    const postsIn = (name: string) =>
      channel(name)?.messages.filter(({ embeds }) => embeds[0]?.title === 'Report #1').length;
    await stage.sandbox.until(() => postsIn('general') === 1);
    await stage.row("SELECT FROM graphile_worker.jobs WHERE key LIKE 'post_report:%' HAVING count(*) = 0");
    expect([postsIn('general'), postsIn('mod-log')]).toEqual([1, 0]);
  },
);

test('a report goes to the channel that is chosen while Discord refuses the earlier one', async () => {
  verifies('reports.queue');
  await allowReports();
  const route = `/channels/${channel('mod-log')?.id}`;
  const body = { code: 10_003, message: 'Unknown Channel' };
  const held = stage.sandbox.control.addFault({ method: 'GET', route, held: true, status: 404, body });
  await stage.says('member', 'report', { user: 'troll', reason: 'Spam' });
  await stage.sandbox.until(() => stage.sandbox.requests.some(({ fault }) => fault === held.id));
  await query('UPDATE guilds SET reports_channel_id = $2 WHERE id = $1', [
    stage.guildId,
    channel('general')?.id,
  ]);
  stage.sandbox.control.clearFaults();
  await stage.sandbox.until(
    () => channel('general')?.messages.some(({ embeds }) => embeds.length > 0) ?? false,
  );
});

test('the post of a report says so when Discord did not confirm the answer to who made it', async () => {
  verifies('reports.answer');
  await allowReports();
  await stage.says('member', 'report', { user: 'troll', reason: 'Spam' });
  const { id } = await postOf(1);
  // The conversation is open, so the fault meets the message itself.
  stage.sandbox.control.addFault({
    method: 'POST',
    route: '/channels/*/messages',
    socket: 'reset',
    times: null,
  });
  await stage.fills('moderator', await press('moderator', id, 'close'), { answer: 'Thank you' });
  await stage.row("SELECT FROM reports WHERE guild_id = $1 AND notice = 'unknown'", [stage.guildId]);
  stage.sandbox.control.clearFaults();
  await postOf(1, (text) => text.includes(`Whether <@${stage.people.member}> was told is not known`));
});

test('the answer to who made a report waits behind what moderators wait for', async () => {
  verifies('reports.answer');
  const connection = await stage.test.database.pool.connect();
  try {
    // In a transaction, so that the bot does not take the jobs.
    await connection.query('BEGIN');
    await connection.query(
      `INSERT INTO reports (guild_id, number, user_id, reported_by, reason, status, closed_by, closed_at)
       VALUES ($1, 1, $2, $3, 'Spam', 'closed', $3, now())`,
      [stage.guildId, stage.people.troll, stage.people.member],
    );
    const { rows } = await connection.query(
      "SELECT task_identifier AS task FROM graphile_worker.jobs WHERE key LIKE '%:rpt_%' ORDER BY priority",
    );
    expect(rows).toEqual([{ task: 'post_report' }, { task: 'tell_reporter' }]);
  } finally {
    await connection.query('ROLLBACK');
    connection.release();
  }
});
