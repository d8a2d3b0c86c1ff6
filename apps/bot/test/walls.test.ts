import { verifies } from '@bailiff/core/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type ChatStage, endChatStage, setChatStage } from './chat-harness.ts';
import { acquaint, newMember, personOf, refusalOf } from './harness.ts';

let stage: ChatStage;
let asked = 0n;
beforeAll(async () => {
  stage = await setChatStage({ Moderator: ['messages.purge', 'bans.write', 'mutes.write', 'strikes.write'] });
  asked = botRole();
});
afterAll(() => endChatStage(stage));
afterEach(async () => {
  const { control } = stage.sandbox;
  control.clearFaults();
  control.application({ message_content: true, owner_two_factor: true });
  control.guilds({ action: 'update', two_factor: false });
  await permit(asked);
});

function botRole(): bigint {
  const roles = stage.sandbox.getState().guilds[0]?.roles ?? [];
  return BigInt(roles.find(({ name }) => name === 'Bailiff')?.permissions ?? 0);
}

/** Gives the bot's role these permissions, and waits until the mirror has them. */
async function permit(permissions: bigint): Promise<void> {
  if (botRole() === permissions) return;
  stage.sandbox.control.roles({ action: 'update', role: 'Bailiff', permissions: String(permissions) });
  await stage.row("SELECT FROM roles WHERE name = 'Bailiff' AND permissions = $1", [String(permissions)]);
}

function channel(request: object): string {
  const made = stage.sandbox.control.channels({ action: 'create', name: 'there', ...request });
  return (made as { channel: { id: string } }).channel.id;
}
const deny = (of: string, name: string, ...permissions: string[]) =>
  stage.sandbox.control.channels({ action: 'update', channel: name, overwrite: { of, deny: permissions } });
const write = (request: object) =>
  stage.sandbox.control.messages({ user: 'owner', content: 'coins', ...request }).messages;
const purge = (channel_id: string, more: object = {}) =>
  stage.act('messages.purge', 'moderator', { channel_id, count: 100, include_pinned: false, ...more });
const ban = (user_id: string) => stage.act('bans.add', 'moderator', { user_id, reason: 'Spam' });
/** How many messages the bot sent to a person, also those that it took back. */
function sentTo(userId: string): number {
  const dm = stage.sandbox.getState().dms.find(({ user_id }) => user_id === userId)?.id;
  return stage.sandbox.requests.filter(
    ({ method, path }) => method === 'POST' && path === `/channels/${dm}/messages`,
  ).length;
}

test('a purge where the bot may not read is refused with what to grant, and where, in the language of who asked', async () => {
  verifies('bot.permission-named');
  const id = channel({ name: 'past' });
  write({ channel: 'past', count: 3 });
  deny('bot', 'past', 'ReadMessageHistory');
  expect(await refusalOf(purge(id))).toMatchObject({
    code: 'FORBIDDEN',
    message: "Give the bot's role the permission Read Message History in #past.",
    details: { permissions: ['Read Message History'], channel_id: id, channel_name: 'past' },
  });
  const command = { type: 'command', user: 'moderator', command: 'purge', channel: 'past' } as const;
  const { message } = await stage.does({ ...command, options: { count: 5 }, locale: 'de' });
  expect(message?.content).toContain(
    'Geben Sie der Rolle des Bots das Recht „Nachrichtenverlauf anzeigen“ in #past.',
  );
});

test('a purge works in threads, announcements and voice channels, and names the permission that is missing there', async () => {
  const news = channel({ name: 'news', type: 'announcement' });
  const lounge = channel({ name: 'lounge', type: 'voice' });
  const open = channel({ name: 'open', type: 'public_thread', parent: 'news' });
  const hidden = channel({ name: 'hidden', type: 'private_thread', parent: 'news' });
  for (const id of [news, lounge, open, hidden]) {
    write({ channel: id, count: 2 });
    expect((await purge(id)).body).toMatchObject({ purge: { deleted: 2 } });
  }
  deny('@everyone', 'lounge', 'Connect');
  deny('Bailiff', 'lounge', 'Connect');
  expect(await refusalOf(purge(lounge))).toMatchObject({
    details: { permissions: ['Connect'], channel_name: 'lounge' },
  });
  write({ channel: open, count: 2 });
  stage.sandbox.control.channels({ action: 'update', channel: 'open', archived: true, locked: true });
  expect((await purge(open)).body).toMatchObject({ purge: { deleted: 2 } });
  const ideas = channel({ name: 'ideas', type: 'forum' });
  expect(await refusalOf(purge(ideas))).toMatchObject({ details: { reason: 'CHANNEL_KIND' } });
});

test('messages that nobody can delete do not keep a purge from deleting the others', async () => {
  const id = channel({ name: 'mixed' });
  write({ channel: 'mixed', count: 2 });
  write({ channel: 'mixed', type: 4 });
  write({ channel: 'mixed', webhook: 'News' });
  expect((await purge(id)).body).toMatchObject({ purge: { deleted: 3 } });
});

test('without the Message Content Intent a purge by text is refused instead of finding nothing', async () => {
  verifies('bot.message-content');
  const id = channel({ name: 'unseen' });
  write({ channel: 'unseen', count: 2 });
  stage.sandbox.control.application({ message_content: false });
  const byText = { contains: 'coins' };
  expect(await refusalOf(purge(id, byText))).toMatchObject({
    details: { reason: 'MESSAGE_CONTENT_REQUIRED' },
  });
  expect(await stage.says('moderator', 'purge', { count: 5, contains: 'coins' }, 'unseen')).toContain(
    'Message Content Intent',
  );
  expect((await purge(id)).body).toMatchObject({ purge: { deleted: 2 } });
  stage.sandbox.control.application({ message_content: true });
  write({ channel: 'unseen', count: 2 });
  expect((await purge(id, byText)).body).toMatchObject({ purge: { deleted: 2 } });
});

test('an administrator cannot be muted, which is not for want of a permission of the bot', async () => {
  verifies('errors.permanent');
  const { control } = stage.sandbox;
  control.roles({ action: 'create', name: 'Root', permissions: ['Administrator'], position: 1 });
  const userId = newMember(stage.sandbox);
  control.members({ action: 'add_role', user: userId, role: 'Root' });
  await stage.row("SELECT FROM roles WHERE name = 'Root'");
  const mute = stage.act('mutes.add', 'owner', { user_id: userId, duration_minutes: 5, reason: 'x' });
  expect(await refusalOf(mute)).toMatchObject({ code: 'FORBIDDEN', details: { reason: 'TARGET_IS_ADMIN' } });
});

test('a ban that the guild allows only with two factors is permanent, and tells the target nothing before it is made', async () => {
  verifies('errors.permanent', 'notices.two-factor');
  stage.sandbox.control.guilds({ action: 'update', two_factor: true });
  await stage.row('SELECT FROM guilds WHERE id = $1 AND requires_two_factor', [stage.guildId]);
  stage.sandbox.control.application({ owner_two_factor: false });
  const [first, second] = [newMember(stage.sandbox), newMember(stage.sandbox)];
  const before = stage.sandbox.requests.length;
  for (const userId of [first, first, first, second]) {
    expect(await refusalOf(ban(userId))).toMatchObject({
      code: 'FORBIDDEN',
      status: 403,
      details: { reason: 'TWO_FACTOR_REQUIRED' },
    });
  }
  const opened = stage.sandbox.requests
    .slice(before)
    .filter(({ path, method }) => method === 'POST' && path === '/users/@me/channels');
  expect([sentTo(first), sentTo(second), opened]).toEqual([0, 0, []]);
  stage.sandbox.control.application({ owner_two_factor: true });
  expect((await ban(second)).body).toMatchObject({ ban: { user_id: second, active: true } });
});

test('a ban that Discord refuses again and again tells the target once at most', async () => {
  verifies('errors.permanent');
  const userId = newMember(stage.sandbox);
  const route = { method: 'PUT', route: '/guilds/*/bans/*', times: null } as const;
  stage.sandbox.control.addFault({ ...route, status: 400, body: { message: 'Refused', code: 20_012 } });
  for (let tries = 0; tries < 3; tries += 1) {
    expect(await refusalOf(ban(userId))).toMatchObject({ details: { reason: 'DISCORD_REFUSED' } });
  }
  expect(sentTo(userId)).toBeLessThanOrEqual(1);
});

test.each([
  [400, 50_035, 502, false],
  [401, 0, 502, false],
  [405, 0, 502, false],
  [400, 30_035, 403, false],
  [403, 60_003, 403, false],
  [403, 99_999, 403, false],
  [503, 0, 502, true],
  [404, 10_013, 404, false],
])('Discord’s %i/%i becomes %i, retryable %s', async (status, code, answered, retryable) => {
  verifies('errors.permanent');
  const body = { message: 'No', code };
  stage.sandbox.control.addFault({ method: 'PUT', route: '/guilds/*/bans/*', times: null, status, body });
  const refused = await ban(personOf(stage.sandbox, 'outsider')).catch((error: unknown) => error);
  const { error } = (refused as { envelope(id: string): { error: { retryable: boolean } } }).envelope(
    'req_x',
  );
  expect([(refused as { status: number }).status, error.retryable]).toEqual([answered, retryable]);
});

test('a ticket whose transcript would have no texts is closed after a warning, and a button', async () => {
  verifies('bot.message-content');
  const opened = await stage.act('tickets.open', 'member', { subject: 'Griefed' });
  const { ticket } = opened.body as { ticket: { id: string; channel_id: string } };
  stage.sandbox.control.application({ message_content: false });
  const close = {
    type: 'command',
    user: 'owner',
    command: 'ticket close',
    channel: ticket.channel_id,
  } as const;
  const { message } = await stage.does(close);
  expect(message?.content).toContain('the transcript of this ticket would have none');
  const [row] = (message?.components ?? []) as { components?: { custom_id?: string }[] }[];
  const custom_id = row?.components?.[0]?.custom_id ?? '';
  const isOpen = { id: ticket.id, status: 'open' };
  expect(await stage.row('SELECT id, status FROM tickets WHERE id = $1', [ticket.id])).toEqual(isOpen);
  const press = { type: 'button', user: 'owner', message_id: message?.id ?? '', custom_id } as const;
  await stage.sandbox.control.interact({ ...press, wait_ms: 0 });
  await stage.row("SELECT FROM tickets WHERE id = $1 AND status = 'closed'", [ticket.id]);
});

test('a strike for the message of a webhook is refused, because nobody wrote it', async () => {
  const [message] = write({ channel: 'general', webhook: 'News' });
  const answer = await stage.picks('moderator', 'Strike for this message', message?.id ?? '');
  expect(answer.message?.content).toBe('A webhook wrote this message: there is nobody to act on.');
});

test('a length of time without a unit is asked about, in the language of who typed it', async () => {
  const options = { user: 'troll', reason: 'x', duration: '7' };
  expect(await stage.says('moderator', 'mute', options)).toContain('what is 7?');
  const { message } = await stage.does({
    type: 'command',
    user: 'moderator',
    command: 'mute',
    options,
    locale: 'fr',
  });
  expect(message?.content).toContain('que veut dire 7\u00a0?');
});

test('a long history and its notes come whole, in two messages if one cannot hold them', async () => {
  const user = newMember(stage.sandbox);
  for (let number = 0; number < 10; number += 1) {
    const strike = { user, severity: 'minor', reason: `${number} ${'r'.repeat(200)}` };
    expect(await stage.says('owner', 'strike add', strike)).toMatch(/^Done/);
  }
  for (let number = 0; number < 3; number += 1) {
    await stage.says('owner', 'note add', { user, text: `${number} ${'n'.repeat(900)}` });
  }
  const answer = await stage.does({ type: 'command', user: 'owner', command: 'history', options: { user } });
  const shown = await stage.sandbox.until((state) => {
    const { responses = [] } = state.interactions.find(({ id }) => id === answer.id) ?? {};
    const texts = responses.map(({ message }) => message?.content ?? '');
    return texts.some((content) => content.includes('nnnn')) && texts;
  });
  expect(shown.some((content) => content.includes('rrrr'))).toBe(true);
  for (const content of shown) expect(content.length).toBeLessThanOrEqual(2_000);
});

test('nobody opens ticket after ticket, and a crowd cannot fill the guild with channels', async () => {
  verifies('bot.ticket-limits');
  const { pool } = stage.test.database;
  const open = () => stage.act('tickets.open', 'member2', { subject: 'Again' });
  const numbers = (first: number, count: number) =>
    Array.from({ length: count }, (_, index) => first + index);
  const insert = (count: number, openedBy: string, status: string) =>
    pool.query(
      `INSERT INTO tickets (guild_id, number, subject, opened_by, status)
       SELECT $1, number, 'x', $2, $3::"TicketStatus" FROM unnest($4::int[]) AS number`,
      [stage.guildId, openedBy, status, numbers(status === 'open' ? 10_000 : 20_000, count)],
    );
  await insert(5, stage.people.member2 ?? '', 'closed');
  expect(await refusalOf(open())).toMatchObject({ details: { reason: 'TICKET_COOLDOWN' } });
  await pool.query("UPDATE tickets SET opened_at = opened_at - interval '11 minutes' WHERE number >= 20000");
  await insert(200, 'raider', 'open');
  expect(await refusalOf(open())).toMatchObject({ details: { reason: 'GUILD_TICKET_LIMIT' } });
  await pool.query('DELETE FROM tickets WHERE number >= 10000');
  expect((await open()).body).toMatchObject({ ticket: { status: 'open' } });
});

test('a member is told of their ban also after Discord took no more bans of people who left', async () => {
  verifies('errors.permanent');
  const [gone, member] = [newMember(stage.sandbox), newMember(stage.sandbox)];
  await acquaint(stage, member);
  stage.sandbox.control.members({ action: 'leave', user: gone });
  stage.sandbox.control.addFault({
    method: 'PUT',
    route: `/guilds/*/bans/${gone}`,
    status: 400,
    body: { message: 'Maximum number of bans for non-guild members have been exceeded', code: 30_035 },
  });
  expect(await refusalOf(ban(gone))).toMatchObject({ details: { reason: 'BAN_LIMIT' } });
  await ban(member);
  expect(sentTo(member)).toBe(1);
});

test('a refusal that holds for the whole server keeps others from being told for a day', async () => {
  verifies('errors.permanent');
  const body = { message: 'Two factor is required for this operation', code: 60_003 };
  stage.sandbox.control.addFault({
    method: 'PUT',
    route: '/guilds/*/bans/*',
    times: null,
    status: 400,
    body,
  });
  const refusedTo = async () => {
    const userId = newMember(stage.sandbox);
    await acquaint(stage, userId);
    expect(await refusalOf(ban(userId))).toMatchObject({ details: { reason: 'TWO_FACTOR_REQUIRED' } });
    return sentTo(userId);
  };
  expect([await refusedTo(), await refusedTo()]).toEqual([1, 0]);
  await stage.test.database.pool.query("UPDATE actions SET created_at = created_at - interval '25 hours'");
  expect(await refusedTo()).toBe(1);
});
