import { type SeededGuild, snowflake } from '@bailiff/engine/testing';
import type { MeasureKind } from '@bailiff/prisma';
import type { PublicApiHarness } from './harness.ts';

/** Puts a lock, a slowmode and a role of a member into force. */
export async function putEachInForce(
  database: PublicApiHarness['database'],
  guild: SeededGuild,
): Promise<void> {
  await putInForce(database, guild, 'lock', snowflake());
  await putInForce(database, guild, 'slowmode', snowflake());
  await putInForce(database, guild, 'role', `${guild.memberId}:${guild.moderatorRoleId}`, { minutes: 60 });
}

/** Puts something into force, as the bot records it. */
export async function putInForce(
  { pool }: PublicApiHarness['database'],
  guild: Pick<SeededGuild, 'id' | 'ownerId'>,
  kind: MeasureKind,
  subjectId: string,
  {
    minutes = null,
    reason,
    before = {},
    after = {},
    isTaken = true,
  }: { minutes?: number | null; reason?: string; before?: object; after?: object; isTaken?: boolean } = {},
): Promise<void> {
  await pool.query(
    `WITH begun AS (INSERT INTO actions
        (guild_id, operation, input, digest, actor_source, actor_user_id, request_id, claim_by, state)
      VALUES ($1, 'channels.lock', $2, '', 'chat', $3, 'req_1', now(), 'done') RETURNING id, guild_id, created_at)
    INSERT INTO measures (guild_id, kind, subject_id, action_id, before, after, taken_at, expires_at)
    SELECT guild_id, $4, $5, id, $6, $7, CASE WHEN $8 THEN created_at END, created_at + make_interval(mins => $9)
    FROM begun`,
    [guild.id, { reason }, guild.ownerId, kind, subjectId, before, after, isTaken, minutes],
  );
}
