import { MODERATION_PERMISSIONS } from '@bailiff/core';
import { type Database, MirrorProblem, type Queryable, sql } from '@bailiff/prisma';
import { inTransaction } from '#src/database/transaction.ts';
import type { MirroredMember } from './mirror.ts';

/**
 * The members that the mirror keeps: the owner, holders of granted roles, issuers of tokens and the bot. It keeps people
 * who have signed in too.
 */
export interface WantedMembers {
  /** Whether @everyone has grants. Then the mirror keeps all members. */
  readonly everyone: boolean;
  readonly roleIds: ReadonlySet<string>;
  readonly userIds: Set<string>;
  /** Issuers of tokens that are not revoked. */
  readonly issuerIds: ReadonlySet<string>;
}

const wantedIds = sql.statement({
  parameters: [sql.text, sql.bigint],
  columns: {
    role_ids: sql.arrayOf(sql.text),
    user_ids: sql.arrayOf(sql.text),
    issuer_ids: sql.arrayOf(sql.text),
  },
  text: `SELECT ARRAY(SELECT role_id FROM role_grants WHERE guild_id = $1
        UNION SELECT id FROM roles WHERE guild_id = $1 AND id <> $1 AND permissions & $2 <> 0) AS role_ids,
      ARRAY(SELECT owner_id FROM guilds WHERE id = $1) AS user_ids,
      ARRAY(SELECT DISTINCT issuer_id FROM tokens WHERE guild_id = $1 AND revoked_at IS NULL) AS issuer_ids`,
});

/** Which members of a guild the mirror keeps, apart from people who have signed in: see {@link membersToKeep}. */
export async function wantedMembers(
  db: Database,
  guildId: string,
  botUserId: string,
): Promise<WantedMembers> {
  const { role_ids, user_ids, issuer_ids } = await wantedIds.only(db.pool, [guildId, MODERATION_PERMISSIONS]);
  return {
    everyone: role_ids.includes(guildId),
    roleIds: new Set(role_ids),
    userIds: new Set([...user_ids, ...issuer_ids, botUserId]),
    issuerIds: new Set(issuer_ids),
  };
}

const usersAmong = sql.statement({
  parameters: [sql.arrayOf(sql.text)],
  columns: { id: sql.text },
  text: 'SELECT id FROM users WHERE id = ANY ($1)',
});

/** Those of some members of a guild that the mirror keeps. */
export async function membersToKeep(
  { pool }: Pick<Database, 'pool'>,
  wanted: WantedMembers,
  members: readonly MirroredMember[],
): Promise<MirroredMember[]> {
  const others = members.filter((member) => !isWanted(wanted, member)).map(({ userId }) => userId);
  // Only these people are looked up, because the service has far more users than a guild has members.
  const rows = others.length === 0 ? [] : await usersAmong.all(pool, [others]);
  const signedIn = new Set(rows.map(({ id }) => id));
  return members.filter((member) => isWanted(wanted, member) || signedIn.has(member.userId));
}

function isWanted(wanted: WantedMembers, member: MirroredMember): boolean {
  return (
    wanted.everyone ||
    wanted.userIds.has(member.userId) ||
    member.roleIds.some((id) => wanted.roleIds.has(id))
  );
}

const mirroredUserIds = sql.statement({
  parameters: [sql.text],
  columns: { user_id: sql.text },
  text: 'SELECT user_id FROM members WHERE guild_id = $1',
});

/** The ids of the members that the mirror has now. */
export async function mirroredMembers(db: Database, guildId: string): Promise<Set<string>> {
  const rows = await mirroredUserIds.all(db.pool, [guildId]);
  return new Set(rows.map(({ user_id }) => user_id));
}

const deleteMembers = sql.command({
  parameters: [sql.text, sql.arrayOf(sql.text), sql.arrayOf(sql.text)],
  text: `DELETE FROM members m WHERE guild_id = $1 AND user_id = ANY ($2) AND (user_id = ANY ($3) OR NOT EXISTS (
    SELECT FROM tokens t WHERE t.guild_id = $1 AND t.issuer_id = m.user_id AND t.revoked_at IS NULL))`,
});

const trustGuild = sql.command({
  parameters: [sql.text],
  text: `UPDATE guilds SET mirrored_at = clock_timestamp(), mirror_problem = NULL
    WHERE id = $1 AND left_at IS NULL`,
});

/**
 * Ends a comparison: deletes the members who were not in the list, and trusts the guild's mirror from now on.
 *
 * @param issuerIds the issuers of tokens when the list began. A person who issued a token since then may be missing
 *   from the list; events and the next list cover them
 */
export function endComparison(
  db: Database,
  guildId: string,
  { unlisted, issuerIds }: { unlisted: Iterable<string>; issuerIds: Iterable<string> },
): Promise<void> {
  return inTransaction(db, async (tx) => {
    await deleteMembers.run(tx, [guildId, [...unlisted], [...issuerIds]]);
    await trustGuild.run(tx, [guildId]);
  });
}

const putProblem = sql.command({
  parameters: [sql.text, sql.oneOf({ MirrorProblem }).orNull],
  text: 'UPDATE guilds SET mirror_problem = $2 WHERE id = $1 AND mirror_problem IS DISTINCT FROM $2',
});

/** Records what keeps a guild from being compared. The dashboard and `GET /me` show it. */
export async function noteMirrorProblem(
  db: Queryable,
  guildId: string,
  problem: MirrorProblem | null,
): Promise<void> {
  await putProblem.run(db, [guildId, problem]);
}
