import type { Environment } from './environment.ts';
import { BailiffError } from './error.ts';
import type { Action, ErrorEnvelope } from './operations.ts';

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 5_000;
/** An action in another state, also in one that this client does not know, goes on. */
const ENDED: ReadonlySet<string> = new Set<Action['state']>(['done', 'failed', 'unknown', 'cancelled']);

export interface Following {
  /** The id of the request that began it. */
  readonly requestId: string;
  /** How long to wait for the end. */
  readonly waitMs: number;
  /** Receives how far the action has got, each time that it was asked for. */
  readonly onProgress?: ((progress: NonNullable<Action['progress']>) => void) | undefined;
}

/**
 * The result of an action that was answered with 202, once it has ended.
 *
 * @param read asks for the action
 * @throws BailiffError if it failed, its outcome is unknown, it is still running after `waitMs`, or `read` fails
 * @throws the reason of `signal` when it aborts
 */
export async function resultOfAction(
  begun: Action,
  read: () => Promise<Action>,
  { requestId, waitMs, onProgress }: Following,
  environment: Environment,
  signal: AbortSignal,
): Promise<object> {
  const until = environment.now() + waitMs;
  let action = begun;
  for (let pauseMs = FIRST_PAUSE_MS; !ENDED.has(action.state); ) {
    if (action.progress !== null) onProgress?.(action.progress);
    if (environment.now() + pauseMs >= until) throw stillRunning(action);
    await environment.sleep(pauseMs, signal);
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    action = await read().catch((error: unknown) => {
      throw error instanceof BailiffError ? lostSight(action, error) : error;
    });
  }
  if (action.state === 'done' && action.result !== null) return action.result;
  throw failureOf(action, requestId);
}

/** The action in the body of a 202. */
export function actionIn(body: object): Action {
  return (body as { action: Action }).action;
}

function stillRunning({ id }: Action): BailiffError {
  return new BailiffError({
    code: 'STILL_RUNNING',
    message: `It is still running, and goes on. "actions.get" with ${id} tells how it ended.`,
    details: { action_id: id },
    retryable: false,
    mayHaveHappened: true,
  });
}

/** That asking for the action failed says nothing about the action, and must not look as if it did. */
function lostSight({ id }: Action, cause: BailiffError): BailiffError {
  return new BailiffError({
    code: 'STILL_RUNNING',
    message: `It was begun, and asking how it goes on failed (${cause.code}: ${cause.message}). "actions.get" with ${id} tells how it ended.`,
    details: { action_id: id },
    retryable: false,
    mayHaveHappened: true,
    cause,
  });
}

function failureOf({ id, state, outcome, result }: Action, requestId: string): BailiffError {
  const error = result?.error as Pick<ErrorEnvelope['error'], 'code' | 'message' | 'details'> | undefined;
  const failed = { retryable: false, mayHaveHappened: outcome !== 'not_performed', requestId };
  if (error === undefined) {
    const message = `The action ${id} ended as ${state}, without a reason.`;
    return new BailiffError({ ...failed, code: 'UNEXPECTED_ANSWER', message });
  }
  const envelope = {
    error: { ...error, details: error.details ?? {}, retryable: false, request_id: requestId },
  };
  return new BailiffError({ ...failed, ...error, envelope });
}
