import { randomUUID } from 'node:crypto';
import type { LongOperation, OutputOf } from '@bailiff/core';
import { type Database, type Queryable, type RowOf, sql } from '@bailiff/prisma';
import type { Action, ActionError, ActionRecord, Progress } from '#src/calls/actions.ts';
import type { Outcome } from '#src/calls/settle.ts';
import { rightLost, STANDING, withStanding } from './claim.ts';

/** How one long operation is performed, from where it was left (decisions: Long actions). */
export interface LongPerformer<N extends LongOperation = LongOperation> {
  /**
   * Works until it has ended or `run.signal` fires. Then it returns `unfinished`, and is called again with what was
   * saved, perhaps in another process. It looks at what may have happened after the last save before it does it again.
   */
  work(action: Action<N>, run: Run): Promise<Outcome<OutputOf<N>> | 'unfinished'>;
  /** Only checks whether it happened, for an action whose outcome is unknown. */
  verify(action: Action<N>, signal: AbortSignal): Promise<Outcome<OutputOf<N>>>;
}

/** A performer for each long operation. */
export type LongPerformers = { readonly [N in LongOperation]: LongPerformer<N> };

/** One stretch of work on a long action. */
export interface Run {
  /**
   * Fires when this stretch of work is over, the action is no longer this worker's, or it is no longer known what its
   * author may do.
   */
  readonly signal: AbortSignal;
  /** Milliseconds until `signal` fires because the stretch is over. */
  leftMs(): number;
  /** Fires when the caller must have its answer. Null if the caller no longer waits. */
  readonly deadline: AbortSignal | null;
  /** What was saved last; null at the beginning. */
  readonly saved: unknown;
  /** Why it must go no further, as of the last save; null if nothing stands against it. */
  readonly stop: ActionError | null;
  /**
   * Saves where the work is, and shows how far it has got.
   *
   * @throws LeaseLost if another worker has taken the action over
   */
  save(work: object, progress: Progress): Promise<void>;
}

/** Another worker has taken an action over, because this one was silent for too long. */
export class LeaseLost extends Error {
  constructor(actionId: string) {
    super(`Action ${actionId} is no longer this worker's`);
  }
}

/** Error of an action that a person stopped before it did anything. */
export const STOPPED: ActionError = {
  code: 'FORBIDDEN',
  message: 'It was stopped before anything was done.',
  details: { reason: 'STOPPED' },
};

/** How long a silent worker keeps a long action, and how often a living one renews its lease. */
export const LEASE_SECONDS = 20;
const RENEWED_EVERY_MS = 5_000;
/** A stretch of work ends after this time, so that other actions have their turn. */
const STRETCH_MS = 3 * 60_000;

const saveWork = sql.statement({
  parameters: [sql.text, sql.text, sql.jsonb<object>(), sql.jsonb<Progress>(), sql.float],
  columns: STANDING,
  text: `WITH claimed AS (
      UPDATE actions SET work = $3, progress = $4,
        lease_expires_at = greatest(lease_expires_at, clock_timestamp() + make_interval(secs => $5))
      WHERE id = $1 AND worker = $2 AND state = 'running'
      RETURNING *)
    ${withStanding} CROSS JOIN tell('progress', a.guild_id, jsonb_build_object('id', a.id, 'progress', $4))`,
});

const renewLease = sql.statement({
  parameters: [sql.text, sql.text, sql.float],
  columns: STANDING,
  text: `WITH claimed AS (
      UPDATE actions SET lease_expires_at = clock_timestamp() + make_interval(secs => $3)
      WHERE id = $1 AND worker = $2 AND state = 'running'
      RETURNING *)
    ${withStanding}`,
});

/**
 * Why an action that has begun must go no further; null if nothing stands against it, or if that is not known now. The
 * system needs no right.
 */
export function stopOf(
  action: Pick<ActionRecord, 'operation' | 'actor'>,
  row: RowOf<typeof STANDING>,
): ActionError | null {
  if (row.stopped_by !== null) return STOPPED;
  return action.actor.source === 'system' || !row.rights_known ? null : rightLost(action, row);
}

const leave = sql.command({
  parameters: [sql.text, sql.text],
  text: `WITH left_alone AS (
      UPDATE actions SET worker = NULL, continues_since = coalesce(continues_since, clock_timestamp()),
        lease_expires_at = clock_timestamp()
      WHERE id = $1 AND worker = $2 AND state = 'running'
      RETURNING id, guild_id, request_id)
    SELECT graphile_worker.add_job('continue_action', json_build_object('action_id', id),
        job_key => 'continue_action:' || id)
    FROM left_alone, tell('action', guild_id,
      jsonb_build_object('id', id, 'request_id', request_id, 'state', 'running'))`,
});

const addContinuation = sql.command({
  parameters: [sql.text, sql.float],
  text: `SELECT graphile_worker.add_job('continue_action', json_build_object('action_id', $1::text),
      job_key => 'continue_action:' || $1, run_at => clock_timestamp() + make_interval(secs => $2))`,
});

/** Queues the next stretch of work on an action. */
export async function queueContinuation(db: Queryable, actionId: string, inSeconds = 0): Promise<void> {
  await addContinuation.run(db, [actionId, inSeconds]);
}

/** A name under which one stretch of work holds its action. */
export function newWorker(): string {
  return randomUUID();
}

interface Held {
  readonly worker: string;
  readonly saved: unknown;
  readonly stop: ActionError | null;
  /** How long this stretch may last while a caller waits, and when the caller must have its answer. */
  readonly awaited: { readonly ms: number; readonly deadline: AbortSignal } | null;
  /** Fires when the process ends. */
  readonly closing: AbortSignal;
}

/**
 * Works on an action that `held.worker` holds. Returns its outcome, or null if it goes on later, which is then queued.
 *
 * @throws LeaseLost
 */
export async function workOn<N extends LongOperation>(
  db: Database,
  performers: LongPerformers,
  action: Action<N>,
  { worker, saved, stop, awaited, closing }: Held,
): Promise<Outcome<OutputOf<N>> | null> {
  const lost = new AbortController();
  const halted = new AbortController();
  const stretchMs = awaited?.ms ?? STRETCH_MS;
  const endsAt = performance.now() + stretchMs;
  const stopped = { now: stop };
  const renewing = setInterval(() => {
    renewLease.first(db.pool, [action.id, worker, LEASE_SECONDS]).then(
      (renewed) => {
        if (renewed === null) lost.abort();
        // Its caller would be told that the outcome is unknown if a request under way were cut off.
        else if (awaited === null && (!renewed.rights_known || stopOf(action, renewed) !== null))
          halted.abort();
      },
      // While the database is away nothing can be saved, and the work ends there.
      () => {},
    );
  }, RENEWED_EVERY_MS);
  try {
    const outcome = await performers[action.operation].work(action, {
      signal: AbortSignal.any([AbortSignal.timeout(stretchMs), lost.signal, halted.signal, closing]),
      leftMs: () => Math.max(0, endsAt - performance.now()),
      deadline: awaited?.deadline ?? null,
      saved,
      get stop() {
        return stopped.now;
      },
      save: async (work, progress) => {
        const row = await saveWork.first(db.pool, [action.id, worker, work, progress, LEASE_SECONDS]);
        if (row === null) throw new LeaseLost(action.id);
        stopped.now ??= stopOf(action, row);
        // It goes on when that is known again. Between two requests, nothing is cut off.
        if (!row.rights_known) halted.abort();
      },
    });
    if (lost.signal.aborted) throw new LeaseLost(action.id);
    if (outcome !== 'unfinished') return outcome;
    await leave.run(db.pool, [action.id, worker]);
    return null;
  } finally {
    clearInterval(renewing);
  }
}
