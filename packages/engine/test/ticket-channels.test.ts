// What Bailiff makes of the channels of tickets: the page of what is written there, and tickets without one.
import { verifies } from '@bailiff/core/testing';
import { createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { seedGuild } from '#src/testing.ts';
import { conversationPage, MESSAGES_OF_PAGE } from '#src/tickets/conversations.ts';
import { closeTicketOfChannel, ticketsWithoutChannel } from '#src/tickets/gone-channels.ts';

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

it('a ticket whose channel is gone is closed, and one that was closed before stays as it is', async () => {
  const { pool } = test.database;
  const guild = await seedGuild(test.database);
  await pool.query(
    `INSERT INTO tickets (guild_id, number, subject, status, opened_by, channel_id, closed_by, closed_at, close_reason)
     VALUES ($1, 1, 'open', 'open', $2, '11', NULL, NULL, NULL),
       ($1, 2, 'closed', 'closed', $2, '12', $2, now() - interval '1 day', 'Solved')`,
    [guild.id, guild.memberId],
  );
  expect(await ticketsWithoutChannel(test.database, guild.id, ['10'])).toEqual(['11']);
  expect(await ticketsWithoutChannel(test.database, guild.id, ['10', '11'])).toEqual([]);
  const closes = (channel: string) => closeTicketOfChannel(test.database, guild.id, channel, 'Gone');
  expect([await closes('11'), await closes('12'), await closes('11')]).toEqual([true, false, false]);
  const { rows } = await pool.query('SELECT close_reason FROM tickets WHERE guild_id = $1 ORDER BY number', [
    guild.id,
  ]);
  expect(rows).toEqual([{ close_reason: 'Gone' }, { close_reason: 'Solved' }]);
});
