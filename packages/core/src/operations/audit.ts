import { z } from 'zod';
import { operation } from './operation.ts';
import { ACTOR_SOURCES, AuditRow, Moment, page, pageInput } from './shapes.ts';

export const audit = {
  'audit.list': operation({
    summary: 'List audit rows, newest first',
    http: { method: 'GET', path: '/audit', success: 200 },
    tool: { name: 'list_audit_rows' },
    capability: 'audit.read',
    tier: 'read',
    performedBy: 'store',
    input: pageInput({
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
    }),
    output: page(AuditRow),
    target: () => null,
  }),
};
