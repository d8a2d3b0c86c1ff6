import {
  type BotOperation,
  isLongOperation,
  type LongOperation,
  OPERATION_NAMES,
  type OutputOf,
} from '@bailiff/core';
import { type Database, sql } from '@bailiff/prisma';
import { ACTION, type Action, type ActionError, type ActionRecord, actionFrom } from '#src/calls/actions.ts';
import { hadEndedBefore, NOBODY_CAME, type Outcome, type SettledAtOnce, settle } from '#src/calls/settle.ts';
import { inTransaction } from '#src/database/transaction.ts';
import type { MirroredHierarchy } from '#src/guilds/hierarchy.ts';
import { closeWindowsToCome } from '#src/tokens/windows.ts';
import { continueTrace, inSpan, type Tracer } from '#src/tracing/spans.ts';
import { botAction, claim, permissionLost, soundAction, type TakenUpRow, UNSOUND_RECORD } from './claim.ts';
import { type LongPerformers, newWorker, queueContinuation, STOPPED, workOn } from './long-actions.ts';
import { flawOfSystemAction } from './system-actions.ts';

/** An action that this worker has claimed. No other worker may perform it. */
export type ClaimedAction<N extends BotOperation = BotOperation> = Action<N> & {
  /** Milliseconds, by the database's clock, that are left to perform it. */
  readonly remainingMs: number;
  /** Who stands above whom, as the mirror had it at the claim of an action on a person. Null if it was not trusted. */
  readonly hierarchy: MirroredHierarchy | null;
};

/** How one operation reaches Discord or the game server. */
export interface Performer<N extends BotOperation = BotOperation> {
  /** Performs it, once. Never repeats anything that may have happened. `signal` fires at the deadline. */
  perform(action: ClaimedAction<N>, signal: AbortSignal): Promise<Performed<OutputOf<N>>>;
  /**
   * Only checks whether it happened, for an action whose worker died or never got an answer.
   *
   * @param isLast nobody looks again, so what is unknown now stays unknown
   */
  verify(action: Action<N>, signal: AbortSignal, isLast: boolean): Promise<Performed<OutputOf<N>>>;
}

export type Performed<Output extends object = object> = Outcome<Output> | SettledAtOnce;

/** A performer for each operation of the bot. The compiler checks that none is missing. */
export type Performers = ShortPerformers & LongPerformers;

type ShortOperation = Exclude<BotOperation, LongOperation>;
type ShortPerformers = { readonly [N in ShortOperation]: Performer<N> };
type Verifiers = { readonly [N in BotOperation]: Pick<Performer<N>, 'verify'> };

/** The part of a logger that performing needs. */
export interface Log {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/**
 * How an action ended that was claimed, checked, performed and settled; null if it goes on later or is not performed.
 * Does nothing if the action was cancelled, is too late or belongs to another worker, or while the mirror of its guild
 * is not trusted. Never throws for an action that fails.
 */
export async function performAction(
  db: Database,
  performers: Performers,
  actionId: string,
  log: Log,
  { closing = new AbortController().signal, tracer }: Partial<Surroundings> = {},
): Promise<Outcome['state'] | null> {
  const worker = newWorker();
  const row = await claim(db, actionId, worker);
  if (row === null) {
    log.info({ action_id: actionId }, 'action is not to be performed any more, or not yet');
    return null;
  }
  const record = actionFrom(row);
  return continueTrace(tracer, record.requestId, spanOf(record), async () => {
    const outcome = await outcomeOf({ db, performers, log, closing }, record, row, worker);
    if (outcome !== null) await inSpan({ name: 'settle' }, () => settleWithRetries(db, record, outcome, log));
    return outcome?.state ?? null;
  });
}

/** What performing needs. */
export interface WorkerContext {
  readonly db: Database;
  readonly performers: Performers;
  readonly log: Log;
  /** Fires when the process ends. */
  readonly closing: AbortSignal;
}

interface Surroundings extends Pick<WorkerContext, 'closing'> {
  /** Undefined if no traces are made. */
  readonly tracer: Tracer | undefined;
}

function spanOf({ id, operation, requestId }: ActionRecord) {
  return {
    name: `perform ${operation}`,
    kind: 'consumer',
    attributes: {
      'bailiff.operation': operation,
      'bailiff.action_id': id,
      ...(requestId === null ? {} : { 'bailiff.request_id': requestId }),
    },
    failed: (state: unknown) => state === 'unknown',
  } as const;
}

/** Performs an action, unless a check refuses it. Null: it goes on later. */
async function outcomeOf(
  work: WorkerContext,
  record: ActionRecord,
  row: TakenUpRow,
  worker: string,
): Promise<Performed | null> {
  const action = soundAction(record);
  if (action === null) return { state: 'failed', error: UNSOUND_RECORD };
  const error =
    action.actor.source === 'system'
      ? await flawOfSystemAction(work.db, action)
      : permissionLost(action, row);
  if (error !== null) return { state: 'failed', error };
  const remainingMs = Math.floor(Number(row.remaining_ms));
  if (remainingMs <= 0) return { state: 'failed', error: NOBODY_CAME };
  return isLongAction(action)
    ? beginLong(work, action, remainingMs, worker)
    : attempt(work.performers, { ...action, remainingMs, hierarchy: row.hierarchy }, work.log);
}

export function isLongAction(action: Action<BotOperation>): action is Action<LongOperation> {
  return isLongOperation(action.operation);
}

/** Time of an action that is reserved for the last check and the settlement. */
const RESERVE_MS = 1_500;

async function beginLong<N extends LongOperation>(
  { db, performers, log, closing }: WorkerContext,
  action: Action<N>,
  remainingMs: number,
  worker: string,
): Promise<Outcome | null> {
  const awaited = { ms: Math.max(0, remainingMs - RESERVE_MS), deadline: AbortSignal.timeout(remainingMs) };
  try {
    const stop = action.stoppedBy === null ? null : STOPPED;
    const held = { worker, saved: null, stop, awaited, closing };
    return await workOn(db, performers, action, held);
  } catch (error) {
    log.error({ action_id: action.id, request_id: action.requestId, err: error }, 'performer threw');
    // Its lease expires, and then it is taken up where it was saved.
    return null;
  }
}

async function attempt<N extends ShortOperation>(
  performers: ShortPerformers,
  action: ClaimedAction<N>,
  log: Log,
): Promise<Performed> {
  try {
    return await performers[action.operation].perform(action, AbortSignal.timeout(action.remainingMs));
  } catch (error) {
    log.error({ action_id: action.id, request_id: action.requestId, err: error }, 'performer threw');
    return unknownOutcome(action);
  }
}

/** It is not known yet whether it happened. `recoverActions` will find out. */
export function unknownOutcome(action: ActionRecord): Extract<Outcome, { state: 'unknown' }> {
  return {
    state: 'unknown',
    error: {
      code: 'UPSTREAM_UNAVAILABLE',
      status: 502,
      message: `It is not known yet whether this happened. GET /actions/${action.id} tells how it ended.`,
      details: { upstream: 'discord', outcome: 'unknown', action_id: action.id },
    },
  };
}

/** An outcome that was looked for in vain for the last time. */
function neverFoundOut({ error, isFinal }: Extract<Outcome, { state: 'unknown' }>): ActionError {
  const message = 'For a day nothing showed whether this happened. Nobody looks for it any more.';
  return isFinal === true ? error : { ...error, message };
}

const SETTLE_ATTEMPTS = 3;
const HAD_ENDED = 'an action ended another way before its outcome could be recorded';

/** Records what was done. Retries if the database was unavailable, and otherwise leaves it to `recoverActions`. */
export async function settleWithRetries(
  db: Database,
  action: ActionRecord,
  outcome: Performed,
  log: Log,
): Promise<void> {
  const about = { action_id: action.id, request_id: action.requestId };
  for (let tried = 1; tried <= SETTLE_ATTEMPTS; tried += 1) {
    try {
      const isRecorded = await settleAction(db, action.id, outcome);
      // An answer to the commit may have been lost before.
      if (!isRecorded && tried === 1) log.error({ ...about, state: outcome.state }, HAD_ENDED);
      return;
    } catch (error) {
      log.error({ ...about, tried, err: error }, 'could not settle');
      await new Promise((resolve) => setTimeout(resolve, 250 * tried));
    }
  }
}

/** Settles in a transaction of its own. False, with nothing written, if the action had already ended. */
export async function settleAction(db: Database, actionId: string, outcome: Performed): Promise<boolean> {
  try {
    await inTransaction(db, async (tx, commitBehind) => {
      commitBehind('settle' in outcome ? outcome.settle(tx) : (await settle(tx, actionId, outcome)).settled);
    });
    return true;
  } catch (error) {
    if (hadEndedBefore(error)) return false;
    throw error;
  }
}

/** How an action ended, by a check where it takes effect. */
async function verify(performers: Performers, record: ActionRecord, isLast: boolean): Promise<Performed> {
  const action = botAction(record);
  return action === null ? unknownOutcome(record) : look(performers, action, isLast);
}

function look<N extends BotOperation>(
  performers: Verifiers,
  action: Action<N>,
  isLast: boolean,
): Promise<Performed> {
  return performers[action.operation].verify(action, AbortSignal.timeout(VERIFY_MS), isLast);
}

const RECOVER_AT_ONCE = 50;
const VERIFY_MS = 5_000;

/** Longer than any caller waits for an action to be claimed. */
const ABANDONED_SECONDS = 10;

const cancelOld = sql.command({
  parameters: [sql.jsonb<ActionError>(), sql.float, sql.bigint],
  text: `SELECT settle_action(id, 'cancelled', NULL, $1) FROM actions
    WHERE state = 'pending' AND claim_by < clock_timestamp() - make_interval(secs => $2) LIMIT $3`,
});

/** Cancels actions that no worker claimed and no caller can cancel any more, because its process died. */
async function cancelAbandoned(db: Database): Promise<void> {
  await cancelOld.run(db.pool, [NOBODY_CAME, ABANDONED_SECONDS, RECOVER_AT_ONCE]);
}

/** For so long an action whose outcome is unknown is looked at. Then comes a last look, whenever a bot is there for it. */
const LOOKED_FOR = '1 day';
/** The longest pause between two looks at it. */
const LONGEST_PAUSE = '1 hour';

// The pauses grow: the next look comes when the outcome has been unknown for twice as long as at the latest one.
const unsettledActions = sql.statement({
  parameters: [sql.bigint, sql.arrayOf(sql.text)],
  columns: { ...ACTION, is_last: sql.bool },
  text: `UPDATE actions SET looked_at = clock_timestamp() WHERE id = ANY (ARRAY(
      SELECT id FROM actions
      WHERE (state = 'running' AND lease_expires_at < clock_timestamp()
          OR state = 'unknown' AND (looked_at IS NULL
            OR clock_timestamp() > looked_at + least(looked_at - coalesce(settled_at, created_at), interval '${LONGEST_PAUSE}')))
        AND looked_at IS DISTINCT FROM 'infinity'
        -- Those of a newer release, which was taken back, are left to its bot.
        AND operation = ANY ($2)
      ORDER BY looked_at NULLS FIRST, id LIMIT $1 FOR UPDATE SKIP LOCKED))
    RETURNING ${sql.names(ACTION)},
      coalesce(state = 'unknown' AND settled_at < clock_timestamp() - interval '${LOOKED_FOR}', false) AS is_last`,
});

const CANNOT_TELL = 'could not find out how an action ended';

const leaveUnknown = sql.command({
  parameters: [sql.text, sql.jsonb<ActionError>()],
  text: "UPDATE actions SET looked_at = 'infinity', error = $2 WHERE id = $1 AND state = 'unknown'",
});

/**
 * How many actions were settled. Cancels abandoned actions, and closes windows that have yet to begin. Then looks at the
 * actions that dead workers left running and at those with an unknown outcome for a day, with pauses that grow, and once
 * more: the one that it looked at longest ago comes first. It only looks and never performs an action again.
 */
export async function recoverActions(db: Database, performers: Performers, log: Log): Promise<number> {
  await cancelAbandoned(db);
  await closeWindowsToCome(db);
  const rows = await unsettledActions.all(db.pool, [RECOVER_AT_ONCE, OPERATION_NAMES]);
  let settled = 0;
  for (const row of rows) {
    const action = actionFrom(row);
    const about = { action_id: action.id, request_id: action.requestId };
    try {
      if (action.state === 'running' && isLongOperation(action.operation)) {
        await queueContinuation(db.pool, action.id);
        continue;
      }
      const outcome = await verify(performers, action, row.is_last).catch((error: unknown) => {
        if (!row.is_last) throw error;
        log.error({ ...about, err: error }, CANNOT_TELL);
        return unknownOutcome(action);
      });
      const isNews = outcome.state !== 'unknown' || action.state !== 'unknown';
      if (isNews && (await settleAction(db, action.id, outcome))) {
        settled += 1;
        log.info({ ...about, state: outcome.state }, 'recovered an action');
      }
      if (outcome.state === 'unknown' && (outcome.isFinal === true || row.is_last)) {
        await leaveUnknown.run(db.pool, [action.id, neverFoundOut(outcome)]);
        log.info(about, 'nobody will find out any more how an action ended');
      }
    } catch (error) {
      log.error({ ...about, err: error }, CANNOT_TELL);
    }
  }
  return settled;
}
