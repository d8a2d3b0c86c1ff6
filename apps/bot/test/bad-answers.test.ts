import { verifies } from '@bailiff/core/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiAnswering, failureOf } from './answering.ts';
import { newMember, personOf, refusalOf, type Stage, setStage } from './harness.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setStage();
});
afterAll(() => stage.close());

const JSON_TYPE = 'application/json';
const USER = { id: '1', username: 'u' };

test.each([
  ['HTML', 'text/html', '<html>Bad gateway</html>'],
  ['HTML that claims to be JSON', JSON_TYPE, '<html></html>'],
  ['an empty body', JSON_TYPE, ''],
  ['nothing of what is used', JSON_TYPE, '{}'],
  ['a field that is missing', JSON_TYPE, JSON.stringify({ user: USER })],
  ['a field that is wrong', JSON_TYPE, JSON.stringify({ user: { id: 1 }, roles: [] })],
  ['a megabyte of it', JSON_TYPE, JSON.stringify({ user: 'x'.repeat(1_000_000) })],
])('an answer with %s is one error that names the route', async (_what, type, body) => {
  verifies('bot.bad-answers');
  const api = await apiAnswering((response) => response.writeHead(200, { 'Content-Type': type }).end(body));
  const asked = api.get('/guilds/10/members/1', { signal: AbortSignal.timeout(30_000) });
  const failure = await failureOf(asked);
  expect(failure).toMatchObject({ name: 'DiscordFailure', kind: 'unclear' });
  expect(failure.message).toContain('GET /guilds/10/members/1');
  expect(failure.message.length).toBeLessThan(300);
});

/** Every route whose answer is read. */
test.each([
  '/gateway/bot',
  '/applications/@me',
  '/applications/10/commands',
  '/applications/10/entitlements',
  '/applications/10/entitlements/1',
  '/channels/10',
  '/channels/10/messages',
  '/guilds/10',
  '/guilds/10/audit-logs',
  '/guilds/10/bans/1',
  '/guilds/10/channels',
  '/guilds/10/members',
  '/guilds/10/members/search',
  '/guilds/10/members/1',
  '/guilds/10/roles',
  '/oauth2/@me',
  '/users/1',
  '/users/@me',
  '/users/@me/guilds',
] as const)('an answer to GET %s without what is used of it is one error', async (route) => {
  verifies('bot.bad-answers');
  for (const body of ['{}', '[{}]', 'null']) {
    const api = await apiAnswering((response) =>
      response.writeHead(200, { 'Content-Type': JSON_TYPE }).end(body),
    );
    const asked = api.get(route, { signal: AbortSignal.timeout(30_000) });
    expect(await failureOf(asked)).toMatchObject({
      kind: 'unclear',
      message: expect.stringContaining(route),
    });
  }
});

const MESSAGE = { type: 0, author: USER, content: '', timestamp: '', attachments: [] };
test.each([
  [
    'messages',
    '/channels/10/messages',
    { before: '5' },
    [
      { ...MESSAGE, id: '4' },
      { ...MESSAGE, id: '5' },
    ],
  ],
  ['newer messages', '/channels/10/messages', { after: '5' }, [{ ...MESSAGE, id: '5' }]],
  ['members', '/guilds/10/members', { after: '1' }, [{ user: USER, roles: [] }]],
  ['an audit log', '/guilds/10/audit-logs', { after: '7' }, { audit_log_entries: [{ id: '7' }] }],
] as const)(
  'a page of %s that was there before is an error, and nobody reads on for ever',
  async (_what, route, query, body) => {
    verifies('bot.bad-answers');
    const api = await apiAnswering((response) =>
      response.writeHead(200, { 'Content-Type': JSON_TYPE }).end(JSON.stringify(body)),
    );
    const asked = api.get(route, { query, signal: AbortSignal.timeout(30_000) });
    expect(await failureOf(asked)).toMatchObject({
      kind: 'unclear',
      message: expect.stringContaining(route),
    });
  },
);

test('more fields than are used, and others than are known, are no problem', async () => {
  verifies('bot.bad-answers');
  stage.sandbox.control.addFault({
    method: 'GET',
    route: '/guilds/*/members/*',
    status: 200,
    body: {
      user: { ...USER, id: personOf(stage.sandbox, 'outsider'), new: [] },
      roles: [],
      flags: 'many',
      x: { y: 1 },
    },
  });
  const ban = { user_id: personOf(stage.sandbox, 'outsider'), reason: 'x' };
  expect((await stage.act('bans.add', 'owner', ban)).body).toMatchObject({ ban: { active: true } });
});

test('a call whose check cannot be read is refused, and nothing is done', async () => {
  verifies('bot.bad-answers');
  const userId = newMember(stage.sandbox);
  stage.sandbox.control.addFault({
    method: 'GET',
    route: '/guilds/*/members/*',
    status: 200,
    body: { nick: 'x' },
  });
  const refused = await refusalOf(stage.act('bans.add', 'owner', { user_id: userId, reason: 'x' }));
  expect(refused).toMatchObject({ status: 502, details: { outcome: 'not_performed' } });
  expect(stage.sandbox.getState().guilds[0]?.bans.map(({ user_id }) => user_id)).not.toContain(userId);
});

test('events without their fields do not end the bot, which goes on following the others', async () => {
  verifies('bot.bad-answers');
  const { control, guildId } = stage.sandbox;
  const ofGuild = { guild_id: guildId };
  for (const [event, data] of [
    ['GUILD_ROLE_UPDATE', ofGuild],
    ['GUILD_MEMBER_ADD', ofGuild],
    ['GUILD_MEMBER_UPDATE', { ...ofGuild, user: null }],
    ['GUILD_MEMBER_REMOVE', ofGuild],
    ['GUILD_UPDATE', { id: guildId }],
    ['GUILD_CREATE', { id: guildId }],
    ['GUILD_BAN_ADD', ofGuild],
    ['GUILD_AUDIT_LOG_ENTRY_CREATE', ofGuild],
    ['CHANNEL_DELETE', ofGuild],
    ['INTERACTION_CREATE', { ...ofGuild, type: 2 }],
    ['ENTITLEMENT_CREATE', {}],
  ] as const) {
    control.gateway({ action: 'dispatch', event, data });
  }
  control.guilds({ action: 'update', name: 'Still here' });
  await stage.row("SELECT FROM guilds WHERE id = $1 AND name = 'Still here'", [guildId]);
});

test('what an event without its fields would have said is read from Discord', async () => {
  verifies('bot.bad-events');
  const { control, guildId } = stage.sandbox;
  const { pool } = stage.test.database;
  for (const [event, data] of [
    ['GUILD_ROLE_UPDATE', { role: null }],
    ['GUILD_MEMBER_ADD', { user: null, roles: [] }],
    ['GUILD_MEMBER_UPDATE', { user: null, roles: 'none' }],
    ['GUILD_MEMBER_REMOVE', { user: null }],
    ['CHANNEL_UPDATE', { id: stage.sandbox.channels.general, permission_overwrites: 5 }],
  ] as const) {
    await pool.query("UPDATE roles SET name = 'Long ago' WHERE guild_id = $1 AND name = 'Moderator'", [
      guildId,
    ]);
    control.gateway({ action: 'dispatch', event, data: { guild_id: guildId, ...data } });
    await stage.row("SELECT FROM roles WHERE guild_id = $1 AND name = 'Moderator'", [guildId]);
    await stage.row('SELECT FROM live_guilds WHERE id = $1 AND mirror_fresh', [guildId]);
  }
});

test('names with characters that no database stores do not keep a guild from being followed', async () => {
  verifies('bot.bad-events');
  const { control, guildId } = stage.sandbox;
  control.roles({ action: 'create', name: 'Nil\u0000' });
  control.channels({ action: 'create', type: 'text', name: 'half-\ud83d' });
  await stage.row("SELECT FROM roles WHERE guild_id = $1 AND name = 'Nil\ufffd'", [guildId]);
  await stage.row("SELECT FROM channels WHERE guild_id = $1 AND name = 'half-\ufffd'", [guildId]);
  // They are read from Discord, too.
  control.gateway({
    action: 'dispatch',
    event: 'GUILD_ROLE_UPDATE',
    data: { guild_id: guildId, role: null },
  });
  control.guilds({ action: 'update', name: 'After their names' });
  await stage.row("SELECT FROM live_guilds WHERE id = $1 AND name = 'After their names' AND mirror_fresh", [
    guildId,
  ]);
});

test('an event about no guild is dropped, and Discord is asked about none', async () => {
  verifies('bot.bad-events');
  const { control, guildId, requests } = stage.sandbox;
  const stranger = { guild_id: '835246156547096999' };
  const role = { id: '1', name: 'r', position: 1, color: 0, permissions: '8', managed: false };
  control.gateway({ action: 'dispatch', event: 'GUILD_ROLE_CREATE', data: { ...stranger, role } });
  control.gateway({
    action: 'dispatch',
    event: 'CHANNEL_CREATE',
    data: { ...stranger, id: '1', type: 0, name: 'c' },
  });
  for (const guild_id of [null, 'none', 5, {}]) {
    for (const event of [
      'GUILD_ROLE_DELETE',
      'GUILD_BAN_ADD',
      'GUILD_AUDIT_LOG_ENTRY_CREATE',
      'CHANNEL_DELETE',
    ])
      control.gateway({ action: 'dispatch', event, data: { guild_id, role_id: '1', id: '1', user: USER } });
  }
  control.guilds({ action: 'update', name: 'After them' });
  await stage.row("SELECT FROM guilds WHERE id = $1 AND name = 'After them'", [guildId]);
  await stage.act('bans.add', 'owner', { user_id: newMember(stage.sandbox), reason: 'x' });
  const known = [guildId, stage.sandbox.otherGuildId];
  const asked = requests.flatMap(({ path }) => /^\/guilds\/([^/]*)/.exec(path)?.[1] ?? []);
  expect(asked.filter((id) => !known.includes(id))).toEqual([]);
});

test('an entry of the audit log that lacks its fields does not keep the others from being recorded', async () => {
  verifies('bot.bad-events');
  const { control, guildId } = stage.sandbox;
  const entry = { guild_id: guildId, action_type: 22, target_id: '1', user_id: '2' };
  for (const data of [
    entry,
    { ...entry, id: 'first' },
    { ...entry, id: '835246156547096576', target_id: {} },
    { ...entry, id: '835246156547096576', action_type: 24, changes: 'many' },
    {
      ...entry,
      id: '835246156547096576',
      action_type: 24,
      changes: [{ key: 'communication_disabled_until', new_value: 'tomorrow' }],
    },
  ]) {
    control.gateway({ action: 'dispatch', event: 'GUILD_AUDIT_LOG_ENTRY_CREATE', data });
  }
  const user = newMember(stage.sandbox);
  control.bans({ action: 'ban', user, by: 'moderator', reason: 'By hand' });
  await stage.row("SELECT FROM cases WHERE guild_id = $1 AND user_id = $2 AND reason = 'By hand'", [
    guildId,
    user,
  ]);
});

/** The ticket of a member, opened in the dashboard. */
async function openTicket(by = 'member'): Promise<{ id: string; channel_id: string }> {
  const { body } = await stage.act('tickets.open', by, { subject: 'Griefed' });
  return (body as { ticket: { id: string; channel_id: string } }).ticket;
}
const isClosed = ({ id }: { id: string }) =>
  stage.row("SELECT closed_by, close_reason FROM tickets WHERE id = $1 AND status = 'closed'", [id]);

test('a ticket whose channel is deleted by hand is closed at once', async () => {
  verifies('bot.ticket-channel-gone');
  const ticket = await openTicket();
  stage.sandbox.control.channels({ action: 'delete', channel: ticket.channel_id });
  expect(await isClosed(ticket)).toEqual({
    closed_by: null,
    close_reason: 'Its channel was deleted in Discord',
  });
});

test('a ticket that is closed in Bailiff keeps who closed it', async () => {
  const ticket = await openTicket();
  await stage.act('tickets.close', 'owner', { ticket_id: ticket.id, reason: 'Solved' });
  expect(await isClosed(ticket)).toEqual({
    closed_by: personOf(stage.sandbox, 'owner'),
    close_reason: 'Solved',
  });
});

test('a ticket ends with its channel although the database did not answer at first', async () => {
  verifies('bot.ticket-channel-gone');
  const ticket = await openTicket('owner');
  const { pool } = stage.test.database;
  const waitsForLock = `SELECT count(*)::int AS waiting FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%UPDATE tickets SET status%'`;
  const isWaiting = (is: boolean) =>
    stage.row(waitsForLock, [], ({ waiting }: { waiting: number }) => is === waiting > 0);
  const connection = await pool.connect();
  try {
    await connection.query('BEGIN');
    await connection.query('LOCK TABLE tickets IN SHARE MODE');
    stage.sandbox.control.channels({ action: 'delete', channel: ticket.channel_id });
    await isWaiting(true);
    // PostgreSQL has ended the statement.
    await isWaiting(false);
  } finally {
    await connection.query('ROLLBACK');
    connection.release();
  }
  await isClosed(ticket);
});

test('a ticket whose channel was deleted while the bot was away is closed when it is back', async () => {
  verifies('bot.ticket-channel-gone');
  const [hidden, gone, stays] = [await openTicket(), await openTicket(), await openTicket()];
  const { control } = stage.sandbox;
  control.gateway({ action: 'hold' });
  control.channels({ action: 'delete', channel: gone.channel_id });
  // One that is only hidden from the bot is not gone.
  control.channels({ action: 'delete', channel: hidden.channel_id });
  const body = { code: 50001, message: 'Missing Access' };
  const route = `/channels/${hidden.channel_id}`;
  control.addFault({ route, method: 'GET', status: 403, body, times: null });
  control.gateway({ action: 'invalidate' });
  control.gateway({ action: 'release' });
  await isClosed(gone);
  const { rows } = await stage.test.database.pool.query('SELECT status FROM tickets WHERE id = ANY ($1)', [
    [hidden.id, stays.id],
  ]);
  expect(rows).toEqual([{ status: 'open' }, { status: 'open' }]);
  control.clearFaults();
});
