// What tests of the database's logins have in common.
import { digestOf } from '@bailiff/core';
import type { Database } from '@bailiff/prisma';
import type pg from 'pg';
import type { SeededGuild, SeededToken } from '#src/testing.ts';

/** PostgreSQL's code for what a login may not do. */
export const DENIED = '42501';

/** The code with which PostgreSQL refuses statements, run as one transaction. Null if it takes them. */
export async function refusal(
  db: Database,
  ...statements: readonly (string | pg.QueryConfig)[]
): Promise<string | null> {
  const connection = await db.pool.connect();
  try {
    await connection.query('BEGIN');
    for (const statement of statements) await connection.query(statement);
    await connection.query('COMMIT');
    return null;
  } catch (error) {
    await connection.query('ROLLBACK');
    return (error as pg.DatabaseError).code ?? String(error);
  } finally {
    connection.release();
  }
}

/** The submission of a ban as the web process makes it, with these fields of the call. */
export function submissionOf(guild: SeededGuild, token: SeededToken, fields: object): pg.QueryConfig {
  const input = { user_id: guild.memberId, reason: 'spam' };
  const values = [
    JSON.stringify({
      guild_id: guild.id,
      operation: 'bans.add',
      input,
      digest: digestOf('bans.add', guild.id, input),
      target_type: 'user',
      target_id: guild.memberId,
      actor_user_id: guild.ownerId,
      token_id: token.id,
      token_name: 'seeded',
      request_id: 'req_wall',
      address: '192.0.2.1',
      capability: 'bans.write',
      tier: 'destructive_write',
      capacity: 100,
      refill_per_minute: 100,
      destructive: false,
      confirmed: true,
      performed_by: 'bot',
      claim_seconds: 5,
      admitted_at: new Date().toISOString(),
      arrives_within_seconds: 60,
      ...fields,
    }),
  ];
  return { text: 'SELECT submit_call($1) AS submitted', values };
}
