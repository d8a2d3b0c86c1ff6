import {
  type Action as ActionShape,
  type ActionState,
  type ActorSource,
  type ErrorCode,
  isOperationName,
  type OperationName,
} from '@bailiff/core';
import type { Database } from '@bailiff/prisma';
import type { z } from 'zod';

/** Why an action did not end as asked; becomes the caller's error. */
export interface ActionError {
  readonly code: ErrorCode;
  readonly message: string;
  /** HTTP status, where it is not the code's own (502). */
  readonly status?: number;
  readonly details?: object;
}

/** One write, from the moment it was admitted. */
export interface Action {
  readonly id: string;
  readonly guildId: string;
  readonly operation: OperationName;
  /** Parsed by the operation's schema. */
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
}

export interface ActionRow {
  id: string;
  guild_id: string;
  operation: string;
  input: unknown;
  digest: string;
  target_id: string | null;
  state: ActionState;
  actor_source: ActorSource;
  actor_user_id: string;
  token_id: string | null;
  token_name: string | null;
  request_id: string;
  created_at: Date;
  settled_at: Date | null;
  result: object | null;
  error: ActionError | null;
}

/** @throws Error when the row names an operation of another version of Bailiff. */
export function actionFrom(row: ActionRow): Action {
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
  };
}

/** The action with this id in this guild, or null. */
export async function getAction(db: Database, guildId: string, actionId: string): Promise<Action | null> {
  const { rows } = await db.pool.query<ActionRow>({
    name: 'get_action',
    text: 'SELECT * FROM actions WHERE id = $1 AND guild_id = $2',
    values: [actionId, guildId],
  });
  return rows[0] === undefined ? null : actionFrom(rows[0]);
}

const OUTCOMES = {
  pending: null,
  running: null,
  done: 'performed',
  failed: 'not_performed',
  cancelled: 'not_performed',
  unknown: 'unknown',
} as const satisfies Record<ActionState, string | null>;

/** An action as `GET /actions/{actionId}` shows it. */
export function actionWire(action: Action): z.output<typeof ActionShape> {
  return {
    id: action.id,
    operation: action.operation,
    state: action.state,
    outcome: OUTCOMES[action.state],
    result:
      action.error === null
        ? (action.result as Record<string, unknown> | null)
        : { error: errorWire(action.error) },
  };
}

function errorWire({ code, message, details }: ActionError) {
  return { code, message, ...(details === undefined ? {} : { details }) };
}
