import type { EventName, Target } from '@bailiff/core';
import { type Queryable, sql } from '@bailiff/prisma';
import type { Transaction } from '#src/database/transaction.ts';
import type { ChangeKind } from '#src/desk/changes.ts';

/** The person who makes a change in the dashboard, for its audit row. */
export interface DashboardCall {
  readonly userId: string;
  readonly requestId: string;
  readonly address: string;
}

const insertChange = sql.statement({
  parameters: [
    sql.text,
    sql.text,
    sql.text.orNull,
    sql.text.orNull,
    sql.text,
    sql.text,
    sql.text,
    sql.text,
    sql.text,
    sql.jsonb<object>().orNull,
  ],
  columns: { id: sql.text },
  text: `INSERT INTO audit (guild_id, actor_source, actor_user_id, token_id, token_name, operation, target_type,
      target_id, outcome, request_id, address, details)
    VALUES ($1, 'dashboard', $2, $3, $4, $5, $6, $7, 'performed', $8, $9, $10) RETURNING id`,
});

/**
 * Writes the audit row of a dashboard change, in the transaction of the change (decisions: Tokens in the dashboard).
 * Returns the row's id.
 */
export async function recordChange(
  tx: Transaction,
  call: DashboardCall,
  change: {
    guildId: string;
    operation: EventName;
    target: Target;
    token?: { id: string; name: string };
    details?: object;
  },
): Promise<string> {
  const { id } = await insertChange.only(tx, [
    change.guildId,
    call.userId,
    change.token?.id ?? null,
    change.token?.name ?? null,
    change.operation,
    change.target.type,
    change.target.id,
    call.requestId,
    call.address,
    change.details ?? null,
  ]);
  return id;
}

const tellOf = sql.command({
  parameters: [sql.text, sql.text, sql.jsonb<object>()],
  text: 'SELECT tell($1, $2, $3)',
});

/**
 * Notifies every process of a change in a guild, after the COMMIT. For audit rows, cases, tickets, notes and settings,
 * the database sends the notification itself.
 */
export async function tell(
  db: Queryable,
  kind: Extract<ChangeKind, 'approval' | 'window' | 'token' | 'server'>,
  guildId: string,
  more: object = {},
): Promise<void> {
  await tellOf.run(db, [kind, guildId, more]);
}
