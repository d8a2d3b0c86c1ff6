import { randomUUID } from 'node:crypto';
import { untilShown, verifies } from '@bailiff/core/testing';
import { findSession } from '@bailiff/engine/desk/sessions';
import { seedSession } from '@bailiff/engine/testing';
import { type Conversation, readConversation } from '@bailiff/engine/tickets/conversations';
import { listenAtLast } from '@bailiff/prisma/testing';
import { expect, onTestFinished, test } from 'vitest';
import { personOf, type Stage } from './harness.ts';
import { ticketsForEachTest } from './ticket-desk.ts';

let stage: Stage;
const { open } = ticketsForEachTest((next) => {
  stage = next;
});

const query = (text: string, values: unknown[] = []) => stage.test.database.pool.query(text, values);

/** What a person sees of ticket #1, or of one of another guild, at their page in the dashboard. */
async function look(
  by: string,
  { before = null, guildId = stage.guildId }: { before?: string | null; guildId?: string } = {},
): Promise<Conversation | null> {
  const { database } = stage.test;
  const cookie = randomUUID();
  await seedSession(database, personOf(stage.sandbox, by), cookie);
  const { proof = '' } = (await findSession(database, cookie)) ?? {};
  const { rows } = await query('SELECT id FROM tickets WHERE guild_id = $1 AND number = 1', [stage.guildId]);
  const of = { proof, guildId, ticketId: rows[0]?.id, before };
  // Again, where a busy machine took longer than a reader waits.
  for (let tries = 1; ; tries += 1) {
    const read = await readConversation(stage.engine, { ...of, requestId: randomUUID() });
    if (read !== null || tries === 5) return read;
  }
}

/** The messages that were read. */
async function messages(by: string, before: string | null = null) {
  const read = await look(by, { before });
  if (read === null || !('messages' in read)) throw new Error(`Nothing was read: ${JSON.stringify(read)}`);
  return read;
}

async function texts(by: string): Promise<string[]> {
  const read = await messages(by);
  return read.messages.filter(({ author_is_bot }) => author_is_bot === false).map(({ text }) => text);
}

function write(content: string, channel: string, more: object = {}) {
  const { sandbox } = stage;
  return sandbox.control.messages({ user: 'member', channel, content, ...more }).messages;
}

interface Told {
  readonly guild_id: string;
  /** The channel. */
  readonly id: string;
  readonly user_ids: string[];
}

/** What open pages are told of channels, from now on until the test ends. */
async function toldOfChannels(): Promise<Told[]> {
  const told: Told[] = [];
  const listener = await listenAtLast(stage.test.url, ['bailiff'], (_channel, payload) => {
    const notice = JSON.parse(payload);
    // The answer to a reader has no guild.
    if (notice.kind === 'conversation' && 'guild_id' in notice) told.push(notice);
  });
  onTestFinished(() => listener.close());
  return told;
}

test('who may read tickets reads what stands in the channel now, as Discord lists it, and nothing of it is stored', async () => {
  verifies('tickets.conversation');
  const { id: channel } = await open();
  write('My <b>house</b> is gone', channel);
  const [typo] = write('Itt burnt', channel);
  const [regretted] = write('It was Otto', channel);
  const { control } = stage.sandbox;
  control.messages({
    action: 'edit',
    user: 'member',
    channel,
    message_id: typo?.id ?? '',
    content: 'It burnt',
  });
  control.messages({ action: 'delete', user: 'member', channel, message_id: regretted?.id ?? '' });
  for (const by of ['owner', 'moderator', 'helper']) {
    expect(await texts(by), by).toEqual(['My <b>house</b> is gone', 'It burnt']);
  }
  // The job that read it is over, and nothing else knows it.
  await stage.row(
    `SELECT FROM tickets WHERE transcript IS NULL AND NOT EXISTS (SELECT FROM action_pages)
       AND NOT EXISTS (SELECT FROM graphile_worker.jobs WHERE task_identifier = 'read_conversation')`,
  );
});

test('nobody reads through the dashboard what Discord does not show them, nor without the capability', async () => {
  verifies('tickets.conversation.who');
  const { id: channel } = await open();
  write('Between us', channel);
  const { control, requests } = stage.sandbox;
  const reads = () => requests.filter(({ path }) => path === `/channels/${channel}/messages`).length;
  const before = reads();
  // The opener may see the channel in Discord, but may not read tickets in the dashboard.
  expect(await look('member')).toMatchObject({ error: { code: 'NOT_FOUND' } });
  control.channels({ action: 'update', channel, overwrite: { of: 'helper', deny: ['ViewChannel'] } });
  expect(await look('helper')).toEqual({ isHidden: true });
  control.channels({
    action: 'update',
    channel,
    overwrite: { of: 'Moderator', deny: ['ReadMessageHistory'] },
  });
  expect(await look('moderator')).toEqual({ isHidden: true });
  expect(await look('owner', { guildId: stage.sandbox.otherGuildId })).toMatchObject({
    error: { code: 'NOT_FOUND' },
  });
  expect(reads()).toBe(before);
  // The owner of a guild sees every channel.
  expect(await texts('owner')).toEqual(['Between us']);
  await query("UPDATE role_grants SET capabilities = '{members.read}' WHERE guild_id = $1", [stage.guildId]);
  expect(await look('moderator')).toMatchObject({ error: { code: 'NOT_FOUND' } });
  await query('UPDATE sessions SET confirmed_at = NULL');
  await expect(
    readConversation(stage.engine, {
      proof: 'ab'.repeat(32),
      guildId: stage.guildId,
      ticketId: 'x',
      before: null,
      requestId: 'r',
    }),
  ).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  await query("UPDATE tickets SET status = 'closed', closed_at = now()");
  expect(await look('owner')).toMatchObject({ error: { code: 'NOT_FOUND' } });
});

test('a channel is not read for a page that waits for it no more', async () => {
  verifies('tickets.conversation');
  const { id: channel } = await open();
  const reads = () =>
    stage.sandbox.requests.filter(({ path }) => path === `/channels/${channel}/messages`).length;
  await stage.row(
    "SELECT FROM graphile_worker.jobs WHERE task_identifier = 'welcome_ticket' HAVING count(*) = 0",
  );
  const before = reads();
  // One waits no more. The other asks two seconds from now, so that a busy machine comes to it in time.
  for (const seconds of [10, -2]) {
    await query(
      `SELECT graphile_worker.add_job('read_conversation', json_build_object('guild_id', $1::text,
         'channel_id', $2::text, 'user_id', $3::text, 'before', NULL, 'request_id', 'conversation:late',
         'asked_at', clock_timestamp() - make_interval(secs => $4)))`,
      [stage.guildId, channel, personOf(stage.sandbox, 'owner'), seconds],
    );
  }
  await stage.row(
    "SELECT FROM graphile_worker.jobs WHERE task_identifier = 'read_conversation' HAVING count(*) = 0",
  );
  expect(reads() - before).toBe(1);
});

test('however much is written, it is read page by page, and no message is missing or there twice', async () => {
  verifies('tickets.conversation.pages');
  const { id: channel } = await open();
  write('short', channel, { count: 150, age_seconds: 3_600 });
  // As long as Discord takes it, of characters that cannot be made smaller.
  const long = Array.from({ length: 60 }, (_, index) =>
    String.fromCodePoint(
      ...Array.from({ length: 1_000 }, (_, at) => 0x1f300 + ((index * 7_919 + at * at * 31) % 700)),
    ),
  );
  for (const content of long) write(content, channel);
  const seen: string[] = [];
  const sizes: number[] = [];
  for (let before: string | null = null; ; ) {
    const page = await messages('moderator', before);
    seen.unshift(...page.messages.map(({ id }) => id));
    sizes.push(page.messages.length);
    if (!page.hasOlder) break;
    before = page.messages[0]?.id ?? '';
  }
  const state = stage.sandbox.getState(500);
  const listed =
    state.guilds.flatMap(({ channels }) => channels).find(({ id }) => id === channel)?.messages ?? [];
  expect(seen).toEqual(listed.map(({ id }) => id).toSorted());
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen.length).toBeGreaterThanOrEqual(211);
  expect(Math.max(...sizes)).toBe(100);
  expect(sizes[0]).toBeLessThan(60);
});

test('an open page is told when something changes in a channel that somebody looks at, and of no other', async () => {
  verifies('tickets.conversation.live');
  const { id: channel } = await open();
  const told = await toldOfChannels();
  write('Before anybody looks', channel);
  await messages('moderator');
  const changes: (() => void)[] = [];
  const [message] = write('While somebody looks', channel);
  const about = { user: 'member', channel, message_id: message?.id ?? '' };
  changes.push(() => stage.sandbox.control.messages({ ...about, action: 'edit', content: 'Corrected' }));
  changes.push(() => stage.sandbox.control.messages({ ...about, action: 'delete' }));
  const until = async (count: number) => {
    await expect.poll(() => told.length, { timeout: 180_000 }).toBe(count);
  };
  await until(1);
  for (const [index, change] of changes.entries()) {
    change();
    await until(index + 2);
  }
  // What is written elsewhere is no change. Several at once are one, where they come within half a second.
  stage.sandbox.control.messages({ user: 'member', channel: 'general', content: 'Elsewhere' });
  await untilShown(async () => {
    const before = told.length;
    write('one', channel, { count: 5 });
    await expect.poll(() => told.length, { timeout: 180_000 }).toBeGreaterThan(before);
    // By the time that a reader has an answer, everything about them has come.
    await messages('moderator');
    return told.length === before + 1 ? true : null;
  });
  const expected = { guild_id: stage.guildId, id: channel, user_ids: [personOf(stage.sandbox, 'moderator')] };
  for (const each of told) expect(each).toMatchObject(expected);
});

test('an open page is told what is written right after it was read, although the bot hears late of notifications', async () => {
  verifies('tickets.conversation.live');
  const { id: channel } = await open();
  const told = await toldOfChannels();
  const { rows } = await query(
    `SELECT pid FROM pg_stat_activity
     WHERE datname = current_database() AND application_name ~ '^bailiff bot [0-9a-f-]{36}$'`,
  );
  expect(rows).toHaveLength(1);
  process.kill(rows[0].pid, 'SIGSTOP');
  try {
    await messages('moderator');
    write('Right after that', channel);
    await expect.poll(() => told.map(({ id }) => id), { timeout: 180_000 }).toEqual([channel]);
  } finally {
    process.kill(rows[0].pid, 'SIGCONT');
  }
});

test('an open page is told when many messages are deleted at once, and shows them no more', async () => {
  verifies('tickets.conversation.live');
  const { id: channel } = await open();
  const told = await toldOfChannels();
  await messages('moderator');
  write('coins', channel, { count: 3 });
  await expect.poll(() => told.length).toBeGreaterThan(0);
  expect(await texts('moderator')).toHaveLength(3);
  const before = told.length;
  const purged = { channel_id: channel, count: 3, include_pinned: false };
  await stage.act('messages.purge', 'owner', purged);
  await expect.poll(() => told.length).toBeGreaterThan(before);
  expect(await texts('moderator')).toEqual([]);
});

test('only whom Discord shows the channel is told that something is written there, until it does not', async () => {
  verifies('tickets.conversation.heard-by-readers');
  const { id: channel } = await open();
  const { control } = stage.sandbox;
  const told = await toldOfChannels();
  const untilTold = (people: string[]) => {
    const writeAgain = () => {
      write('Something', channel);
      return told.at(-1)?.user_ids.toSorted();
    };
    return expect.poll(writeAgain, { timeout: 180_000, interval: 200 }).toEqual(people);
  };
  const idsOf = (...names: string[]) => names.map((name) => personOf(stage.sandbox, name)).toSorted();
  control.channels({ action: 'update', channel, overwrite: { of: 'helper', deny: ['ViewChannel'] } });
  for (const by of ['owner', 'moderator']) await messages(by);
  expect(await look('helper')).toEqual({ isHidden: true });
  await untilTold(idsOf('owner', 'moderator'));
  expect(told.flatMap(({ user_ids }) => user_ids)).not.toContain(idsOf('helper')[0]);
  control.channels({ action: 'update', channel, overwrite: { of: 'moderator', deny: ['ViewChannel'] } });
  expect(await look('moderator')).toEqual({ isHidden: true });
  await untilTold(idsOf('owner'));
});

test('a reader learns what keeps the bot from reading the channel', async () => {
  const { id: channel } = await open();
  const { control } = stage.sandbox;
  control.addFault({ route: `/channels/${channel}/messages`, method: 'GET', status: 500, body: {} });
  expect(await look('moderator')).toMatchObject({ error: { code: 'UPSTREAM_UNAVAILABLE' } });
  control.clearFaults();
  const { messages: shown } = await messages('moderator');
  const bot = shown.find(({ author_is_bot }) => author_is_bot === true)?.author_id ?? '';
  control.channels({
    action: 'update',
    channel,
    overwrite: { of: bot, allow: ['ViewChannel'], deny: ['ReadMessageHistory'] },
  });
  expect(await look('moderator')).toMatchObject({
    error: { code: 'FORBIDDEN', details: { permissions: ['Read Message History'] } },
  });
});
