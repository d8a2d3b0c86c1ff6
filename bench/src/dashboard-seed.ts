import type pg from 'pg';
import { seedGuilds } from './seed.ts';

const DAYS = 60;

export interface SeededDashboard {
  readonly guildId: string;
  readonly ownerId: string;
}

/**
 * Creates a guild whose audit log has a number of rows about changes, spread evenly over the last 60 days: pairs of
 * *requested* and the outcome, by 24 people and two tokens, from every source. It also has some open tickets and game
 * servers.
 */
export async function seedDashboard(pool: pg.Pool, rows: number): Promise<SeededDashboard> {
  const [token] = await seedGuilds(pool, 1, 2);
  if (token === undefined) throw new Error('There is no guild.');
  const { guildId } = token;
  const client = await pool.connect();
  try {
    // Nobody listens yet, so a million notifications would be wasted.
    await client.query('ALTER TABLE audit_writes DISABLE TRIGGER audit_told');
    await client.query(
      `INSERT INTO audit (id, guild_id, at, actor_source, actor_user_id, token_id, token_name, operation, target_type,
                          target_id, outcome, code, request_id, address, digest, action_id)
       SELECT 'aud_' || lpad(to_hex(floor(extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(n % 4096), 3, '0')
                || substr(md5(n::text), 1, 16),
              $1, at, source, (400000000000000000 + pair % 24)::text,
              CASE WHEN source = 'token' THEN tokens[1 + pair % 2] END, CASE WHEN source = 'token' THEN 'bench' END,
              (ARRAY['strikes.add', 'bans.create', 'mutes.create', 'strikes.remove', 'tickets.claim', 'servers.rcon'])[1 + pair % 6],
              'user', (500000000000000000 + pair % 5000)::text,
              CASE WHEN n % 2 = 0 THEN 'requested' WHEN pair % 97 = 0 THEN 'failed' WHEN pair % 991 = 0 THEN 'unknown' ELSE 'performed' END
                ::"AuditOutcome",
              CASE WHEN n % 2 = 1 AND pair % 97 = 0 THEN 'UPSTREAM_UNAVAILABLE' END,
              'req_' || md5(pair::text), '203.0.113.7', repeat(md5(pair::text), 2), 'act_' || md5(pair::text)
       FROM (SELECT n, n / 2 AS pair, now() - make_interval(secs => ($2 - n) * $3::float8) AS at,
                    (ARRAY['chat', 'token', 'dashboard', 'token', 'chat', 'system'])[1 + (n / 2) % 6]::"ActorSource" AS source
             FROM generate_series(1, $2) AS n) AS seeded,
            (SELECT array_agg(id) AS tokens FROM tokens WHERE guild_id = $1) AS issued`,
      [guildId, rows, (DAYS * 24 * 3600) / rows],
    );
    await client.query(
      `INSERT INTO tickets (guild_id, number, subject, opened_by, opened_at)
       SELECT $1, n, 'A question', (400000000000000000 + n % 20)::text, now() - make_interval(hours => n)
       FROM generate_series(1, 200) AS n`,
      [guildId],
    );
    await client.query('ALTER TABLE audit_writes ENABLE TRIGGER audit_told');
    await client.query('VACUUM ANALYZE');
  } finally {
    client.release();
  }
  return { guildId, ownerId: String(BigInt(guildId) + 100_000_000_000_000_000n) };
}
