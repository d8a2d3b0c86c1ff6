import { z } from 'zod';
import { id } from '#src/ids.ts';
import { EXAMPLE_BAN } from './bans.ts';
import { exampleId } from './example-values.ts';
import { operation } from './operation.ts';
import { Action } from './shapes.ts';

export const actions = {
  'actions.get': operation({
    summary: 'Get how an action ended, after a call whose outcome was unknown',
    http: { method: 'GET', path: '/actions/{actionId}', success: 200 },
    tool: { name: 'get_action' },
    capability: 'of_action',
    tier: 'read',
    performedBy: 'store',
    input: z.strictObject({ actionId: id('action') }),
    output: z.object({ action: Action }),
    example: {
      input: { actionId: exampleId('action') },
      output: {
        action: {
          id: exampleId('action'),
          operation: 'bans.add',
          state: 'done',
          outcome: 'performed',
          progress: null,
          result: { ban: EXAMPLE_BAN },
        },
      },
    },
    notFound: 'action',
    target: ({ actionId }) => ({ type: 'action', id: actionId }),
  }),
};
