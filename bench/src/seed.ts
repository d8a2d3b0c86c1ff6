import { randomBytes } from 'node:crypto';
import { CAPABILITIES, hashSecret, secretFromBytes } from '@bailiff/core';
import type pg from 'pg';

export interface SeededToken {
  readonly guildId: string;
  readonly secret: string;
}

/**
 * Creates guilds on the paid tier, each with an owner, 20 members, a role with every capability, and tokens of the
 * owner.
 */
export async function seedGuilds(pool: pg.Pool, count: number, tokensEach = 1): Promise<SeededToken[]> {
  await pool.query(
    `INSERT INTO gateway_shards (shard_id, shard_count, bot_user_id, heartbeat_at)
     VALUES (0, 1, '100000000000000000', now())`,
  );
  await pool.query(
    `INSERT INTO guilds (id, name, owner_id, tier, mirrored_at, grants_confirmed_at)
     SELECT 200000000000000000 + n, 'Guild ' || n, 300000000000000000 + n, 'pro', now(), now()
     FROM generate_series(1, $1) AS n`,
    [count],
  );
  await pool.query(
    `INSERT INTO roles (guild_id, id, name, position, permissions)
     SELECT id, (id::bigint + 50000000000000000)::text, 'Moderator', 1, 0 FROM guilds`,
  );
  await pool.query(
    `INSERT INTO role_grants (guild_id, role_id, capabilities, granted_by) SELECT guild_id, id, $1, '1' FROM roles`,
    [CAPABILITIES],
  );
  await pool.query(
    `INSERT INTO members (guild_id, user_id, username, display_name, role_ids)
     SELECT g.id, CASE n WHEN 0 THEN g.owner_id ELSE (400000000000000000 + n)::text END, 'member', 'Member',
            CASE WHEN n < 3 THEN ARRAY[(g.id::bigint + 50000000000000000)::text] ELSE '{}' END
     FROM guilds g CROSS JOIN generate_series(0, 20) AS n`,
  );
  const { rows } = await pool.query<{ id: string; owner_id: string }>(
    'SELECT id, owner_id FROM guilds CROSS JOIN generate_series(1, $1) ORDER BY id',
    [tokensEach],
  );
  const tokens = rows.map(({ id, owner_id }) => ({
    guildId: id,
    ownerId: owner_id,
    secret: secretFromBytes(randomBytes(30)),
  }));
  await pool.query(
    `INSERT INTO tokens (guild_id, issuer_id, name, kind, secret_hash, secret_last_four, capabilities, lifetime_days,
                         expires_at)
     SELECT guild_id, owner_id, 'bench', 'rest', hash, 'xxxx', $4, 90, now() + interval '90 days'
     FROM unnest($1::text[], $2::text[], $3::bytea[]) AS t (guild_id, owner_id, hash)`,
    [
      tokens.map(({ guildId }) => guildId),
      tokens.map(({ ownerId }) => ownerId),
      tokens.map(({ secret }) => hashSecret(secret)),
      CAPABILITIES,
    ],
  );
  return tokens;
}

/**
 * Creates strikes in every guild of `guildIds`, numbered from `after` + 1 to `last`, and as many rows of the audit log.
 */
export async function seedRecords(
  pool: pg.Pool,
  guildIds: readonly string[],
  last: number,
  after = 0,
): Promise<void> {
  // Millions of rows must not send notifications.
  const triggers = (word: 'DISABLE' | 'ENABLE') =>
    pool.query(`ALTER TABLE cases ${word} TRIGGER USER; ALTER TABLE audit_writes ${word} TRIGGER audit_told`);
  await triggers('DISABLE');
  await pool.query(
    `INSERT INTO cases (id, guild_id, case_number, kind, user_id, reason, issued_by, issued_at, severity, category)
     SELECT 'str_' || lpad(to_hex(n), 12, '0') || substr(md5(guild_id), 1, 20), guild_id, n, 'strike',
            (400000000000000000 + n % 20)::text, 'A reason of ordinary length for number ' || n, '300000000000000001',
            now() - make_interval(mins => $2 - n), CASE n % 2 WHEN 0 THEN 'minor' ELSE 'major' END::"StrikeSeverity",
            'spam'
     FROM unnest($1::text[]) AS guild_id CROSS JOIN generate_series($3::int + 1, $2) AS n`,
    [guildIds, last, after],
  );
  await pool.query(
    `INSERT INTO audit (id, guild_id, at, actor_source, actor_user_id, operation, target_type, target_id, outcome)
     SELECT 'aud_' || lpad(to_hex(n), 12, '0') || substr(md5(guild_id), 1, 20), guild_id,
            now() - make_interval(mins => $2 - n), 'chat', '300000000000000001', 'strikes.add', 'user',
            (400000000000000000 + n % 20)::text, 'performed'
     FROM unnest($1::text[]) AS guild_id CROSS JOIN generate_series($3::int + 1, $2) AS n`,
    [guildIds, last, after],
  );
  await triggers('ENABLE');
  await pool.query('VACUUM ANALYZE');
}
