import { z } from 'zod';
import { id } from '#src/ids.ts';
import { exampleId, ISSUED_AT } from './example-values.ts';
import { operation } from './operation.ts';
import { Timestamp } from './shapes.ts';

/** What a caller can learn of its approval request (decisions: Approval requests). */
export const APPROVAL_STATES = ['pending', 'approved', 'refused', 'withdrawn', 'lapsed', 'used'] as const;

export type ApprovalState = (typeof APPROVAL_STATES)[number];

/** A call that was refused for lack of a window, as the token that made it sees it. */
const Approval = z
  .object({
    id: id('approval'),
    operation: z.string(),
    state: z
      .enum(APPROVAL_STATES)
      .describe(
        'pending: the owner has not decided; approved: the same call would be admitted now; used: it was made; ' +
          'refused; withdrawn: it was approved, and the owner took that back; lapsed: nobody decided, or it was not made, in time',
      ),
    scope: z
      .enum(['call', 'window'])
      .nullable()
      .describe('call: this very call, once; window: any destructive call of the token; null: not approved'),
    approved_until: Timestamp.nullable().describe('Until when the same call is admitted; null if it is not'),
    asked_at: Timestamp,
    lapses_at: Timestamp.describe('Until when the owner can decide'),
    decided_at: Timestamp.nullable(),
    action_id: id('action').nullable().describe('The action of the call once it was made'),
  })
  .meta({ id: 'Approval' });

export const approvals = {
  'approvals.get': operation({
    summary: 'Get what became of an approval request of this token',
    http: { method: 'GET', path: '/approvals/{approvalId}', success: 200, waits: true },
    tool: { name: 'get_approval', forDestructive: true },
    capability: 'none',
    tier: 'read',
    performedBy: 'store',
    input: z.strictObject({ approvalId: id('approval') }),
    output: Approval,
    example: {
      input: { approvalId: exampleId('approval') },
      output: {
        id: exampleId('approval'),
        operation: 'bans.add',
        state: 'approved',
        scope: 'call',
        approved_until: '2026-01-31T12:19:00.000Z',
        asked_at: ISSUED_AT,
        lapses_at: '2026-01-31T13:00:00.000Z',
        decided_at: '2026-01-31T12:04:00.000Z',
        action_id: null,
      },
    },
    notFound: 'approval',
    target: ({ approvalId }) => ({ type: 'approval', id: approvalId }),
  }),
};
