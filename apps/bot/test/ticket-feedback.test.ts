import { verifies } from '@bailiff/core/testing';
import { explainRating, rateTicket } from '@bailiff/engine/tickets/feedback';
import { ButtonStyle } from 'discord.js';
import { expect, test } from 'vitest';
import type { Stage } from './harness.ts';
import { ticketsForEachTest } from './ticket-desk.ts';

let stage: Stage;
const { channelWith, close, interact, open, putOff, say } = ticketsForEachTest((next) => {
  stage = next;
});

const query = async (text: string, values: unknown[] = []) =>
  (await stage.test.database.pool.query(text, values)).rows;

const asks = (feedback: boolean) =>
  query(
    `INSERT INTO ticket_settings (guild_id, asks_feedback) SELECT id, ${feedback} FROM guilds
     ON CONFLICT (guild_id) DO UPDATE SET asks_feedback = excluded.asks_feedback`,
  );
const switchOn = () => asks(true);

/** Opens a ticket of the member and has the moderator close it. */
const closed = async () => close((await open()).id);

interface Button {
  readonly custom_id: string;
  readonly label: string;
  readonly style?: ButtonStyle;
}

const buttonsOf = ({ components }: { components?: unknown }): Button[] =>
  ((components ?? []) as { components: Button[] }[]).flatMap((row) => row.components);

/** The messages to the member with buttons from 1 to 5. */
const questions = () =>
  stage.sandbox
    .getState()
    .dms.filter(({ user_id }) => user_id === stage.people.member)
    .flatMap(({ messages }) => messages)
    .filter((message) => message.content.includes('How was the help?') || buttonsOf(message).length > 0);

async function asked(state = 'told') {
  await stage.row('SELECT FROM ticket_feedback WHERE state::text = $1', [state]);
  return questions().at(-1);
}

const noneQueued = () =>
  stage.row("SELECT FROM graphile_worker.jobs WHERE task_identifier = 'ask_feedback' HAVING count(*) = 0");

const press = (message_id: string, custom_id: string, user = 'member') =>
  interact({ type: 'button', user, message_id, custom_id });

const OVER = 'Nothing was changed. A closed ticket is rated once, by who opened it, within 14 days.';

test('the opener is asked once for each closing, rates the help and adds a few words; nobody is named', async () => {
  verifies('tickets.feedback');
  await switchOn();
  await closed();
  const message = await asked();
  expect(message?.content).toMatch(/^Your ticket #1 in \*\*.+\*\* is closed\. How was the help\? 1 is poor/);
  for (const name of ['moderator', 'owner']) {
    expect(JSON.stringify(message)).not.toContain(stage.people[name]);
  }
  const buttons = buttonsOf(message ?? {});
  // None stands out, as if it were the one to press.
  const style = ButtonStyle.Secondary;
  expect(buttons).toMatchObject(['1', '2', '3', '4', '5'].map((label) => ({ label, style })));
  // Its job runs again, as after a crash. Discord would take a second message for the same one for a few minutes only.
  const isSent = ({ method, path }: { method: string; path: string }) =>
    method === 'POST' && path === `/channels/${message?.channel_id}/messages`;
  const sent = stage.sandbox.requests.filter(isSent).length;
  await query(
    "SELECT graphile_worker.add_job('ask_feedback', json_build_object('ticket_id', id)) FROM tickets",
  );
  await noneQueued();
  expect(questions()).toHaveLength(1);
  expect(stage.sandbox.requests.filter(isSent)).toHaveLength(sent);

  const rated = await press(message?.id ?? '', buttons[3]?.custom_id ?? '');
  expect(rated.message?.content).toBe('Thank you. You gave 4 of 5 for the help with ticket #1.');
  const [add] = buttonsOf(rated.message ?? {});
  expect(add?.label).toBe('Add a few words');
  const form = await press(message?.id ?? '', add?.custom_id ?? '');
  const secondForm = await press(message?.id ?? '', add?.custom_id ?? '');
  const hostile = '**Quick** @everyone <script>';
  const sends = (interaction_id: string, words: string) =>
    interact({ type: 'modal', user: 'member', interaction_id, fields: { words } });
  const explained = await sends(form.id, hostile);
  expect(explained.message?.content).toMatch(
    /^Thank you\. What you wrote about the help with ticket #1 is kept/,
  );
  expect(buttonsOf(explained.message ?? {})).toEqual([]);
  expect((await sends(secondForm.id, 'Slow')).message?.content).toBe(OVER);
  // Nor does a late press of the same number, from a client that does not show the words yet, ask for them again.
  const [ticket] = await query('SELECT id, closed_at, opened_by FROM tickets');
  const closing = { ticketId: ticket.id, closedAt: ticket.closed_at };
  expect(await rateTicket(stage.test.database.pool, closing, ticket.opened_by, 4)).toBeNull();
  expect(await query('SELECT rating, text FROM ticket_feedback')).toEqual([{ rating: 4, text: hostile }]);
  expect(
    await query("SELECT actor_source, actor_user_id, outcome FROM audit WHERE operation = 'tickets.rate'"),
  ).toEqual(
    Array(2).fill({ actor_source: 'chat', actor_user_id: stage.people.member, outcome: 'performed' }),
  );
});

test('where the owner has switched both on, the opener gets the transcript and is asked', async () => {
  verifies('tickets.feedback', 'tickets.transcript');
  await switchOn();
  await query('UPDATE ticket_settings SET sends_transcript = true');
  const { id: channel } = await open();
  stage.sandbox.control.messages({ user: 'member', channel, content: 'Hello?' });
  await close(channel);
  await asked();
  await stage.row("SELECT FROM tickets WHERE transcript_notice::text = 'told'");
  expect(questions()).toHaveLength(1);
  const files = stage.sandbox
    .getState()
    .dms.filter(({ user_id }) => user_id === stage.people.member)
    .flatMap(({ messages }) => messages)
    .flatMap(({ attachments }) => attachments as { filename: string }[]);
  expect(files.map(({ filename }) => filename)).toEqual(['ticket-1.html']);
});

test('a rating counts once, also if two buttons are pressed at once', async () => {
  verifies('tickets.feedback.once');
  await switchOn();
  await closed();
  const message = await asked();
  const [poor, , , , good] = buttonsOf(message ?? {});
  const answers = await Promise.all([
    press(message?.id ?? '', poor?.custom_id ?? ''),
    press(message?.id ?? '', good?.custom_id ?? ''),
  ]);
  const said = answers.map(({ message: answer }) => answer?.content ?? '');
  expect(said.filter((text) => text === OVER)).toHaveLength(1);
  const [row] = await query('SELECT rating FROM ticket_feedback');
  expect(said.some((text) => text.includes(`You gave ${row?.rating} of 5`))).toBe(true);
  expect(await query("SELECT FROM audit WHERE operation = 'tickets.rate'")).toHaveLength(1);
});

test('a rating that Discord loses is shown when its button is pressed again, and one that fails can be given again', async () => {
  verifies('tickets.feedback.once');
  await switchOn();
  await closed();
  const message = await asked();
  const buttons = buttonsOf(message ?? {});
  const rates = (rating: number, more = {}) =>
    interact({
      type: 'button',
      user: 'member',
      message_id: message?.id ?? '',
      custom_id: buttons[rating - 1]?.custom_id ?? '',
      ...more,
    });
  const ratings = () => query('SELECT rating FROM ticket_feedback');
  const { control, requests } = stage.sandbox;
  control.addFault({ route: '/interactions/*/*/callback', status: 502, times: null });
  const before = requests.length;
  await rates(4, { wait_ms: 0 });
  // The bot tries it twice.
  await stage.sandbox.until(() => requests.slice(before).filter(({ status }) => status === 502).length === 2);
  control.clearFaults();

  await query('ALTER TABLE ticket_feedback RENAME TO out_of_order');
  expect((await rates(4)).message?.content).toMatch(/^Something went wrong on our side\..*\nRequest `req_/);
  await query('ALTER TABLE out_of_order RENAME TO ticket_feedback');
  expect(await ratings()).toEqual([{ rating: null }]);

  control.addFault({ route: '/webhooks/*/*/messages/*', status: 502, times: null });
  control.addFault({ route: '/webhooks/*/*', status: 502, times: null });
  const repeats = requests.length;
  await rates(4, { wait_ms: 0 });
  await stage.sandbox.until(() =>
    requests
      .slice(repeats)
      .some(({ method, path }) => method === 'POST' && /^\/webhooks\/\d+\/[^/]+$/.test(path)),
  );
  control.clearFaults();
  expect((await rates(2)).message?.content).toBe(OVER);
  const again = await rates(4);
  expect(again.message?.content).toBe('Thank you. You gave 4 of 5 for the help with ticket #1.');
  expect(buttonsOf(again.message ?? {}).map(({ label }) => label)).toEqual(['Add a few words']);
  expect(await ratings()).toEqual([{ rating: 4 }]);
  expect(await query("SELECT FROM audit WHERE operation = 'tickets.rate'")).toHaveLength(1);
});

test('a button of an earlier closing, a late one, and one after the bot left the guild change nothing', async () => {
  verifies('tickets.feedback.once');
  await switchOn();
  await closed();
  const message = await asked();
  const [poor] = buttonsOf(message ?? {});
  const pressed = async () => (await press(message?.id ?? '', poor?.custom_id ?? '')).message?.content;
  const changes = [
    [
      "UPDATE tickets SET closed_at = closed_at + interval '1 minute'",
      "UPDATE tickets SET closed_at = closed_at - interval '1 minute'",
    ],
    [
      "UPDATE tickets SET opened_by = '1' || opened_by",
      'UPDATE tickets SET opened_by = substr(opened_by, 2)',
    ],
    ['UPDATE guilds SET left_at = now()', 'UPDATE guilds SET left_at = NULL'],
  ] as const;
  for (const [change, back] of changes) {
    await query(change);
    expect(await pressed(), change).toBe(OVER);
    await query(back);
  }
  expect(await query('SELECT rating FROM ticket_feedback')).toEqual([{ rating: null }]);
  expect(await pressed()).toMatch(/^Thank you\. You gave 1 of 5/);

  for (const [ago, answer] of [
    ['14 days 1 minute', OVER],
    ['13 days 23 hours', expect.stringMatching(/^Thank you\. You gave 1 of 5/)],
  ]) {
    await query('DELETE FROM ticket_feedback');
    const [ticket] = await query(
      'UPDATE tickets SET closed_at = now() - $1::interval RETURNING id, closed_at, opened_by',
      [ago],
    );
    await query("SELECT graphile_worker.add_job('ask_feedback', json_build_object('ticket_id', $1::text))", [
      ticket.id,
    ]);
    const again = await asked();
    const closing = { ticketId: ticket.id, closedAt: ticket.closed_at };
    const { pool } = stage.test.database;
    expect(await explainRating(pool, closing, ticket.opened_by, 'Without a rating')).toBeNull();
    const [one] = buttonsOf(again ?? {});
    expect((await press(again?.id ?? '', one?.custom_id ?? '')).message?.content, ago).toEqual(answer);
  }
});

test('who could not be asked is asked later, and who accepts no messages is not, and the ticket says so', async () => {
  verifies('tickets.feedback.wanted');
  await switchOn();
  await putOff('ask_feedback', closed, () =>
    stage.sandbox.control.members({ action: 'close_dms', user: 'member' }),
  );
  await stage.row("SELECT FROM ticket_feedback WHERE state = 'closed'");
  stage.sandbox.control.members({ action: 'open_dms', user: 'member' });
  expect(questions()).toEqual([]);
});

test('where the owner has not switched it on, and where the opener closed it, nobody is asked', async () => {
  verifies('tickets.feedback.wanted');
  await asks(false);
  await closed();
  expect(await query("SELECT FROM graphile_worker.jobs WHERE task_identifier = 'ask_feedback'")).toEqual([]);
  await switchOn();
  await interact({
    type: 'command',
    user: 'moderator',
    command: 'ticket open',
    options: { subject: 'Mine' },
  });
  const { id: channel } = await stage.sandbox.until((state) =>
    state.guilds[0]?.channels.find(({ name, message_count: n }) => name === 'ticket-0002' && n >= 1),
  );
  await interact({ type: 'command', user: 'moderator', command: 'ticket close', channel, wait_ms: 0 });
  await stage.row("SELECT FROM tickets WHERE number = 2 AND status = 'closed'");
  // It would be queued by now, and then it would ask.
  await noneQueued();
  expect(await query('SELECT FROM ticket_feedback')).toEqual([]);
  expect(questions()).toEqual([]);
});

test('who took care of their own ticket is not asked how the help was, whoever closed it', async () => {
  verifies('tickets.feedback.wanted');
  await switchOn();
  await say('moderator', 'ticket open', { options: { subject: 'Mine' } });
  const { id: channel } = await channelWith(1);
  expect(await say('moderator', 'ticket claim', { channel })).toMatch(/^Done\./);
  await interact({ type: 'command', user: 'owner', command: 'ticket close', channel, wait_ms: 0 });
  await stage.row("SELECT FROM tickets WHERE number = 1 AND status = 'closed'");
  await noneQueued();
  expect(await query('SELECT FROM ticket_feedback')).toEqual([]);
});
