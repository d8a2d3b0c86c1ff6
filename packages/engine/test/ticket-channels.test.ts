// What Bailiff makes of the channels of tickets: the page of what is written there, and tickets without one. And when
// their closing and the question after it are tried again.
import { verifies } from '@bailiff/core/testing';
import { createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { seedGuild } from '#src/testing.ts';
import {
  answerCloseQuestion,
  askedToClose,
  closeDueTickets,
  isStillAsked,
} from '#src/tickets/close-questions.ts';
import { conversationPage, MESSAGES_OF_PAGE } from '#src/tickets/conversations.ts';
import { feedbackJob, feedbackOf, settleQuestion } from '#src/tickets/feedback.ts';
import { closeTicketOfChannel, ticketsWithoutChannel } from '#src/tickets/gone-channels.ts';
import { claimTranscript, settleTranscript, sharedTranscript } from '#src/tickets/shared-transcripts.ts';
import { reopenableTickets } from '#src/tickets/tickets.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const message = (n: number, characters: number) => ({
  id: String(n),
  author_id: '1',
  author_name: 'Ada',
  sent_at: '2026-01-01T00:00:00.000Z',
  text: 'x'.repeat(characters),
  attachments: [],
});
/** As Discord lists them: the newest first. */
const listed = (count: number, characters: number) =>
  Array.from({ length: count }, (_, n) => message(count - n, characters));

it('a page of a conversation has the newest messages that fit, and says whether there are older ones', () => {
  verifies('tickets.conversation.pages');
  const few = conversationPage(listed(3, 10));
  expect([few.messages.map(({ id }) => id), few.hasOlder]).toEqual([['1', '2', '3'], false]);
  expect(conversationPage(listed(MESSAGES_OF_PAGE, 10)).hasOlder).toBe(true);
  const long = conversationPage(listed(60, 4_000));
  expect(long.messages.length).toBeLessThan(60);
  expect([long.messages.at(-1)?.id, long.hasOlder]).toEqual(['60', true]);
});

async function withoutChannel(guildId: string, channelIds: string[]): Promise<string[]> {
  const found: string[] = [];
  for await (const channelId of ticketsWithoutChannel(test.database, guildId, channelIds))
    found.push(channelId);
  return found;
}

it('all tickets without a channel are found, however many were deleted while the bot was away', async () => {
  const guild = await seedGuild(test.database);
  await test.database.pool.query(
    `INSERT INTO tickets (guild_id, number, subject, opened_by, channel_id)
     SELECT $1, n, 'open', $2, n::text FROM generate_series(1, 250) AS n`,
    [guild.id, guild.memberId],
  );
  const found = await withoutChannel(guild.id, ['250']);
  expect(found.toSorted((a, b) => Number(a) - Number(b))).toEqual(
    Array.from({ length: 249 }, (_, n) => String(n + 1)),
  );
});

it('a ticket whose channel is gone is closed, and one that was closed before stays as it is', async () => {
  const { pool } = test.database;
  const guild = await seedGuild(test.database);
  await pool.query(
    `INSERT INTO tickets (guild_id, number, subject, status, opened_by, channel_id, closed_by, closed_at, close_reason)
     VALUES ($1, 1, 'open', 'open', $2, '11', NULL, NULL, NULL),
       ($1, 2, 'closed', 'closed', $2, '12', $2, now() - interval '1 day', 'Solved')`,
    [guild.id, guild.memberId],
  );
  expect(await withoutChannel(guild.id, ['10'])).toEqual(['11']);
  expect(await withoutChannel(guild.id, ['10', '11'])).toEqual([]);
  const closes = (channel: string) => closeTicketOfChannel(test.database, guild.id, channel, 'Gone');
  expect([await closes('11'), await closes('12'), await closes('11')]).toEqual([true, false, false]);
  const { rows } = await pool.query('SELECT close_reason FROM tickets WHERE guild_id = $1 ORDER BY number', [
    guild.id,
  ]);
  expect(rows).toEqual([{ close_reason: 'Gone' }, { close_reason: 'Solved' }]);
});

/** A ticket in a channel that is going to be closed, because its opener has agreed. */
async function agreedTicket(guildId: string, openedBy: string, number: number): Promise<string> {
  const { rows } = await test.database.pool.query<{ id: string }>(
    `INSERT INTO tickets (guild_id, number, subject, status, opened_by, channel_id, close_asked_at, close_asked_by,
       closes_at, close_agreed_at)
     VALUES ($1, $3, 'open', 'open', $2, 'channel' || $3::int, now(), $2, now(), now()) RETURNING id`,
    [guildId, openedBy, number],
  );
  return rows[0]?.id ?? '';
}

it.each(['pending', 'running', 'unknown'] as const)(
  'a ticket whose closing is %s is not closed for its channel that is gone, and others ask nobody any more',
  async (state) => {
    const { pool } = test.database;
    const guild = await seedGuild(test.database);
    const closing = await agreedTicket(guild.id, guild.memberId, 1);
    const other = await agreedTicket(guild.id, guild.memberId, 2);
    await pool.query(
      `INSERT INTO actions (guild_id, operation, input, digest, state, target_type, target_id, actor_source,
         actor_user_id, request_id, claim_by)
       VALUES ($1, 'tickets.close', '{}', 'd', $3, 'ticket', $2, 'chat', $4, 'req_close', now())`,
      [guild.id, closing, state, guild.ownerId],
    );
    await closeDueTickets(pool);
    const due = [closing, other].map((id) => `close_due_ticket:${id}`);
    const { rows: jobs } = await pool.query('SELECT key FROM graphile_worker.jobs WHERE key = ANY ($1)', [
      due,
    ]);
    const queued = new Set(jobs.map(({ key }) => key));
    expect(due.map((key) => queued.has(key))).toEqual([state === 'unknown', true]);
    const closes = (channel: string) => closeTicketOfChannel(test.database, guild.id, channel, 'Gone');
    expect([await closes('channel1'), await closes('channel2')]).toEqual([false, true]);
    const { rows } = await pool.query(
      `SELECT close_asked_at, close_asked_by, closes_at, close_agreed_at FROM tickets WHERE id = $1`,
      [other],
    );
    expect(rows).toEqual([
      { close_asked_at: null, close_asked_by: null, closes_at: null, close_agreed_at: null },
    ]);
  },
);

it.each([
  ['nobody', true, null, null],
  ['the system, which reads the channel', true, 'system', '{"isDeleting": false}'],
  ['the system, which has just begun', true, 'system', null],
  ['the system, which deletes the channel', false, 'system', '{"isDeleting": true}'],
  ['a moderator', false, 'chat', null],
])('a ticket that is being closed by %s can be kept open: %s', async (_whom, isKept, source, work) => {
  verifies('tickets.ask');
  const guild = await seedGuild(test.database);
  const ticketId = await agreedTicket(guild.id, guild.memberId, 1);
  if (source !== null)
    await test.database.pool.query(
      `INSERT INTO actions (guild_id, operation, input, digest, state, target_type, target_id, actor_source,
         actor_user_id, request_id, claim_by, work)
       VALUES ($1, 'tickets.close', '{}', 'd', 'running', 'ticket', $2, $3, $4, 'req_close', now(), $5)`,
      [guild.id, ticketId, source, guild.ownerId, work],
    );
  const who = { ticketId, guildId: guild.id, userId: guild.memberId };
  expect((await answerCloseQuestion(test.database, who, false)) !== null).toBe(isKept);
  expect(await isStillAsked(test.database, ticketId, 'act_of_nobody')).toBe(!isKept);
});

it.each([
  ['900 milliseconds', true],
  ['1 minute', false],
])('a closing that the clock, which stepped back, has due in %s is due: %s', async (left, isDue) => {
  const guild = await seedGuild(test.database);
  const id = await agreedTicket(guild.id, guild.memberId, 1);
  await test.database.pool.query('UPDATE tickets SET closes_at = now() + $2::interval WHERE id = $1', [
    id,
    left,
  ]);
  expect(await askedToClose(test.database, id)).toMatchObject({ is_due: isDue });
  expect(await isStillAsked(test.database, id, 'act_of_nobody')).toBe(isDue);
});

it('of tickets that were closed at one moment, the latest is suggested first', async () => {
  const { pool } = test.database;
  const guild = await seedGuild(test.database);
  await pool.query(
    `INSERT INTO tickets (guild_id, number, subject, status, opened_by, closed_by, closed_at)
     SELECT $1, n, 'closed', 'closed', $2, $2, now() FROM unnest('{2,9,4,7,1}'::int[]) AS n`,
    [guild.id, guild.memberId],
  );
  const suggested = await reopenableTickets(pool, guild.id, { typed: '', most: 4 });
  expect(suggested.map(({ number }) => number)).toEqual([9, 7, 4, 2]);
});

it('the question how the help was is tried again for an hour, and nobody knows of one that got lost on its way', async () => {
  const { pool } = test.database;
  const guild = await seedGuild(test.database);
  const { rows } = await pool.query<{ id: string; minutes: number }>(
    `WITH closed AS (INSERT INTO tickets (guild_id, number, subject, status, opened_by, closed_by, closed_at)
       SELECT $1, minutes, 'closed', 'closed', $2, $3, now() - make_interval(mins => minutes)
       FROM unnest('{8,12,59,61}'::int[]) AS minutes RETURNING *),
     asked AS (INSERT INTO ticket_feedback (ticket_id, closed_at, guild_id, state)
       SELECT id, closed_at, guild_id, 'sending' FROM closed)
     SELECT id, number AS minutes FROM closed ORDER BY number`,
    [guild.id, guild.memberId, guild.moderatorId],
  );
  const known = [];
  for (const { id, minutes } of rows)
    known.push([minutes, (await feedbackOf(test.database, id))?.state, await feedbackJob.later(pool, id)]);
  expect(known).toEqual([
    [8, 'sending', true],
    [12, 'unknown', true],
    [59, 'unknown', true],
    [61, 'unknown', false],
  ]);
});

/** A ticket, closed at this time or still open, and its id. */
async function ticketOf(closedAt: Date | null): Promise<{ ticketId: string; guildId: string }> {
  const { id: guildId, memberId } = await seedGuild(test.database);
  const { rows } = await test.database.pool.query<{ id: string }>(
    `INSERT INTO tickets (guild_id, number, subject, opened_by, status, closed_at, transcript)
     VALUES ($1, 1, 'x', $2, CASE WHEN $3::timestamptz IS NULL THEN 'open' ELSE 'closed' END::"TicketStatus", $3, '[]')
     RETURNING id`,
    [guildId, memberId, closedAt],
  );
  return { ticketId: rows[0]?.id ?? '', guildId };
}

it('the transcript of a ticket that was opened again meanwhile is sent to nobody', async () => {
  verifies('tickets.transcript');
  const { ticketId } = await ticketOf(null);
  expect(await claimTranscript(test.database, ticketId)).toBeNull();
});

it('a transcript names the people and roles of all its messages, and says when the ticket was opened and closed', async () => {
  verifies('tickets.transcript');
  const { pool } = test.database;
  const closedAt = new Date('2026-11-02T10:00:00Z');
  const { guildId } = await ticketOf(closedAt);
  await pool.query("UPDATE members SET display_name = 'Ada' WHERE guild_id = $1", [guildId]);
  await pool.query("UPDATE roles SET name = 'Helpers' WHERE guild_id = $1", [guildId]);
  const { rows } = await pool.query<{ opened_at: Date; user_id: string; role_id: string }>(
    `SELECT opened_at, opened_by AS user_id, (SELECT min(id) FROM roles WHERE guild_id = $1) AS role_id
     FROM tickets WHERE guild_id = $1`,
    [guildId],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('The guild has no opener or no role.');
  const texts = ['Hello', `Ask <@${row.user_id}>`, `or <@&${row.role_id}>`];
  await pool.query('UPDATE tickets SET transcript = $2 WHERE guild_id = $1', [
    guildId,
    JSON.stringify(texts.map((text, n) => ({ ...message(n, 0), text }))),
  ]);
  const shared = await sharedTranscript(test.database, guildId, 1);
  expect(shared).toMatchObject({ openedAt: row.opened_at, closedAt });
  expect(shared?.names).toMatchObject({ [row.user_id]: 'Ada', [row.role_id]: 'Helpers' });
});

it('what became of the message about an earlier closing is not said of a later one', async () => {
  verifies('tickets.transcript');
  const [earlier, later] = [new Date('2026-11-01T10:00:00Z'), new Date('2026-11-02T10:00:00Z')];
  const { ticketId } = await ticketOf(later);
  const noticeAfter = async (closedAt: Date) => {
    await settleTranscript(test.database, ticketId, closedAt, 'told');
    const { rows } = await test.database.pool.query('SELECT transcript_notice FROM tickets WHERE id = $1', [
      ticketId,
    ]);
    return rows[0]?.transcript_notice;
  };
  expect(await noticeAfter(earlier)).toBeNull();
  expect(await noticeAfter(later)).toBe('told');
});

it('a question that its opener has answered is not asked again, although nobody knows whether it arrived', async () => {
  verifies('tickets.feedback.once');
  const closedAt = new Date('2026-11-01T10:00:00Z');
  const { ticketId, guildId } = await ticketOf(closedAt);
  await test.database.pool.query(
    "INSERT INTO ticket_feedback (ticket_id, closed_at, guild_id, state, rating) VALUES ($1, $2, $3, 'sending', 4)",
    [ticketId, closedAt, guildId],
  );
  await settleQuestion(test.database, { ticketId, closedAt }, null);
  expect(await feedbackOf(test.database, ticketId)).toMatchObject({ rating: 4 });
});
