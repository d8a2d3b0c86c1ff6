import { ActionState, type Queryable, sql } from '@bailiff/prisma';
import type { Transaction } from '#src/database/transaction.ts';
import type { ActionError } from './actions.ts';

/**
 * How performing an action ended. `write` writes the domain's rows in the transaction that settles the action. If the
 * action is done, it returns the body of the operation's answer.
 */
export type Outcome<Output extends object = object> =
  | { readonly state: 'done'; readonly write: (tx: Transaction, actionId: string) => Promise<Output> }
  | {
      readonly state: 'failed';
      readonly error: ActionError;
      readonly write?: (tx: Transaction) => Promise<void>;
    }
  | {
      readonly state: 'unknown';
      readonly error: ActionError;
      /** It can never be found out. `error` says so. */
      readonly isFinal?: true;
    };

/** As `done`, where one statement writes the domain's rows and ends the action (SQL `settle_sanction`). */
export interface SettledAtOnce {
  readonly state: 'done';
  /** Sends that statement. It rejects if the action had already ended. */
  readonly settle: (tx: Transaction) => Promise<unknown>;
}

const settleOrFail = sql.command({
  parameters: [
    sql.text,
    sql.oneOf({ ActionState }),
    sql.jsonb<object>().orNull,
    sql.jsonb<ActionError>().orNull,
  ],
  text: 'SELECT settle_or_fail($1, $2, $3, $4)',
});

/**
 * Ends an action: writes its outcome's domain rows, its audit row and the notification to its caller, in the caller's
 * transaction. COMMIT can be sent right behind `settled`, which rejects if the action had already ended.
 */
export async function settle(
  tx: Transaction,
  actionId: string,
  outcome: Outcome,
): Promise<{ result: object | null; settled: Promise<unknown> }> {
  const written = 'write' in outcome ? await outcome.write?.(tx, actionId) : undefined;
  const result = outcome.state === 'done' ? (written ?? null) : null;
  const error = outcome.state === 'done' ? null : outcome.error;
  const settled = settleOrFail.run(tx, [actionId, outcome.state, result, error]);
  return { result, settled };
}

/** Whether an error says that the action had already ended (SQL `settle_or_fail`). */
export function hadEndedBefore(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'BF001';
}

/** Error of an action that was cancelled because no worker claimed it in time. */
export const NOBODY_CAME: ActionError = {
  code: 'UPSTREAM_UNAVAILABLE',
  message:
    'The bot is away, or busy with other calls of this server. Nothing was done, and nothing will be; try again.',
  status: 503,
  details: { upstream: 'bot', outcome: 'not_performed', retry_after_seconds: 5 },
};

const cancelActionOf = sql.statement({
  parameters: [sql.text, sql.jsonb<ActionError>()],
  columns: { cancelled: sql.bool },
  text: "SELECT settle_action($1, 'cancelled', NULL, $2) AS cancelled",
});

/** Cancels an action that nobody has claimed: it did not happen and never will. False if it was claimed. */
export async function cancelAction(db: Queryable, actionId: string, error: ActionError): Promise<boolean> {
  const { cancelled } = await cancelActionOf.only(db, [actionId, error]);
  return cancelled;
}
