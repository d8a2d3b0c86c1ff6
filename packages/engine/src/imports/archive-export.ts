import { type Database, sql } from '@bailiff/prisma';
import { paceOfExport } from '#src/audit/audit-looks.ts';
import { type DashboardCall, recordChange } from '#src/calls/dashboard-call.ts';
import { inTransaction } from '#src/database/transaction.ts';
import { lockOwnedGuild } from '#src/guilds/guilds.ts';
import type { Turn } from './archive-lines.ts';

/** How long an archive can be fetched after it was requested. */
const FETCHED_WITHIN = '2 minutes';

/** Every step of an archive takes its turn among those of all exports, and rests after it (decisions: Guilds apart). */
export function turnOfExport(db: Database, guildId: string): Turn {
  return paceOfExport(db, guildId).ofPage;
}

/**
 * Records that the owner exports everything, before any line leaves. Returns the id to fetch it by.
 *
 * @throws ApiError as `ownedGuild`
 */
export async function recordArchiveExport(
  db: Database,
  call: DashboardCall,
  guildId: string,
): Promise<string> {
  return inTransaction(db, async (tx) => {
    await lockOwnedGuild(tx, guildId, call.userId);
    return recordChange(tx, call, { guildId, operation: 'archive.export' });
  });
}

const exportById = sql.statement({
  parameters: [sql.text, sql.text, sql.text],
  columns: { at: sql.timestamptz },
  text: `SELECT at FROM audit
    WHERE guild_id = $1 AND id = $2 AND NOT is_read AND operation = 'archive.export' AND actor_user_id = $3
      AND at > clock_timestamp() - interval '${FETCHED_WITHIN}'`,
});

/** When this person requested this archive, a moment ago; null if they did not. */
export async function findArchiveExport(
  db: Database,
  userId: string,
  guildId: string,
  exportId: string,
): Promise<Date | null> {
  return (await exportById.first(db.pool, [guildId, exportId, userId]))?.at ?? null;
}

const nameOfGuild = sql.statement({
  parameters: [sql.text],
  columns: { name: sql.text },
  text: 'SELECT name FROM guilds WHERE id = $1',
});

const recordByOperator = sql.command({
  parameters: [sql.text],
  text: `INSERT INTO audit (guild_id, actor_source, operation, target_type, target_id, outcome)
    VALUES ($1, 'operator', 'archive.export', 'guild', $1, 'performed')`,
});

/** Records that the operator exports a guild. Returns its name; null if Bailiff does not know it. */
export async function recordArchiveByOperator(
  { pool }: Pick<Database, 'pool'>,
  guildId: string,
): Promise<string | null> {
  const guild = await nameOfGuild.first(pool, [guildId]);
  if (guild === null) return null;
  await recordByOperator.run(pool, [guildId]);
  return guild.name;
}
