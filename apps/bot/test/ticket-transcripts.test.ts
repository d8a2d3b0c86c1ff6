import { verifies } from '@bailiff/core/testing';
import { ComponentType } from 'discord.js';
import { expect, test } from 'vitest';
import { keepPage } from '#src/performers/action-pages.ts';
import { forgetMeanwhile } from './forgetting.ts';
import { limitPerforming, refusalOf, type Stage } from './harness.ts';
import { ticketsForEachTest } from './ticket-desk.ts';

let stage: Stage;
const { channelWith, close, interact, open, putOff, say } = ticketsForEachTest(async (next) => {
  stage = next;
  await limitPerforming(next);
});

const switchOn = () =>
  stage.test.database.pool.query(
    'INSERT INTO ticket_settings (guild_id, sends_transcript) VALUES ($1, true)',
    [stage.guildId],
  );

/** Opens a ticket in which its opener writes something. Returns its channel. */
async function written(content: string): Promise<string> {
  const { id } = await open();
  stage.sandbox.control.messages({ user: 'member', channel: id, content });
  return id;
}

const told = (state = stage.sandbox.getState()) =>
  state.dms.find(({ user_id }) => user_id === stage.people.member)?.messages ?? [];

const noticed = (notice: string) =>
  stage.row('SELECT FROM tickets WHERE transcript_notice::text = $1', [notice]);

/** The job of the message runs again, as after a crash. */
async function sendAgain(): Promise<void> {
  await stage.test.database.pool.query(
    `SELECT graphile_worker.add_job('send_transcript', json_build_object('ticket_id', id)) FROM tickets`,
  );
  await stage.row(
    "SELECT FROM graphile_worker.jobs WHERE task_identifier = 'send_transcript' HAVING count(*) = 0",
  );
}

test('the opener gets what was written as one file, once for each closing, and the ticket says so', async () => {
  verifies('tickets.transcript');
  await switchOn();
  await stage.test.database.pool.query("UPDATE guilds SET language = 'de'");
  const channel = await written('My <b>house</b> is gone');
  await stage.test.database.pool.query("UPDATE tickets SET opened_at = '2026-01-02T03:04:05Z'");
  await close(channel);
  await noticed('told');
  const [message] = told();
  expect(message?.content).toMatch(/^Ihr Ticket #1 auf \*\*.+\*\* ist geschlossen\. Was darin/);
  const files = message?.attachments as { filename: string; url: string }[];
  expect(files.map(({ filename }) => filename)).toEqual(['ticket-1.html']);
  const html = await (await fetch(files[0]?.url ?? '')).text();
  expect(html).toContain('My &lt;b&gt;house&lt;/b&gt; is gone');
  expect(html).toContain('<html lang="de">');
  expect(html).toContain('<time datetime="2026-01-02T03:04:05.000Z">');
  await sendAgain();
  expect(told()).toHaveLength(1);
});

test('the opener of a ticket that was opened again gets what was written when it is closed again', async () => {
  verifies('tickets.transcript');
  await switchOn();
  await close(await written('First'));
  await noticed('told');
  const { id: ticket } = await stage.row<{ id: string }>('SELECT id FROM tickets');
  await say('moderator', 'ticket reopen', { options: { ticket } });
  const { id: channel } = await channelWith(1);
  stage.sandbox.control.messages({ user: 'member', channel, content: 'Once more' });
  await close(channel);
  await stage.row(
    "SELECT FROM graphile_worker.jobs WHERE task_identifier = 'send_transcript' HAVING count(*) = 0",
  );
  expect(told()).toHaveLength(2);
});

test('a message that arrives once its ticket is open again keeps none back of the next closing', async () => {
  verifies('tickets.transcript');
  await switchOn();
  const { control, requests, until } = stage.sandbox;
  const conversation = { method: 'POST', path: '/users/@me/channels' };
  control.addFault({ method: conversation.method, route: conversation.path, held: true });
  await close(await written('First'));
  await until(() =>
    requests.some(({ method, path }) => method === conversation.method && path === conversation.path),
  );
  const { id: ticket } = await stage.row<{ id: string }>('SELECT id FROM tickets');
  await say('moderator', 'ticket reopen', { options: { ticket } });
  const { id: channel } = await channelWith(1);
  control.clearFaults();
  await until(() => told().length === 1);
  const sent =
    "SELECT FROM graphile_worker.jobs WHERE task_identifier = 'send_transcript' HAVING count(*) = 0";
  await stage.row(sent);
  stage.sandbox.control.messages({ user: 'member', channel, content: 'Once more' });
  await close(channel);
  await stage.row(sent);
  expect(told()).toHaveLength(2);
});

test('what could not be sent is sent later, and a person who accepts no messages gets none, and the ticket says so', async () => {
  await switchOn();
  const channel = await written('Hello?');
  const closesConversations = () => stage.sandbox.control.members({ action: 'close_dms', user: 'member' });
  await putOff('send_transcript', () => close(channel), closesConversations);
  await noticed('closed');
  stage.sandbox.control.members({ action: 'open_dms', user: 'member' });
  await sendAgain();
  expect(told()).toEqual([]);
  await noticed('closed');
});

test('where the owner has not switched it on, nobody is sent anything', async () => {
  const channel = await written('Hello?');
  await close(channel);
  await stage.row("SELECT FROM tickets WHERE status = 'closed' AND transcript_notice IS NULL");
  await stage.row(
    "SELECT FROM graphile_worker.jobs WHERE task_identifier = 'send_transcript' HAVING count(*) = 0",
  );
  expect(told()).toEqual([]);
});

/** Begins to close a ticket, whose messages cannot be read until the faults are cleared. */
async function beginToClose(channel: string) {
  const route = `/channels/${channel}/messages`;
  stage.sandbox.control.addFault({ route, method: 'GET', held: true, times: null });
  const { id } = await stage.row<{ id: string }>('SELECT id FROM tickets');
  const closing = stage.act('tickets.close', 'owner', { ticket_id: id });
  await stage.sandbox.until(() =>
    stage.sandbox.requests.some(
      ({ method, path, status }) => method === 'GET' && path === route && status === null,
    ),
  );
  return { id, closing };
}

interface Kept {
  readonly texts: string[];
  readonly is_cut: boolean;
}

/** What a ticket keeps, once nobody closes it any more. */
const kept = () =>
  stage.row<Kept>(
    `SELECT is_cut, array(SELECT m->>'text' FROM jsonb_array_elements(transcript) AS m) AS texts FROM tickets
     WHERE status = 'closed' AND NOT EXISTS (SELECT FROM actions WHERE operation = 'tickets.close'
       AND state IN ('pending', 'running', 'unknown'))`,
  );

test('of two who close a ticket at once, one does, and its transcript has each message once', async () => {
  verifies('ticket.transcript.complete');
  const channel = await written('Hello?');
  stage.sandbox.control.messages({ user: 'member', channel, content: 'word', count: 149 });
  const { id, closing } = await beginToClose(channel);
  const second = await refusalOf(stage.act('tickets.close', 'moderator', { ticket_id: id }));
  stage.sandbox.control.clearFaults();
  await closing;
  expect(second.details).toEqual({ reason: 'STILL_RUNNING' });
  const { texts, is_cut } = await kept();
  expect({ is_cut, words: texts.filter((text) => /^(Hello|word)/.test(text)).length }).toEqual({
    is_cut: false,
    words: 150,
  });
  await stage.row(
    "SELECT FROM audit WHERE operation = 'tickets.close' AND outcome = 'performed' HAVING count(*) = 1",
  );
});

test('a closing that comes to its end after another one adds nothing to what that one stored', async () => {
  verifies('ticket.transcript.complete');
  const channel = await written('Hello?');
  const { closing } = await beginToClose(channel);
  await stage.test.database.pool.query(
    "UPDATE tickets SET status = 'closed', closed_at = now(), transcript = '[]'",
  );
  stage.sandbox.control.clearFaults();
  await closing;
  expect(await kept()).toEqual({ is_cut: false, texts: [] });
});

const IS_KEPT = 'EXISTS (SELECT FROM tickets WHERE transcript IS NOT NULL)';

test.each([
  ['moderator', 'message_archives'],
  ['moderator', 'ticket_settings'],
  ['member', 'message_archives'],
])(
  'what a %s wrote is in no transcript whose closing ends while they are forgotten, up to %s',
  async (who, table) => {
    verifies('ops.forget');
    const { control, people, requests, until } = stage.sandbox;
    const channel = await written('Hello?');
    control.messages({ user: who, channel, content: 'I live in Graz' });
    const path = `/channels/${channel}`;
    control.addFault({ route: path, method: 'DELETE', held: true });
    const { id } = await stage.row<{ id: string }>('SELECT id FROM tickets');
    const closing = stage.act('tickets.close', 'owner', { ticket_id: id });
    await until(() => requests.some((request) => request.method === 'DELETE' && request.path === path));
    await forgetMeanwhile(stage, people[who] ?? '', table, () => control.clearFaults(), IS_KEPT);
    await closing;
    expect((await kept()).texts).not.toContain('I live in Graz');
  },
);

test('a closing whose channel is deleted by hand before anything is read says that messages are missing', async () => {
  verifies('ticket.transcript.complete');
  const channel = await written('Hello?');
  const { closing } = await beginToClose(channel);
  stage.sandbox.control.channels({ action: 'delete', channel });
  stage.sandbox.control.clearFaults();
  await closing;
  expect(await kept()).toEqual({ is_cut: true, texts: [] });
});

test('of a conversation that is too long to be stored a ticket keeps the newest messages, and says so', async () => {
  verifies('ticket.transcript.complete');
  const channel = await written('Hello?');
  const { control } = stage.sandbox;
  const fault = { route: `/channels/${channel}/messages`, method: 'GET' };
  // After the limit nobody waits for the closing.
  control.addFault({ ...fault, rate_limit: { retry_after: 9 } });
  control.addFault({ ...fault, held: true, times: null });
  await interact({ type: 'command', user: 'moderator', command: 'ticket close', channel, wait_ms: 0 });
  const { id } = await stage.row<{ id: string }>(
    "SELECT id FROM actions WHERE operation = 'tickets.close' AND state = 'running' AND continues_since IS NOT NULL",
  );
  const typing = {
    type: 'autocomplete',
    command: 'stop',
    focused: 'action',
    options: { action: '' },
  } as const;
  expect((await interact({ ...typing, user: 'moderator', channel: 'general' })).choices).toEqual([
    {
      name: expect.stringMatching(/^Close a ticket #1: Kept \d+ messages? of the transcript, going/),
      value: id,
    },
  ]);
  // As if 15 pages of the longest messages had been read before.
  for (let page = 1; page <= 15; page += 1) {
    const old = { id: '1', author_id: '1', author_name: 'sol', author_is_bot: false, reply_to: null };
    const text = `page ${page}${'.'.repeat(6_000)}`;
    const messages = Array(100).fill({ ...old, sent_at: '2026-01-01T00:00:00Z', text, attachments: [] });
    await keepPage(stage.test.database.pool, id, page, messages);
  }
  control.clearFaults();
  const { texts, is_cut } = await kept();
  const has = (start: string) => texts.some((text) => text.startsWith(start));
  expect([is_cut, has('page 15.'), has('page 1.'), has('Hello?')]).toEqual([true, false, true, true]);
});

/** Takes from the bot, or gives it again, that it sees what stands in a channel. Discord shows it no messages then. */
function letReadHistory(channel: string, isAllowed: boolean) {
  const [allow, deny] = [['ViewChannel'], ['ReadMessageHistory']];
  const bits = isAllowed ? { allow: [...allow, ...deny], deny: [] } : { allow, deny };
  const { clientId, control } = stage.sandbox;
  control.channels({ action: 'update', channel, overwrite: { of: clientId, ...bits } });
}

const LACKS_HISTORY = { code: 'FORBIDDEN', details: { permissions: ['Read Message History'] } };

test('a ticket in whose channel the bot may not read stays open, and keeps all when it is closed after that', async () => {
  verifies('ticket.transcript.complete');
  const channel = await written('Hello?');
  letReadHistory(channel, false);
  const { id } = await stage.row<{ id: string }>('SELECT id FROM tickets');
  const refused = await refusalOf(stage.act('tickets.close', 'owner', { ticket_id: id }));
  expect(refused).toMatchObject(LACKS_HISTORY);
  await stage.row("SELECT FROM tickets WHERE status = 'open'");
  letReadHistory(channel, true);
  await close(channel);
  const { texts, is_cut } = await kept();
  expect([texts.at(-1), is_cut]).toEqual(['Hello?', false]);
});

test('a ticket stays open whose older messages are hidden from the bot while it is being closed', async () => {
  verifies('ticket.transcript.complete');
  const channel = await written('Hello?');
  stage.sandbox.control.messages({ user: 'moderator', channel, content: 'And then?', count: 120 });
  stage.sandbox.control.addFault({ route: `/channels/${channel}/messages`, method: 'GET', delay_ms: 1 });
  const { closing } = await beginToClose(channel);
  const refused = refusalOf(closing);
  letReadHistory(channel, false);
  stage.sandbox.control.clearFaults();
  expect(await refused).toMatchObject(LACKS_HISTORY);
  letReadHistory(channel, true);
  await close(channel);
  const { texts, is_cut } = await kept();
  expect([texts.includes('Hello?'), texts.length, is_cut]).toEqual([true, 122, false]);
});

test('a transcript keeps what was forwarded, asked in a poll, sent as a sticker or posted by a webhook', async () => {
  verifies('ticket.transcript.complete');
  const channel = await written('Hello?');
  const { control } = stage.sandbox;
  const file = { filename: 'map.png', base64: '' };
  const [elsewhere] = control.messages({ user: 'member2', content: 'I did\nit', files: [file] }).messages;
  const writes = (more: object) => control.messages({ user: 'moderator', channel, ...more }).messages[0];
  writes({ forward: elsewhere?.id });
  const asked = writes({ poll: { question: 'Which one?', answers: ['The red', 'The blue'] } });
  writes({ sticker: 'Wave' });
  writes({ content: 'The red', reply_to: asked?.id });
  writes({ webhook: 'Cameras', embeds: [{ title: 'Seen', description: 'At the gate' }] });
  await close(channel);
  const { transcript } = await stage.row<{ transcript: { text: string; attachments: string[] }[] }>(
    'SELECT transcript FROM tickets',
  );
  expect(transcript.slice(-5)).toMatchObject([
    { text: '> I did\n> it', attachments: ['map.png'], reply_to: null },
    { text: 'Which one?\n- The red\n- The blue', reply_to: null },
    { text: ':Wave:' },
    { text: 'The red', reply_to: asked?.id },
    { text: 'Seen\nAt the gate' },
  ]);
});

test('a transcript keeps the texts that a webhook laid out in components', async () => {
  verifies('ticket.transcript.complete');
  const channel = await written('Hello?');
  const { control } = stage.sandbox;
  const text = (content: string) => ({ type: ComponentType.TextDisplay, content });
  const accessory = { type: ComponentType.Button, style: 5, label: 'Watch', url: 'https://example.com' };
  const section = { type: ComponentType.Section, components: [text('Two people')], accessory };
  const container = {
    type: ComponentType.Container,
    accent_color: 0,
    spoiler: false,
    components: [section, text('When: 14:02')],
  };
  const components = [text('At the gate'), container];
  const posted = control.messages({ user: 'moderator', channel, webhook: 'Cameras', components });
  control.messages({ user: 'moderator', channel, forward: posted.messages[0]?.id ?? '' });
  await close(channel);
  const lines = ['At the gate', 'Two people', 'When: 14:02'];
  expect((await kept()).texts.slice(-2)).toEqual([
    lines.join('\n'),
    lines.map((line) => `> ${line}`).join('\n'),
  ]);
});

test('the preview of a link is not taken for what somebody wrote', async () => {
  const channel = await written('Hello?');
  const { control } = stage.sandbox;
  const content = 'See https://example.com.';
  const preview = { title: 'A shop', description: 'Buy here' };
  const found = { ...preview, url: 'https://example.com/' };
  const moved = { ...preview, url: 'https://www.example.com/shop' };
  control.messages({ user: 'moderator', channel, content, embeds: [moved] });
  control.messages({ user: 'moderator', channel, webhook: 'Links', content, embeds: [found] });
  await close(channel);
  expect((await kept()).texts.slice(-2)).toEqual([content, content]);
});

test('what a webhook posted is kept whole, also with a link beside it', async () => {
  verifies('ticket.transcript.complete');
  const channel = await written('Hello?');
  const content = 'Seen on https://example.com/camera';
  const report = {
    title: 'At the gate',
    description: 'Two people',
    fields: [{ name: 'When', value: '14:02' }],
  };
  const linked = { ...report, url: 'https://example.com' };
  const preview = { title: 'A camera', url: 'https://example.com/camera' };
  const { control } = stage.sandbox;
  const embeds = [report, linked, preview];
  const posted = control.messages({ user: 'moderator', channel, webhook: 'Cameras', content, embeds });
  control.messages({ user: 'moderator', channel, forward: posted.messages[0]?.id ?? '' });
  await close(channel);
  const lines = [content, ...Array(2).fill(['At the gate', 'Two people', 'When: 14:02']).flat()];
  expect((await kept()).texts.slice(-2)).toEqual([
    lines.join('\n'),
    lines.map((line) => `> ${line}`).join('\n'),
  ]);
});
