import type { ErrorCode, OperationName } from '@bailiff/core';
import type { Database } from '@bailiff/prisma';
import type { AdmittedToken } from './admission.ts';

/** Records a destructive call that the guard refused before its transaction (decisions: Audit). */
export async function auditRefusal(
  db: Database,
  token: AdmittedToken,
  call: { operation: OperationName; address: string; requestId: string },
  code: ErrorCode,
): Promise<void> {
  await db.pool.query({
    name: 'audit_refusal',
    text: "SELECT audit_call($1, 'refused', $2, NULL)",
    values: [
      JSON.stringify({
        guild_id: token.guild.id,
        actor_source: 'token',
        actor_user_id: token.issuerId,
        token_id: token.id,
        token_name: token.name,
        operation: call.operation,
        address: call.address,
        request_id: call.requestId,
      }),
      code,
    ],
  });
}
