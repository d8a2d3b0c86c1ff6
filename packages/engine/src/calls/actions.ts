import {
  type Action as ActionShape,
  type Call,
  type DetailsOf,
  type ErrorCode,
  isLongOperation,
  isOperationName,
  type OperationName,
  parseInput,
} from '@bailiff/core';
import { ActionState, ActorSource, type Database, type RowOf, sql } from '@bailiff/prisma';
import type { z } from 'zod';

/** Why an action failed. Becomes the caller's error. */
export type ActionError<C extends ErrorCode = ErrorCode> = {
  [K in C]: {
    readonly code: K;
    readonly message: string;
    /** HTTP status, if it differs from the code's default (502). */
    readonly status?: number;
    readonly details?: DetailsOf<K>;
  };
}[C];

/** How far a long action has got. `of` is null where nobody knows how much there is to do. */
export interface Progress {
  readonly done: number;
  readonly of: number | null;
}

/** An admitted write, as the database has it. */
export interface ActionRecord {
  readonly id: string;
  readonly guildId: string;
  readonly operation: OperationName;
  /** The input as stored. {@link parseAction} gives it the type of its operation. */
  readonly input: unknown;
  readonly digest: string;
  readonly targetId: string | null;
  readonly state: ActionState;
  readonly actor: {
    readonly source: ActorSource;
    readonly userId: string;
    readonly tokenId: string | null;
    readonly tokenName: string | null;
  };
  readonly requestId: string;
  readonly createdAt: Date;
  readonly settledAt: Date | null;
  readonly result: object | null;
  readonly error: ActionError | null;
  /** Null unless it is a long operation that has begun. */
  readonly progress: Progress | null;
  /** Whether it goes on while its caller no longer waits. */
  readonly goesOn: boolean;
  /** Who asked a long operation to stop; null if nobody did. */
  readonly stoppedBy: string | null;
}

/** An action whose input is of its operation's type. */
export type Action<N extends OperationName = OperationName> = ActionRecord & Call<N>;

/** The typed action of a record. Null if its input does not fit the operation. */
export function parseAction<N extends OperationName>(
  record: ActionRecord & { readonly operation: N },
): Action<N> | null {
  const { operation } = record;
  const parsed = parseInput(operation, record.input);
  return parsed.success ? { ...record, operation, input: parsed.data } : null;
}

/** Columns of an action, except those that only its submission and claim need. */
export const ACTION = {
  id: sql.text,
  guild_id: sql.text,
  operation: sql.text,
  input: sql.jsonb(),
  digest: sql.text,
  target_id: sql.text.orNull,
  state: sql.oneOf({ ActionState }),
  actor_source: sql.oneOf({ ActorSource }),
  actor_user_id: sql.text,
  token_id: sql.text.orNull,
  token_name: sql.text.orNull,
  request_id: sql.text,
  created_at: sql.timestamptz,
  settled_at: sql.timestamptz.orNull,
  result: sql.jsonb<object>().orNull,
  error: sql.jsonb<ActionError>().orNull,
  progress: sql.jsonb<Progress>().orNull,
  continues_since: sql.timestamptz.orNull,
  stopped_by: sql.text.orNull,
};
export type ActionRow = RowOf<typeof ACTION>;

/** The action with this id ($1) in this guild ($2). */
export const actionById = sql.statement({
  parameters: [sql.text, sql.text],
  columns: ACTION,
  text: `SELECT ${sql.names(ACTION)} FROM actions WHERE id = $1 AND guild_id = $2`,
});

/** @throws Error when the row names an operation of another version of Bailiff. */
export function actionFrom(row: ActionRow): ActionRecord {
  if (!isOperationName(row.operation))
    throw new Error(`Action ${row.id} is of an unknown operation ${row.operation}`);
  return {
    id: row.id,
    guildId: row.guild_id,
    operation: row.operation,
    input: row.input,
    digest: row.digest,
    targetId: row.target_id,
    state: row.state,
    actor: {
      source: row.actor_source,
      userId: row.actor_user_id,
      tokenId: row.token_id,
      tokenName: row.token_name,
    },
    requestId: row.request_id,
    createdAt: row.created_at,
    settledAt: row.settled_at,
    result: row.result,
    error: row.error,
    progress: row.progress,
    goesOn: row.continues_since !== null,
    stoppedBy: row.stopped_by,
  };
}

/** The action with this id in this guild, or null. */
export async function getAction(
  db: Database,
  guildId: string,
  actionId: string,
): Promise<ActionRecord | null> {
  const row = await actionById.first(db.pool, [actionId, guildId]);
  return row === null ? null : actionFrom(row);
}

const OUTCOMES = {
  pending: null,
  running: null,
  done: 'performed',
  failed: 'not_performed',
  cancelled: 'not_performed',
  unknown: 'unknown',
} as const satisfies Record<ActionState, string | null>;

type WireAction = z.output<typeof ActionShape>;

/**
 * An action as `GET /actions/{actionId}` shows it.
 *
 * @param notice what became of the message to its target; long actions have none
 */
export function actionWire(action: ActionRecord, notice: WireAction['notice'] = null): WireAction {
  return {
    id: action.id,
    operation: action.operation,
    state: action.state,
    outcome: OUTCOMES[action.state],
    progress: progressOf(action),
    stopped_by: action.stoppedBy,
    notice,
    result:
      action.error === null
        ? (action.result as Record<string, unknown> | null)
        : { error: errorWire(action.error) },
  };
}

function progressOf({ state, operation, progress }: ActionRecord): Progress | null {
  if (state !== 'running' || !isLongOperation(operation)) return null;
  return progress ?? { done: 0, of: null };
}

function errorWire({ code, message, details }: ActionError) {
  return { code, message, details: details ?? {} };
}
