import { untilShown, verifies } from '@bailiff/core/testing';
import { openDatabase } from '@bailiff/prisma';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { sendDirectMessage } from '#src/direct-message.ts';
import { createDiscordApi } from '#src/discord-api.ts';
import { createLog } from '#src/log.ts';
import { createPaces } from '#src/pacing.ts';
import { acquaint, limitPerforming, newMember, personOf, type Stage, setStage } from './harness.ts';

let stage: Stage;
let startedAt: number;
const begin = async () => {
  startedAt = performance.now();
  stage = await setStage({}, {}, { paceLimits: {} });
};
beforeEach(begin);
afterEach(async () => {
  const { violations } = stage.sandbox;
  await stage.close();
  expect(violations).toEqual([]);
});

const OPEN = '/users/@me/channels';
const opened = () =>
  stage.sandbox.requests.filter(({ method, path }) => method === 'POST' && path.endsWith(OPEN)).length;
const messagesTo = (userId: string) =>
  stage.sandbox.getState().dms.find(({ user_id }) => user_id === userId)?.messages ?? [];
const untilTold = (userId: string, messages = 1) =>
  stage.sandbox.until(() => messagesTo(userId).length === messages);
const ban = (userId: string) => stage.act('bans.add', 'owner', { user_id: userId, reason: 'Raid' });
const mute = (userId: string) =>
  stage.act('mutes.add', 'owner', { user_id: userId, reason: 'Loud', duration_minutes: 5 });
const strike = (userId: string) =>
  stage.act('strikes.add', 'owner', { user_id: userId, reason: 'Spam', severity: 'minor' });
const noticeOf = (userId: string, state: string) =>
  stage.row(
    `SELECT FROM target_notices n JOIN actions a ON a.id = n.action_id WHERE a.target_id = $1 AND n.state::text = $2`,
    [userId, state],
  );
const people = (count: number) => Array.from({ length: count }, () => newMember(stage.sandbox));
/** One more turn comes after each of these intervals, however long the machine takes. */
const since = (everyMs: number) => Math.floor((performance.now() - startedAt) / everyMs);

/** What another process of the same bot opens conversations with: one that has just begun. @returns what it sends */
function anotherProcess({ db = stage.engine.db } = {}) {
  const { botToken: token, apiUrl } = stage.sandbox;
  const log = createLog('silent', []);
  const paces = createPaces();
  onTestFinished(() => paces.close());
  const deps = { db, api: createDiscordApi({ token, apiUrl, log }), paces, log };
  return (userId: string, isUrgent: boolean) => {
    const signal = AbortSignal.timeout(60_000);
    const message = { id: userId, userId, content: 'You were struck.', channelId: null, isUrgent };
    return sendDirectMessage(deps, message, { turn: signal, signal });
  };
}

/** When the latest such request reached Discord, in milliseconds of a clock that is never set. */
const askedAt = (method: string, part: string) =>
  stage.sandbox.requests.findLast((one) => one.method === method && one.path.includes(part))?.startedAtMs ??
  Number.NaN;

/** How long a ban waited for its message, and for what came before. */
const waitOf = (userId: string) => askedAt('PUT', `/bans/${userId}`) - askedAt('GET', `/members/${userId}`);

test('a burst of bans tells those whose turn comes, and delays none of the others', async () => {
  verifies('H30');
  const told = await untilShown(async () => {
    const raiders = people(12);
    await Promise.all(raiders.map(ban));
    const { told } = await stage.row<{ told: number; ended: number }>(
      `SELECT count(*) FILTER (WHERE n.state = 'told')::int AS told, count(*) FILTER (WHERE n.state <> 'sending')::int AS ended
       FROM target_notices n JOIN actions a ON a.id = n.action_id WHERE a.target_id = ANY ($1)`,
      [raiders],
      ({ ended }) => ended === 12,
    );
    // The ninth would wait a quarter of a minute for its turn, and a ban for the message's deadline.
    if (told > 0 && Math.max(...raiders.map(waitOf)) < 6_000) return told;
    await stage.close();
    await begin();
    return null;
  });
  expect(told).toBeLessThanOrEqual(8 + since(20_000));
});

test('all processes of the bot together open no more conversations than one, and keep half of them for what cannot be sent later', async () => {
  verifies('H30', 'notices.bans-first');
  const processes = [anotherProcess(), anotherProcess()];
  for (const userId of people(4)) for (const send of processes) await send(userId, false);
  const later = opened();
  expect(later).toBeGreaterThan(0);
  expect(later).toBeLessThanOrEqual(4 + since(40_000));
  for (const userId of people(8)) for (const send of processes) await send(userId, true);
  expect(opened()).toBeGreaterThan(later);
  expect(opened()).toBeLessThanOrEqual(8 + since(20_000));
  // Nor does a process that is started anew begin with turns of its own.
  for (const userId of people(8)) await anotherProcess()(userId, true);
  expect(opened()).toBeLessThanOrEqual(8 + since(20_000));
  expect(stage.sandbox.requests.filter(({ status }) => status === 403)).toEqual([]);
});

test('while the database does not say how many conversations were opened, none is', async () => {
  verifies('H30');
  const db = openDatabase(stage.test.url, { applicationName: 'closed', onError: () => {} });
  await db.close();
  const [userId = ''] = people(1);
  for (const isUrgent of [true, false])
    expect(await anotherProcess({ db })(userId, isUrgent)).toEqual({ state: 'not_sent', isForLater: true });
  expect(opened()).toBe(0);
});

test('who was written to before is told however many others are, and the conversation is opened once', async () => {
  verifies('notices.known-conversation');
  const known = newMember(stage.sandbox);
  await mute(known);
  await untilTold(known);
  await stage.row('SELECT FROM direct_channels WHERE user_id = $1', [known]);
  for (const userId of people(10)) await ban(userId);
  const before = opened();
  await mute(known);
  await untilTold(known, 2);
  expect(opened()).toBe(before);
  // Discord's own bound was never met.
  expect(stage.sandbox.requests.filter(({ status }) => status === 403)).toEqual([]);
});

test('a known conversation that is gone is opened again', async () => {
  verifies('notices.known-conversation');
  const userId = newMember(stage.sandbox);
  await stage.test.database.pool.query('INSERT INTO direct_channels VALUES ($1, $2)', [
    userId,
    '100000000000000001',
  ]);
  await mute(userId);
  await untilTold(userId);
  await stage.row("SELECT FROM direct_channels WHERE user_id = $1 AND channel_id <> '100000000000000001'", [
    userId,
  ]);
});

test('a known conversation that Discord does not show the bot any more is opened again', async () => {
  verifies('notices.known-conversation');
  const userId = newMember(stage.sandbox);
  await mute(userId);
  await untilTold(userId);
  await stage.row('SELECT FROM direct_channels WHERE user_id = $1', [userId]);
  const before = opened();
  const body = { message: 'Missing Access', code: 50001 };
  // Until it is opened again, because an attempt that takes long is put off, and meets it too.
  const { control } = stage.sandbox;
  control.addFault({ method: 'POST', route: '/channels/*/messages', status: 403, body, times: null });
  await mute(userId);
  await stage.sandbox.until(() => opened() === before + 1);
  control.clearFaults();
  await untilTold(userId, 2);
  expect(opened()).toBe(before + 1);
});

test('a message about a ban that was not made counts as taken back where somebody has deleted it already', async () => {
  const userId = newMember(stage.sandbox);
  // A ban waits two seconds for its message, in which a busy machine may open no conversation. This one is open.
  await strike(userId);
  await untilTold(userId);
  await stage.row('SELECT FROM direct_channels WHERE user_id = $1', [userId]);
  const { control } = stage.sandbox;
  const gone = { message: 'Unknown Message', code: 10008 };
  control.addFault({
    ...{ method: 'DELETE', route: '/channels/*/messages/*', status: 404, body: gone },
    times: null,
  });
  const body = { message: 'Missing Permissions', code: 50013 };
  control.addFault({ method: 'PUT', route: '/guilds/*/bans/*', status: 403, body });
  await expect(ban(userId)).rejects.toThrow(/permission/);
  await noticeOf(userId, 'withdrawn');
});

test('who shares no server with the bot any more counts as absent, and no message is put off for them', async () => {
  const body = { message: 'Cannot send messages to this user due to having no mutual guilds', code: 50278 };
  stage.sandbox.control.addFault({ method: 'POST', route: '/channels/*/messages', status: 403, body });
  const userId = newMember(stage.sandbox);
  await strike(userId);
  await noticeOf(userId, 'absent');
});

test('bans come first: many strikes leave turns for the messages that cannot be sent later', async () => {
  verifies('notices.bans-first');
  for (const userId of people(8)) await strike(userId);
  // Each has had its turn or was put off.
  await stage.row(
    "SELECT FROM graphile_worker.jobs WHERE task_identifier = 'tell_target' HAVING count(*) FILTER (WHERE run_at <= now()) = 0",
  );
  // Four, and one more for each 40 seconds that the machine took.
  expect(opened()).toBeLessThan(8);
  const before = opened();
  const leftOne = await untilShown(async () => {
    const userId = newMember(stage.sandbox);
    await ban(userId);
    if (opened() > before) return true;
    // Only a ban for whose message there is a turn waits for it. A busy machine may not come to it in that time.
    return waitOf(userId) < 1_900 ? false : null;
  });
  expect(leftOne).toBe(true);
});

test('the longer a message waits for its turn, the rarer it is tried, and not at all after an hour', async () => {
  verifies('notices.backlog');
  const { pool } = stage.test.database;
  const body = { message: 'You are opening direct messages too fast.', code: 40003 };
  stage.sandbox.control.addFault({ method: 'POST', route: OPEN, status: 403, body, times: null });
  const userId = newMember(stage.sandbox);
  await strike(userId);
  const waits = (least: string) =>
    stage.row(
      `SELECT FROM graphile_worker.jobs WHERE task_identifier = 'tell_target' AND locked_at IS NULL
         AND run_at > clock_timestamp() + $1::interval`,
      [least],
    );
  const triedAgain = () =>
    pool.query(`SELECT graphile_worker.add_job('tell_target', json_build_object('case_id', id),
      job_key => 'tell_target:' || id) FROM cases WHERE kind = 'strike'`);
  await waits('0 seconds');
  await pool.query("UPDATE cases SET issued_at = clock_timestamp() - interval '40 minutes'");
  await triedAgain();
  await waits('9 minutes');
  await pool.query("UPDATE cases SET issued_at = clock_timestamp() - interval '61 minutes'");
  await triedAgain();
  await noticeOf(userId, 'not_sent');
});

test('a bot that Discord lets open no more conversations asks for none, bans, and says who was not told', async () => {
  verifies('notices.held');
  const known = newMember(stage.sandbox);
  await mute(known);
  await untilTold(known);
  await stage.row('SELECT FROM direct_channels WHERE user_id = $1', [known]);
  const body = { message: 'Your bot has been flagged by our anti-spam system.', code: 20026 };
  stage.sandbox.control.addFault({ method: 'POST', route: OPEN, status: 403, body, times: null });
  const [first = '', second = ''] = people(2);
  await ban(first);
  await noticeOf(first, 'not_sent');
  const asked = opened();
  await ban(second);
  await noticeOf(second, 'not_sent');
  // Nor do the other processes, and who begins later.
  await stage.row("SELECT FROM rate_limits WHERE key = 'conversations held' AND expire > $1", [
    Date.now() + 3_000_000,
  ]);
  expect(await anotherProcess()(second, true)).toMatchObject({ state: 'not_sent' });
  expect(opened()).toBe(asked);
  await mute(known);
  await untilTold(known, 2);
  expect(opened()).toBe(asked);
});

test('a transcript for which no conversation may be opened is sent in one that is known by then, and given up after an hour', async () => {
  verifies('tickets.transcript', 'notices.held');
  const { pool } = stage.test.database;
  const body = { message: 'Your bot has been flagged by our anti-spam system.', code: 20026 };
  stage.sandbox.control.addFault({ method: 'POST', route: OPEN, status: 403, body, times: null });
  const [first = '', known = '', unknown = ''] = people(3);
  await ban(first);
  await noticeOf(first, 'not_sent');
  const asked = opened();
  const written = [
    {
      id: '1',
      author_id: known,
      author_name: 'Ada',
      sent_at: new Date(),
      text: 'Hello?',
      attachments: [],
      reply_to: null,
    },
  ];
  await pool.query(
    `INSERT INTO tickets (guild_id, number, subject, opened_by, status, closed_at, transcript)
     SELECT $1, n, 'Griefed', ($2::text[])[n], 'closed', now(), $3 FROM generate_series(1, 2) AS n`,
    [stage.guildId, [known, unknown], JSON.stringify(written)],
  );
  const send = () =>
    pool.query(`SELECT graphile_worker.add_job('send_transcript', json_build_object('ticket_id', id),
      job_key => 'send_transcript:' || id) FROM tickets`);
  await send();
  // Both were tried: what only waits until the other one was has a minute.
  await stage.row(
    `SELECT FROM tickets t JOIN graphile_worker.jobs j ON j.key = 'send_transcript:' || t.id
     WHERE transcript_notice IS NULL AND j.locked_at IS NULL AND j.run_at > clock_timestamp()
       AND j.run_at < clock_timestamp() + interval '30 seconds' HAVING count(*) = 2`,
  );
  expect(opened()).toBe(asked);
  stage.sandbox.control.clearFaults();
  await acquaint(stage, known);
  await pool.query("UPDATE tickets SET closed_at = now() - interval '61 minutes' WHERE opened_by = $1", [
    unknown,
  ]);
  await send();
  await stage.row("SELECT FROM tickets WHERE opened_by = $1 AND transcript_notice = 'told'", [known]);
  await stage.row("SELECT FROM tickets WHERE opened_by = $1 AND transcript_notice = 'not_sent'", [unknown]);
  expect([known, unknown].map((userId) => messagesTo(userId).length)).toEqual([1, 0]);
});

test('nobody is told of a ban for which no time is left', async () => {
  verifies('notices.obstacles');
  await limitPerforming(stage);
  const userId = newMember(stage.sandbox);
  stage.sandbox.control.addFault({ method: 'GET', route: '/guilds/*/members/*', delay_ms: 6_200 });
  await expect(ban(userId)).rejects.toThrow(/too slow to check|did not answer/);
  expect(messagesTo(userId)).toEqual([]);
  expect(opened()).toBe(0);
});

test('an answer says of the case what a later read of it says', async () => {
  verifies('bans.answer');
  const input = { user_id: newMember(stage.sandbox), reason: 'Spam', duration_minutes: 60 };
  const { body } = await stage.act('bans.add', 'owner', input);
  const { rows } = await stage.test.database.pool.query('SELECT * FROM cases WHERE user_id = $1', [
    input.user_id,
  ]);
  expect(body).toEqual({
    ban: {
      id: rows[0].id,
      case_number: rows[0].case_number,
      user_id: input.user_id,
      reason: 'Spam',
      permanent: false,
      issued_by: personOf(stage.sandbox, 'owner'),
      issued_at: rows[0].issued_at.toISOString(),
      expires_at: rows[0].expires_at.toISOString(),
      lifted_by: null,
      lifted_at: null,
      active: true,
    },
  });
});
