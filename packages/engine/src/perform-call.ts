import { ApiError, entryOf } from '@bailiff/core';
import { type Action, type ActionError, getAction } from './actions.ts';
import type { Balances } from './admission.ts';
import { authorizePerson } from './authorize.ts';
import { databaseUnavailable, isDatabaseUnavailable, wasNotExecuted } from './database-errors.ts';
import { DEADLINES, type Engine } from './engine.ts';
import { cancelAction, settle } from './settle.ts';
import { type StoreWrite, storePerformers } from './store-performers.ts';
import { type Admitted, askApproval, type Refused, submitCall, type WriteCall } from './submit.ts';
import { inTransaction } from './transaction.ts';

/** The answer to a write: the operation's status and body, as the operation table gives them. */
export interface Answer {
  readonly status: number;
  readonly body: object;
  /** The outcome of an earlier call with the same Idempotency-Key. */
  readonly replayed: boolean;
}

/**
 * Makes a write from submission to answer. Every way out is certain about what happened, or says that it is not.
 *
 * @param onBalances is told what the budgets hold afterwards, for the limits in the answer's header.
 * @throws ApiError when the call was refused, failed, was not taken up in time, or its outcome is unknown.
 */
export async function performCall(
  engine: Engine,
  call: WriteCall,
  onBalances: (balances: Balances) => void = () => {},
): Promise<Answer> {
  const submit = entryOf(call.operation).performedBy === 'store' ? performInStore : performByBot;
  const { action, replayed } = await submit(engine, call, onBalances);
  return { ...answerOf(action), replayed };
}

/** A write by a person in chat or dashboard: the same capability, action, audit and performer as a token's. */
export async function performForPerson(
  engine: Engine,
  call: WriteCall & { actor: { source: 'chat' | 'dashboard'; userId: string } },
): Promise<Answer> {
  await authorizePerson(engine, {
    operation: call.operation,
    guildId: call.guildId,
    userId: call.actor.userId,
  });
  return performCall(engine, call);
}

type Performed = { action: Action; replayed: boolean };

/** Submits and settles in one transaction: the effect is the database's own. */
async function performInStore(
  { db, publicUrl }: Engine,
  call: WriteCall,
  onBalances: (balances: Balances) => void,
): Promise<Performed> {
  const submitted = await inTransaction(db, async (tx) => {
    const admitted = await submitCall(tx, publicUrl, call);
    if ('actionId' in admitted && !admitted.replayed) {
      const perform = storePerformers[call.operation as StoreWrite];
      const outcome = await perform(tx, call, admitted.actionId);
      await settle(tx, admitted.actionId, outcome);
    }
    return admitted;
  });
  const { actionId, replayed } = admittedOrThrow(submitted, onBalances);
  return { action: await actionOf({ db }, call, actionId), replayed };
}

/** Submits, then waits until the bot has settled the action or the deadline of the caller is there. */
async function performByBot(
  engine: Engine,
  call: WriteCall,
  onBalances: (balances: Balances) => void,
): Promise<Performed> {
  const startedAt = performance.now();
  const leftUntil = (ms: number) => ms - (performance.now() - startedAt);
  const waiter = engine.waiters.expect(call.requestId);
  try {
    const submitted = await submitCall(engine.db.pool, engine.publicUrl, call).catch((error: unknown) => {
      if (!isDatabaseUnavailable(error)) throw error;
      throw databaseUnavailable(wasNotExecuted(error) ? 'not_performed' : 'unknown');
    });
    const { actionId, replayed } = admittedOrThrow(submitted, onBalances);
    if (replayed) return { action: await actionOf(engine, call, actionId), replayed };
    try {
      const action = await waitUntilEnded(engine, call, actionId, waiter, leftUntil);
      if (action.error?.code === 'RE_AUTH_REQUIRED')
        throw await askApproval(engine.db.pool, engine.publicUrl, call);
      return { action, replayed: false };
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw outcomeUnknown(actionId);
      throw error;
    }
  } finally {
    waiter.release();
  }
}

async function waitUntilEnded(
  engine: Engine,
  call: WriteCall,
  actionId: string,
  waiter: { within(ms: number): Promise<void> },
  leftUntil: (ms: number) => number,
): Promise<Action> {
  for (;;) {
    const untilClaimed = leftUntil(DEADLINES.claimMs);
    await waiter.within(untilClaimed > 0 ? untilClaimed : leftUntil(DEADLINES.answerMs));
    const action = await actionOf(engine, call, actionId);
    if (action.state === 'pending' && leftUntil(DEADLINES.claimMs) <= 0) {
      if (await cancelAction(engine.db.pool, actionId, NOBODY_CAME)) throw apiErrorOf(NOBODY_CAME);
    } else if (action.state !== 'pending' && action.state !== 'running') {
      return action;
    }
    if (leftUntil(DEADLINES.answerMs) <= 0) throw outcomeUnknown(actionId);
  }
}

const NOBODY_CAME: ActionError = {
  code: 'UPSTREAM_UNAVAILABLE',
  message: 'The bot did not take this up in time. It was cancelled and will not happen; try again.',
  status: 503,
  details: { upstream: 'bot', outcome: 'not_performed', retry_after_seconds: 5 },
};

function outcomeUnknown(actionId: string): ApiError {
  return apiErrorOf({
    code: 'UPSTREAM_UNAVAILABLE',
    message: `It is not known yet whether this happened. GET /actions/${actionId} tells how it ended.`,
    status: 502,
    details: { upstream: 'bot', outcome: 'unknown', action_id: actionId },
  });
}

function admittedOrThrow(submitted: Admitted | Refused, onBalances: (balances: Balances) => void): Admitted {
  if (submitted.balances !== undefined) onBalances(submitted.balances);
  if ('refused' in submitted) throw submitted.refused;
  return submitted;
}

async function actionOf({ db }: Pick<Engine, 'db'>, call: WriteCall, actionId: string): Promise<Action> {
  const action = await getAction(db, call.guildId, actionId);
  if (action === null) throw new Error(`Action ${actionId} is gone`);
  return action;
}

function answerOf(action: Action): { status: number; body: object } {
  if (action.state === 'done' && action.result !== null) {
    return { status: entryOf(action.operation).http.success, body: action.result };
  }
  if (action.error !== null) throw apiErrorOf(action.error);
  // Only a replay meets an action that has not ended: the first call is still waiting for it.
  throw new ApiError('RATE_LIMITED', 'The first call with this Idempotency-Key is still running.', {
    details: { scope: 'idempotency_key', retry_after_seconds: 1 },
  });
}

function apiErrorOf(error: ActionError): ApiError {
  return new ApiError(error.code, error.message, {
    ...(error.status === undefined ? {} : { status: error.status }),
    ...(error.details === undefined ? {} : { details: error.details as never }),
  });
}
