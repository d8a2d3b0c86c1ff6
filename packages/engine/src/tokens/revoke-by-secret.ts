import { isSecret, secretProof } from '@bailiff/core';
import { type Database, sql } from '@bailiff/prisma';

const revoke = sql.command({
  parameters: [sql.jsonb<object>()],
  text: 'SELECT revoke_by_secret($1)',
});

/**
 * Revokes the token of a secret permanently, with its windows and pending requests for approval (RFC 7009). Anything
 * else, and the secret of a token that is revoked already, changes nothing. The audit row names the token as the actor.
 */
export async function revokeBySecret(
  db: Database,
  call: { readonly secret: string; readonly requestId: string; readonly address: string },
): Promise<void> {
  if (!isSecret(call.secret)) return;
  await revoke.run(db.pool, [
    {
      secret_proof: secretProof(call.secret).toString('hex'),
      request_id: call.requestId,
      address: call.address,
    },
  ]);
}
