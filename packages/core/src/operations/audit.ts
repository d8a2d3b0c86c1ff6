import { z } from 'zod';
import { EXAMPLE_IDS, exampleId, ISSUED_AT } from './example-values.ts';
import { list } from './list.ts';
import { operation } from './operation.ts';
import { ACTOR_SOURCES, AuditRow, Moment } from './shapes.ts';

export const audit = {
  'audit.list': operation({
    summary: 'List audit rows, newest first',
    http: { method: 'GET', path: '/audit', success: 200 },
    tool: { name: 'list_audit_rows' },
    capability: 'audit.read',
    ...list(AuditRow, {
      filters: {
        actor_source: z.enum(ACTOR_SOURCES).optional().describe('Only rows from this source'),
        action: z
          .string()
          .regex(/^[a-z_.-]{1,64}$/, 'must be the name of an action, such as bans.add')
          .optional()
          .describe('Only rows of this action, such as bans.add'),
        target: z
          .string()
          .regex(/^\w{1,64}$/, 'must be an id')
          .optional()
          .describe('Only rows about the thing with this id'),
        since: Moment.optional().describe('Only rows at or after this time'),
        until: Moment.optional().describe('Only rows before this time'),
      },
      asked: { action: 'bans.add', since: '2026-01-31T00:00:00Z' },
      found: [
        {
          id: exampleId('audit'),
          at: ISSUED_AT,
          actor_source: 'token',
          actor_user_id: EXAMPLE_IDS.issuer,
          token_id: exampleId('token'),
          token_name: 'Nightly script',
          action: 'bans.add',
          target_type: 'user',
          target_id: EXAMPLE_IDS.user,
          outcome: 'performed',
          code: null,
          request_id: 'req_0190b7c44a3c7d3a9c3f2f6f0e8a1b2c',
          address: '203.0.113.7',
          digest: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
          action_id: exampleId('action'),
          count: 1,
          last_at: ISSUED_AT,
        },
      ],
    }),
  }),
};
