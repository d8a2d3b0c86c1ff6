import { z } from 'zod';
import { id, Snowflake } from '#src/ids.ts';
import { readPeopleList } from '#src/people-list.ts';
import { EXAMPLE_IDS, exampleId, LATER } from './example-values.ts';
import { list } from './list.ts';
import { operation, type SentenceFormatter, type Target, yesOrNo } from './operation.ts';
import { Minutes, Moment, Reason, Timestamp, text } from './shapes.ts';

/** The most people that one call acts on. The others of a longer list wait for the next one. */
export const MOST_AT_ONCE = 1_000;
/** The most people and unreadable lines that a list names. */
export const MOST_LINES = 10_000;
/** As many as fit into a request: about 3,000 ids. */
const MOST_CHARACTERS = 60_000;

/** Why a line of a list is left alone. */
export const SPARED = [
  'unreadable',
  'duplicate',
  'unfit',
  'left',
  'already',
  'self',
  'bot',
  'above',
  'staff',
  'later',
] as const;
export type Spared = (typeof SPARED)[number];

const WHY = z
  .enum(SPARED)
  .describe(
    'unreadable: it names nobody; duplicate: named before; unfit: not with that role or that late; left: not a ' +
      'member; already: banned or muted already; self: who asks; bot; above: not below who asks and the bot; staff; ' +
      `later: after the first ${MOST_AT_ONCE.toLocaleString('en')} people`,
  );

const Preview = z
  .object({
    id: id('action').describe('For the call that acts on these people'),
    count: z.int().min(0).describe('How many people it would act on'),
    spared: z.array(z.object({ why: WHY, count: z.int().min(1) })),
    usable_until: Timestamp,
  })
  .meta({ id: 'Preview' });

const Many = z
  .object({
    id: id('action').describe('To undo it, and to read what became of each person'),
    done: z.int().min(0),
    failed: z.int().min(0),
    unknown: z.int().min(0).describe('Discord gave no certain answer yet'),
    not_tried: z
      .int()
      .min(0)
      .describe('It ended before their turn: it was stopped, or Discord refuses all of them'),
  })
  .meta({ id: 'Many' });

const PREVIEW = {
  dashboard: { on: 'own_page' },
  tier: 'reversible_write',
  performedBy: 'bot',
  input: z.strictObject({
    users: text(MOST_CHARACTERS)
      .refine((list) => readPeopleList(list).length <= MOST_LINES, `must name at most ${MOST_LINES} users`)
      .optional()
      .describe('Ids or mentions of users, one or more a line'),
    role_id: Snowflake.optional().describe('Only members with this role'),
    joined_since: Moment.optional().describe('Only members who joined then or later'),
    include_left: z.boolean().default(false).describe('Also users of the list who are not members'),
  }),
  output: z.object({ preview: Preview }),
  notFound: null,
  target: () => null,
} as const;

const EXAMPLE_PREVIEW = {
  input: { users: `${EXAMPLE_IDS.user}\n<@${EXAMPLE_IDS.issuer}>`, joined_since: '2026-01-31T12:00:00Z' },
  output: {
    preview: {
      id: exampleId('action'),
      count: 1,
      spared: [{ why: 'staff' as const, count: 1 }],
      usable_until: LATER,
    },
  },
};

const LISTED = {
  preview_id: id('action').describe('The preview: exactly its people are meant'),
  count: z.int().min(1).max(MOST_AT_ONCE).describe('How many they are, as the preview says'),
  reason: Reason,
};

/** What calls on the people of a preview have in common. */
const MANY = {
  dashboard: { on: 'own_page' },
  tier: 'destructive_write',
  performedBy: 'bot',
  output: z.object({ many: Many }),
  notFound: 'preview',
  target: ({ preview_id }: { readonly preview_id: string }): Target => ({ type: 'action', id: preview_id }),
} as const;

const DONE = { many: { id: exampleId('action'), done: 498, failed: 2, unknown: 0, not_tried: 0 } };

const Undo = z.strictObject({
  massId: id('action').describe('The call that is undone: its id is in its answer'),
  reason: Reason.optional(),
});
type Undo = z.output<typeof Undo>;

const UNDO = {
  ...MANY,
  input: Undo,
  notFound: 'action',
  sentence: ({ massId, reason }: Undo, say: SentenceFormatter) => ({
    id: massId,
    reasoned: yesOrNo(reason !== undefined),
    reason: say.quote(reason),
  }),
  target: ({ massId }: Undo): Target => ({ type: 'action', id: massId }),
  example: {
    input: { massId: exampleId('action'), reason: 'The wrong role' },
    output: { many: { id: exampleId('action'), done: 498, failed: 0, unknown: 0, not_tried: 0 } },
  },
} as const;

/** What became of a line of a list. */
const ListedPerson = z
  .object({
    line: z.int().min(1),
    user_id: Snowflake.nullable().describe('null if the line names nobody'),
    spared: WHY.nullable().describe('Why nothing is done; null if something is'),
    state: z
      .enum(['waiting', 'done', 'failed', 'unknown', 'undone', 'not_tried'])
      .nullable()
      .describe('null if nothing is done; `not_tried`: the mass action ended before'),
    error: z.string().nullable().describe('Why it failed'),
    case_number: z.int().min(1).nullable(),
  })
  .meta({ id: 'ListedPerson' });

const OF_BANS = { capability: 'bans.write', botPermissions: ['BanMembers', 'ViewAuditLog'] } as const;
const OF_MUTES = { capability: 'mutes.write', botPermissions: ['ModerateMembers', 'ViewAuditLog'] } as const;

export const many = {
  'bans.preview': operation({
    summary: 'Say whom a mass ban would ban, whom it would spare, and why; nobody is banned',
    http: { method: 'POST', path: '/mass-bans/previews', success: 201 },
    tool: { name: 'preview_mass_ban' },
    chat: { command: 'massban', shownTo: 'BanMembers' },
    capability: 'bans.write',
    botPermissions: ['BanMembers'],
    ...PREVIEW,
    example: EXAMPLE_PREVIEW,
  }),
  'bans.many': operation({
    summary: 'Ban the people of a preview',
    http: { method: 'POST', path: '/mass-bans', success: 200 },
    tool: { name: 'ban_many_users' },
    ...OF_BANS,
    ...MANY,
    input: z.strictObject({
      ...LISTED,
      duration_minutes: Minutes.optional().describe(
        'Length of the bans in minutes; absent if they are permanent',
      ),
      delete_message_seconds: z
        .int()
        .min(0)
        .max(604_800)
        .optional()
        .describe('How far back their messages are deleted, in seconds'),
    }),
    example: {
      input: {
        preview_id: exampleId('action'),
        count: 500,
        reason: 'Raid',
        duration_minutes: 10_080,
        delete_message_seconds: 3600,
      },
      output: DONE,
    },
    sentinel: {
      template: 'BAN {count} USERS OF PREVIEW {preview_id} IN GUILD {guildId} {PERMANENT or DURATION N}',
      choice: ({ duration_minutes }) =>
        duration_minutes === undefined ? 'PERMANENT' : `DURATION ${duration_minutes}`,
    },
    sentence: ({ preview_id, count, reason, duration_minutes, delete_message_seconds = 0 }, say) => ({
      count,
      id: preview_id,
      permanent: yesOrNo(duration_minutes === undefined),
      length: say.length(duration_minutes ?? 0, 'minute'),
      deletes: yesOrNo(delete_message_seconds > 0),
      deleted: say.length(delete_message_seconds, 'second'),
      reason: say.quote(reason),
    }),
  }),
  'bans.undo': operation({
    summary: 'Lift the bans of a mass ban that are still in force, and no others',
    http: { method: 'DELETE', path: '/mass-bans/{massId}', success: 200 },
    tool: { name: 'undo_mass_ban' },
    chat: { command: 'massunban', shownTo: 'BanMembers' },
    ...OF_BANS,
    ...UNDO,
    sentinel: { template: 'UNDO MASS BAN {massId} IN GUILD {guildId}' },
  }),
  'mutes.preview': operation({
    summary: 'Say whom a mass mute would mute, whom it would spare, and why; nobody is muted',
    http: { method: 'POST', path: '/mass-mutes/previews', success: 201 },
    tool: { name: 'preview_mass_mute' },
    chat: { command: 'massmute', shownTo: 'ModerateMembers' },
    capability: 'mutes.write',
    botPermissions: ['ModerateMembers'],
    ...PREVIEW,
    input: PREVIEW.input.omit({ include_left: true }),
    example: EXAMPLE_PREVIEW,
  }),
  'mutes.many': operation({
    summary: 'Mute the people of a preview for a number of minutes',
    http: { method: 'POST', path: '/mass-mutes', success: 200 },
    tool: { name: 'mute_many_users' },
    ...OF_MUTES,
    ...MANY,
    input: z.strictObject({
      ...LISTED,
      duration_minutes: Minutes.describe('Length of the mutes in minutes'),
    }),
    example: {
      input: { preview_id: exampleId('action'), count: 500, reason: 'Raid', duration_minutes: 60 },
      output: DONE,
    },
    sentinel: {
      template: 'MUTE {count} USERS OF PREVIEW {preview_id} IN GUILD {guildId} DURATION {N}',
      choice: ({ duration_minutes }) => String(duration_minutes),
    },
    sentence: ({ preview_id, count, reason, duration_minutes }, say) => ({
      count,
      id: preview_id,
      length: say.length(duration_minutes, 'minute'),
      reason: say.quote(reason),
    }),
  }),
  'mutes.undo': operation({
    summary: 'Lift the mutes of a mass mute that are still in force, and no others',
    http: { method: 'DELETE', path: '/mass-mutes/{massId}', success: 200 },
    tool: { name: 'undo_mass_mute' },
    chat: { command: 'massunmute', shownTo: 'ModerateMembers' },
    ...OF_MUTES,
    ...UNDO,
    sentinel: { template: 'UNDO MASS MUTE {massId} IN GUILD {guildId}' },
  }),
  'actions.people': operation({
    summary: 'List what a preview found, and what became of each person, in the order of the list',
    http: { method: 'GET', path: '/actions/{actionId}/people', success: 200 },
    tool: { name: 'list_people_of_action' },
    capability: 'of_action',
    ...list(ListedPerson, {
      filters: { actionId: id('action') },
      asked: { actionId: exampleId('action') },
      found: [
        { line: 1, user_id: EXAMPLE_IDS.user, spared: null, state: 'done', error: null, case_number: 42 },
        {
          line: 2,
          user_id: EXAMPLE_IDS.issuer,
          spared: 'staff',
          state: null,
          error: null,
          case_number: null,
        },
      ],
    }),
    notFound: 'action',
    target: ({ actionId }) => ({ type: 'action', id: actionId }),
  }),
};
