import { verifies } from '@bailiff/core/testing';
import { expect, test } from 'vitest';
import { newMember, type Stage } from './harness.ts';
import { ticketsForEachTest } from './ticket-desk.ts';

let stage: Stage;
const { channelWith, interact, open, say } = ticketsForEachTest((next) => {
  stage = next;
});

const assignTo = (user: string, by: string, channel: string) =>
  say(by, 'ticket assign', { channel, options: { user } });

test('a ticket is given to another moderator, who is mentioned in its channel, once and nobody else', async () => {
  verifies('tickets.assign.channel');
  const { id: channel } = await open();
  const { owner, moderator } = stage.people;
  expect(await assignTo('moderator', 'owner', channel)).toBe(`Done. Ticket #1 is <@${moderator}>'s now.`);
  const { messages } = await channelWith(2);
  expect(messages.map(({ content }) => content).at(-1)).toBe(
    `<@${moderator}> takes care of this ticket now; <@${owner}> handed it over.`,
  );
  const [posted] = stage.sandbox.requests
    .filter(({ method, route }) => method === 'POST' && route === '/channels/{channel_id}/messages')
    .map(({ body }) => body as { content: string; allowed_mentions: object })
    .filter(({ content }) => content.includes('handed it over'));
  expect(posted?.allowed_mentions).toEqual({ users: [moderator] });
  await stage.row(
    `SELECT FROM audit WHERE operation = 'tickets.assign' AND outcome = 'performed' AND actor_user_id = $1`,
    [owner],
  );
  // Its job runs again, as after a crash.
  await stage.test.database.pool.query(
    "SELECT graphile_worker.add_job('announce_assignment', json_build_object('ticket_id', id)) FROM tickets",
  );
  await stage.row(
    "SELECT FROM graphile_worker.jobs WHERE task_identifier = 'announce_assignment' HAVING count(*) = 0",
  );
  expect((await channelWith(2)).message_count).toBe(2);
});

test('nobody gets a ticket who may not work on tickets, and only its claimer and the owner pass it on', async () => {
  verifies('tickets.assign.refused');
  const { id: channel } = await open();
  for (const user of ['helper', 'member2']) {
    expect(await assignTo(user, 'moderator', channel)).toMatch(/^Not done\. This person cannot take care of/);
  }
  expect(await assignTo('moderator', 'member', channel)).toMatch(/^Not done\. .*tickets\.write/);
  expect(await say('owner', 'ticket claim', { channel })).toBe('Done. Ticket #1 is yours.');
  expect(await assignTo('moderator', 'moderator', channel)).toMatch(
    /^Not done\. Only who claimed the ticket/,
  );
  await stage.row('SELECT FROM tickets WHERE claimed_by = $1 AND assigned_by IS NULL', [stage.people.owner]);
});

test('the owner takes a ticket that somebody else has claimed', async () => {
  verifies('tickets.assign.refused');
  const { id: channel } = await open();
  const { owner } = stage.people;
  expect(await say('moderator', 'ticket claim', { channel })).toBe('Done. Ticket #1 is yours.');
  expect(await assignTo('owner', 'owner', channel)).toBe(`Done. Ticket #1 is <@${owner}>'s now.`);
  await stage.row('SELECT FROM tickets WHERE claimed_by = $1 AND assigned_by = $1', [owner]);
});

test.each([
  ['in a channel that is gone meanwhile', { code: 10003, message: 'Unknown Channel' }],
  ['again by a message that somebody has deleted', { code: 10008, message: 'Unknown Message' }],
])('nobody is mentioned %s, and that is not tried for ever', async (_what, body) => {
  const { id: channel } = await open();
  stage.sandbox.control.addFault({
    route: `/channels/${channel}/messages`,
    method: 'POST',
    status: 404,
    body,
    times: null,
  });
  expect(await assignTo('moderator', 'owner', channel)).toMatch(/^Done\./);
  await stage.row(
    "SELECT FROM graphile_worker.jobs WHERE task_identifier = 'announce_assignment' HAVING count(*) = 0",
  );
  stage.sandbox.control.clearFaults();
});

test('a ticket of somebody who may not work on tickets any more is taken over', async () => {
  const { id: channel } = await open();
  await stage.test.database.pool.query("UPDATE tickets SET status = 'claimed', claimed_by = $1", [
    stage.people.member2,
  ]);
  expect(await assignTo('moderator', 'moderator', channel)).toMatch(/^Done\./);
});

test('of more people than a menu holds the button names 25, and says how the others are named', async () => {
  verifies('tickets.assign');
  const { messages } = await open();
  for (let n = 1; n <= 25; n += 1) {
    const user = newMember(stage.sandbox, `Clerk ${n}`);
    stage.sandbox.control.members({ action: 'add_role', user, role: 'Moderator' });
  }
  const clerks =
    "SELECT FROM members WHERE guild_id = $1 AND display_name LIKE 'Clerk %' HAVING count(*) = 25";
  await stage.row(clerks, [stage.guildId]);
  const [row] = (messages[0]?.components ?? []) as { components: { custom_id: string }[] }[];
  const { message } = await interact({
    type: 'button',
    user: 'moderator',
    message_id: messages[0]?.id ?? '',
    custom_id: row?.components[0]?.custom_id ?? '',
  });
  const [menuRow] = (message?.components ?? []) as { components: { options: object[] }[] }[];
  expect(menuRow?.components[0]?.options).toHaveLength(25);
  expect(message?.content).toContain('Others are named with `/ticket assign`.');
});

test('a button beneath the first message asks who, and names only those who may work on tickets', async () => {
  verifies('tickets.assign');
  const { messages } = await open();
  const [row] = (messages[0]?.components ?? []) as { components: { custom_id: string; label: string }[] }[];
  const button = row?.components[0];
  expect(button?.label).toBe('Hand over');
  const press = (user: string) =>
    interact({ type: 'button', user, message_id: messages[0]?.id ?? '', custom_id: button?.custom_id ?? '' });
  expect((await press('member')).message?.content).toMatch(/^Not done\. .*tickets\.write/);
  const { message } = await press('moderator');
  const [menuRow] = (message?.components ?? []) as {
    components: { custom_id: string; options: { value: string }[] }[];
  }[];
  const menu = menuRow?.components[0];
  const { owner, moderator } = stage.people;
  const values = menu?.options.map(({ value }) => value) ?? [];
  expect(values).toEqual(expect.arrayContaining([owner, moderator]));
  expect(values).not.toContain(stage.people.helper);
  expect(values).not.toContain(stage.sandbox.clientId);
  // By the names that this server knows.
  expect(menu?.options).toContainEqual(expect.objectContaining({ label: 'Juno Okafor', value: moderator }));
  const chosen = await interact({
    type: 'select',
    user: 'moderator',
    message_id: message?.id ?? '',
    custom_id: menu?.custom_id ?? '',
    values: [owner ?? ''],
  });
  expect(chosen.message?.content).toBe(`Done. Ticket #1 is <@${owner}>'s now.`);
  await stage.row('SELECT FROM tickets WHERE claimed_by = $1 AND assigned_by = $2', [owner, moderator]);
});

test('the button does not offer a ticket to whoever has it, and says so where there is nobody else', async () => {
  verifies('tickets.assign');
  const { id: channel, messages } = await open();
  await say('owner', 'ticket claim', { channel });
  const [row] = (messages[0]?.components ?? []) as { components: { custom_id: string }[] }[];
  const press = async (user: string) => {
    const message_id = messages[0]?.id ?? '';
    const custom_id = row?.components[0]?.custom_id ?? '';
    return (await interact({ type: 'button', user, message_id, custom_id })).message;
  };
  const offered = JSON.stringify((await press('moderator'))?.components);
  expect(offered).toContain(stage.people.moderator);
  expect(offered).not.toContain(stage.people.owner);
  await stage.test.database.pool.query('DELETE FROM role_grants');
  const alone = await press('owner');
  expect(alone?.content).toMatch(/^Nobody else may work on tickets here\./);
  expect(alone?.components ?? []).toEqual([]);
});

test('the button offers no ticket to a moderator whom Discord has timed out', async () => {
  verifies('tickets.assign');
  const { messages } = await open();
  const user = newMember(stage.sandbox, 'Clerk');
  stage.sandbox.control.members({ action: 'add_role', user, role: 'Moderator' });
  await stage.row('SELECT FROM members WHERE user_id = $1 AND cardinality(role_ids) > 0', [user]);
  const [row] = (messages[0]?.components ?? []) as { components: { custom_id: string }[] }[];
  const offered = async () => {
    const message_id = messages[0]?.id ?? '';
    const custom_id = row?.components[0]?.custom_id ?? '';
    const { message } = await interact({ type: 'button', user: 'moderator', message_id, custom_id });
    return JSON.stringify(message?.components);
  };
  expect(await offered()).toContain(user);
  stage.sandbox.control.members({ action: 'timeout', user, minutes: 5, by: 'owner' });
  await stage.row('SELECT FROM members WHERE user_id = $1 AND timed_out_until > now()', [user]);
  expect(await offered()).not.toContain(user);
});

test('the button names first who claimed a ticket last', async () => {
  verifies('tickets.assign');
  const { messages } = await open();
  const { owner, moderator } = stage.people;
  const [row] = (messages[0]?.components ?? []) as { components: { custom_id: string }[] }[];
  const claimedLast = async (userId: string | undefined, days: number) => {
    await stage.test.database.pool.query(
      `INSERT INTO tickets (guild_id, number, subject, opened_by, status, claimed_by, claimed_at)
       VALUES ($1, $2, 'x', $3, 'closed', $3, now() - make_interval(days => $4))`,
      [stage.guildId, 100 - days, userId, days],
    );
    const { message } = await interact({
      type: 'button',
      user: 'moderator',
      message_id: messages[0]?.id ?? '',
      custom_id: row?.components[0]?.custom_id ?? '',
    });
    const [menuRow] = (message?.components ?? []) as { components: { options: { value: string }[] }[] }[];
    return menuRow?.components[0]?.options.map(({ value }) => value);
  };
  expect(await claimedLast(moderator, 2)).toEqual([moderator, owner]);
  expect(await claimedLast(owner, 1)).toEqual([owner, moderator]);
});
