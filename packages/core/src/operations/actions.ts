import { z } from 'zod';
import { id } from '#src/ids.ts';
import { EXAMPLE_BAN } from './bans.ts';
import { EXAMPLE_IDS, exampleId } from './example-values.ts';
import { operation, type Target } from './operation.ts';
import { Action } from './shapes.ts';

/** What every action of the examples has. */
const EXAMPLE_ACTION = {
  id: exampleId('action'),
  progress: null,
  stopped_by: null,
  notice: null,
  result: null,
};

const ActionPath = z.strictObject({ actionId: id('action') });

/** What the calls about one action have in common. */
const OF_ACTION = {
  capability: 'of_action',
  performedBy: 'store',
  input: ActionPath,
  output: z.object({ action: Action }),
  notFound: 'action',
  target: ({ actionId }: z.output<typeof ActionPath>): Target => ({ type: 'action', id: actionId }),
} as const;

export const actions = {
  'actions.get': operation({
    summary: 'Get how an action ended, after a call whose outcome was unknown',
    http: { method: 'GET', path: '/actions/{actionId}', success: 200 },
    tool: { name: 'get_action' },
    ...OF_ACTION,
    tier: 'read',
    example: {
      input: { actionId: exampleId('action') },
      output: {
        action: {
          ...EXAMPLE_ACTION,
          operation: 'bans.add',
          state: 'done',
          outcome: 'performed',
          notice: 'told',
          result: { ban: EXAMPLE_BAN },
        },
      },
    },
  }),
  'actions.stop': operation({
    summary: 'Stop a long action before its next step; what it has done by then stays done',
    http: { method: 'POST', path: '/actions/{actionId}/stop', success: 200, idempotent: true },
    tool: { name: 'stop_action' },
    chat: { command: 'stop', shownTo: 'ManageMessages' },
    dashboard: { on: 'own_page' },
    ...OF_ACTION,
    tier: 'reversible_write',
    example: {
      input: { actionId: exampleId('action') },
      output: {
        action: {
          ...EXAMPLE_ACTION,
          operation: 'messages.purge',
          state: 'running',
          outcome: null,
          progress: { done: 300, of: 1000 },
          stopped_by: EXAMPLE_IDS.issuer,
        },
      },
    },
  }),
};
