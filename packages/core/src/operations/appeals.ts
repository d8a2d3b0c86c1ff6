import { z } from 'zod';
import { CASE_KIND_NAMES, type CaseKind } from '#src/case-kinds.ts';
import { id, Snowflake } from '#src/ids.ts';
import { EXAMPLE_IDS, exampleId, ISSUED_AT, LATER } from './example-values.ts';
import { list } from './list.ts';
import { operation, type Target, yesOrNo } from './operation.ts';
import { Timestamp, text } from './shapes.ts';

export const APPEAL_STATES = ['sent', 'in_review', 'accepted', 'refused', 'over'] as const;
export type AppealState = (typeof APPEAL_STATES)[number];

/** The longest answer of a guild to an appeal, in characters. */
export const MOST_REPLY_CHARACTERS = 1_000;

/** What a person says against a case of theirs. */
export const Appeal = z
  .object({
    id: id('appeal'),
    case_number: z.int().min(1),
    kind: z.enum(CASE_KIND_NAMES as readonly [CaseKind, ...CaseKind[]]),
    user_id: Snowflake,
    state: z
      .enum(APPEAL_STATES)
      .describe(
        'sent; in_review from the first vote on; accepted when a moderator lifted or removed the case; refused; over when the case ended otherwise',
      ),
    active: z.boolean().describe('Whether its case is in force'),
    answers: z.array(z.object({ question: z.string(), answer: z.string() })),
    votes: z.object({ for: z.int().min(0), against: z.int().min(0) }),
    sent_at: Timestamp,
    decided_by: Snowflake.nullable().describe(
      'Who decided; null in answers of calls, and always for the person who appealed',
    ),
    decided_at: Timestamp.nullable(),
    reply: z.string().nullable().describe('What the guild answers to the person'),
  })
  .meta({ id: 'Appeal' });

const APPEAL: z.output<typeof Appeal> = {
  id: exampleId('appeal'),
  case_number: 42,
  kind: 'ban',
  user_id: EXAMPLE_IDS.user,
  state: 'in_review',
  active: true,
  answers: [{ question: 'Why should the ban be lifted?', answer: 'My account was stolen. I have it back.' }],
  votes: { for: 1, against: 0 },
  sent_at: ISSUED_AT,
  decided_by: null,
  decided_at: null,
  reply: null,
};

const AppealPath = z.strictObject({ appealId: id('appeal') });

/** What all calls about one appeal have in common. */
const OF_APPEAL = {
  performedBy: 'store',
  notFound: 'appeal',
  target: ({ appealId }: z.output<typeof AppealPath>): Target => ({ type: 'appeal', id: appealId }),
} as const;

/** What the calls have in common that change an appeal which waits for a decision. */
const DECIDING = {
  ...OF_APPEAL,
  dashboard: { on: 'own_page' },
  capability: 'appeals.write',
  output: z.object({ appeal: Appeal }),
} as const;

export const appeals = {
  'appeals.list': operation({
    summary: 'List appeals, newest first',
    http: { method: 'GET', path: '/appeals', success: 200 },
    tool: { name: 'list_appeals' },
    capability: 'appeals.read',
    ...list(Appeal, {
      filters: {
        state: z.enum(APPEAL_STATES).optional().describe('Only appeals in this state'),
      },
      asked: { state: 'in_review' },
      found: [APPEAL],
    }),
  }),
  'appeals.get': operation({
    summary: 'Get one appeal; who lifts or removes its case accepts it',
    http: { method: 'GET', path: '/appeals/{appealId}', success: 200 },
    tool: { name: 'get_appeal' },
    ...OF_APPEAL,
    capability: 'appeals.read',
    tier: 'read',
    input: AppealPath,
    output: Appeal,
    example: { input: { appealId: APPEAL.id }, output: APPEAL },
  }),
  'appeals.vote': operation({
    summary: 'Say whether an appeal should be accepted',
    http: { method: 'POST', path: '/appeals/{appealId}/vote', success: 200, idempotent: true },
    tool: { name: 'vote_on_appeal' },
    ...DECIDING,
    tier: 'reversible_write',
    input: AppealPath.extend({ vote: z.enum(['for', 'against']) }),
    example: { input: { appealId: APPEAL.id, vote: 'for' }, output: { appeal: APPEAL } },
  }),
  'appeals.refuse': operation({
    summary: 'Refuse an appeal; its person is told',
    http: { method: 'POST', path: '/appeals/{appealId}/refuse', success: 200 },
    tool: { name: 'refuse_appeal' },
    ...DECIDING,
    // A case is appealed once: nobody can take the refusal back.
    tier: 'destructive_write',
    input: AppealPath.extend({
      reply: text(MOST_REPLY_CHARACTERS).optional().describe('What the person reads; it names no moderator'),
    }),
    example: {
      input: { appealId: APPEAL.id, reply: 'You may appeal again after a month.' },
      output: {
        appeal: {
          ...APPEAL,
          state: 'refused',
          decided_at: LATER,
          reply: 'You may appeal again after a month.',
        },
      },
    },
    sentinel: { template: 'REFUSE APPEAL {appealId} IN GUILD {guildId}' },
    sentence: ({ appealId, reply }, say) => ({
      appeal: say.name('appeal', appealId),
      replied: yesOrNo(reply !== undefined),
      reply: say.quote(reply),
    }),
  }),
};
