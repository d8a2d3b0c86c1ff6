import { verifies } from '@bailiff/core/testing';
import { beforeEach, expect, test } from 'vitest';
import { guildForEachTest } from './each-test.ts';
import { grant, type Stage } from './harness.ts';

let stage: Stage;
guildForEachTest((next) => {
  stage = next;
});
beforeEach(async () => {
  await grant(stage, 'Moderator', ['tickets.read', 'tickets.write']);
  await grant(stage, 'Helper', ['members.read']);
  await stage.row('SELECT FROM members WHERE user_id = $1', [stage.people.moderator]);
});

const WHERE = 'Where on the map did it happen, and roughly at what time of the day did you notice it?';
const GRIEF = { name: 'Griefing', description: 'Somebody broke what you built', questions: ['Who?', WHERE] };
const OTHER = { name: 'Other', description: '', questions: [], role_ids: [] };

const interact = (request: Parameters<Stage['sandbox']['control']['interact']>[0]) =>
  stage.sandbox.control.interact(request);

function roleId(name: string): string {
  return stage.sandbox.getState().guilds[0]?.roles.find((role) => role.name === name)?.id ?? '';
}

/** What the owner has set. */
async function set(
  categories: readonly object[],
  limits: { person?: number; guild?: number; pause?: number } = {},
) {
  const { person = 5, guild = 200, pause = 0 } = limits;
  await stage.test.database.pool.query(
    `INSERT INTO ticket_settings (guild_id, categories, most_open_of_person, most_open_of_guild, cooldown_minutes)
     VALUES ($1, $2, $3, $4, $5) ON CONFLICT (guild_id) DO UPDATE SET categories = excluded.categories`,
    [stage.guildId, JSON.stringify(categories), person, guild, pause],
  );
}

async function say(user: string, options: Record<string, string>): Promise<string> {
  const { message } = await interact({ type: 'command', user, command: 'ticket open', options });
  return message?.content ?? '';
}

const messagesOf = (number: number, count: number) =>
  stage.sandbox.until((state) => {
    const name = `ticket-${String(number).padStart(4, '0')}`;
    const channel = state.guilds[0]?.channels.find((each) => each.name === name);
    return channel !== undefined && channel.message_count >= count ? channel.messages : undefined;
  });

test('who names no category is asked for one, then its questions, and the staff reads the answers', async () => {
  verifies('tickets.categories', 'tickets.mentions-staff');
  await set([{ ...GRIEF, role_ids: [roleId('Moderator'), roleId('Helper')] }, OTHER]);
  const asked = await interact({
    type: 'command',
    user: 'member',
    command: 'ticket open',
    options: { subject: 'My house' },
  });
  const [row] = (asked.message?.components ?? []) as {
    components: { custom_id: string; options: object[] }[];
  }[];
  const menu = row?.components[0];
  expect(menu?.options).toMatchObject([
    { label: 'Griefing', description: GRIEF.description },
    { label: 'Other' },
  ]);
  const chosen = await interact({
    type: 'select',
    user: 'member',
    message_id: asked.message?.id ?? '',
    custom_id: menu?.custom_id ?? '',
    values: ['Griefing'],
  });
  expect(chosen.modal).toMatchObject({
    title: 'Griefing',
    components: [
      { component: { custom_id: 'subject', value: 'My house' } },
      { label: 'Who?' },
      { label: 'Question 2', description: WHERE },
    ],
  });
  const fields = { subject: 'My house', answer_0: 'xx_grief_xx', answer_1: 'At spawn,\n@everyone, at noon' };
  const sent = await interact({ type: 'modal', user: 'member', interaction_id: chosen.id, fields });
  expect(sent.message?.content).toMatch(/^Done\. Ticket #1 is open/);
  const [welcome, who, where] = await messagesOf(1, 3);
  expect(welcome?.content).toContain('Category: Griefing');
  // A role that may not read tickets does not see the channel, and is left alone.
  expect(welcome?.content).toContain(`<@&${roleId('Moderator')}>`);
  expect(welcome?.content).not.toContain(roleId('Helper'));
  expect(who?.content).toBe('**Who?**\n> xx_grief_xx');
  expect(where?.content).toBe(`**${WHERE}**\n> At spawn,\n> @everyone, at noon`);
  const posts = stage.sandbox.requests.filter(
    ({ method, route }) => method === 'POST' && route?.endsWith('/messages'),
  );
  expect(posts.at(-3)?.body).toMatchObject({
    allowed_mentions: { users: [stage.people.member], roles: [roleId('Moderator')] },
  });
  expect(posts.at(-1)?.body).toMatchObject({ allowed_mentions: { parse: [] } });
  await stage.row(
    `SELECT FROM tickets WHERE category = 'Griefing' AND answers->0 = '{"question":"Who?","answer":"xx_grief_xx"}'`,
  );
});

test('who corrects the category finds the subject in each form', async () => {
  verifies('tickets.categories');
  await set([
    { ...GRIEF, role_ids: [] },
    { ...OTHER, questions: ['What?'] },
  ]);
  const options = { subject: 'My house' };
  const asked = await interact({ type: 'command', user: 'member', command: 'ticket open', options });
  const menu = JSON.stringify(asked.message?.components);
  const custom_id = /"custom_id":"(ticket:category:[^"]+)"/.exec(menu)?.[1] ?? '';
  for (const name of ['Griefing', 'Other', 'Griefing']) {
    const on = { message_id: asked.message?.id ?? '', custom_id, values: [name] };
    const { modal } = await interact({ type: 'select', user: 'member', ...on });
    expect(modal).toMatchObject({
      title: name,
      components: [
        { component: { custom_id: 'subject', value: 'My house' } },
        {},
        ...(name === 'Other' ? [] : [{}]),
      ],
    });
  }
});

test('a category without questions opens at once, and one that is not there is refused', async () => {
  verifies('tickets.categories');
  await set([{ ...GRIEF, role_ids: [] }, OTHER]);
  expect(await say('member', { subject: 'Hello', category: 'Other' })).toMatch(/^Done\. Ticket #1 is open/);
  expect(await say('member', { subject: 'Hello', category: 'Bugs' })).toMatch(
    /^Not done\. The categories of tickets have changed/,
  );
  const { choices } = await interact({
    type: 'autocomplete',
    user: 'member',
    command: 'ticket open',
    focused: 'category',
    options: { subject: 'x', category: 'gri' },
  });
  expect(choices).toMatchObject([{ name: 'Griefing', value: 'Griefing' }]);
});

test('answers to questions that have changed meanwhile are not kept beneath the new ones', async () => {
  verifies('tickets.categories');
  await set([{ ...GRIEF, questions: ['Who?'], role_ids: [] }]);
  // The only category need not be named.
  const opened = await interact({
    type: 'command',
    user: 'member',
    command: 'ticket open',
    options: { subject: 'Help' },
  });
  await set([{ ...GRIEF, questions: ['Who are you?'], role_ids: [] }]);
  const fields = { subject: 'Help', answer_0: 'The troll' };
  const sent = await interact({ type: 'modal', user: 'member', interaction_id: opened.id, fields });
  expect(sent.message?.content).toMatch(/^Not done\. The categories of tickets have changed/);
  const { rows } = await stage.test.database.pool.query('SELECT FROM tickets');
  expect(rows).toHaveLength(0);
});

test('the owner sets how many tickets may be open, and how long a member waits between two', async () => {
  verifies('tickets.limits');
  await set([], { person: 1, guild: 2, pause: 30 });
  expect(await say('member', { subject: 'One' })).toMatch(/^Done\. Ticket #1/);
  expect(await say('member', { subject: 'Two' })).toMatch(
    /^Not done\. You have 1 open ticket, which is as many/,
  );
  const { pool } = stage.test.database;
  await pool.query("UPDATE tickets SET status = 'closed'");
  expect(await say('member', { subject: 'Two' })).toMatch(
    /^Not done\. You opened a ticket lately.*here 30 minutes pass/,
  );
  await pool.query("UPDATE tickets SET opened_at = opened_at - interval '20 minutes'");
  expect(await say('member', { subject: 'Two' })).toMatch(/^Not done\. You opened a ticket lately/);
  await pool.query("UPDATE tickets SET opened_at = opened_at - interval '11 minutes'");
  expect(await say('member', { subject: 'Two' })).toMatch(/^Done\. Ticket #2/);
  expect(await say('member2', { subject: 'Three' })).toMatch(/^Done\. Ticket #3/);
  expect(await say('newcomer', { subject: 'Four' })).toMatch(/^Not done\. This server has 2 open tickets/);
});

test('a ticket that somebody works on counts as open, and who opened five in ten minutes waits, closed or not', async () => {
  verifies('tickets.limits');
  await set([], { person: 1 });
  const { pool } = stage.test.database;
  await pool.query(
    "INSERT INTO tickets (guild_id, number, subject, opened_by, status, claimed_by) VALUES ($1, 9, 'x', $2, 'claimed', $3)",
    [stage.guildId, stage.people.member, stage.people.moderator],
  );
  expect(await say('member', { subject: 'Two' })).toMatch(/^Not done\. You have 1 open ticket/);
  await pool.query("UPDATE tickets SET status = 'closed', opened_at = now() - interval '9 minutes'");
  await pool.query(
    `INSERT INTO tickets (guild_id, number, subject, opened_by, status, opened_at)
     SELECT $1, 10 + n, 'x', $2, 'closed', now() - interval '9 minutes' FROM generate_series(1, 4) AS n`,
    [stage.guildId, stage.people.member],
  );
  expect(await say('member', { subject: 'Six' })).toMatch(
    /^Not done\. You opened 5 tickets within ten minutes/,
  );
  await pool.query("UPDATE tickets SET opened_at = opened_at - interval '2 minutes'");
  expect(await say('member', { subject: 'Six' })).toMatch(/^Done\. Ticket #1/);
});

test('who has as many tickets as one may have is told so before answering the questions of a category', async () => {
  verifies('tickets.limits');
  await set([{ ...GRIEF, role_ids: [] }], { person: 1 });
  await stage.test.database.pool.query(
    "INSERT INTO tickets (guild_id, number, subject, opened_by) VALUES ($1, 9, 'x', $2)",
    [stage.guildId, stage.people.member],
  );
  expect(await say('member', { subject: 'Two' })).toMatch(/^Not done\. You have 1 open ticket/);
});

test('the form is of the very category that was chosen, and its title has whole characters', async () => {
  verifies('tickets.categories');
  const long = `${'x'.repeat(44)}😀 and more`;
  await set([
    { ...OTHER, name: 'help' },
    { ...GRIEF, name: 'Help', role_ids: [] },
    { ...OTHER, name: long },
  ]);
  const options = { subject: 'My house' };
  const asked = await interact({ type: 'command', user: 'member', command: 'ticket open', options });
  const menu = JSON.stringify(asked.message?.components);
  const custom_id = /"custom_id":"(ticket:category:[^"]+)"/.exec(menu)?.[1] ?? '';
  const formOf = async (name: string) => {
    const on = { message_id: asked.message?.id ?? '', custom_id, values: [name] };
    return (await interact({ type: 'select', user: 'member', ...on })).modal as {
      title: string;
      components: object[];
    };
  };
  const { title, components } = await formOf('Help');
  expect([title, components.length]).toEqual(['Help', 3]);
  expect((await formOf(long)).title).toBe(`${'x'.repeat(44)}…`);
});
