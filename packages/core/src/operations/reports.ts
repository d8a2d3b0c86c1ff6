import { z } from 'zod';
import { id, Snowflake } from '#src/ids.ts';
import { EXAMPLE_IDS, exampleId, ISSUED_AT, LATER } from './example-values.ts';
import { list } from './list.ts';
import { operation, type Target, yesOrNo } from './operation.ts';
import { Notice, Timestamp, text } from './shapes.ts';

export const REPORT_STATUSES = ['open', 'claimed', 'closed'] as const;

/** The longest answer to who made a report, in characters. */
export const MOST_REPORT_ANSWER_CHARACTERS = 1_000;

/** The message that a report is about, as it was when it was reported. */
const ReportedMessage = z.object({
  id: Snowflake,
  channel_id: Snowflake,
  text: z.string().describe('As it was when it was reported'),
  attachments: z.array(z.string()).describe('Names of the attached files'),
  sent_at: Timestamp,
});

const Report = z
  .object({
    id: id('report'),
    number: z.int().min(1),
    status: z.enum(REPORT_STATUSES),
    user_id: Snowflake.describe('Who is reported'),
    reported_by: Snowflake.nullable().describe('null for whom the report is about, who never learns it'),
    reason: z.string(),
    message: ReportedMessage.nullable().describe('null if the report is about a person only'),
    reported_at: Timestamp,
    claimed_by: Snowflake.nullable(),
    claimed_at: Timestamp.nullable(),
    closed_by: Snowflake.nullable(),
    closed_at: Timestamp.nullable(),
    answer: z.string().nullable().describe('What who made the report was told at the end'),
    notice: Notice,
  })
  .meta({ id: 'Report' });

const ReportPath = z.strictObject({ reportId: id('report') });

/** What all operations on one report have in common. */
const OF_REPORT = {
  performedBy: 'store',
  notFound: 'report',
  target: ({ reportId }: { readonly reportId: string }): Target => ({ type: 'report', id: reportId }),
} as const;

const REPORT: z.output<typeof Report> = {
  id: exampleId('report'),
  number: 3,
  status: 'open',
  user_id: EXAMPLE_IDS.user,
  reported_by: '789012345678901234',
  reason: 'Insults in #general',
  message: {
    id: EXAMPLE_IDS.message,
    channel_id: EXAMPLE_IDS.channel,
    text: 'You are all idiots',
    attachments: [],
    sent_at: '2026-01-31T11:58:00.000Z',
  },
  reported_at: ISSUED_AT,
  claimed_by: null,
  claimed_at: null,
  closed_by: null,
  closed_at: null,
  answer: null,
  notice: null,
};

const ANSWER = 'Thank you. We have warned them.';

export const reports = {
  'reports.add': operation({
    summary: 'Report a person or a message to the moderators',
    http: null,
    tool: null,
    chat: { command: 'report', shownTo: 'everyone', menus: ['user', 'message'], form: ['reason'] },
    capability: 'none',
    // Nor the owner: who is reported would learn by whom.
    reader: 'nobody',
    tier: 'reversible_write',
    performedBy: 'store',
    input: z.strictObject({
      user_id: Snowflake.describe('Who is reported; they are never told by whom'),
      reason: text(512).describe('What is wrong'),
      message_id: Snowflake.optional(),
    }),
    output: z.object({ report: Report }),
    example: {
      input: { user_id: EXAMPLE_IDS.user, reason: REPORT.reason },
      output: { report: { ...REPORT, message: null } },
    },
    notFound: null,
    // Not the person: who is reported may read the audit log, and it would name who reported them.
    target: () => null,
  }),
  'reports.list': operation({
    summary: 'List reports by members, newest first',
    http: { method: 'GET', path: '/reports', success: 200 },
    tool: { name: 'list_reports' },
    capability: 'reports.read',
    ...list(Report, {
      filters: {
        status: z.enum(REPORT_STATUSES).optional().describe('Only reports with this status'),
      },
      asked: { status: 'open' },
      found: [REPORT],
    }),
  }),
  'reports.get': operation({
    summary: 'Get one report by a member',
    http: { method: 'GET', path: '/reports/{reportId}', success: 200 },
    tool: { name: 'get_report' },
    capability: 'reports.read',
    tier: 'read',
    ...OF_REPORT,
    input: ReportPath,
    output: Report,
    example: { input: { reportId: REPORT.id }, output: REPORT },
  }),
  'reports.claim': operation({
    summary: 'Claim a report, so that others see who looks at it',
    http: { method: 'POST', path: '/reports/{reportId}/claim', success: 200, idempotent: true },
    tool: { name: 'claim_report' },
    dashboard: { on: 'own_page' },
    capability: 'reports.write',
    tier: 'reversible_write',
    ...OF_REPORT,
    input: ReportPath,
    output: z.object({ report: Report }),
    example: {
      input: { reportId: REPORT.id },
      output: {
        report: { ...REPORT, status: 'claimed', claimed_by: EXAMPLE_IDS.issuer, claimed_at: LATER },
      },
    },
    errors: ['ALREADY_CLAIMED'],
  }),
  'reports.close': operation({
    summary: 'Close a report; who made it is told, with your answer',
    http: { method: 'POST', path: '/reports/{reportId}/close', success: 200 },
    tool: { name: 'close_report' },
    dashboard: { on: 'own_page' },
    capability: 'reports.write',
    // It stays closed, and the bot sends the answer to who made it.
    tier: 'destructive_write',
    ...OF_REPORT,
    input: z.strictObject({
      reportId: id('report'),
      answer: text(MOST_REPORT_ANSWER_CHARACTERS).optional().describe('What who made the report is told'),
    }),
    output: z.object({ report: Report }),
    example: {
      input: { reportId: REPORT.id, answer: ANSWER },
      output: {
        report: {
          ...REPORT,
          status: 'closed',
          closed_by: EXAMPLE_IDS.issuer,
          closed_at: LATER,
          answer: ANSWER,
        },
      },
    },
    sentinel: { template: 'CLOSE REPORT {reportId} IN GUILD {guildId}' },
    sentence: ({ reportId, answer }, say) => ({
      report: say.name('report', reportId),
      answered: yesOrNo(answer !== undefined),
      answer: say.quote(answer),
    }),
  }),
};
