import { z } from 'zod';
import { Snowflake } from '#src/ids.ts';
import { EXAMPLE_IDS, exampleId, ISSUED_AT, LIFTED } from './example-values.ts';
import { LIFT } from './lift.ts';
import { list } from './list.ts';
import { operation, yesOrNo } from './operation.ts';
import { Minutes, Mute, Reason } from './shapes.ts';

/** A mute that is longer than this is destructive (spec §8, Long mute threshold). */
export const LONG_MUTE_MINUTES = 1440;

const length = 'Length of the mute in minutes';

const MUTE = {
  id: exampleId('mute'),
  case_number: 43,
  user_id: EXAMPLE_IDS.user,
  reason: 'Insults in general',
  permanent: false,
  issued_by: EXAMPLE_IDS.issuer,
  issued_at: ISSUED_AT,
  expires_at: '2026-02-02T12:00:00.000Z',
  lifted_by: null,
  lifted_at: null,
  active: true,
  duration_minutes: 2880,
} satisfies z.output<typeof Mute>;

export const mutes = {
  'mutes.list': operation({
    summary: 'List mutes, newest first',
    http: { method: 'GET', path: '/mutes', success: 200 },
    tool: { name: 'list_mutes' },
    capability: 'mutes.read',
    ...list(Mute, {
      filters: {
        active: z.boolean().optional().describe('Only mutes in force, or only those lifted or expired'),
      },
      asked: { active: true },
      found: [MUTE],
    }),
  }),
  'mutes.add': operation({
    summary: 'Mute a user for a number of minutes',
    http: { method: 'POST', path: '/mutes', success: 201 },
    tool: {
      name: 'mute_user',
      summary: 'Mute a user for at most a day (1440 minutes)',
      fields: { duration_minutes: Minutes.max(LONG_MUTE_MINUTES).describe(length) },
      destructive: {
        name: 'mute_user_long',
        summary: 'Mute a user for more than a day (1441 minutes to a year)',
        fields: { duration_minutes: Minutes.min(LONG_MUTE_MINUTES + 1).describe(length) },
      },
    },
    chat: {
      command: 'mute',
      shownTo: 'ModerateMembers',
      menus: ['user', 'message'],
      form: ['duration_minutes', 'reason'],
      takesEvidence: true,
    },
    dashboard: { on: 'person', icon: 'mic-off', form: ['duration_minutes', 'reason'] },
    presets: 'mute',
    capability: 'mutes.write',
    tier: ({ duration_minutes }) =>
      duration_minutes > LONG_MUTE_MINUTES ? 'destructive_write' : 'reversible_write',
    performedBy: 'bot',
    botPermissions: ['ModerateMembers', 'ViewAuditLog'],
    sparesAdministrators: true,
    input: z.strictObject({
      user_id: Snowflake.describe('Who is muted'),
      duration_minutes: Minutes.describe(length),
      reason: Reason,
    }),
    output: z.object({ mute: Mute }),
    example: {
      input: { user_id: EXAMPLE_IDS.user, duration_minutes: 2880, reason: MUTE.reason },
      output: { mute: MUTE },
    },
    notFound: 'member',
    sentinel: {
      template: 'MUTE USER {user_id} IN GUILD {guildId} DURATION {N}',
      choice: ({ duration_minutes }) => String(duration_minutes),
    },
    sentence: ({ user_id, duration_minutes, reason }, say) => ({
      user: say.name('user', user_id),
      length: say.length(duration_minutes, 'minute'),
      reason: say.quote(reason),
    }),
    target: ({ user_id }) => ({ type: 'user', id: user_id }),
  }),
  'mutes.change': operation({
    summary: 'Change how long the mute of a user lasts; the former end stays in its timeline',
    http: { method: 'PATCH', path: '/mutes/{userId}', success: 200 },
    tool: { name: 'change_mute' },
    chat: { command: 'mutelength', shownTo: 'ModerateMembers' },
    dashboard: { on: 'in_force', kind: 'mute' },
    capability: 'mutes.write',
    tier: 'destructive_write',
    performedBy: 'bot',
    botPermissions: ['ModerateMembers', 'ViewAuditLog'],
    sparesAdministrators: true,
    input: z.strictObject({
      userId: Snowflake,
      duration_minutes: Minutes.describe('Length of the mute in minutes, counted from when it began'),
      reason: Reason.optional().describe("Why it is changed, as the case's timeline will show it"),
    }),
    output: z.object({ mute: Mute }),
    example: {
      input: { userId: EXAMPLE_IDS.user, duration_minutes: 1440, reason: 'A day is enough' },
      output: { mute: { ...MUTE, duration_minutes: 1440, expires_at: '2026-02-01T12:00:00.000Z' } },
    },
    notFound: 'mute',
    sentinel: {
      template: 'CHANGE MUTE OF USER {userId} IN GUILD {guildId} TO DURATION {N}',
      choice: ({ duration_minutes }) => String(duration_minutes),
    },
    sentence: ({ userId, duration_minutes, reason }, say) => ({
      user: say.name('user', userId),
      length: say.length(duration_minutes, 'minute'),
      reasoned: yesOrNo(reason !== undefined),
      reason: say.quote(reason),
    }),
    target: ({ userId }) => ({ type: 'user', id: userId }),
  }),
  'mutes.lift': operation({
    summary: 'Lift the mute of a user',
    http: { method: 'DELETE', path: '/mutes/{userId}', success: 200 },
    tool: { name: 'unmute_user' },
    chat: { command: 'unmute', shownTo: 'ModerateMembers' },
    dashboard: { on: 'case', kind: 'mute', form: ['reason'] },
    capability: 'mutes.write',
    ...LIFT,
    botPermissions: ['ModerateMembers', 'ViewAuditLog'],
    output: z.object({ mute: Mute }),
    example: {
      input: { userId: EXAMPLE_IDS.user, reason: 'Apologised' },
      output: { mute: { ...MUTE, ...LIFTED } },
    },
    notFound: 'mute',
    sentinel: { template: 'LIFT MUTE FROM USER {userId} IN GUILD {guildId}' },
  }),
};
