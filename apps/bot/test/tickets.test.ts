import { actionIdInReason, readBody, readQuery } from '@bailiff/core';
import { authorize } from '@bailiff/engine/calls/authorize';
import { isRead, performRead } from '@bailiff/engine/calls/read-call';
import { performWrite } from '@bailiff/engine/calls/write-call';
import { mintToken } from '@bailiff/engine/tokens/mint';
import { beforeEach, expect, test } from 'vitest';
import { COMMAND_DEFINITIONS } from '#src/chat/commands.ts';
import { guildForEachTest } from './each-test.ts';
import { grant, personOf, type Stage } from './harness.ts';

let stage: Stage;
guildForEachTest((next) => {
  stage = next;
});
beforeEach(async () => {
  await grant(stage, 'Moderator', ['tickets.read', 'tickets.write']);
  await grant(stage, 'Helper', ['tickets.read']);
  await stage.row('SELECT FROM members WHERE user_id = $1', [stage.people.moderator]);
  await stage.sandbox.until((state) => state.commands.length === COMMAND_DEFINITIONS.length);
});

const CREATE = ['POST', '/guilds/{guild_id}/channels'] as const;

function interact(request: Parameters<Stage['sandbox']['control']['interact']>[0]) {
  return stage.sandbox.control.interact(request);
}

async function say(user: string, command: string, more: object = {}): Promise<string> {
  const { message, responses } = await interact({ type: 'command', user, command, ...more });
  for (const { ephemeral } of responses) expect(ephemeral).toBe(true);
  return message?.content ?? '';
}

const open = (user: string, subject: string) => say(user, 'ticket open', { options: { subject } });

const channels = () => stage.sandbox.getState().guilds[0]?.channels ?? [];
const ticketChannels = () => channels().filter(({ topic }) => actionIdInReason(topic ?? '') !== null);

/** The channel of a ticket, once its first message is there. */
function channelOf(number: number) {
  const name = `ticket-${String(number).padStart(4, '0')}`;
  return stage.sandbox.until((state) =>
    state.guilds[0]?.channels.find((channel) => channel.name === name && channel.message_count > 0),
  );
}

const requestsTo = (method: string, route: string) =>
  stage.sandbox.requests.filter((request) => request.method === method && request.route === route);

async function tickets() {
  const { rows } = await stage.test.database.pool.query('SELECT * FROM tickets ORDER BY number');
  return rows;
}

test('a member opens a ticket: a channel named by its number, whose first message says who and what', async () => {
  const answer = await open('member', 'My house was\ngriefed');
  const channel = await channelOf(1);
  expect(answer).toBe(`Done. Ticket #1 is open: <#${channel.id}>`);
  expect(channel.messages[0]?.content).toContain(`opened by <@${stage.people.member}>`);
  expect(channel.messages[0]?.content).toContain('> My house was griefed');
  expect(channel.messages[0]?.content).toMatch(
    /\nModerators take it up with `\/ticket claim` and end it with/,
  );
  expect(await tickets()).toMatchObject([
    { number: 1, subject: 'My house was\ngriefed', status: 'open', opened_by: stage.people.member },
  ]);
  await stage.row(
    "SELECT FROM audit WHERE operation = 'tickets.open' AND actor_source = 'chat' AND outcome = 'performed'",
  );
});

test('a subject is no link that hides its address in the bot’s message', async () => {
  await open('member', '[Evidence](https://evil.test)');
  const channel = await channelOf(1);
  expect(channel.messages[0]?.content).toContain('> [Evidence]\\(https://evil.test)');
});

test('the channel is for its opener and those who may read tickets, of whom not all may write', async () => {
  await open('member', 'Griefed');
  const { id } = await channelOf(1);
  const look = (user: string) => interact({ type: 'command', user, command: 'ticket claim', channel: id });
  for (const user of ['member', 'moderator', 'helper', 'owner', 'admin']) await look(user);
  for (const user of ['member2', 'troll']) {
    await expect(look(user)).rejects.toThrow(/does not see #ticket-0001/);
  }
  const [created] = requestsTo(...CREATE);
  const { permission_overwrites: overwrites = [] } = (created?.body ?? {}) as {
    permission_overwrites?: { id: string; allow: string; deny: string }[];
  };
  const sends = (bits = '0') => (BigInt(bits) & (1n << 11n)) !== 0n;
  const of = (id?: string) => overwrites.find((overwrite) => overwrite.id === id);
  const roles = stage.sandbox.getState().guilds[0]?.roles ?? [];
  const idOf = (name: string) => roles.find((role) => role.name === name)?.id;
  expect(sends(of(idOf('Moderator'))?.allow)).toBe(true);
  expect(sends(of(idOf('Helper'))?.deny)).toBe(true);
  expect(sends(of(stage.people.member)?.allow)).toBe(true);
});

const beginThread = (by: string, type: 'public_thread' | 'private_thread') =>
  stage.sandbox.control.channels({ action: 'create', name: 'aside', parent: 'ticket-0001', type, by });

test('nobody hides what they write in a thread of a ticket, which would be deleted with its channel', async () => {
  await open('member', 'Griefed');
  await channelOf(1);
  for (const user of ['member', 'moderator', 'helper']) {
    expect(() => beginThread(user, 'public_thread')).toThrow(/cannot begin a thread/);
    expect(() => beginThread(user, 'private_thread')).toThrow(/cannot begin a thread/);
  }
});

test('a transcript says that messages are missing when somebody who may do anything has begun a thread', async () => {
  await open('member', 'Griefed');
  const { id: channel } = await channelOf(1);
  const { channel: thread } = beginThread('owner', 'public_thread');
  stage.sandbox.control.messages({ user: 'owner', channel: thread?.id ?? '', content: 'It was me' });
  await interact({ type: 'command', user: 'moderator', command: 'ticket close', channel, wait_ms: 0 });
  await stage.row("SELECT FROM tickets WHERE status = 'closed' AND is_cut");
});

test('where everyone may read tickets, everyone sees the channel of one', async () => {
  await grant(stage, '@everyone', ['tickets.read']);
  await open('member', 'Griefed');
  const { id: channel } = await channelOf(1);
  expect(() => beginThread('member2', 'public_thread')).toThrow(/cannot begin a thread/);
  await interact({ type: 'command', user: 'member2', command: 'ticket claim', channel });
});

test('an opened ticket is in GET /tickets at once, and can be claimed over a token', async () => {
  await open('member', 'Griefed');
  const issuer = { userId: personOf(stage.sandbox, 'owner'), requestId: 'req_mint', address: '203.0.113.1' };
  const { secret } = await mintToken(stage.engine.db, issuer, {
    guildId: stage.guildId,
    name: 'desk',
    kind: 'rest',
    expiresIn: '7d',
    ipAllowlist: [],
  });
  const call = { guildId: stage.guildId, requestId: 'req_call', address: '203.0.113.9' };
  const listing = {
    ...call,
    operation: 'tickets.list',
    params: {},
    authorization: `Bearer ${secret}`,
  } as const;
  const readInput = async () => readQuery('tickets.list', {}, new URLSearchParams('status=open'));
  const { token, call: read } = await authorize(stage.engine, { ...listing, readInput }, () => {});
  if (!isRead(read)) throw new Error('The list is not a read');
  const page = await performRead(stage.engine, { ...call, ...read, token }, () => {});
  const [ticket] = (page as { data: { id: string; number: number; channel_id: string }[] }).data;
  expect(ticket).toMatchObject({ number: 1, channel_id: ticketChannels()[0]?.id });
  const claim = readBody('tickets.claim', { ticketId: ticket?.id ?? '' }, {});
  if (!claim.ok) throw new Error('The claim does not fit');
  const { status, body } = await performWrite(stage.engine, {
    ...call,
    operation: 'tickets.claim',
    input: claim.input,
    actor: { source: 'token', token },
  });
  expect([status, body]).toMatchObject([200, { ticket: { status: 'claimed', claimed_by: issuer.userId } }]);
});

test('the button of a panel opens a form, and the form a ticket', async () => {
  const posted = await say('moderator', 'ticket panel', { channel: 'reports' });
  expect(posted).toBe(`Done. The button is in <#${stage.sandbox.channels.reports}>.`);
  const reports = channels().find(({ id }) => id === stage.sandbox.channels.reports);
  const panel = reports?.messages.at(-1);
  const [row] = (panel?.components ?? []) as { components: { custom_id: string; label: string }[] }[];
  const button = row?.components[0];
  expect(button?.label).toBe('Open a ticket');
  const pressed = await interact({
    type: 'button',
    user: 'newcomer',
    message_id: panel?.id ?? '',
    custom_id: button?.custom_id ?? '',
  });
  expect(pressed.modal).toMatchObject({ title: 'Open a ticket' });
  const sent = await interact({
    type: 'modal',
    user: 'newcomer',
    interaction_id: pressed.id,
    fields: { subject: 'I cannot log in' },
  });
  expect(sent.message?.content).toMatch(/^Done\. Ticket #1 is open/);
  expect(await tickets()).toMatchObject([{ subject: 'I cannot log in', opened_by: stage.people.newcomer }]);
});

test('nobody is told that a panel is not there which the bot may have posted where it may not read', async () => {
  const { clientId, channels: seeded, control } = stage.sandbox;
  const channel = seeded.reports ?? '';
  const bits = { allow: ['ViewChannel', 'SendMessages'], deny: ['ReadMessageHistory'] };
  control.channels({ action: 'update', channel, overwrite: { of: clientId, ...bits } });
  control.addFault({ route: `/channels/${channel}/messages`, method: 'POST', when: 'after', status: 500 });
  expect(await say('moderator', 'ticket panel', { channel: 'reports' })).not.toMatch(/^Not done/);
  const { rows } = await stage.test.database.pool.query(
    "SELECT state FROM actions WHERE operation = 'tickets.panel'",
  );
  expect(rows).toEqual([{ state: 'unknown' }]);
});

test('a moderator claims, releases and closes in the channel, and nobody without the capability does', async () => {
  await open('member', 'Griefed');
  const { id: channel } = await channelOf(1);
  const refused = await say('member', 'ticket close', { channel });
  expect(refused).toMatch(/^Not done\. .*tickets\.write/);
  expect(await say('moderator', 'ticket claim', { channel })).toBe('Done. Ticket #1 is yours.');
  expect(await tickets()).toMatchObject([{ status: 'claimed', claimed_by: stage.people.moderator }]);
  expect(await say('moderator', 'ticket release', { channel })).toBe('Done. Ticket #1 is open again.');
  stage.sandbox.control.messages({ user: 'member', channel, content: 'It was xx_grief_xx' });
  // Its answer goes with the channel.
  await interact({
    type: 'command',
    user: 'moderator',
    command: 'ticket close',
    channel,
    options: { reason: 'Solved' },
    wait_ms: 0,
  });
  const closed = await stage.row<{ transcript: { author_id: string; text: string }[] }>(
    "SELECT transcript FROM tickets WHERE status = 'closed' AND close_reason = 'Solved' AND closed_by = $1",
    [stage.people.moderator],
  );
  expect(closed.transcript).toMatchObject([
    { author_id: stage.sandbox.clientId },
    { author_id: stage.people.member, text: 'It was xx_grief_xx' },
  ]);
  expect(channels().some(({ id }) => id === channel)).toBe(false);
});

test('outside the channel of a ticket there is nothing to claim', async () => {
  expect(await say('moderator', 'ticket claim')).toBe(
    'Not done. This is not the channel of a ticket. Give the command in one.',
  );
});

test('a member has at most five open tickets, however fast they are', async () => {
  const answers = await Promise.all(
    ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((subject) => open('member', subject)),
  );
  // On a slow machine the turn of the last does not come in time.
  for (const answer of answers)
    expect(answer).toMatch(
      /^Done\. Ticket|^Not done\. (You have 5 open tickets|The bot is away, or busy|The bot cannot do this at the moment)/,
    );
  while ((await tickets()).length < 5) await open('member', 'more');
  expect(await open('member', 'one too many')).toMatch(/^Not done\. You have 5 open tickets/);
  expect(ticketChannels()).toHaveLength(5);
  expect((await tickets()).map(({ number }) => number)).toEqual([1, 2, 3, 4, 5]);
  expect(await open('member2', 'Mine')).toMatch(/^Done\. Ticket #6/);
  // Made at the same time, two channels may have begun with the same name.
  for (const number of [1, 2, 3, 4, 5, 6]) await channelOf(number);
});

test('a ticket of which nobody knows yet whether it was opened counts as one, until nobody will know', async () => {
  const { pool } = stage.test.database;
  await pool.query(
    `INSERT INTO actions (guild_id, operation, input, digest, state, actor_source, actor_user_id, request_id, claim_by)
     SELECT $1, 'tickets.open', '{}', '', 'unknown', 'chat', $2, 'req_' || n, now() FROM generate_series(1, 5) AS n`,
    [stage.guildId, stage.people.member],
  );
  expect(await open('member', 'one too many')).toMatch(/^Not done\. You have 5 open tickets/);
  expect(ticketChannels()).toEqual([]);
  await pool.query("UPDATE actions SET looked_at = 'infinity' WHERE state = 'unknown'");
  expect(await open('member', 'Griefed')).toMatch(/^Done\. Ticket #1/);
});

test('without the permission the answer says what to grant, and granting that is enough', async () => {
  const permit = async (...permissions: string[]) => {
    stage.sandbox.control.roles({ action: 'update', role: 'Bailiff', permissions });
    const role = stage.sandbox.getState().guilds[0]?.roles.find(({ name }) => name === 'Bailiff');
    await stage.row('SELECT FROM roles WHERE id = $1 AND permissions = $2', [role?.id, role?.permissions]);
  };
  await permit('ViewChannel', 'SendMessages', 'ReadMessageHistory');
  expect(await open('member', 'Griefed')).toMatch(
    /^Not done\. Give the bot's role the permissions? Manage Channels/,
  );
  expect(await tickets()).toEqual([]);
  await permit('ManageChannels', 'ViewChannel', 'SendMessages', 'ReadMessageHistory');
  expect(await open('member', 'Griefed')).toMatch(/^Done\. Ticket #1/);
  const { id: channel } = await channelOf(1);
  await interact({ type: 'command', user: 'moderator', command: 'ticket close', channel, wait_ms: 0 });
  await stage.row("SELECT FROM tickets WHERE status = 'closed'");
});

test('a channel whose answer is lost is found by its topic, and made once', async () => {
  stage.sandbox.control.addFault({ route: '/guilds/*/channels', method: 'POST', when: 'after', status: 502 });
  expect(await open('member', 'Griefed')).toMatch(/^Done\. Ticket #1 is open/);
  expect(requestsTo(...CREATE)).toHaveLength(1);
  expect(ticketChannels()).toHaveLength(1);
});

test('a channel whose maker died before it was on record is found by its topic, and none is made twice', async () => {
  stage.sandbox.control.addFault({
    route: '/guilds/*/channels',
    method: 'POST',
    when: 'after',
    socket: 'hang',
  });
  const options = { subject: 'Griefed' };
  await interact({ type: 'command', user: 'member', command: 'ticket open', options, wait_ms: 0 });
  await stage.sandbox.until(() => ticketChannels().length === 1);
  const { pool } = stage.test.database;
  // From here on its worker, which waits for Discord's answer, counts as dead.
  await pool.query(
    "UPDATE actions SET lease_expires_at = now() - interval '1 second' WHERE state = 'running'",
  );
  await pool.query("SELECT graphile_worker.add_job('recover', '{}')");
  await stage.row("SELECT FROM actions WHERE operation = 'tickets.open' AND state = 'done'");
  await channelOf(1);
  stage.sandbox.control.clearFaults();
  await stage.bot.stop();
  expect(await tickets()).toHaveLength(1);
  expect(requestsTo(...CREATE)).toHaveLength(1);
});

test('a ticket is welcomed once, though its job runs again', async () => {
  await open('member', 'Griefed');
  const { id } = await channelOf(1);
  const { pool } = stage.test.database;
  await pool.query(
    "SELECT graphile_worker.add_job('welcome_ticket', json_build_object('ticket_id', id)) FROM tickets",
  );
  await stage.row(
    "SELECT FROM graphile_worker.jobs WHERE task_identifier = 'welcome_ticket' HAVING count(*) = 0",
  );
  expect(channels().find((channel) => channel.id === id)?.message_count).toBe(1);
});

test('a ticket is welcomed minutes after the bot died that was about to do it', async () => {
  const { sandbox, test: tested } = stage;
  sandbox.control.addFault({ route: '/channels/*/messages', method: 'POST', status: 502, times: null });
  await open('member', 'Griefed');
  await stage.row(
    `UPDATE graphile_worker._private_jobs SET locked_by = 'a dead worker', locked_at = now() - interval '3 minutes'
     WHERE key LIKE 'welcome_ticket:%' AND attempts > 0 AND locked_at IS NULL RETURNING 1`,
  );
  sandbox.control.clearFaults();
  await tested.database.pool.query("SELECT graphile_worker.add_job('recover', '{}')");
  const [first] = (await channelOf(1)).messages;
  expect(first?.content).toContain('> Griefed');
});

test('what a dead bot held and another one was given since does not count as a job that failed', async () => {
  const { sandbox, test: tested } = stage;
  const { pool } = tested.database;
  sandbox.control.addFault({ route: '/channels/*/messages', method: 'POST', status: 502, times: null });
  await open('member', 'Griefed');
  await stage.row(
    `UPDATE graphile_worker._private_jobs SET locked_by = 'a dead worker', locked_at = now() + interval '1 hour'
     WHERE key LIKE 'welcome_ticket:%' AND attempts > 0 AND locked_at IS NULL RETURNING 1`,
  );
  await pool.query(
    `SELECT graphile_worker.add_job('welcome_ticket', json_build_object('ticket_id', id),
       job_key => 'welcome_ticket:' || id) FROM tickets`,
  );
  sandbox.control.clearFaults();
  expect((await channelOf(1)).messages[0]?.content).toContain('> Griefed');
  const held = await pool.query(
    `UPDATE graphile_worker._private_jobs SET locked_at = now() - interval '3 minutes'
     WHERE locked_by = 'a dead worker' AND attempts >= max_attempts`,
  );
  expect(held.rowCount).toBe(1);
  await pool.query("SELECT graphile_worker.add_job('recover', '{}')");
  await stage.row(
    `SELECT FROM graphile_worker._private_jobs
     WHERE locked_by = 'a dead worker' OR attempts >= max_attempts HAVING count(*) = 0`,
  );
});

test('a ticket is welcomed, and what its opener answered is shown, also where the bot has written something before', async () => {
  const { control } = stage.sandbox;
  control.addFault({ route: '/channels/*/messages', method: 'POST', status: 502, times: null });
  await open('member', 'Griefed');
  const { id } = await stage.row<{ id: string }>(
    `WITH job AS (
       DELETE FROM graphile_worker._private_jobs
       WHERE key LIKE 'welcome_ticket:%' AND attempts > 0 AND locked_at IS NULL RETURNING 1)
     UPDATE tickets SET answers = '[{"question": "Where?", "answer": "At the gate"}]' FROM job RETURNING tickets.id`,
  );
  control.clearFaults();
  await stage.act('tickets.assign', 'owner', { ticketId: id, user_id: stage.people.moderator });
  await channelOf(1);
  await stage.test.database.pool.query(
    "SELECT graphile_worker.add_job('welcome_ticket', json_build_object('ticket_id', $1::text))",
    [id],
  );
  const texts = await stage.sandbox.until((state) => {
    const channel = state.guilds[0]?.channels.find(({ name }) => name === 'ticket-0001');
    return channel?.message_count === 3 ? channel.messages.map(({ content }) => content) : undefined;
  });
  expect(texts).toEqual([
    expect.stringContaining('handed it over'),
    expect.stringContaining('> Griefed'),
    '**Where?**\n> At the gate',
  ]);
});

test('a ticket whose subject Discord blocks is welcomed without it', async () => {
  const body = { code: 240_000, message: 'Message blocked by harmful links filter' };
  stage.sandbox.control.addFault({ route: '/channels/*/messages', method: 'POST', status: 400, body });
  await open('member', 'Is scam.test safe?');
  const [first] = (await channelOf(1)).messages;
  expect(first?.content).toContain(`opened by <@${stage.people.member}>`);
  expect(first?.content).toMatch(/\n> Discord blocks the text.*\/guilds\/\d+\/tickets\/1\n/);
  expect(first?.content).not.toContain('scam');
});
