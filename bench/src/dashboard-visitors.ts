import { hash, randomBytes } from 'node:crypto';
import type pg from 'pg';

/** A signed-in user, as a `Cookie` header. */
export async function signInAs(pool: pg.Pool, userId: string): Promise<string> {
  const value = randomBytes(32).toString('base64url');
  await pool.query("INSERT INTO users (id, name) VALUES ($1, 'Bench') ON CONFLICT DO NOTHING", [userId]);
  await pool.query(
    "INSERT INTO sessions (token_hash, user_id, expires_at, confirmed_at) VALUES ($1, $2, now() + interval '1 day', now())",
    [hash('sha256', hash('sha256', value, 'buffer'), 'buffer'), userId],
  );
  return `bailiff.session=${value}`;
}

/** Makes a change in the guild, as a row of its audit log. Returns its id. */
export async function makeChange(pool: pg.Pool, guildId: string): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    `INSERT INTO audit (guild_id, actor_source, actor_user_id, operation, target_type, target_id, outcome)
     VALUES ($1, 'chat', '400000000000000001', 'strikes.add', 'user', '500000000000000001', 'performed') RETURNING id`,
    [guildId],
  );
  return rows[0]?.id ?? '';
}
