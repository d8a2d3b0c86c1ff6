import { z } from 'zod';
import { Snowflake } from '#src/ids.ts';
import { EXAMPLE_IDS } from './example-values.ts';
import { MOST_DAYS_COUNTED } from './moderators.ts';
import { operation } from './operation.ts';

const Count = z.int().min(0);
const Seconds = z.int().min(0).nullable();

/** What is counted of closed tickets, of all or of some of them. */
const Closed = {
  closed: Count.describe('Tickets that were closed in the period'),
  first_answer_seconds: Seconds.describe(
    'Until somebody other than the opener first wrote in it: the median of the closed ones, null without any',
  ),
  close_seconds: Seconds.describe('From its opening until it was closed: the median, null without any'),
  ratings: Count.describe('How many openers rated the help in the period'),
  average_rating: z.number().min(1).max(5).nullable().describe('From 1 to 5; null without ratings'),
};

const OfCategory = z
  .object({
    category: z.string().nullable().describe('Null: tickets without a category'),
    opened: Count,
    ...Closed,
  })
  .meta({ id: 'TicketsOfCategory' });

const OfPerson = z
  .object({ user_id: Snowflake.describe('Who had claimed it, or else closed it'), ...Closed })
  .meta({ id: 'TicketsOfPerson' });

export const ticketStatistics = {
  'tickets.stats': operation({
    summary: 'Count the tickets of the last days: how many, how long they took, and how the help was',
    http: { method: 'GET', path: '/ticket-statistics', success: 200 },
    tool: { name: 'get_ticket_statistics' },
    chat: { command: 'ticket stats', shownTo: 'Administrator' },
    capability: 'tickets.read',
    tier: 'read',
    performedBy: 'store',
    input: z.strictObject({
      days: z.int().min(1).max(MOST_DAYS_COUNTED).default(30).describe('How many days back'),
    }),
    output: z.object({
      days: z.int().min(1),
      open_now: Count,
      opened: Count,
      ...Closed,
      categories: z.array(OfCategory).describe('Those with the most tickets, at most 50'),
      people: z.array(OfPerson).describe('Those who closed the most, at most 50'),
    }),
    example: {
      input: { days: 30 },
      output: {
        days: 30,
        open_now: 3,
        opened: 41,
        closed: 40,
        first_answer_seconds: 540,
        close_seconds: 14_400,
        ratings: 12,
        average_rating: 4.5,
        categories: [
          {
            category: 'Griefing',
            opened: 41,
            closed: 40,
            first_answer_seconds: 540,
            close_seconds: 14_400,
            ratings: 12,
            average_rating: 4.5,
          },
        ],
        people: [
          {
            user_id: EXAMPLE_IDS.moderator,
            closed: 40,
            first_answer_seconds: 540,
            close_seconds: 14_400,
            ratings: 12,
            average_rating: 4.5,
          },
        ],
      },
    },
    notFound: null,
    target: () => null,
  }),
};
