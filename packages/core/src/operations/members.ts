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

/** What became of somebody's membership: when, and under which names. */
const MemberEvent = z
  .object({
    kind: z.enum(['joined', 'left', 'renamed']),
    at: Timestamp,
    username: z.string().nullable().describe('From then on; null when they left'),
    display_name: z.string().nullable().describe('In the guild, from then on; null when they left'),
    old_username: z.string().nullable().describe('Before; null unless they changed their name'),
    old_display_name: z.string().nullable().describe('Before; null unless it is known and changed'),
    missed_leave: z.boolean().describe('Whether they had left before, at a time that no bot saw'),
  })
  .meta({ id: 'MemberEvent' });

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
  'members.events': operation({
    summary: 'List when a person joined and left, and their earlier names, the latest 50 of 180 days',
    http: { method: 'GET', path: '/members/{userId}/events', success: 200 },
    tool: { name: 'list_member_events' },
    capability: 'members.read',
    tier: 'read',
    performedBy: 'store',
    input: z.strictObject({ userId: Snowflake }),
    output: z.object({ data: z.array(MemberEvent) }),
    example: {
      input: { userId: EXAMPLE_IDS.user },
      output: {
        data: [
          {
            kind: 'renamed',
            at: '2026-01-06T18:20:00.000Z',
            username: 'blockbreaker',
            display_name: 'Blockbreaker',
            old_username: 'b10ckbreaker',
            old_display_name: 'Breaker',
            missed_leave: false,
          },
          {
            kind: 'joined',
            at: '2025-12-30T09:15:00.000Z',
            username: 'b10ckbreaker',
            display_name: 'Breaker',
            old_username: null,
            old_display_name: null,
            missed_leave: false,
          },
        ],
      },
    },
    notFound: null,
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
    inGames: 'kick',
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
