import { z } from 'zod';
import type { CaseKind } from '#src/case-kinds.ts';
import { Snowflake } from '#src/ids.ts';
import { EXAMPLE_IDS } from './example-values.ts';
import { operation } from './operation.ts';

/** The longest time over which the work of moderators is counted, in days. */
export const MOST_DAYS_COUNTED = 90;

const Count = z.int().min(0);

const CasesByKind = z.object({
  strike: Count,
  ban: Count,
  mute: Count,
  warning: Count,
  kick: Count,
  softban: Count,
} satisfies Readonly<Record<CaseKind, typeof Count>>);

/** What one moderator did in a period. */
const Moderator = z
  .object({
    user_id: Snowflake,
    cases: CasesByKind.describe('Cases that they opened in the period, also by hand in Discord'),
    lifted: Count.describe('How many of these cases were lifted or removed before their time'),
    appealed: Count.describe('How many of the lifted ones an accepted appeal ended'),
    reports: Count.describe('Reports of members that they closed in the period'),
    tickets: Count.describe('Tickets that they closed in the period, or that closed by themselves as theirs'),
  })
  .meta({ id: 'Moderator' });

export const moderators = {
  'audit.moderators': operation({
    summary: 'Count what each moderator did in the last days, the busiest first',
    http: { method: 'GET', path: '/moderators', success: 200 },
    tool: { name: 'get_moderator_statistics' },
    chat: { command: 'modstats', shownTo: 'ViewAuditLog' },
    capability: 'audit.read',
    tier: 'read',
    performedBy: 'store',
    input: z.strictObject({
      days: z.int().min(1).max(MOST_DAYS_COUNTED).default(30).describe('How many days back'),
      user_id: Snowflake.optional().describe('Only this moderator'),
    }),
    output: z.object({
      days: z.int().min(1),
      data: z.array(Moderator).describe('At most 100'),
      more: Count.describe('How many more moderators there are'),
      by_tokens: Count.describe('Cases opened over tokens, which count for nobody'),
      automatic: Count.describe('Cases that Bailiff opened by itself, which count for nobody'),
    }),
    example: {
      input: { days: 30 },
      output: {
        days: 30,
        data: [
          {
            user_id: EXAMPLE_IDS.issuer,
            cases: { strike: 12, ban: 3, mute: 5, warning: 8, kick: 1, softban: 0 },
            lifted: 2,
            appealed: 1,
            reports: 4,
            tickets: 9,
          },
        ],
        more: 0,
        by_tokens: 6,
        automatic: 2,
      },
    },
    notFound: null,
    target: ({ user_id }) => (user_id === undefined ? null : { type: 'user', id: user_id }),
  }),
};
