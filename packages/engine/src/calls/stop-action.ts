import { isLongOperation, REST_OPERATION_NAMES } from '@bailiff/core';
import { sql } from '@bailiff/prisma';
import { forbidden, notFound } from './action-errors.ts';
import { actionById, actionFrom, actionWire } from './actions.ts';
import type { StorePerformer } from './store-performers.ts';

const stop = sql.command({ parameters: [sql.text], text: 'SELECT stop_action($1)' });

/**
 * Asks a long action to stop before its next step. Asking again changes nothing: who asked first is on record
 * (decisions: Long actions).
 */
export const stopAction: StorePerformer<'actions.stop'> = async (tx, call) => {
  const { actionId } = call.input;
  const key = [actionId, call.guildId] as const;
  const row = await actionById.first(tx, key);
  // What only people do is no token's business, as for a read.
  const isHidden =
    call.actor.source === 'token' && !REST_OPERATION_NAMES.some((name) => name === row?.operation);
  if (row === null || isHidden) return { state: 'failed', error: notFound('action', actionId) };
  const { operation, state } = actionFrom(row);
  if (!isLongOperation(operation)) return { state: 'failed', error: forbidden('NOT_STOPPABLE') };
  if (state !== 'pending' && state !== 'running')
    return { state: 'failed', error: forbidden('ACTION_ENDED') };
  return {
    state: 'done',
    write: async () => {
      await stop.run(tx, [actionId]);
      const stopped = await actionById.only(tx, key);
      return { action: actionWire(actionFrom(stopped)) };
    },
  };
};
