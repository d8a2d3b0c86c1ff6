import { z } from 'zod';
import { id, Snowflake } from '#src/ids.ts';
import { EXAMPLE_IDS, exampleId, ISSUED_AT, LIFTED } from './example-values.ts';
import { LIFT } from './lift.ts';
import { list } from './list.ts';
import { operation, yesOrNo } from './operation.ts';
import { Ban, Minutes, Notice, Reason, Timestamp } from './shapes.ts';

/** The ban in examples. */
export const EXAMPLE_BAN = {
  id: exampleId('ban'),
  case_number: 42,
  user_id: EXAMPLE_IDS.user,
  reason: 'Spam after two strikes',
  permanent: false,
  issued_by: EXAMPLE_IDS.issuer,
  issued_at: ISSUED_AT,
  expires_at: '2026-02-07T12:00:00.000Z',
  lifted_by: null,
  lifted_at: null,
  active: true,
} satisfies z.output<typeof Ban>;

/** A softban: the person is removed, and may join again as soon as the bot has lifted the ban. */
const Softban = z
  .object({
    id: id('softban'),
    case_number: z.int().min(1),
    user_id: Snowflake,
    reason: z.string(),
    issued_by: Snowflake,
    issued_at: Timestamp,
  })
  .meta({ id: 'Softban' });

export const bans = {
  'bans.list': operation({
    summary: 'List bans, newest first',
    http: { method: 'GET', path: '/bans', success: 200 },
    tool: { name: 'list_bans' },
    capability: 'bans.read',
    ...list(Ban, {
      filters: {
        active: z.boolean().optional().describe('Only bans in force, or only those lifted or expired'),
      },
      asked: { active: true },
      found: [EXAMPLE_BAN],
    }),
  }),
  'bans.get': operation({
    summary: "Get a user's latest ban",
    http: { method: 'GET', path: '/bans/{userId}', success: 200 },
    tool: { name: 'get_ban' },
    capability: 'bans.read',
    tier: 'read',
    performedBy: 'store',
    input: z.strictObject({ userId: Snowflake }),
    output: Ban.extend({ notice: Notice }).meta({ id: 'BanWithNotice' }),
    example: {
      input: { userId: EXAMPLE_IDS.user },
      output: { ...EXAMPLE_BAN, notice: 'told' },
    },
    notFound: 'ban',
    target: ({ userId }) => ({ type: 'user', id: userId }),
  }),
  'bans.add': operation({
    summary: 'Ban a user, permanently or for a number of minutes',
    http: { method: 'POST', path: '/bans', success: 201 },
    tool: { name: 'ban_user' },
    chat: {
      command: 'ban',
      shownTo: 'BanMembers',
      menus: ['user', 'message'],
      form: ['duration_minutes', 'reason', 'delete_message_seconds'],
      takesEvidence: true,
    },
    dashboard: {
      on: 'person',
      icon: 'gavel',
      danger: true,
      form: ['duration_minutes', 'reason', 'delete_message_seconds'],
    },
    inGames: 'ban',
    presets: 'ban',
    capability: 'bans.write',
    tier: 'destructive_write',
    performedBy: 'bot',
    botPermissions: ['BanMembers', 'ViewAuditLog'],
    input: z.strictObject({
      user_id: Snowflake.describe('Who is banned; need not be a member'),
      reason: Reason,
      duration_minutes: Minutes.optional().describe(
        'Length of the ban in minutes; absent if it is permanent',
      ),
      delete_message_seconds: z
        .int()
        .min(0)
        .max(604_800)
        .optional()
        .describe("How far back the user's messages are deleted, in seconds"),
    }),
    output: z.object({ ban: Ban }),
    example: {
      input: {
        user_id: EXAMPLE_IDS.user,
        reason: EXAMPLE_BAN.reason,
        duration_minutes: 10_080,
        delete_message_seconds: 3600,
      },
      output: { ban: EXAMPLE_BAN },
    },
    notFound: 'user',
    sentinel: {
      template: 'BAN USER {user_id} IN GUILD {guildId} {PERMANENT or DURATION N}',
      choice: ({ duration_minutes }) =>
        duration_minutes === undefined ? 'PERMANENT' : `DURATION ${duration_minutes}`,
    },
    sentence: ({ user_id, reason, duration_minutes, delete_message_seconds = 0 }, say) => ({
      user: say.name('user', user_id),
      permanent: yesOrNo(duration_minutes === undefined),
      length: say.length(duration_minutes ?? 0, 'minute'),
      deletes: yesOrNo(delete_message_seconds > 0),
      deleted: say.length(delete_message_seconds, 'second'),
      reason: say.quote(reason),
    }),
    target: ({ user_id }) => ({ type: 'user', id: user_id }),
  }),
  'bans.soft': operation({
    summary: 'Remove a user and delete their latest messages; they may join again at once',
    http: { method: 'POST', path: '/softbans', success: 201 },
    tool: { name: 'softban_user' },
    chat: { command: 'softban', shownTo: 'BanMembers', takesEvidence: true },
    dashboard: { on: 'person', icon: 'eraser', danger: true, form: ['reason'] },
    capability: 'bans.write',
    tier: 'destructive_write',
    performedBy: 'bot',
    botPermissions: ['BanMembers', 'ViewAuditLog'],
    input: z.strictObject({
      user_id: Snowflake.describe('Who is removed; need not be a member'),
      reason: Reason,
      delete_message_seconds: z
        .int()
        .min(1)
        .max(604_800)
        .default(86_400)
        .describe("How far back the user's messages are deleted, in seconds"),
    }),
    output: z.object({ softban: Softban }),
    example: {
      input: { user_id: EXAMPLE_IDS.user, reason: 'Hacked account', delete_message_seconds: 3600 },
      output: {
        softban: {
          id: exampleId('softban'),
          case_number: 45,
          user_id: EXAMPLE_IDS.user,
          reason: 'Hacked account',
          issued_by: EXAMPLE_IDS.issuer,
          issued_at: ISSUED_AT,
        },
      },
    },
    notFound: 'user',
    sentinel: { template: 'SOFTBAN USER {user_id} IN GUILD {guildId}' },
    sentence: ({ user_id, reason, delete_message_seconds }, say) => ({
      user: say.name('user', user_id),
      deleted: say.length(delete_message_seconds, 'second'),
      reason: say.quote(reason),
    }),
    target: ({ user_id }) => ({ type: 'user', id: user_id }),
  }),
  'bans.change': operation({
    summary: 'Change how long the ban of a user lasts; the former end stays in its timeline',
    http: { method: 'PATCH', path: '/bans/{userId}', success: 200 },
    tool: { name: 'change_ban' },
    // Discord shows a group to who has the permissions of all its commands.
    chat: { command: 'banlength', shownTo: 'BanMembers' },
    dashboard: { on: 'in_force', kind: 'ban' },
    capability: 'bans.write',
    tier: 'destructive_write',
    performedBy: 'bot',
    botPermissions: ['BanMembers', 'ViewAuditLog'],
    input: z.strictObject({
      userId: Snowflake,
      duration_minutes: Minutes.optional().describe(
        'Length of the ban in minutes, counted from when it began; absent if it becomes permanent',
      ),
      reason: Reason.optional().describe("Why it is changed, as the case's timeline will show it"),
    }),
    output: z.object({ ban: Ban }),
    example: {
      input: { userId: EXAMPLE_IDS.user, duration_minutes: 20_160, reason: 'Came back with another account' },
      output: { ban: { ...EXAMPLE_BAN, expires_at: '2026-02-14T12:00:00.000Z' } },
    },
    notFound: 'ban',
    sentinel: {
      template: 'CHANGE BAN OF USER {userId} IN GUILD {guildId} TO {PERMANENT or DURATION N}',
      choice: ({ duration_minutes }) =>
        duration_minutes === undefined ? 'PERMANENT' : `DURATION ${duration_minutes}`,
    },
    sentence: ({ userId, duration_minutes, reason }, say) => ({
      user: say.name('user', userId),
      permanent: yesOrNo(duration_minutes === undefined),
      length: say.length(duration_minutes ?? 0, 'minute'),
      reasoned: yesOrNo(reason !== undefined),
      reason: say.quote(reason),
    }),
    target: ({ userId }) => ({ type: 'user', id: userId }),
  }),
  'bans.lift': operation({
    summary: 'Lift the ban of a user',
    http: { method: 'DELETE', path: '/bans/{userId}', success: 200 },
    tool: { name: 'unban_user' },
    chat: { command: 'unban', shownTo: 'BanMembers' },
    dashboard: { on: 'case', kind: 'ban', form: ['reason'] },
    inGames: 'unban',
    capability: 'bans.write',
    ...LIFT,
    botPermissions: ['BanMembers', 'ViewAuditLog'],
    output: z.object({ ban: Ban }),
    example: {
      input: { userId: EXAMPLE_IDS.user, reason: 'Appeal accepted' },
      output: { ban: { ...EXAMPLE_BAN, ...LIFTED } },
    },
    notFound: 'ban',
    sentinel: { template: 'UNBAN USER {userId} IN GUILD {guildId}' },
  }),
};
