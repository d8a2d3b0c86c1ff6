import { z } from 'zod';
import { CAPABILITIES, type Capability } from '#src/capabilities.ts';
import { Snowflake } from '#src/ids.ts';
import { operation } from './operation.ts';
import { SEVERITIES, Timestamp } from './shapes.ts';

/** What one must hold to read a case of each kind. */
export const CASE_READERS = {
  strike: 'strikes.read',
  warning: 'strikes.read',
  ban: 'bans.read',
  mute: 'mutes.read',
} as const satisfies Record<string, Capability>;

/** A case of any kind, as chat shows it. */
const Case = z.object({
  id: z.string(),
  case_number: z.int().min(1),
  kind: z.enum(['strike', 'warning', 'ban', 'mute']),
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
});

export const cases = {
  'cases.get': operation({
    summary: 'Show a case by its number',
    http: null,
    tool: null,
    chat: { command: 'case' },
    capability: 'of_case',
    tier: 'read',
    performedBy: 'store',
    input: z.strictObject({
      number: z.int().min(1).max(2_147_483_647).describe('Number of the case, such as 12'),
    }),
    output: Case,
    target: () => null,
  }),
  'cases.list': operation({
    summary: 'Show the latest cases of a user',
    http: null,
    tool: null,
    chat: { command: 'history' },
    capability: 'of_case',
    tier: 'read',
    performedBy: 'store',
    input: z.strictObject({ user_id: Snowflake.describe('Whose cases') }),
    output: z.object({
      data: z.array(Case),
      total: z.int().min(0).describe('How many there are, of the kinds that the reader may see'),
    }),
    target: ({ user_id }) => ({ type: 'user', id: user_id }),
  }),
  'members.self': operation({
    summary: 'Show what you may do here, and which of your roles lets you',
    http: null,
    tool: null,
    chat: { command: 'whoami' },
    capability: 'none',
    tier: 'read',
    performedBy: 'store',
    input: z.strictObject({}),
    output: z.object({
      is_owner: z.boolean(),
      capabilities: z.array(z.enum(CAPABILITIES)),
      grants: z.array(z.object({ role_id: Snowflake, capabilities: z.array(z.enum(CAPABILITIES)) })),
    }),
    target: () => null,
  }),
};
