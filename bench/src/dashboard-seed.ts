import { CROWD, seedCrowd } from '@bailiff/engine/testing-crowd';
import type pg from 'pg';
import { prepareDatabase } from './prepared-database.ts';
import { seedGuilds } from './seed.ts';

/** A guild with a long record, and what stands in the addresses of its pages. */
export interface SeededDashboard {
  readonly guildId: string;
  readonly ownerId: string;
  readonly userId: string;
  readonly serverId: string;
  /** An entry in the middle of the audit log. */
  readonly auditId: string;
}

/** How long the record of the guild is. */
export interface RecordSize {
  readonly auditRows: number;
  readonly cases: number;
}

/** Makes a guild that has all of these audit rows and cases, a game server and some tokens. */
export function prepareDashboard(directory: string, { auditRows, cases }: RecordSize): Promise<void> {
  return prepareDatabase(directory, async (pool) => {
    await seedGuilds(pool, 2, 3);
    await seedCrowd(pool, { guilds: 2, cases, auditRows, nth: 1 });
    return seedDesk(pool, 100_000);
  });
}

/**
 * Gives the first guild of a crowd a game server, and returns what stands in the addresses of its pages, among them the
 * entry of the audit log that is so far down.
 */
export async function seedDesk(pool: pg.Pool, entriesBefore: number): Promise<SeededDashboard> {
  const { guildId, ownerId, personId: userId } = CROWD;
  const server = await pool.query<{ id: string }>(
    `INSERT INTO game_servers (guild_id, name, host, port, password_sealed, created_by)
     VALUES ($1, 'Survival', '203.0.113.9', 25575, '\\x00', $2) RETURNING id`,
    [guildId, ownerId],
  );
  const entry = await pool.query<{ id: string }>(
    'SELECT id FROM audit WHERE guild_id = $1 AND NOT is_read ORDER BY at DESC OFFSET $2 LIMIT 1',
    [guildId, entriesBefore],
  );
  return {
    guildId,
    ownerId,
    userId,
    serverId: server.rows[0]?.id ?? '',
    auditId: entry.rows[0]?.id ?? '',
  };
}
