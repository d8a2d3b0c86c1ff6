import { z } from 'zod';
import { Snowflake } from '#src/ids.ts';
import { EXAMPLE_IDS } from './example-values.ts';
import { operation } from './operation.ts';
import { Member } from './shapes.ts';

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
};
