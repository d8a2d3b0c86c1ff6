import {
  ApiError,
  entryOf,
  isLongOperation,
  type LongOperation,
  type OutputOf,
  type WriteOperation,
} from '@bailiff/core';
import {
  databaseUnavailable,
  isDatabaseUnavailable,
  type Patience,
  patience,
  wasNotExecuted,
} from '#src/database/database-errors.ts';
import { writeInTurn } from '#src/database/in-turn.ts';
import { inTransaction } from '#src/database/transaction.ts';
import type { Waiter } from '#src/database/waiters.ts';
import { DEADLINES, type Engine } from '#src/engine.ts';
import { inSpan } from '#src/tracing/spans.ts';
import { type ActionError, type ActionRecord, actionWire, getAction } from './actions.ts';
import type { Balances } from './admission.ts';
import { countAskOfMember } from './asks-of-members.ts';
import { authorizePerson, caseIdOf } from './authorize.ts';
import { cancelAction, NOBODY_CAME, type Outcome, settle } from './settle.ts';
import { isStoreWrite, performStored, type StoreWrite } from './store-performers.ts';
import { type Admitted, askApproval, type Refused, submitCall, type WriteCall } from './submit.ts';

/** The answer to a write: the operation's status and body, as the operation table defines them. */
export interface Answer<Body extends object = object> {
  readonly status: number;
  readonly body: Body;
}

/** The answer to a write that goes on: where to look, and how far it has got (decisions: Long actions). */
export interface StillRunning {
  readonly status: 202;
  readonly body: { readonly action: ReturnType<typeof actionWire> };
}

export function isStillRunning(answer: Answer | StillRunning): answer is StillRunning {
  return answer.status === 202;
}

/** Receives what the headers of an answer need, also of one that is an error. */
export interface WriteListener {
  /** What is left in the budgets. */
  readonly onBalances: (balances: Balances) => void;
  /** The answer is that of an earlier call with the same Idempotency-Key. */
  readonly onReplayed: () => void;
}

const NOBODY_LISTENS: WriteListener = { onBalances: () => {}, onReplayed: () => {} };

/**
 * The answer to a write, from submission to settlement. Every result is certain about what happened, or says that it is
 * not.
 *
 * @param forStore how long the caller can still wait for the database.
 * @param waitMs how long the caller wants to wait for the end of a long operation that has begun.
 * @throws ApiError if the call was refused, failed or was not claimed in time, or if its outcome is unknown.
 */
export async function performWrite(
  engine: Engine,
  call: WriteCall,
  { onBalances, onReplayed }: WriteListener = NOBODY_LISTENS,
  forStore: Patience = patience(),
  waitMs: number = DEADLINES.answerMs,
): Promise<Answer> {
  const { action, replayed } = isStoreWrite(call)
    ? await inSpan({ name: 'perform in the store' }, () => performInStore(engine, call, onBalances, forStore))
    : await performByBot(engine, call, onBalances, forStore, waitMs);
  const answer = answerOf(action);
  if (answer === null) throw withoutAnswer(action);
  if (replayed) onReplayed();
  if (answer instanceof ApiError) throw answer;
  return answer;
}

/** A person, by hand. */
interface ByPerson {
  readonly actor: { readonly source: 'chat' | 'dashboard'; readonly userId: string };
}

/**
 * The answer to a write by a person in chat or dashboard: the body that the operation's performer returned. Capability,
 * action, audit and performer are the same as for a token.
 */
export function performForPerson<N extends Exclude<WriteOperation, LongOperation>>(
  engine: Engine,
  call: WriteCall<N> & ByPerson,
): Promise<Answer<OutputOf<N>>>;
export function performForPerson<N extends WriteOperation>(
  engine: Engine,
  call: WriteCall<N> & ByPerson,
): Promise<Answer<OutputOf<N>> | StillRunning>;
export async function performForPerson(engine: Engine, call: WriteCall & ByPerson): Promise<Answer> {
  await authorizePerson(engine, {
    operation: call.operation,
    guildId: call.guildId,
    userId: call.actor.userId,
    actionId: call.operation === 'actions.stop' ? call.input.actionId : undefined,
    caseId: caseIdOf(call),
  });
  await countAskOfMember(engine, { ...call, userId: call.actor.userId });
  return performWrite(engine, call);
}

/** How an action ended, or its present state. */
type Ended = Pick<ActionRecord, 'operation' | 'state' | 'result' | 'error'> | ActionRecord;

interface Performed {
  readonly action: Ended | ActionRecord;
  readonly replayed: boolean;
}

function ended({ operation }: WriteCall, outcome: Outcome, result: object | null): Ended {
  return { operation, state: outcome.state, result, error: outcome.state === 'done' ? null : outcome.error };
}

/** Submits and settles in one transaction, because the effect is in the database only. */
async function performInStore(
  engine: Engine,
  call: WriteCall<StoreWrite>,
  onBalances: (balances: Balances) => void,
  forStore: Patience,
): Promise<Performed> {
  let recordedAs = idOf(call);
  const { submitted, action } = await inTransaction(
    engine.db,
    async (tx, commitBehind) => {
      // Sent together. What the first statement throws is the reason that the others fail.
      const submitting = submitCall(tx, engine.dashboardUrl, call, forStore);
      const performing = performStored(tx, call);
      performing.catch(() => {});
      const submitted = await submitting;
      if ('actionId' in submitted) recordedAs = submitted.actionId;
      const outcome = await performing;
      if ('refused' in submitted || submitted.replayed) return { submitted, action: null };
      const { result, settled } = await settle(tx, submitted.actionId, outcome);
      commitBehind(settled);
      return { submitted, action: ended(call, outcome, result) };
    },
    {
      withinMs: forStore.leftMs(),
      actionId: () => recordedAs,
      inTurn: (transaction) => writeInTurn(engine.db, call.guildId, forStore, transaction),
    },
  );
  const { actionId, replayed } = admittedOrThrow(submitted, onBalances);
  return { action: action ?? (await earlierAction(engine, call, actionId)), replayed };
}

/** Submits, then waits until the bot has settled the action or the caller's deadline has passed. */
async function performByBot(
  engine: Engine,
  call: WriteCall,
  onBalances: (balances: Balances) => void,
  forStore: Patience,
  waitMs: number,
): Promise<Performed> {
  const startedAt = performance.now();
  const leftUntil = (ms: number) => ms - (performance.now() - startedAt);
  const waiter = engine.waiters.expect(call.requestId);
  try {
    const submitting = () => submitCall(engine.db.pool, engine.dashboardUrl, call, forStore);
    const submitted = await forStore
      .within(inSpan({ name: 'submit' }, submitting))
      .catch((error: unknown) => {
        if (!isDatabaseUnavailable(error)) throw error;
        throw databaseUnavailable(wasNotExecuted(error) ? 'not_performed' : 'unknown', idOf(call), error);
      });
    const { actionId, replayed } = admittedOrThrow(submitted, onBalances);
    if (replayed) return { action: await earlierAction(engine, call, actionId), replayed };
    try {
      const waiting = () => waitUntilEnded(engine, call, actionId, waiter, leftUntil, waitMs);
      const action = await inSpan({ name: 'wait for the bot' }, waiting);
      if (action.error?.code === 'RE_AUTH_REQUIRED')
        throw await askApproval(engine.db.pool, engine.dashboardUrl, call);
      return { action, replayed: false };
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw outcomeUnknown(actionId);
      throw error;
    }
  } finally {
    waiter.release();
  }
}

/**
 * The id that a call is recorded under, if it is recorded. Nobody knows it before where a person makes the call, or where
 * its Idempotency-Key may stand for an earlier one: who looked a wrong id up would think that nothing had happened.
 */
function idOf({ actor, idempotencyKey }: WriteCall): string | undefined {
  return actor.source === 'token' && idempotencyKey === undefined ? actor.token.newActionId : undefined;
}

/** How often to look whether a worker has claimed an action whose caller wants to wait no longer. */
const CLAIM_LOOK_MS = 200;

/** The action once it has ended, or a long one once it goes on without its caller. */
async function waitUntilEnded(
  engine: Engine,
  call: WriteCall,
  actionId: string,
  waiter: Pick<Waiter, 'within' | 'heard'>,
  leftUntil: (ms: number) => number,
  waitMs: number,
): Promise<Ended> {
  const isLong = isLongOperation(call.operation);
  const answerMs = isLong ? Math.min(waitMs, DEADLINES.answerMs) : DEADLINES.answerMs;
  const untilLook = () => {
    if (leftUntil(answerMs) <= 0) return CLAIM_LOOK_MS;
    const untilClaimed = leftUntil(DEADLINES.claimMs);
    return untilClaimed > 0 ? Math.min(untilClaimed, leftUntil(answerMs)) : leftUntil(answerMs);
  };
  for (;;) {
    await waiter.within(untilLook());
    const heard = heardOf(waiter, call, actionId);
    if (heard !== null) return heard;
    const action = await actionOf(engine, call, actionId);
    if (action.state === 'pending' && leftUntil(DEADLINES.claimMs) <= 0) {
      if (await cancelAction(engine.db.pool, actionId, NOBODY_CAME)) throw apiErrorOf(NOBODY_CAME);
    } else if (action.state === 'running' && isLong && (action.goesOn || leftUntil(answerMs) <= 0)) {
      return action;
    } else if (action.state !== 'pending' && action.state !== 'running') {
      return action;
    }
    if (leftUntil(DEADLINES.answerMs) <= 0) throw outcomeUnknown(actionId);
  }
}

/** How the action ended, if the notification of it said so. */
function heardOf(waiter: Pick<Waiter, 'heard'>, { operation }: WriteCall, actionId: string): Ended | null {
  const notice = waiter.heard();
  if (notice?.kind !== 'action' || notice.id !== actionId) return null;
  const { state, answer } = notice;
  return state === undefined || answer === undefined ? null : { operation, state, ...answer };
}

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

async function actionOf(
  { db }: Pick<Engine, 'db'>,
  call: WriteCall,
  actionId: string,
): Promise<ActionRecord> {
  const action = await getAction(db, call.guildId, actionId);
  if (action === null) throw new Error(`Action ${actionId} is gone`);
  return action;
}

/** The action of an earlier call with the same Idempotency-Key. If it cannot be read, it may have happened. */
function earlierAction(engine: Engine, call: WriteCall, actionId: string): Promise<ActionRecord> {
  return actionOf(engine, call, actionId).catch((error: unknown) => {
    throw isDatabaseUnavailable(error) ? databaseUnavailable('unknown', actionId, error) : error;
  });
}

/** The answer to an action, or the error that is its answer. Null while there is none, and when it is forgotten. */
function answerOf(action: Ended | ActionRecord): Answer | ApiError | null {
  if (action.state === 'running' && 'id' in action && isLongOperation(action.operation)) {
    return { status: 202, body: { action: actionWire(action) } };
  }
  if (action.state === 'done' && action.result !== null) {
    return { status: entryOf(action.operation).http?.success ?? 200, body: action.result };
  }
  return action.error === null ? null : apiErrorOf(action.error);
}

/** The error for a replay that finds no answer: the first call is still waiting for it, or it is forgotten. */
function withoutAnswer(action: Ended | ActionRecord): ApiError {
  if ('id' in action && action.state !== 'pending' && action.state !== 'running') {
    const message = `Who this call was about is forgotten, and its answer with them. Nothing is done again: GET /actions/${action.id} tells how it ended.`;
    return new ApiError('FORBIDDEN', message, { details: { reason: 'CASE_FORGOTTEN' } });
  }
  return new ApiError('RATE_LIMITED', 'The first call with this Idempotency-Key is still running.', {
    details: { scope: 'idempotency_key', retry_after_seconds: 1 },
  });
}

/** An action's error as its caller's. */
export function apiErrorOf(error: ActionError): ApiError {
  return new ApiError(error.code, error.message, {
    ...(error.status === undefined ? {} : { status: error.status }),
    ...(error.details === undefined ? {} : { details: error.details }),
  });
}
