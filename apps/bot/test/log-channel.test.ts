import { untilShown, verifies } from '@bailiff/core/testing';
import { performForPerson } from '@bailiff/engine/calls/write-call';
import type { PostedCase } from '@bailiff/engine/cases/case-posts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { caseEmbed } from '#src/case-embed.ts';
import { addGameServer, bot, grant, newMember, personOf, type Stage, setStage } from './harness.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setStage();
  await grant(stage, 'Moderator', ['strikes.write', 'bans.write', 'mutes.write']);
  await stage.row('SELECT FROM members WHERE user_id = $1', [stage.people.moderator]);
  await openLog();
});
afterAll(async () => {
  const { violations } = stage.sandbox;
  await stage.bot.stop();
  await stage.close();
  expect(violations).toEqual([]);
});

type Message = ReturnType<typeof posts>[number];

const sql = (text: string, values: unknown[] = []) => stage.test.database.pool.query(text, values);
const choose = (channel: string | null) =>
  sql('UPDATE guilds SET log_channel_id = $2 WHERE id = $1', [
    stage.guildId,
    channel === null ? null : (stage.sandbox.channels[channel] ?? channel),
  ]);
const posts = (channel = 'mod_log') => {
  const id = stage.sandbox.channels[channel];
  const all = stage.sandbox.getState(200).guilds.flatMap(({ channels }) => channels);
  return all.find((each) => each.id === id)?.messages ?? [];
};
/** Posts cases in #mod-log from now on, where the bot has said so. */
async function openLog(): Promise<void> {
  await choose('mod_log');
  await untilPosted(({ embeds }) => embeds[0]?.description?.includes('posted here') === true);
  await untilNoJobs();
  await problem(null);
}
const untilPosted = (fits: (message: Message) => boolean): Promise<Message> =>
  stage.sandbox.until(() => posts().find(fits));
const postOf = (caseId: string, fits: (message: Message) => boolean = () => true) =>
  untilPosted((message) => message.embeds[0]?.footer?.text === caseId && fits(message));
const fieldsOf = (message: Message) =>
  Object.fromEntries((message.embeds[0]?.fields ?? []).map(({ name, value }) => [name, value]));
const problem = (wanted: string | null) =>
  stage.row('SELECT FROM guilds WHERE id = $1 AND log_channel_problem::text IS NOT DISTINCT FROM $2', [
    stage.guildId,
    wanted,
  ]);
const creations = () =>
  stage.sandbox.requests.filter(
    ({ method, path }) => method === 'POST' && path.endsWith(`/${stage.sandbox.channels.mod_log}/messages`),
  ).length;

interface Sanctioned {
  readonly id: string;
  readonly case_number: number;
}

async function ban(target: string, more: object = {}): Promise<Sanctioned> {
  const input = { user_id: personOf(stage.sandbox, target), reason: 'Spam @everyone **!**', ...more };
  const { body } = await stage.act('bans.add', 'moderator', input);
  return (body as { ban: Sanctioned }).ban;
}

const mute = (target: string, durationMinutes?: number) =>
  muteOf(personOf(stage.sandbox, target), durationMinutes);

async function muteOf(userId: string, durationMinutes = 90): Promise<Sanctioned> {
  const input = { user_id: userId, reason: 'Loud', duration_minutes: durationMinutes };
  const { body } = await stage.act('mutes.add', 'moderator', input);
  return (body as { mute: Sanctioned }).mute;
}

test('a case is one message, which changes when the case is lifted', async () => {
  const { id, case_number } = await ban('troll', { duration_minutes: 2880 });
  const posted = await postOf(id);
  expect(posted.embeds[0]?.title).toBe(`Case #${case_number}: ban`);
  expect(fieldsOf(posted)).toMatchObject({
    User: expect.stringContaining(personOf(stage.sandbox, 'troll')),
    By: `<@${stage.people.moderator}>`,
    From: 'the dashboard',
    Length: expect.stringMatching(/^2 days\n<t:\d+:f>$/),
    // Nothing in it is formatting, and it pings nobody.
    Reason: '"Spam @everyone \\*\\*!\\*\\*"',
  });
  expect(posted.mention_everyone).toBe(false);
  await stage.act('bans.lift', 'moderator', { userId: stage.people.troll, reason: 'Appealed' });
  const edited = await postOf(id, ({ edited_timestamp }) => edited_timestamp !== null);
  expect(edited.id).toBe(posted.id);
  expect(fieldsOf(edited).Lifted).toMatch(/^By <@\d+>, <t:\d+:f>: "Appealed"$/);
  expect(posts().filter(({ embeds }) => embeds[0]?.footer?.text === id)).toHaveLength(1);
});

test('a case says that its target was not told, also if that turns out later', async () => {
  verifies('notices.case');
  const banned = await ban('outsider');
  expect(fieldsOf(await postOf(banned.id)).Notice).toMatch(/could not be told: they are not a member/);
  const muted = await mute('quiet');
  const edited = await postOf(muted.id, (message) => 'Notice' in fieldsOf(message));
  expect(fieldsOf(edited).Notice).toMatch(/could not be told: they take no messages/);
});

test('a strike that is added and removed where no bot takes part is posted too', async () => {
  const { rows } = await sql(
    "SELECT id FROM open_case($1, 'strike', 'str', $2, 'Rude', $3, NULL, NULL, 'major')",
    [stage.guildId, stage.people.member, stage.people.moderator],
  );
  const posted = await postOf(rows[0].id);
  expect(posted.embeds[0]?.title).toMatch(/major strike/);
  expect(fieldsOf(posted).From).toBe('by hand in Discord');
  await sql('UPDATE cases SET ended_at = now(), ended_by = $2 WHERE id = $1', [
    rows[0].id,
    stage.people.owner,
  ]);
  const edited = await postOf(rows[0].id, ({ edited_timestamp }) => edited_timestamp !== null);
  expect(fieldsOf(edited).Removed).toContain(`<@${stage.people.owner}>`);
});

test('a strike shows what it has led to', async () => {
  await sql('INSERT INTO escalation_policies (guild_id) VALUES ($1)', [stage.guildId]);
  await sql(
    "INSERT INTO escalation_steps (guild_id, points, sanction, duration_minutes) VALUES ($1, 3, 'mute', 60)",
    [stage.guildId],
  );
  const { body } = await performForPerson(stage.engine, {
    operation: 'strikes.add',
    guildId: stage.guildId,
    input: { user_id: personOf(stage.sandbox, 'helper'), reason: 'Rude', severity: 'major' },
    actor: { source: 'dashboard', userId: stage.people.owner ?? '' },
    requestId: 'req_escalation',
    address: '203.0.113.1',
  });
  const { strike } = body;
  const posted = await postOf(strike.id, (message) => 'Led to' in fieldsOf(message));
  expect(fieldsOf(posted)['Led to']).toBe(`Case #${strike.case_number + 1}: mute`);
  await sql('DELETE FROM escalation_policies WHERE guild_id = $1', [stage.guildId]);
});

test('a mute that runs out is shown as expired, in the language of the guild', async () => {
  await sql("UPDATE guilds SET language = 'de' WHERE id = $1", [stage.guildId]);
  const { id } = await mute('member2');
  const posted = await postOf(id);
  expect(posted.embeds[0]?.title).toMatch(/^Fall #\d+: Stummschaltung$/);
  expect(fieldsOf(posted).Dauer).toMatch(/^90 Minuten\n/);
  await stage.row("SELECT FROM graphile_worker.jobs WHERE key = 'post_case_end:' || $1", [id]);
  await sql("UPDATE cases SET expires_at = now() - interval '1 second' WHERE id = $1", [id]);
  await sql(
    "SELECT graphile_worker.reschedule_jobs(array_agg(id), run_at => now()) FROM graphile_worker.jobs WHERE key = 'post_case_end:' || $1",
    [id],
  );
  const edited = await postOf(id, ({ edited_timestamp }) => edited_timestamp !== null);
  expect(fieldsOf(edited)).toHaveProperty('Abgelaufen');
  await sql("UPDATE guilds SET language = 'en' WHERE id = $1", [stage.guildId]);
});

test('a message whose answer was lost is there once', async () => {
  await sql('UPDATE guilds SET notifies_targets = false WHERE id = $1', [stage.guildId]);
  const route = `/channels/${stage.sandbox.channels.mod_log}/messages`;
  stage.sandbox.control.addFault({ method: 'POST', route, when: 'after', socket: 'reset' });
  const before = creations();
  const { id } = await mute('helper');
  await stage.row('SELECT FROM case_posts WHERE case_id = $1 AND message_id IS NOT NULL', [id]);
  expect(creations() - before).toBe(2);
  expect(posts().filter(({ embeds }) => embeds[0]?.footer?.text === id)).toHaveLength(1);
});

test('so is one whose repetition Discord’s limit keeps back', async () => {
  const route = `/channels/${stage.sandbox.channels.mod_log}/messages`;
  stage.sandbox.control.addFault({ method: 'POST', route, when: 'after', socket: 'reset' });
  stage.sandbox.control.addFault({ method: 'POST', route, rate_limit: { retry_after: 1.5 } });
  const before = creations();
  const { id } = await mute('quiet');
  await stage.row('SELECT FROM case_posts WHERE case_id = $1 AND message_id IS NOT NULL', [id]);
  expect(creations() - before).toBe(3);
  expect(posts().filter(({ embeds }) => embeds[0]?.footer?.text === id)).toHaveLength(1);
  await stage.act('mutes.lift', 'moderator', { userId: stage.people.quiet });
});

test('a message whose answer was lost and that somebody deletes before it is repeated is not sent a third time', async () => {
  const route = `/channels/${stage.sandbox.channels.mod_log}/messages`;
  const { control } = stage.sandbox;
  await untilShown(async () => {
    const before = creations();
    control.addFault({ method: 'POST', route, when: 'after', socket: 'reset' });
    control.addFault({ method: 'POST', route, held: true });
    const { id } = await muteOf(newMember(stage.sandbox));
    await stage.sandbox.until(() => creations() - before === 2);
    const { id: message } = await postOf(id);
    control.messages({ action: 'delete', user: 'owner', channel: 'mod_log', message_id: message });
    control.clearFaults();
    await stage.row('SELECT FROM case_posts WHERE case_id = $1 AND message_id IS NOT NULL', [id]);
    await untilNoJobs();
    expect(posts().filter(({ embeds }) => embeds[0]?.footer?.text === id)).toEqual([]);
    // A busy machine may be too slow for the repetition to end in its time.
    return creations() - before === 2 ? id : null;
  });
});

test.each([
  ['never answered', 'quiet', { socket: 'hang', times: 1 }],
  ['answered twice in vain', 'helper', { socket: 'reset', times: 2 }],
] as const)(
  'a message that Discord took and %s shows what happened to its case meanwhile',
  async (_what, target, fault) => {
    const route = `/channels/${stage.sandbox.channels.mod_log}/messages`;
    stage.sandbox.control.addFault({ when: 'after', method: 'POST', route, ...fault });
    const before = creations();
    const { id } = await mute(target);
    await stage.sandbox.until(() => creations() - before === fault.times);
    await stage.act('mutes.lift', 'moderator', { userId: stage.people[target] });
    const isLifted = () =>
      posts().some((post) => post.embeds[0]?.footer?.text === id && 'Lifted' in fieldsOf(post));
    await stage.sandbox.until(isLifted);
    expect(posts().filter(({ embeds }) => embeds[0]?.footer?.text === id)).toHaveLength(1);
  },
);

/** A posted case whose worker died long ago, before it knew of the message. Returns its id and its message. */
async function lostPost(target: string): Promise<{ id: string; message: Message }> {
  const { id } = await mute(target);
  const message = await postOf(id);
  await stage.row('SELECT FROM case_posts WHERE case_id = $1 AND message_id IS NOT NULL', [id]);
  await stage.bot.stop();
  await sql(
    `UPDATE case_posts SET message_id = NULL, began_at = now() - interval '10 minutes',
       busy_until = now() - interval '9 minutes' WHERE case_id = $1`,
    [id],
  );
  return { id, message };
}

async function startBot(): Promise<void> {
  stage = { ...stage, bot: await bot(stage.config) };
  await stage.bot.settled;
}

test('somebody else’s message that looks like that of a case is not taken for it', async () => {
  const { id, message } = await lostPost('helper');
  const forged = {
    ...message,
    id: String(BigInt(message.id) + 1n),
    author: { ...message.author, id: stage.people.helper },
  };
  expect(forged.author.id).not.toBe(message.author.id);
  stage.sandbox.control.addFault({
    route: `/channels/${stage.sandbox.channels.mod_log}/messages`,
    method: 'GET',
    status: 200,
    body: [forged],
  });
  const before = creations();
  await startBot();
  await stage.row('SELECT FROM case_posts WHERE case_id = $1 AND message_id IS NOT NULL', [id]);
  expect(creations() - before).toBe(1);
  stage.sandbox.control.clearFaults();
});

test('a message that was on its way when its worker died, long ago, is found and not sent again', async () => {
  const { id, message } = await lostPost('newcomer');
  const { id: messageId } = message;
  const before = creations();
  await startBot();
  await stage.row('SELECT FROM case_posts WHERE case_id = $1 AND message_id = $2', [id, messageId]);
  expect(creations()).toBe(before);
});

test('a message that somebody deleted while nobody knew of it is not posted again', async () => {
  const { id, message } = await lostPost('helper');
  const deleting = { action: 'delete', user: 'owner', channel: 'mod_log', message_id: message.id } as const;
  stage.sandbox.control.messages(deleting);
  await startBot();
  await stage.row('SELECT FROM case_posts WHERE case_id = $1 AND message_id IS NOT NULL', [id]);
  await problem(null);
  await stage.act('mutes.lift', 'moderator', { userId: stage.people.helper });
  await untilNoJobs();
  expect(posts().filter(({ embeds }) => embeds[0]?.footer?.text === id)).toEqual([]);
});

test.each([
  ['that is gone', '831908736493689999', 'unknown_channel'],
  ['of another guild, whoever wrote its id down', 'other_general', 'unknown_channel'],
])('in a channel %s nothing is posted, and the owner is told', async (_, channel, wanted) => {
  const before = posts('other_general').length;
  await choose(channel);
  await problem(wanted);
  const { id } = await mute('quiet');
  await stage.row('SELECT FROM cases WHERE id = $1', [id]);
  await untilNoJobs();
  expect(posts('other_general')).toHaveLength(before);
  await openLog();
});

test('without the permission the owner is told once, nothing waits, and the next case goes through', async () => {
  stage.sandbox.control.addFault({
    method: 'POST',
    route: '/channels/*/messages',
    status: 403,
    body: { message: 'Missing Permissions', code: 50013 },
  });
  const { id } = await mute('member');
  await problem('missing_permission');
  await untilNoJobs();
  await stage.act('mutes.lift', 'moderator', { userId: stage.people.member });
  expect(fieldsOf(await postOf(id))).toHaveProperty('Lifted');
  await problem(null);
});

test.each([
  ['a 404 that names nothing', 404, { message: '404: Not Found', code: 0 }],
  ['a guild that Discord does not know during an outage', 404, { message: 'Unknown Guild', code: 10_004 }],
  ['sending that is off for now', 403, { message: 'Send messages has been disabled', code: 40_004 }],
  ['a page of Discord’s edge', 403, '<html>Access denied</html>'],
])('a case is posted although Discord refuses it for a moment: %s', async (_what, status, body) => {
  const route = `/channels/${stage.sandbox.channels.mod_log}/messages`;
  const fault = stage.sandbox.control.addFault({ method: 'POST', route, status, body });
  const { id } = await mute('member');
  await postOf(id);
  expect(stage.sandbox.requests.filter((request) => request.fault === fault.id)).toHaveLength(1);
  await problem(null);
  await stage.act('mutes.lift', 'moderator', { userId: stage.people.member });
});

/** From now on Discord takes no text in #mod-log that contains this. */
function block(contains: string): void {
  const body = { code: 240_000, message: 'Message blocked by harmful links filter' };
  const route = `/channels/${stage.sandbox.channels.mod_log}/**`;
  stage.sandbox.control.addFault({ route, contains, status: 400, body, times: null });
}

test('a case whose reason Discord blocks shows all but the reason, and the channel is not blamed', async () => {
  block('scam.test');
  const user = newMember(stage.sandbox);
  const reason = 'Sells at scam.test';
  const { id, case_number } = await ban('outsider', { user_id: user, reason, duration_minutes: 60 });
  const posted = await postOf(id);
  expect(fieldsOf(posted).Reason).toBe('"…"');
  expect(posted.embeds[0]?.description).toMatch(
    new RegExp(`^Discord blocks the text.*/cases/${case_number}$`),
  );
  await stage.act('bans.lift', 'moderator', { userId: user, reason: 'Not his scam.test' });
  const edited = await postOf(id, ({ embeds }) => embeds[0]?.color === 0x6b7280);
  expect(fieldsOf(edited).Lifted).toMatch(/^By <@\d+>, <t:\d+:f>: "…"$/);
  await problem(null);
  stage.sandbox.control.clearFaults();
});

/** Nothing is tried again: what was refused is refused. */
async function untilNoJobs(): Promise<void> {
  await stage.row(
    `SELECT count(*)::int AS jobs FROM graphile_worker.jobs
     WHERE task_identifier IN ('post_case', 'open_log_channel') AND key NOT LIKE 'post_case_end:%'`,
    [],
    (row: { jobs: number }) => row.jobs === 0,
  );
}

test('what opens no case is shown too: purges, commands on game servers, and tickets', async () => {
  verifies('bot.log-actions');
  await openLog();
  const postAbout = async (title: string) => {
    const [embed] = (await untilPosted(({ embeds }) => embeds[0]?.title === title)).embeds;
    expect(embed?.fields?.map(({ value }) => value)).toEqual([`<@${stage.people.owner}>`, 'the dashboard']);
    return embed?.description ?? '';
  };
  const channelId = stage.sandbox.channels.off_topic;
  await stage.act('messages.purge', 'owner', {
    channel_id: channelId,
    count: 2,
    include_pinned: false,
    reason: 'Off',
  });
  expect(await postAbout('Purge messages')).toBe(
    `Done. Deleted 2 messages in <#${channelId}>. They are kept for 30 days.\n"Off"`,
  );
  const serverId = await addGameServer(stage);
  const command = 'say [docs](https://evil.test) _hello_" on Lobby (srv_1)';
  await stage.act('servers.rcon', 'owner', { serverId, command });
  expect(await postAbout('Run a command on a game server')).toMatch(
    /^Run "say \[docs\]\\\(https:\/\/evil\.test\) \\_hello\\_\\\\" on Lobby \(srv\\_1\)" on Survival \(srv_/,
  );
  const { body } = await stage.act('tickets.open', 'owner', { subject: 'Griefed' });
  const { ticket } = body as { ticket: { id: string; number: number; channel_id: string } };
  expect(await postAbout('Open a ticket')).toBe(
    `Done. Ticket #${ticket.number} is open: <#${ticket.channel_id}>\n"Griefed"`,
  );
  await stage.act('tickets.close', 'owner', { ticket_id: ticket.id, reason: 'Rebuilt' });
  expect(await postAbout('Close a ticket')).toContain('Rebuilt');
  await stage.act('tickets.reopen', 'owner', { closed_ticket_id: ticket.id });
  expect(await postAbout('Open a ticket again')).toMatch(/^Done\. Ticket #\d+ is open again: <#\d+>$/);
});

test('what opens no case is shown also when Discord takes no message for minutes', async () => {
  verifies('bot.log-actions');
  await openLog();
  const route = `/channels/${stage.sandbox.channels.mod_log}/messages`;
  stage.sandbox.control.addFault({ method: 'POST', route, status: 503, times: null });
  const channelId = stage.sandbox.channels.off_topic;
  await stage.act('messages.purge', 'owner', {
    channel_id: channelId,
    count: 1,
    include_pinned: false,
    reason: 'Late',
  });
  // As after five attempts, which take a minute and a half.
  await stage.row(
    `UPDATE graphile_worker._private_jobs SET attempts = 5, run_at = now()
     WHERE key LIKE 'post_action:%' AND attempts > 0 AND locked_at IS NULL RETURNING key`,
  );
  stage.sandbox.control.clearFaults();
  await untilPosted(({ embeds }) => embeds[0]?.description?.includes('"Late"') ?? false);
});

test('what is done to channels and roles for a time is shown too, and what ends it', async () => {
  verifies('bot.log-actions');
  await openLog();
  const channelId = stage.sandbox.channels.off_topic ?? '';
  const roles = stage.sandbox.getState().guilds.find(({ id }) => id === stage.guildId)?.roles;
  const held = {
    user_id: newMember(stage.sandbox),
    role_id: roles?.find(({ name }) => name === 'Artist')?.id,
  };
  for (const [operation, input] of [
    ['channels.slowmode', { channel_id: channelId, slowmode_seconds: 30 }],
    ['channels.lock', { channel_id: channelId }],
    ['channels.unlock', { channelId }],
    ['channels.lockdown', {}],
    ['channels.reopen', {}],
    ['roles.give', { ...held, duration_minutes: 60 }],
    ['roles.end', held],
  ] as const) {
    await stage.act(operation, 'owner', { ...input, reason: `Because of ${operation}` });
    const { id } = await stage.row<{ id: string }>(
      "SELECT id FROM actions WHERE guild_id = $1 AND operation = $2 AND state = 'done'",
      [stage.guildId, operation],
    );
    const post = await postOf(id);
    expect(post.embeds[0]?.description).toContain(`"Because of ${operation}"`);
    expect(fieldsOf(post)).toMatchObject({ By: `<@${stage.people.owner}>` });
  }
});

test('an action whose reason or command Discord blocks is shown without that', async () => {
  verifies('bot.log-actions');
  block('scam.test');
  const shown = async (operation: 'messages.purge' | 'servers.rcon', input: object) => {
    await stage.act(operation, 'owner', input);
    const { id } = await stage.row<{ id: string }>(
      `SELECT id FROM actions WHERE guild_id = $1 AND operation = $2 AND state = 'done'
       ORDER BY created_at DESC LIMIT 1`,
      [stage.guildId, operation],
    );
    return (await postOf(id)).embeds[0]?.description ?? '';
  };
  const channelId = stage.sandbox.channels.off_topic;
  const purged = { channel_id: channelId, count: 1, include_pinned: false, reason: 'Full of scam.test' };
  expect(await shown('messages.purge', purged)).toMatch(
    new RegExp(`^Done\\. Deleted . messages? in <#${channelId}>.*\n"…"\nDiscord blocks the text.*/audit$`),
  );
  const serverId = await addGameServer(stage);
  expect(await shown('servers.rcon', { serverId, command: 'say scam.test' })).toMatch(/^Run "…" on .*srv_/);
  stage.sandbox.control.clearFaults();
});

/** How a case is shown that differs from an ordinary strike in this. */
function shownAs(more: object) {
  const shown = {
    ...{ id: 'str_1', case_number: 1, kind: 'strike', severity: 'minor', active: true, user_id: '1' },
    ...{ guild_id: '3', issued_by: '2', issued_at: new Date(), duration_minutes: null, expires_at: null },
    ...{ reason: null, actor_source: null, token_name: null, messages: [], changed: null, notice: null },
    ...{ evidence: { kept: 0, fetching: 0, missing: [] }, led_to: null, ended_at: null, ended_by: null },
    ...{ end_reason: null, ...more },
  };
  const { color, fields = [] } = caseEmbed(shown as unknown as PostedCase, 'en', (words) => words);
  return { color, fields: Object.fromEntries(fields.map(({ name, value }) => [name, value])) };
}

test('of many messages a case shows the five that it was given last', () => {
  const messages = Array.from({ length: 7 }, (_, n) => ({ channel_id: '1', message_id: `message${n}` }));
  const links = Object.values(shownAs({ messages }).fields).find((value) => value.includes('message6'));
  expect(links?.split('\n').map((link) => link.at(-1))).toEqual(['2', '3', '4', '5', '6']);
});

test('what is over is grey, and says who ended it, if anybody knows that', () => {
  const ended = { active: false, ended_at: new Date() };
  expect(shownAs({}).color).not.toBe(shownAs(ended).color);
  expect(shownAs(ended).color).toBe(0x6b7280);
  expect(shownAs({ ...ended, ended_by: '5' }).fields.Removed).toMatch(/^By <@5>, <t:\d+:f>$/);
  expect(shownAs(ended).fields.Removed).toMatch(/^By someone, <t:\d+:f>$/);
});

test('a case of a token names the token', () => {
  expect(shownAs({ actor_source: 'token', token_name: 'night *watch*' }).fields.From).toBe(
    'token "night \\*watch\\*"',
  );
});

test('of its files a case says how many are kept, how many are still fetched, and which were lost', () => {
  verifies('evidence.bounds');
  const evidence = { kept: 2, fetching: 1, missing: ['film.mp4', 'gone.png'] };
  expect(shownAs({ evidence }).fields.Evidence).toBe(
    '2 files are kept. 1 file is being fetched. Not kept: "film.mp4, gone.png"',
  );
});
