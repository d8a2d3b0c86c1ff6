import { z } from 'zod';
import { Snowflake } from '#src/ids.ts';
import { EXAMPLE_IDS, ISSUED_AT } from './example-values.ts';
import { list } from './list.ts';
import { operation, type Target } from './operation.ts';
import { Minutes, Reason, Timestamp } from './shapes.ts';

/** What giving a role for a while and taking it back have in common. */
const OF_ROLES = {
  capability: 'roles.write',
  tier: 'reversible_write',
  performedBy: 'bot',
  botPermissions: ['ManageRoles', 'ViewAuditLog'],
  target: ({ user_id }: { readonly user_id: string }): Target => ({ type: 'user', id: user_id }),
} as const;

const RoleForATime = z
  .object({ user_id: Snowflake, role_id: Snowflake, expires_at: Timestamp })
  .meta({ id: 'RoleForATime' });

/** The same with who gave it, since when and why. */
const GivenRole = RoleForATime.extend({
  given_by: Snowflake,
  given_at: Timestamp,
  reason: z.string().nullable(),
}).meta({ id: 'GivenRole' });

const HELD = { user_id: EXAMPLE_IDS.user, role_id: EXAMPLE_IDS.role };

export const roles = {
  'roles.give': operation({
    summary: 'Give a member a role for a while',
    http: { method: 'POST', path: '/roles', success: 201 },
    tool: { name: 'give_role' },
    chat: { command: 'role temp', shownTo: 'ManageRoles' },
    ...OF_ROLES,
    input: z.strictObject({
      user_id: Snowflake.describe('Who gets it'),
      role_id: Snowflake,
      duration_minutes: Minutes.describe('After how many minutes it is taken back'),
      reason: Reason.optional(),
    }),
    output: z.object({ role: RoleForATime }),
    example: {
      input: { ...HELD, duration_minutes: 10_080, reason: 'Event staff' },
      output: { role: { ...HELD, expires_at: '2026-02-07T12:00:00.000Z' } },
    },
    notFound: 'member',
  }),
  'roles.end': operation({
    summary: 'Take back a role that a member has for a while, before its time is over',
    http: { method: 'DELETE', path: '/roles', success: 200 },
    tool: { name: 'take_back_role' },
    chat: { command: 'role end', shownTo: 'ManageRoles' },
    dashboard: { on: 'own_page' },
    ...OF_ROLES,
    input: z.strictObject({
      user_id: Snowflake.describe('Who has it'),
      role_id: Snowflake,
      reason: Reason.optional(),
    }),
    output: z.object({
      ended: z.object({
        user_id: Snowflake,
        role_id: Snowflake,
        left: z.boolean().describe('Whether they keep it, because somebody else has given it to them since'),
      }),
    }),
    example: {
      input: { ...HELD, reason: 'The event is over' },
      output: { ended: { ...HELD, left: false } },
    },
    notFound: 'role_for_a_time',
  }),
  'roles.list': operation({
    summary: 'List the roles that members have for a while, newest first',
    http: { method: 'GET', path: '/roles', success: 200 },
    tool: { name: 'list_roles' },
    chat: { command: 'role list', shownTo: 'ManageRoles' },
    capability: 'roles.write',
    ...list(GivenRole, {
      filters: { user_id: Snowflake.optional().describe('Only those of this member') },
      asked: { user_id: EXAMPLE_IDS.user },
      found: [
        {
          ...HELD,
          expires_at: '2026-02-07T12:00:00.000Z',
          given_by: EXAMPLE_IDS.issuer,
          given_at: ISSUED_AT,
          reason: 'Event staff',
        },
      ],
    }),
    target: ({ user_id }) => (user_id === undefined ? null : { type: 'user', id: user_id }),
  }),
};
