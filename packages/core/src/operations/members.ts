import { z } from 'zod';
import { Snowflake } from '#src/ids.ts';
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
    target: ({ userId }) => ({ type: 'user', id: userId }),
  }),
};
