import { z } from 'zod';
import { CAPABILITIES } from '#src/capabilities.ts';
import { CASE_KIND_NAMES } from '#src/case-kinds.ts';
import { CaseId, id, madeAt, Snowflake } from '#src/ids.ts';
import { EXAMPLE_IDS, exampleId, ISSUED_AT, LATER } from './example-values.ts';
import { wordedParams } from './issues.ts';
import { list } from './list.ts';
import { operation, type Target } from './operation.ts';
import { Moment, Reason, SEVERITIES, Timestamp, text } from './shapes.ts';

/** A case of any kind. */
const Case = z
  .object({
    id: z.string(),
    case_number: z.int().min(1),
    kind: z.enum(CASE_KIND_NAMES),
    user_id: Snowflake,
    reason: z.string().nullable(),
    severity: z.enum(SEVERITIES).nullable(),
    issued_by: Snowflake,
    issued_at: Timestamp,
    expires_at: Timestamp.nullable(),
    ended_by: Snowflake.nullable(),
    ended_at: Timestamp.nullable(),
    end_reason: z.string().nullable(),
    active: z.boolean(),
  })
  .meta({ id: 'Case' });

const CASE: z.output<typeof Case> = {
  id: exampleId('strike'),
  case_number: 41,
  kind: 'strike',
  user_id: EXAMPLE_IDS.user,
  reason: 'Griefing in the market square',
  severity: 'minor',
  issued_by: EXAMPLE_IDS.issuer,
  issued_at: ISSUED_AT,
  expires_at: null,
  ended_by: null,
  ended_at: null,
  end_reason: null,
  active: true,
};

/** What a change of a case set; only what changed. */
const Changed = z.object({
  reason: z.string().nullable().optional(),
  severity: z.enum(SEVERITIES).optional(),
  expires_at: Timestamp.nullable().optional(),
  duration_minutes: z.int().nullable().optional().describe('null: permanent'),
});

const EVIDENCE_PROBLEMS = ['too_large', 'unread', 'full', 'elsewhere'] as const;

/** A case with everything that is on record about it. */
const WholeCase = Case.extend({
  links: z
    .array(z.object({ id: CaseId, case_number: z.int().min(1), kind: z.enum(CASE_KIND_NAMES) }))
    .describe('Cases that belong together with it, of the kinds that the caller may read'),
  changes: z
    .array(
      z.object({
        changed_by: Snowflake,
        changed_at: Timestamp,
        why: z.string().nullable(),
        before: Changed,
        after: Changed,
      }),
    )
    .describe('What was changed after it was opened, oldest first'),
  evidence: z
    .array(
      z.object({
        id: id('evidence'),
        name: z.string(),
        media_type: z.string().nullable().describe('null for what is no picture'),
        size_bytes: z.int().min(0),
        sha256: z.string().nullable().describe('In hexadecimal; null for what is not kept'),
        problem: z.enum(EVIDENCE_PROBLEMS).nullable().describe('Why it is not kept; null if it is'),
        fetching: z.boolean().describe('Whether it is still being fetched from Discord'),
        attached_at: Timestamp,
      }),
    )
    .describe('Files that show why it was opened; the dashboard has them, for a year'),
  messages: z
    .array(
      z.object({
        id: id('message'),
        channel_id: Snowflake,
        message_id: Snowflake,
        author_id: Snowflake,
        sent_at: Timestamp,
        text: z.string().nullable().describe('As it was then; null if it could not be read any more'),
        attached_at: Timestamp,
      }),
    )
    .describe('Messages that it is about, kept for a year'),
}).meta({ id: 'WholeCase' });

/** A page of cases begins after the one with this number. */
const BeforeNumber = z
  .int()
  .min(1)
  .max(2_147_483_647)
  .optional()
  .describe('Only cases that are older than the one with this number');

/** The longest words to search cases for: a button beneath a page in chat holds them. */
const MOST_WORDS_CHARACTERS = 40;

/** Each word that is searched for costs a look at all that begin with it. */
export const MOST_CASE_WORDS = 8;

/** The words of a text to search cases for, as SQL `case_search_words` splits those of a case. */
export function caseWordsIn(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu) ?? [];
}

const hasSearchedWords = (text: string) => {
  const { length } = caseWordsIn(text);
  return length >= 1 && length <= MOST_CASE_WORDS;
};

/** A case as the person it is about reads it: without who did it, and without why it was ended. */
const OwnCase = Case.omit({
  id: true,
  user_id: true,
  issued_by: true,
  ended_by: true,
  end_reason: true,
}).extend({ replaced: z.boolean().describe('Whether another case replaced it') });

/** That two cases belong together, as the answer of linking and unlinking them. */
const LINKING = {
  tool: { name: 'link_cases' },
  dashboard: { on: 'own_page' },
  capability: 'of_case',
  tier: 'reversible_write',
  performedBy: 'store',
  input: z.strictObject({
    caseId: CaseId,
    other_number: z.int().min(1).max(2_147_483_647).describe('Number of the other case, such as 12'),
  }),
  output: z.object({
    link: z.object({ case_id: CaseId, case_number: z.int().min(1), other_number: z.int().min(1) }),
  }),
  example: {
    input: { caseId: CASE.id, other_number: 42 },
    output: { link: { case_id: CASE.id, case_number: CASE.case_number, other_number: 42 } },
  },
  notFound: 'case',
  target: ({ caseId }: { caseId: string }): Target => ({ type: 'case', id: caseId }),
} as const;

export const cases = {
  'cases.get': operation({
    summary: 'Get a case, with its links, changes and evidence',
    http: { method: 'GET', path: '/cases/{caseId}', success: 200 },
    tool: { name: 'get_case' },
    chat: { command: 'case show', shownTo: 'ModerateMembers' },
    capability: 'of_case',
    tier: 'read',
    performedBy: 'store',
    input: z.strictObject({ caseId: CaseId }),
    output: WholeCase,
    example: {
      input: { caseId: CASE.id },
      output: {
        ...CASE,
        links: [{ id: exampleId('ban'), case_number: 42, kind: 'ban' }],
        changes: [
          {
            changed_by: EXAMPLE_IDS.issuer,
            changed_at: LATER,
            why: null,
            before: { reason: 'Griefing' },
            after: { reason: 'Griefing in the market square' },
          },
        ],
        evidence: [
          {
            id: exampleId('evidence'),
            name: 'market-square.png',
            media_type: 'image/png',
            size_bytes: 182_044,
            sha256: 'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb',
            problem: null,
            fetching: false,
            attached_at: ISSUED_AT,
          },
        ],
        messages: [
          {
            id: exampleId('message'),
            channel_id: EXAMPLE_IDS.channel,
            message_id: EXAMPLE_IDS.message,
            author_id: EXAMPLE_IDS.user,
            sent_at: madeAt(EXAMPLE_IDS.message).toISOString(),
            text: 'I burnt the market square down, and will do it again',
            attached_at: ISSUED_AT,
          },
        ],
      },
    },
    notFound: 'case',
    target: ({ caseId }) => ({ type: 'case', id: caseId }),
  }),
  'cases.edit': operation({
    summary: 'Change the reason of a case; the former one stays in its timeline',
    http: { method: 'PATCH', path: '/cases/{caseId}', success: 200 },
    tool: { name: 'edit_case' },
    chat: { command: 'case edit', shownTo: 'ModerateMembers' },
    dashboard: { on: 'own_page' },
    capability: 'of_case',
    tier: 'reversible_write',
    performedBy: 'store',
    input: z.strictObject({ caseId: CaseId, reason: Reason }),
    output: z.object({ case: Case }),
    example: {
      input: { caseId: CASE.id, reason: 'Griefing in the market square, twice' },
      output: { case: { ...CASE, reason: 'Griefing in the market square, twice' } },
    },
    notFound: 'case',
    target: ({ caseId }) => ({ type: 'case', id: caseId }),
  }),
  'cases.attach': operation({
    summary: 'Attach files or a message to a case as evidence',
    http: null,
    tool: null,
    chat: { command: 'case attach', shownTo: 'ModerateMembers', takesEvidence: true },
    dashboard: { on: 'own_page' },
    capability: 'of_case',
    tier: 'reversible_write',
    performedBy: 'store',
    input: z.strictObject({ case_id: CaseId }),
    output: z.object({ case: Case }),
    example: { input: { case_id: CASE.id }, output: { case: CASE } },
    notFound: 'case',
    target: ({ case_id }) => ({ type: 'case', id: case_id }),
  }),
  'cases.link': operation({
    summary: 'Link two cases that belong together; each shows the other',
    ...LINKING,
    http: { method: 'POST', path: '/cases/{caseId}/links', success: 201, idempotent: true },
    chat: { command: 'case link', shownTo: 'ModerateMembers' },
  }),
  'cases.unlink': operation({
    summary: 'Unlink two cases',
    ...LINKING,
    http: { method: 'DELETE', path: '/cases/{caseId}/links', success: 200 },
    tool: { name: 'unlink_cases' },
    chat: { command: 'case unlink', shownTo: 'ModerateMembers' },
  }),
  'cases.list': operation({
    summary: 'Show the latest cases of a user',
    http: null,
    tool: null,
    chat: { command: 'history', shownTo: 'ModerateMembers', menus: ['user'] },
    capability: 'of_case',
    tier: 'read',
    performedBy: 'store',
    input: z.strictObject({ user_id: Snowflake.describe('Whose cases'), before_number: BeforeNumber }),
    output: z.object({
      data: z.array(Case),
      total: z.int().min(0).describe('How many there are, of the kinds that the reader may see'),
      has_older: z.boolean().describe('Whether another page follows'),
    }),
    example: {
      input: { user_id: EXAMPLE_IDS.user },
      output: { data: [CASE], total: 1, has_older: false },
    },
    notFound: null,
    target: ({ user_id }) => ({ type: 'user', id: user_id }),
  }),
  'cases.search': operation({
    summary: 'Search cases of all kinds that you may read, newest first',
    http: { method: 'GET', path: '/cases', success: 200 },
    tool: { name: 'search_cases' },
    chat: { command: 'case search', shownTo: 'ModerateMembers' },
    capability: 'of_case',
    ...list(Case, {
      filters: {
        words: text(MOST_WORDS_CHARACTERS)
          .refine(
            hasSearchedWords,
            wordedParams({
              message: `must hold 1 to ${MOST_CASE_WORDS} words of letters or digits`,
              say: { key: 'words', values: { most: String(MOST_CASE_WORDS) } },
            }),
          )
          .optional()
          .describe(
            `Beginnings of 1 to ${MOST_CASE_WORDS} words in the reason, the category or the name or id in the game`,
          ),
        user_id: Snowflake.optional().describe('Only cases of this user'),
        issued_by: Snowflake.optional().describe('Only cases by this moderator'),
        kind: z.enum(CASE_KIND_NAMES).optional().describe('Only cases of this kind'),
        active: z.boolean().optional().describe('Only cases in force, or only those that ended'),
        since: Moment.optional().describe('Only cases at or after this time'),
        until: Moment.optional().describe('Only cases before this time'),
      },
      asked: { words: 'griefing', kind: 'strike', since: '2026-01-01T00:00:00Z' },
      found: [CASE],
    }),
    target: ({ user_id }) => (user_id === undefined ? null : { type: 'user', id: user_id }),
  }),
  'cases.own': operation({
    summary: 'Show your own latest cases',
    http: null,
    tool: null,
    chat: { command: 'my record', shownTo: 'everyone' },
    capability: 'none',
    tier: 'read',
    performedBy: 'store',
    input: z.strictObject({ before_number: BeforeNumber }),
    output: z.object({ data: z.array(OwnCase), total: z.int().min(0), has_older: z.boolean() }),
    example: {
      input: {},
      output: { data: [OwnCase.parse({ ...CASE, replaced: false })], total: 1, has_older: false },
    },
    notFound: null,
    target: () => null,
  }),
  'members.self': operation({
    summary: 'Show what you may do here, and which of your roles lets you',
    http: null,
    tool: null,
    chat: { command: 'whoami', shownTo: 'everyone' },
    capability: 'none',
    tier: 'read',
    performedBy: 'store',
    input: z.strictObject({}),
    output: z.object({
      is_owner: z.boolean(),
      capabilities: z.array(z.enum(CAPABILITIES)),
      grants: z.array(z.object({ role_id: Snowflake, capabilities: z.array(z.enum(CAPABILITIES)) })),
    }),
    example: {
      input: {},
      output: {
        is_owner: false,
        capabilities: ['strikes.read', 'strikes.write'],
        grants: [{ role_id: EXAMPLE_IDS.role, capabilities: ['strikes.read', 'strikes.write'] }],
      },
    },
    notFound: null,
    target: () => null,
  }),
};
