import { type Database, sql } from '@bailiff/prisma';

/** A person who issued tokens of a guild that are not revoked. */
export interface Issuer {
  readonly guildId: string;
  readonly userId: string;
  /** Whether the mirror has them as a member of the guild. */
  readonly isMirrored: boolean;
  /** Whether the mirror of the guild can be trusted. One that cannot is compared as a whole once it is back. */
  readonly mirrorFresh: boolean;
}

const leastRecentlyChecked = sql.statement({
  parameters: [sql.bigint],
  columns: { guild_id: sql.text, issuer_id: sql.text, mirror_fresh: sql.bool, is_mirrored: sql.bool },
  text: `SELECT DISTINCT picked.guild_id, picked.issuer_id, g.mirror_fresh,
      EXISTS (SELECT FROM members m WHERE m.guild_id = picked.guild_id AND m.user_id = picked.issuer_id) AS is_mirrored
    FROM (SELECT guild_id, issuer_id FROM tokens WHERE revoked_at IS NULL
          ORDER BY issuer_checked_at NULLS FIRST LIMIT $1) AS picked
    JOIN live_guilds g ON g.id = picked.guild_id`,
});

const markChecked = sql.command({
  parameters: [sql.text, sql.text],
  text: `UPDATE tokens SET issuer_checked_at = clock_timestamp()
    WHERE guild_id = $1 AND issuer_id = $2 AND revoked_at IS NULL`,
});

/**
 * The issuers that Discord was not asked about for the longest time.
 *
 * @param most tokens to look at; there are no more issuers than that
 */
export async function issuersToCheck(db: Database, most: number): Promise<Issuer[]> {
  const rows = await leastRecentlyChecked.all(db.pool, [most]);
  return rows.map((row) => ({
    guildId: row.guild_id,
    userId: row.issuer_id,
    isMirrored: row.is_mirrored,
    mirrorFresh: row.mirror_fresh,
  }));
}

/** Records that Discord was asked about an issuer, so that the others come first. */
export async function issuerChecked(
  db: Database,
  { guildId, userId }: Pick<Issuer, 'guildId' | 'userId'>,
): Promise<void> {
  await markChecked.run(db.pool, [guildId, userId]);
}
