import { digestOf, entryOf, type OperationName, TIERS } from '@bailiff/core';
import type { AdmittedToken, Balances } from './admission.ts';
import type { Engine } from './engine.ts';
import { startOfPage } from './paging.ts';
import { type ReadOperation, readers } from './reads.ts';
import { budgetUsedUp } from './submit.ts';

export interface ReadCall {
  readonly operation: ReadOperation;
  readonly token: AdmittedToken;
  readonly input: object;
  readonly requestId: string;
  readonly address: string;
}

/** Whether an operation only looks, and so is charged and recorded by one statement. */
export function isRead(operation: OperationName): operation is ReadOperation {
  return Object.hasOwn(readers, operation);
}

/**
 * Charges a read to both budgets, records it, and answers it.
 *
 * @throws ApiError RATE_LIMITED, which costs nothing; NOT_FOUND or VALIDATION_FAILED of the read itself.
 */
export async function performRead(
  { db }: Engine,
  call: ReadCall,
  onBalances: (balances: Balances) => void,
): Promise<object> {
  const { token, operation } = call;
  // A wrong cursor is a wrong input, which costs nothing.
  if ('limit' in call.input) startOfPage(operation, token.guild.id, call.input as never);
  const target = entryOf(operation).target(call.input as never);
  const { rows } = await db.pool.query<{
    refused_by: 'token' | 'user' | null;
    retry_after_seconds: number | null;
    token_balance: number;
    user_balance: number;
  }>({
    name: 'charge_read',
    text: 'SELECT * FROM charge_read($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)',
    values: [
      token.guild.id,
      token.id,
      token.name,
      token.issuerId,
      TIERS.read.capacity,
      TIERS.read.refillPerMinute,
      operation,
      target?.type ?? null,
      target?.id ?? null,
      call.requestId,
      call.address,
      digestOf(operation, token.guild.id, call.input as never),
    ],
  });
  const [charged] = rows;
  if (charged === undefined) throw new Error('charge_read returned nothing');
  onBalances({ token: charged.token_balance, user: charged.user_balance });
  if (charged.refused_by !== null) {
    throw budgetUsedUp(charged.refused_by, 'read', charged.retry_after_seconds ?? 1);
  }
  return readers[operation](db, token.guild.id, call.input as never, token);
}
