import type { ChildProcess } from 'node:child_process';
import type { OutputOf } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { killBot, startBotProcess } from './bot-process.ts';
import { grant, newMember, type Stage, setStage } from './harness.ts';

const BULK = '/channels/{channel_id}/messages/bulk-delete';
const WAIT_MS = 400_000;

let stage: Stage;
let bot: ChildProcess;

beforeAll(async () => {
  stage = await setStage();
  await stage.bot.stop();
  bot = await startBotProcess(stage);
  await untilMirrored();
});

afterAll(async () => {
  await killBot(bot);
  const { violations } = stage.sandbox;
  await stage.close();
  expect(violations).toEqual([]);
});

beforeEach(() => stage.sandbox.control.clearFaults());

function untilMirrored(): Promise<unknown> {
  return stage.row(`SELECT FROM live_guilds WHERE id = $1 AND mirror_fresh`, [stage.guildId]);
}

/** Kills the bot, lets its leases expire, and starts another. */
async function killAndStartAnother(): Promise<void> {
  await killBot(bot);
  await stage.test.database.pool.query(
    "UPDATE actions SET lease_expires_at = now() - interval '1 second' WHERE state = 'running'",
  );
  // Nothing of a dead process arrives after a minute.
  await stage.test.database.pool.query(
    `UPDATE actions SET claim_by = now() - interval '1 minute', created_at = created_at - interval '61 seconds'
      WHERE actor_source = 'system' AND state IN ('pending', 'running')`,
  );
  bot = await startBotProcess(stage);
  await untilMirrored();
}

/** Lets so much time pass that no request can arrive that has no answer, and has the bot look what came of them. */
async function nothingArrives(): Promise<void> {
  const { pool } = stage.test.database;
  await pool.query("UPDATE actions SET settled_at = settled_at - interval '61 seconds', looked_at = NULL");
  await pool.query("SELECT graphile_worker.add_job('recover', '{}')");
}

/** Chooses the guild's log channel. */
async function logIn(channelId: string | null): Promise<void> {
  await stage.test.database.pool.query('UPDATE guilds SET log_channel_id = $2 WHERE id = $1', [
    stage.guildId,
    channelId,
  ]);
}

/** A new channel with this many messages. Returns its id. */
function channelWith(name: string, count: number): string {
  const { channel } = stage.sandbox.control.channels({ action: 'create', name });
  const id = channel?.id ?? '';
  for (let left = count; left > 0; left -= 1_000) {
    stage.sandbox.control.messages({
      user: 'troll',
      channel: id,
      content: 'coins',
      count: Math.min(left, 1_000),
    });
  }
  return id;
}

interface Running {
  readonly action: { readonly id: string; readonly progress: { done: number; of: number | null } };
}

/** Begins a long action. Returns its id. */
async function begin(
  operation: 'messages.purge' | 'tickets.close' | 'bans.preview',
  input: object,
): Promise<string> {
  const { status, body } = await stage.act(operation, 'owner', input);
  expect(status).toBe(202);
  const { action } = body as Running;
  expect(action).toMatchObject({ operation, state: 'running', outcome: null, result: null });
  expect(action.progress).toEqual({ done: expect.any(Number), of: expect.toSatisfy(isCountOrNull) });
  return action.id;
}

const isCountOrNull = (of: unknown) => of === null || typeof of === 'number';
const purge = (channel_id: string, count: number) =>
  begin('messages.purge', { channel_id, count, include_pinned: false });

interface Row {
  readonly state: string;
  readonly done: number;
  readonly result: { purge?: object; many?: object } | null;
  readonly error: object | null;
}

async function untilRow(id: string, fits: (row: Row) => boolean): Promise<Row> {
  let row: Row | undefined;
  const look = async () => {
    const { rows } = await stage.test.database.pool.query<Row>(
      "SELECT state, coalesce((progress->>'done')::int, 0) AS done, result, error FROM actions WHERE id = $1",
      [id],
    );
    row = rows[0];
    return row !== undefined && fits(row);
  };
  await expect.poll(look, { timeout: WAIT_MS, interval: 100 }).toBe(true);
  if (row === undefined) throw new Error(`There is no action ${id}`);
  return row;
}

const untilEnded = (id: string) => untilRow(id, ({ state }) => state !== 'running');
const untilKnown = (id: string) => untilRow(id, ({ state }) => !['running', 'unknown'].includes(state));
const untilDone = (id: string, done: number) =>
  untilRow(id, (row) => row.done >= done || row.state !== 'running');

function messagesIn(channelId: string) {
  const [guild] = stage.sandbox.getState(10_000).guilds;
  return guild?.channels.find(({ id }) => id === channelId)?.messages;
}

const requestsFor = (channelId: string) =>
  stage.sandbox.requests.filter(({ path }) => path.startsWith(`/channels/${channelId}`));

/** The ids in the bulk deletions that Discord carried out. */
function deletedIds(channelId: string): string[] {
  const made = requestsFor(channelId).filter(({ route, status }) => route === BULK && status === 204);
  return made.flatMap(({ body }) => (body as { messages: string[] }).messages);
}

async function traces(id: string): Promise<{ audit: string; pages: number }> {
  const { rows } = await stage.test.database.pool.query<{ audit: string; pages: number }>(
    `SELECT (SELECT string_agg(outcome::text, ', ' ORDER BY id) FROM audit WHERE action_id = $1) AS audit,
       (SELECT count(*)::int FROM action_pages WHERE action_id = $1) AS pages`,
    [id],
  );
  return rows[0] ?? { audit: '', pages: 0 };
}

test('a thousand messages are purged under Discord’s limits, after the caller was told that it goes on', async () => {
  verifies('purge.long', 'purge.rate-limited');
  const channel = channelWith('raid', 1_000);
  const id = await purge(channel, 1_000);
  const { state, result } = await untilEnded(id);
  expect({ state, result }).toMatchObject({
    state: 'done',
    result: { purge: { requested: 1_000, deleted: 1_000 } },
  });
  expect(messagesIn(channel)).toEqual([]);
  // Besides one look at the channel.
  const asked = requestsFor(channel).filter(({ path }) => path.includes('/messages'));
  expect(asked.length).toBeLessThanOrEqual(20);
  expect(asked.filter(({ status }) => status === 429)).toEqual([]);
  expect(await traces(id)).toEqual({ audit: 'requested, performed', pages: 0 });
}, 500_000);

test('a purge whose bot is killed goes on where it was, and deletes nothing twice', async () => {
  verifies('purge.long', 'H28');
  const channel = channelWith('killed', 1_000);
  const id = await purge(channel, 1_000);
  await untilDone(id, 200);
  await killAndStartAnother();
  const { state, result } = await untilEnded(id);
  expect({ state, result }).toMatchObject({ state: 'done', result: { purge: { deleted: 1_000 } } });
  expect(messagesIn(channel)).toEqual([]);
  const ids = deletedIds(channel);
  expect(new Set(ids).size).toBe(ids.length);
  expect(await traces(id)).toEqual({ audit: 'requested, performed', pages: 0 });
  const { rows } = await stage.test.database.pool.query(
    'SELECT jsonb_array_length(messages) AS count FROM message_archives WHERE action_id = $1',
    [id],
  );
  expect(rows).toEqual([{ count: 1_000 }]);
}, 500_000);

test('a limit that asks for longer than a caller waits is waited out', async () => {
  verifies('purge.rate-limited');
  const channel = channelWith('limited', 150);
  stage.sandbox.control.addFault({
    route: '/channels/*/messages/bulk-delete',
    method: 'POST',
    rate_limit: { retry_after: 9 },
  });
  const id = await purge(channel, 150);
  const { state, result } = await untilEnded(id);
  expect({ state, result }).toMatchObject({ state: 'done', result: { purge: { deleted: 150 } } });
  expect(requestsFor(channel).filter(({ status }) => status === 429)).toHaveLength(1);
}, 500_000);

test('a deletion is looked for once more when Discord gave no certain answer to the last try', async () => {
  verifies('purge.long', 'bot.outcome-evidence');
  const channel = channelWith('unsure', 3);
  const deletion = { route: `/channels/${channel}/messages/bulk-delete`, method: 'POST' } as const;
  const { control } = stage.sandbox;
  control.addFault({ ...deletion, rate_limit: { retry_after: 9 } });
  control.addFault({ ...deletion, status: 502, times: 3 });
  control.addFault({ ...deletion, status: 502, when: 'after' });
  const id = await purge(channel, 3);
  const { state, result } = await untilEnded(id);
  expect({ state, result }).toMatchObject({ state: 'done', result: { purge: { deleted: 3 } } });
  expect(messagesIn(channel)).toEqual([]);
}, 500_000);

/** A ticket with this many messages in its channel. */
async function ticketWith(count: number): Promise<{ ticketId: string; channel: string }> {
  const { body } = await stage.act('tickets.open', 'owner', { subject: `Of ${count} messages` });
  const { id: ticketId, channel_id: channel } = (body as { ticket: { id: string; channel_id: string } })
    .ticket;
  // Nobody opens more than five within ten minutes.
  await stage.test.database.pool.query("UPDATE tickets SET opened_at = opened_at - interval '10 minutes'");
  await stage.sandbox.until(() => (messagesIn(channel)?.length ?? 0) > 0, WAIT_MS);
  for (let left = count; left > 0; left -= 1_000) {
    const more = { content: 'word', count: Math.min(left, 1_000) };
    stage.sandbox.control.messages({ user: 'owner', channel, ...more });
  }
  return { ticketId, channel };
}

test('a ticket’s channel is deleted once its transcript is complete, though the bot is killed and people go on writing', async () => {
  verifies('ticket.transcript.complete');
  const { ticketId, channel } = await ticketWith(1_500);
  const id = await begin('tickets.close', { ticket_id: ticketId, reason: 'Solved' });
  await untilDone(id, 700);
  await killBot(bot);
  stage.sandbox.control.messages({ user: 'owner', channel, content: 'One thing more', count: 150 });
  const written = messagesIn(channel)?.map((message) => message.id);
  expect(written).toHaveLength(1_651);
  await killAndStartAnother();
  expect(await untilEnded(id)).toMatchObject({ state: 'done' });
  expect(messagesIn(channel)).toBeUndefined();
  const { rows } = await stage.test.database.pool.query<{ ids: string[]; status: string; is_cut: boolean }>(
    `SELECT status, is_cut, array(SELECT m->>'id' FROM jsonb_array_elements(transcript) AS m) AS ids
     FROM tickets WHERE id = $1`,
    [ticketId],
  );
  expect(rows).toEqual([{ status: 'closed', is_cut: false, ids: written }]);
  expect(requestsFor(channel).filter(({ method }) => method === 'DELETE')).toHaveLength(1);
  expect(await traces(id)).toEqual({ audit: 'requested, performed', pages: 0 });
}, 500_000);

test('a transcript whose channel is deleted meanwhile says that messages are missing', async () => {
  verifies('ticket.transcript.complete');
  const { ticketId, channel } = await ticketWith(1_500);
  const id = await begin('tickets.close', { ticket_id: ticketId });
  await untilDone(id, 700);
  stage.sandbox.control.channels({ action: 'delete', channel });
  expect(await untilEnded(id)).toMatchObject({ state: 'done' });
  const { rows } = await stage.test.database.pool.query(
    'SELECT status, is_cut, jsonb_array_length(transcript) >= 700 AS has_some FROM tickets WHERE id = $1',
    [ticketId],
  );
  expect(rows).toEqual([{ status: 'closed', is_cut: true, has_some: true }]);
}, 500_000);

test('a purge that another person stops ends with what it has done, though the bot is killed before its next step', async () => {
  verifies('action.stop.survives', 'action.stop');
  await grant(stage, 'Moderator', ['messages.purge']);
  await logIn(stage.sandbox.channels.mod_log ?? '');
  const channel = channelWith('stopped', 1_000);
  const id = await purge(channel, 1_000);
  await untilDone(id, 200);
  await killBot(bot);
  const { status, body } = await stage.act('actions.stop', 'moderator', { actionId: id });
  expect([status, body]).toMatchObject([200, { action: { id, stopped_by: stage.people.moderator } }]);
  const left = messagesIn(channel)?.length ?? 0;
  await killAndStartAnother();
  await untilEnded(id);
  await nothingArrives();
  const { state, result } = await untilKnown(id);
  expect({ state, result }).toMatchObject({ state: 'done', result: { purge: { deleted: 1_000 - left } } });
  expect(left).toBeGreaterThan(0);
  expect(messagesIn(channel)).toHaveLength(left);
  const { rows } = await stage.test.database.pool.query(
    "SELECT actor_user_id AS by, outcome FROM audit WHERE operation = 'actions.stop' AND target_id = $1 ORDER BY id",
    [id],
  );
  const by = stage.people.moderator;
  expect(rows).toEqual([
    { by, outcome: 'requested' },
    { by, outcome: 'performed' },
  ]);
  await expect(stage.act('actions.stop', 'moderator', { actionId: id })).rejects.toMatchObject({
    details: { reason: 'ACTION_ENDED' },
  });
  const post = () =>
    messagesIn(stage.sandbox.channels.mod_log ?? '')?.find(({ embeds }) => embeds[0]?.footer?.text === id);
  await stage.sandbox.until(() => post() !== undefined);
  expect(post()?.embeds[0]?.description).toContain(`\n<@${by}> stopped it before the end.`);
  await logIn(null);
}, 500_000);

/** Begins to close a ticket for nobody who waits: Discord's limit on reading lasts longer than a caller waits. */
async function beginToClose(ticketId: string, channel: string): Promise<string> {
  const limit = { route: `/channels/${channel}/messages`, method: 'GET', rate_limit: { retry_after: 9 } };
  stage.sandbox.control.addFault(limit);
  return begin('tickets.close', { ticket_id: ticketId });
}

/** The texts that a closed ticket keeps, oldest first, and whether messages are missing. */
async function keptOf(ticketId: string): Promise<{ texts: string[]; is_cut: boolean; is_answered: boolean }> {
  const { rows } = await stage.test.database.pool.query(
    `SELECT is_cut, answered_at IS NOT NULL AS is_answered,
       array(SELECT m->>'text' FROM jsonb_array_elements(transcript) AS m) AS texts
     FROM tickets WHERE id = $1 AND status = 'closed'`,
    [ticketId],
  );
  return rows[0];
}

const deletionsOf = (channel: string) =>
  requestsFor(channel).filter(({ method, path }) => method === 'DELETE' && path === `/channels/${channel}`);

/** Somebody writes while the bot tries for this many times to delete the channel. Then the answer comes. */
async function writesMeanwhile(channel: string, tries: number, content: string): Promise<void> {
  await stage.sandbox.until(() => deletionsOf(channel).length === tries, WAIT_MS);
  stage.sandbox.control.messages({ user: 'owner', channel, content });
  stage.sandbox.control.clearFaults();
}

test('what is written while Discord does not delete the channel is in the transcript', async () => {
  verifies('ticket.transcript.complete');
  const { ticketId, channel } = await ticketWith(3);
  const held = { route: `/channels/${channel}`, method: 'DELETE', held: true } as const;
  const { control } = stage.sandbox;
  const id = await beginToClose(ticketId, channel);
  control.addFault({ ...held, status: 500 });
  await writesMeanwhile(channel, 1, 'While it failed');
  control.addFault({ ...held, rate_limit: { retry_after: 4 } });
  await writesMeanwhile(channel, 2, 'While it was limited');
  expect(await untilEnded(id)).toMatchObject({ state: 'done' });
  const { texts, is_cut } = await keptOf(ticketId);
  expect([texts.slice(-2), is_cut]).toEqual([['While it failed', 'While it was limited'], false]);
  expect(messagesIn(channel)).toBeUndefined();
}, 500_000);

test('a transcript whose channel is deleted by hand while a limit is waited for says that messages are missing', async () => {
  verifies('ticket.transcript.complete');
  const { ticketId, channel } = await ticketWith(3);
  const limit = { route: `/channels/${channel}`, method: 'DELETE', rate_limit: { retry_after: 9 } } as const;
  const id = await beginToClose(ticketId, channel);
  stage.sandbox.control.addFault({ ...limit, held: true });
  await writesMeanwhile(channel, 1, 'While it was limited');
  stage.sandbox.control.channels({ action: 'delete', channel });
  expect(await untilEnded(id)).toMatchObject({ state: 'done' });
  const { texts, is_cut } = await keptOf(ticketId);
  expect([texts.includes('While it was limited'), is_cut]).toEqual([false, true]);
}, 500_000);

test('a transcript whose bot is killed once its channel is deleted lacks nothing, and does not say so', async () => {
  verifies('ticket.transcript.complete');
  const { ticketId, channel } = await ticketWith(3);
  await stage.test.database.pool.query('UPDATE tickets SET opened_by = $2 WHERE id = $1', [
    ticketId,
    stage.people.member,
  ]);
  const answer = { route: `/channels/${channel}`, method: 'DELETE', when: 'after', held: true } as const;
  stage.sandbox.control.addFault(answer);
  const id = await beginToClose(ticketId, channel);
  await stage.sandbox.until(() => messagesIn(channel) === undefined, WAIT_MS);
  await killAndStartAnother();
  expect(await untilEnded(id)).toMatchObject({ state: 'done' });
  expect(await keptOf(ticketId)).toMatchObject({ is_cut: false, is_answered: true });
}, 500_000);

test('a closing that is stopped once its channel is deleted keeps the whole transcript', async () => {
  verifies('action.stop', 'ticket.transcript.complete');
  const { ticketId, channel } = await ticketWith(3);
  const answer = { route: `/channels/${channel}`, method: 'DELETE', when: 'after', held: true } as const;
  stage.sandbox.control.addFault(answer);
  const id = await beginToClose(ticketId, channel);
  await stage.sandbox.until(() => messagesIn(channel) === undefined, WAIT_MS);
  await stage.act('actions.stop', 'owner', { actionId: id });
  await killAndStartAnother();
  expect(await untilEnded(id)).toMatchObject({ state: 'done' });
  const { texts, is_cut } = await keptOf(ticketId);
  expect([texts.length, is_cut]).toEqual([4, false]);
}, 500_000);

test('a closing that is refused while an earlier deletion may still arrive keeps the whole transcript', async () => {
  verifies('ticket.transcript.complete');
  const { ticketId, channel } = await ticketWith(3);
  const deletion = { route: `/channels/${channel}`, method: 'DELETE' } as const;
  const { control } = stage.sandbox;
  control.addFault({ ...deletion, status: 504 });
  control.addFault({ ...deletion, status: 403, body: { message: 'Missing Permissions', code: 50_013 } });
  const id = await beginToClose(ticketId, channel);
  expect(await untilEnded(id)).toMatchObject({ state: 'unknown' });
  // The first deletion arrives.
  control.channels({ action: 'delete', channel });
  await nothingArrives();
  expect(await untilKnown(id)).toMatchObject({ state: 'done' });
  const { texts, is_cut } = await keptOf(ticketId);
  expect([texts.length, is_cut]).toEqual([4, false]);
}, 500_000);

test('a closing that is stopped while a limit is waited for keeps its channel', async () => {
  verifies('action.stop');
  const { ticketId, channel } = await ticketWith(1_500);
  const id = await begin('tickets.close', { ticket_id: ticketId });
  await untilDone(id, 500);
  stage.sandbox.control.addFault({
    route: `/channels/${channel}/messages`,
    method: 'GET',
    rate_limit: { retry_after: 600 },
  });
  await stage.sandbox.until(() => requestsFor(channel).some(({ status }) => status === 429), WAIT_MS);
  await expect(stage.act('actions.stop', 'member', { actionId: id })).rejects.toMatchObject({
    code: 'CAPABILITY_DENIED',
    details: { missing: ['tickets.write'] },
  });
  await stage.act('actions.stop', 'owner', { actionId: id });
  expect(await untilEnded(id)).toMatchObject({ state: 'failed', error: { details: { reason: 'STOPPED' } } });
  expect(messagesIn(channel)).toHaveLength(1_501);
  expect(await traces(id)).toEqual({ audit: 'requested, failed', pages: 0 });
}, 500_000);

/** More than Discord tells of in one answer. */
const CROWD = 1_100;

test('a preview whose bot is killed goes on behind those whom it has read, and counts each of them once', async () => {
  verifies('mass.preview');
  const ids = Array.from({ length: CROWD }, () => newMember(stage.sandbox));
  const [banned, gone] = [newMember(stage.sandbox), newMember(stage.sandbox)];
  stage.sandbox.control.bans({ user: banned, by: 'owner' });
  stage.sandbox.control.members({ action: 'leave', user: gone });
  const members = { route: `/guilds/${stage.guildId}/members`, method: 'GET' } as const;
  /** Requests for the first page, from the first of these people on, or for one of the others. */
  const reads = (page: 'first' | 'later', ofStatus: number | null) =>
    stage.sandbox.requests.filter(({ path, query, status }) => {
      if (path !== members.route || !query.includes('limit=1000') || status !== ofStatus) return false;
      return query.includes(`after=${BigInt(ids[0] ?? '') - 1n}`) === (page === 'first');
    });
  stage.sandbox.control.addFault({ ...members, rate_limit: { retry_after: 9 } });
  stage.sandbox.control.addFault({ ...members, held: true, times: null });
  const users = [...ids, ids[0], banned, gone].join(' ');
  const id = await begin('bans.preview', { users, include_left: false });
  await stage.sandbox.until(() => reads('first', null).length > 0, WAIT_MS);
  // The bot cannot ask for the next page between these two lines: they run in one go.
  stage.sandbox.control.clearFaults();
  stage.sandbox.control.addFault({ ...members, held: true, times: null });
  await stage.sandbox.until(() => reads('later', null).length > 0, WAIT_MS);
  const { rows: saved } = await stage.test.database.pool.query(
    'SELECT octet_length(work::text) < 200 AS is_short FROM actions WHERE id = $1',
    [id],
  );
  await killBot(bot);
  stage.sandbox.control.clearFaults();
  await killAndStartAnother();
  const { state, result } = await untilEnded(id);
  expect({ state, result }).toMatchObject({
    state: 'done',
    result: {
      preview: {
        count: 1_000,
        spared: [
          { why: 'duplicate', count: 1 },
          { why: 'left', count: 1 },
          { why: 'already', count: 1 },
          { why: 'later', count: CROWD - 1_000 },
        ],
      },
    },
  });
  expect(reads('first', 200)).toHaveLength(1);
  expect(saved).toEqual([{ is_short: true }]);
  stage.sandbox.control.bans({ action: 'unban', user: banned, by: 'owner' });
  await stage.row('SELECT FROM cases WHERE user_id = $1 AND ended_at IS NOT NULL', [banned]);
  expect(await traces(id)).toEqual({ audit: 'requested, performed', pages: 0 });
}, 500_000);

const RAIDERS = 40;

/** Begins a mass action, and returns its id before it has ended. */
async function beginMany(operation: 'bans.many' | 'bans.undo', input: object): Promise<string> {
  const started = stage.act(operation, 'owner', input);
  started.catch(() => {});
  const { id } = await stage.row<{ id: string }>('SELECT id FROM actions WHERE operation = $1', [operation]);
  return id;
}

/** Kills the bot when a mass action has got so far. */
async function killAt(id: string, done: number): Promise<void> {
  const row = await untilRow(id, (now) => now.done >= done || !['pending', 'running'].includes(now.state));
  expect(row.state).toBe('running');
  await killAndStartAnother();
}

/** The people whom requests of this method banned or released, once for each request. */
const effects = (method: string) =>
  stage.sandbox.requests
    .filter(({ route }) => route?.endsWith('/bans/{user_id}'))
    .filter((each) => each.method === method && each.status === 204)
    .map(({ path }) => path.split('/').at(-1))
    .toSorted();

test('a mass ban whose bot is killed twice bans everybody once, and its undoing lifts each ban once', async () => {
  verifies('mass.effects', 'mass.undo');
  const ids = Array.from({ length: RAIDERS }, (_, n) => {
    const { member } = stage.sandbox.control.members({ action: 'join', name: `raider${n}` });
    return member?.user?.id ?? '';
  }).toSorted();
  const listed = { users: ids.join('\n'), include_left: false };
  const { body } = await stage.act('bans.preview', 'owner', listed);
  const { preview } = body as OutputOf<'bans.preview'>;
  expect(preview.count).toBe(RAIDERS);

  const mass = await beginMany('bans.many', { preview_id: preview.id, count: RAIDERS, reason: 'Raid' });
  await killAt(mass, 5);
  await killAt(mass, 15);
  const all = { many: { done: RAIDERS, failed: 0, unknown: 0, not_tried: 0 } };
  expect(await untilEnded(mass)).toMatchObject({ state: 'done', result: all });
  expect(effects('PUT')).toEqual(ids);
  const cases = "SELECT user_id FROM cases WHERE kind = 'ban' AND ended_at IS NULL ORDER BY 1";
  const { rows } = await stage.test.database.pool.query<{ user_id: string }>(cases);
  expect(rows.map(({ user_id }) => user_id)).toEqual(ids);

  const undoing = await beginMany('bans.undo', { massId: mass });
  await killAt(undoing, 10);
  expect(await untilEnded(undoing)).toMatchObject({ state: 'done', result: all });
  expect(effects('DELETE')).toEqual(ids);
}, 500_000);
