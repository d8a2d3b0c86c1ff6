import type { ActionError } from './actions.ts';
import type { Transaction } from './transaction.ts';

/**
 * How performing an action ended. `write` makes the domain's rows, in the transaction that settles the action; of a
 * done one it returns the body of the operation's answer.
 */
export type Outcome =
  | { readonly state: 'done'; readonly write: (tx: Transaction) => Promise<object> }
  | {
      readonly state: 'failed';
      readonly error: ActionError;
      readonly write?: (tx: Transaction) => Promise<void>;
    }
  | { readonly state: 'unknown'; readonly error: ActionError };

/**
 * Ends an action, with its domain rows, its audit row and the word to its caller, in the caller's transaction.
 * Returns false, and nothing may be committed, when the action had ended before.
 */
export async function settle(tx: Transaction, actionId: string, outcome: Outcome): Promise<boolean> {
  const written = 'write' in outcome ? await outcome.write?.(tx) : undefined;
  const result = outcome.state === 'done' ? written : null;
  const error = outcome.state === 'done' ? null : outcome.error;
  return settleState(tx, actionId, outcome.state, result ?? null, error);
}

/** Cancels an action nobody has taken up: it certainly did not happen, and never will. False when it was taken up. */
export function cancelAction(
  db: Pick<Transaction, 'query'>,
  actionId: string,
  error: ActionError,
): Promise<boolean> {
  return settleState(db, actionId, 'cancelled', null, error);
}

async function settleState(
  db: Pick<Transaction, 'query'>,
  actionId: string,
  state: Outcome['state'] | 'cancelled',
  result: object | null,
  error: ActionError | null,
): Promise<boolean> {
  const { rows } = await db.query<{ settled: boolean }>({
    name: 'settle_action',
    text: 'SELECT settle_action($1, $2, $3, $4) AS settled',
    values: [actionId, state, asJson(result), asJson(error)],
  });
  return rows[0]?.settled === true;
}

function asJson(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value);
}
