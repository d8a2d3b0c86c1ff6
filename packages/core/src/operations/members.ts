import { z } from 'zod';
import { id, Snowflake } from '#src/ids.ts';
import { EXAMPLE_IDS, exampleId, ISSUED_AT } from './example-values.ts';
import { operation } from './operation.ts';
import { Member, Reason, Timestamp } from './shapes.ts';

/** A kick: the person may join again, so it has no end. */
const Kick = z
  .object({
    id: id('kick'),
    case_number: z.int().min(1),
    user_id: Snowflake,
    reason: z.string(),
    issued_by: Snowflake,
    issued_at: Timestamp,
  })
  .meta({ id: 'Kick' });

export const members = {
  'members.get': operation({
    summary: "Get a person's record: membership, and how many strikes, bans, mutes and tickets",
    http: { method: 'GET', path: '/members/{userId}', success: 200 },
    tool: { name: 'get_member' },
    capability: 'members.read',
    tier: 'read',
    performedBy: 'store',
    input: z.strictObject({ userId: Snowflake }),
    output: Member,
    example: {
      input: { userId: EXAMPLE_IDS.user },
      output: {
        user_id: EXAMPLE_IDS.user,
        username: 'blockbreaker',
        display_name: 'Blockbreaker',
        in_guild: true,
        role_ids: [EXAMPLE_IDS.role],
        joined_at: '2025-06-01T09:15:00.000Z',
        counts: { strikes: 2, bans: 1, mutes: 1, tickets: 1 },
      },
    },
    notFound: 'member',
    target: ({ userId }) => ({ type: 'user', id: userId }),
  }),
  'members.kick': operation({
    summary: 'Kick a member; they may join again',
    http: { method: 'POST', path: '/kicks', success: 201 },
    tool: { name: 'kick_member' },
    chat: {
      command: 'kick',
      shownTo: 'KickMembers',
      menus: ['user'],
      form: ['reason'],
      takesEvidence: true,
    },
    dashboard: { on: 'person', icon: 'door-open', danger: true, form: ['reason'] },
    capability: 'bans.write',
    tier: 'destructive_write',
    performedBy: 'bot',
    botPermissions: ['KickMembers', 'ViewAuditLog'],
    input: z.strictObject({ user_id: Snowflake.describe('Which member is kicked'), reason: Reason }),
    output: z.object({ kick: Kick }),
    example: {
      input: { user_id: EXAMPLE_IDS.user, reason: 'Second account of a banned user' },
      output: {
        kick: {
          id: exampleId('kick'),
          case_number: 43,
          user_id: EXAMPLE_IDS.user,
          reason: 'Second account of a banned user',
          issued_by: EXAMPLE_IDS.issuer,
          issued_at: ISSUED_AT,
        },
      },
    },
    notFound: 'member',
    sentinel: { template: 'KICK USER {user_id} FROM GUILD {guildId}' },
    sentence: ({ user_id, reason }, say) => ({
      user: say.name('user', user_id),
      reason: say.quote(reason),
    }),
    target: ({ user_id }) => ({ type: 'user', id: user_id }),
  }),
};
