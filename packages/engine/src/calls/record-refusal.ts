import type { ErrorCode, OperationName } from '@bailiff/core';
import { type Database, sql } from '@bailiff/prisma';
import type { AdmittedToken } from './admission.ts';

const auditRefused = sql.command({
  parameters: [sql.jsonb<object>(), sql.text],
  text: 'SELECT record_refusal($1, $2)',
});

/** Records a destructive call that the guard refused before its transaction began (decisions: Audit). */
export async function auditRefusal(
  db: Database,
  token: AdmittedToken,
  call: { operation: OperationName; address: string; requestId: string },
  code: ErrorCode,
): Promise<void> {
  const refused = {
    guild_id: token.guild.id,
    actor_user_id: token.issuerId,
    token_id: token.id,
    token_name: token.name,
    operation: call.operation,
    address: call.address,
    request_id: call.requestId,
  };
  await auditRefused.run(db.pool, [refused, code]);
}
