import { verifies } from '@bailiff/core/testing';
import { seedGuild } from '@bailiff/engine/testing';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type PublicApiHarness, startPublicApi } from './harness.ts';

let api: PublicApiHarness;
beforeAll(async () => {
  api = await startPublicApi();
});
afterAll(() => api.close());
beforeEach(() => api.database.pool.query('TRUNCATE tickets, budgets CASCADE'));

interface Seeded {
  /** Minutes from its opening to the first answer, and until it was closed. */
  readonly answered?: number;
  readonly lasted?: number;
  readonly category?: string;
  readonly claimer?: string;
  readonly rating?: number;
}

let number = 0;
/** A ticket that was opened so many days ago. */
async function ticket(days: number, given: Seeded = {}, guildId = api.guild.id): Promise<void> {
  const { answered = null, lasted = null, category = null, claimer = null, rating = null } = given;
  number += 1;
  await api.database.pool.query(
    `WITH opened AS (
       INSERT INTO tickets (guild_id, number, subject, opened_by, opened_at, answered_at, status, closed_at, closed_by,
         category, claimed_by)
       SELECT $1, $2, 'help', $3, at, at + make_interval(mins => $5::int),
         CASE WHEN $6::int IS NULL THEN 'open' ELSE 'closed' END::"TicketStatus", at + make_interval(mins => $6::int),
         CASE WHEN $6::int IS NOT NULL THEN $9 END, $7, $8
       FROM (SELECT now() - make_interval(days => $4) AS at) AS times RETURNING *)
     INSERT INTO ticket_feedback (ticket_id, closed_at, guild_id, state, rating, rated_at)
     SELECT id, closed_at, guild_id, 'told', $10, closed_at FROM opened WHERE $10::int IS NOT NULL`,
    [guildId, number, api.guild.memberId, days, answered, lasted, category, claimer, api.guild.botId, rating],
  );
}

const statistics = async (query = '') => (await api.inGuild(`/ticket-statistics${query}`)).body;

it('tickets are counted with medians, by category and by who worked on them, over the days that are asked for', async () => {
  verifies('tickets.stats');
  const { moderatorId, ownerId } = api.guild;
  await ticket(1, { answered: 10, lasted: 60, category: 'Griefing', claimer: moderatorId, rating: 4 });
  await ticket(2, { answered: 30, lasted: 180, category: 'Griefing', claimer: moderatorId, rating: 5 });
  await ticket(3, { answered: 20, lasted: 600, category: 'Other', claimer: ownerId });
  // Nobody answered, and it closed by itself: nobody's work.
  await ticket(4, { lasted: 2_880 });
  await ticket(5, { category: 'Griefing' });
  await ticket(60, { answered: 1, lasted: 1, category: 'Griefing', claimer: ownerId, rating: 1 });
  const other = await seedGuild(api.database);
  await ticket(1, { answered: 1, lasted: 1, rating: 1 }, other.id);

  expect(await statistics()).toEqual({
    days: 30,
    open_now: 1,
    opened: 5,
    closed: 4,
    first_answer_seconds: 1_200,
    // Between 180 and 600 minutes.
    close_seconds: 23_400,
    ratings: 2,
    average_rating: 4.5,
    categories: [
      {
        category: 'Griefing',
        opened: 3,
        closed: 2,
        first_answer_seconds: 1_200,
        close_seconds: 7_200,
        ratings: 2,
        average_rating: 4.5,
      },
      expect.objectContaining({ category: null, opened: 1, closed: 1, first_answer_seconds: null }),
      expect.objectContaining({ category: 'Other', opened: 1, closed: 1, average_rating: null }),
    ],
    people: [
      {
        user_id: moderatorId,
        closed: 2,
        first_answer_seconds: 1_200,
        close_seconds: 7_200,
        ratings: 2,
        average_rating: 4.5,
      },
      expect.objectContaining({ user_id: ownerId, closed: 1, ratings: 0, average_rating: null }),
    ],
  });
  expect(await statistics('?days=90')).toMatchObject({ days: 90, opened: 6, closed: 5, ratings: 3 });
  expect((await api.inGuild('/ticket-statistics?days=91')).status).toBe(400);
});

it('a guild without tickets has zeros and nothing that nobody knows', async () => {
  verifies('tickets.stats');
  expect(await statistics('?days=7')).toEqual({
    days: 7,
    open_now: 0,
    opened: 0,
    closed: 0,
    first_answer_seconds: null,
    close_seconds: null,
    ratings: 0,
    average_rating: null,
    categories: [],
    people: [],
  });
});

it('a time before the opening, as records of elsewhere have it, counts as no time', async () => {
  verifies('tickets.stats');
  await ticket(3, { answered: -30, lasted: -10 });
  await ticket(3, { answered: 20, lasted: 60 });
  expect(await statistics()).toMatchObject({ closed: 2, first_answer_seconds: 1_200, close_seconds: 3_600 });
});

it('a ticket that somebody has claimed is open as well', async () => {
  verifies('tickets.stats');
  await ticket(1);
  await ticket(1, { claimer: api.guild.moderatorId });
  await api.database.pool.query("UPDATE tickets SET status = 'claimed' WHERE claimed_by IS NOT NULL");
  expect(await statistics()).toMatchObject({ open_now: 2, opened: 2 });
});
