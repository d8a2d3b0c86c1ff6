import { MODERATION_PERMISSIONS } from '@bailiff/core';
import { DEFAULT_LOCALE, localeOf } from '@bailiff/messages';
import { type Database, GuildTier, MirrorProblem, type Queryable, sql } from '@bailiff/prisma';
import { inTransaction } from '#src/database/transaction.ts';
import { revokeTokens } from '#src/tokens/revocations.ts';
import { mirroredRows } from './mirrored-rows.ts';

/** A guild as Discord describes it, without its roles. */
export interface MirroredGuild {
  readonly id: string;
  readonly name: string;
  readonly iconHash: string | null;
  readonly ownerId: string;
  readonly shardId: number;
  /** Discord's locale of a community guild. It becomes the language of a new guild. */
  readonly preferredLocale?: string;
  /** Whether moderators need two-factor authentication. */
  readonly requiresTwoFactor?: boolean;
}

export interface MirroredRole {
  readonly id: string;
  readonly name: string;
  readonly position: number;
  readonly color: number;
  /** Bit set as a decimal number, because it exceeds JavaScript's safe integers. */
  readonly permissions: string;
  readonly managed: boolean;
}

export interface MirroredMember {
  readonly userId: string;
  readonly username: string;
  readonly displayName: string;
  readonly avatarHash: string | null;
  readonly bot: boolean;
  readonly roleIds: readonly string[];
  /** Null if Discord does not say. */
  readonly joinedAt: string | null;
  /** When their timeout ends, which may be over; null without one. Left out if Discord does not say. */
  readonly timedOutUntil?: string | null;
}

const distrust = sql.command({
  parameters: [sql.text, sql.oneOf({ MirrorProblem }).orNull],
  text: 'UPDATE guilds SET mirrored_at = NULL, mirror_problem = $2 WHERE id = $1',
});

/** Marks the mirror of a guild as not trusted until it was compared, and says what is in the way, if anything is. */
export async function distrustGuild(
  db: Database,
  guildId: string,
  problem: MirrorProblem | null = null,
): Promise<void> {
  await distrust.run(db.pool, [guildId, problem]);
}

const upsertGuild = sql.command({
  parameters: [
    sql.text,
    sql.text,
    sql.text.orNull,
    sql.text,
    sql.int,
    sql.oneOf({ GuildTier }),
    sql.text,
    sql.bool,
  ],
  text: `INSERT INTO guilds (id, name, icon_hash, owner_id, shard_id, tier, language, requires_two_factor)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
    ON CONFLICT (id) DO UPDATE SET name = EXCLUDED.name, icon_hash = EXCLUDED.icon_hash,
      owner_id = EXCLUDED.owner_id, shard_id = EXCLUDED.shard_id, left_at = NULL,
      requires_two_factor = EXCLUDED.requires_two_factor`,
});

/** Writes a guild. A new one starts in `defaultTier`. Does not change whether its mirror is trusted. */
export async function putGuild(db: Queryable, guild: MirroredGuild, defaultTier: GuildTier): Promise<void> {
  await upsertGuild.run(db, [
    guild.id,
    guild.name,
    guild.iconHash,
    guild.ownerId,
    guild.shardId,
    defaultTier,
    localeOf(guild.preferredLocale) ?? DEFAULT_LOCALE,
    guild.requiresTwoFactor ?? false,
  ]);
}

const markLeft = sql.command({
  parameters: [sql.text],
  text: 'UPDATE guilds SET mirrored_at = NULL, left_at = coalesce(left_at, clock_timestamp()) WHERE id = $1',
});

/** Records that the bot was removed from the guild. Call this only if that is certain. */
export async function guildLeft(db: Database, guildId: string): Promise<void> {
  await markLeft.run(db.pool, [guildId]);
}

const ROLE_FIELDS = 'id text, name text, position int, color int, permissions bigint, managed boolean';

const roleRows = mirroredRows<MirroredRole>(
  'roles',
  (condition) => `INSERT INTO roles (guild_id, id, name, position, color, permissions, managed)
    SELECT $1, id, name, position, color, permissions, managed FROM jsonb_to_recordset($2) AS role(${ROLE_FIELDS})
    WHERE ${condition}
    ON CONFLICT (guild_id, id) DO UPDATE SET name = EXCLUDED.name, position = EXCLUDED.position,
      color = EXCLUDED.color, permissions = EXCLUDED.permissions, managed = EXCLUDED.managed`,
);

/** Writes roles of a guild. */
export async function putRoles(
  db: Queryable,
  guildId: string,
  roles: readonly MirroredRole[],
): Promise<void> {
  await roleRows.put.run(db, [guildId, roles]);
}

/** Writes all roles of a guild, and deletes the others with their grants. Leaves alone those that an event changed. */
export async function replaceRoles(
  db: Queryable,
  guildId: string,
  roles: readonly MirroredRole[],
  changedByEvents: ReadonlySet<string>,
): Promise<void> {
  await roleRows.replace.run(db, [guildId, roles, [...changedByEvents]]);
}

const roleWithPermission = sql.command({
  parameters: [sql.text, sql.text, sql.bigint],
  text: 'SELECT FROM roles WHERE guild_id = $1 AND id = $2 AND permissions & $3 <> 0',
});

/** Whether a role makes moderators of members who were not. The mirror needs them, but does not have them yet. */
export async function moderatesAnew(
  db: Database,
  guildId: string,
  role: Pick<MirroredRole, 'id' | 'permissions'>,
): Promise<boolean> {
  if (role.id === guildId || (BigInt(role.permissions) & MODERATION_PERMISSIONS) === 0n) return false;
  return (await roleWithPermission.run(db.pool, [guildId, role.id, MODERATION_PERMISSIONS])) === 0;
}

const deleteRole = sql.command({
  parameters: [sql.text, sql.text],
  text: 'DELETE FROM roles WHERE guild_id = $1 AND id = $2',
});

export async function removeRole(db: Database, guildId: string, roleId: string): Promise<void> {
  await deleteRole.run(db.pool, [guildId, roleId]);
}

const MEMBER_FIELDS = `"userId" text, username text, "displayName" text, "avatarHash" text, bot boolean,
  "roleIds" text[], "joinedAt" timestamptz, "timedOutUntil" timestamptz`;

/** Writes the members that meet the condition. Of whom Discord does not say whether they are timed out, that stays. */
const upsertMembers = (condition: string) => `INSERT INTO members
    (guild_id, user_id, username, display_name, avatar_hash, bot, role_ids, joined_at, timed_out_until)
  SELECT $1, "userId", username, "displayName", "avatarHash", bot, "roleIds", "joinedAt",
    CASE WHEN given ? 'timedOutUntil' THEN "timedOutUntil"
      ELSE (SELECT m.timed_out_until FROM members m WHERE m.guild_id = $1 AND m.user_id = "userId") END
  FROM jsonb_array_elements($2) AS given CROSS JOIN LATERAL jsonb_to_record(given) AS member(${MEMBER_FIELDS})
  WHERE ${condition}
  ON CONFLICT (guild_id, user_id) DO UPDATE SET username = EXCLUDED.username, display_name = EXCLUDED.display_name,
    avatar_hash = EXCLUDED.avatar_hash, bot = EXCLUDED.bot, role_ids = EXCLUDED.role_ids,
    joined_at = coalesce(EXCLUDED.joined_at, members.joined_at), timed_out_until = EXCLUDED.timed_out_until`;

const upsertAll = sql.command({
  parameters: [sql.text, sql.jsonb<readonly MirroredMember[]>()],
  text: upsertMembers('true'),
});

const putMembersThatMatter = sql.command({
  parameters: [sql.text, sql.jsonb<readonly MirroredMember[]>(), sql.text, sql.bigint],
  text: upsertMembers(`EXISTS (SELECT FROM guilds WHERE id = $1) AND ("userId" = $3
    OR EXISTS (SELECT FROM members m WHERE m.guild_id = $1 AND m.user_id = "userId")
    OR EXISTS (SELECT FROM guilds g WHERE g.id = $1 AND g.owner_id = "userId")
    OR EXISTS (SELECT FROM role_grants r WHERE r.guild_id = $1 AND grant_reaches(r, "roleIds"))
    OR EXISTS (SELECT FROM roles r WHERE r.guild_id = $1 AND r.id <> $1 AND r.id = ANY ("roleIds") AND r.permissions & $4 <> 0)
    OR EXISTS (SELECT FROM tokens t WHERE t.guild_id = $1 AND t.issuer_id = "userId" AND t.revoked_at IS NULL)
    OR EXISTS (SELECT FROM users u WHERE u.id = "userId"))`),
});

/** Writes members of a guild, whoever they are. */
export async function putMembers(
  db: Queryable,
  guildId: string,
  members: readonly MirroredMember[],
): Promise<void> {
  if (members.length > 0) await upsertAll.run(db, [guildId, members]);
}

/** Writes those members from events that the mirror should have or has already. Each of them is given once. */
export async function followMembers(
  db: Database,
  guildId: string,
  members: readonly MirroredMember[],
  botUserId: string,
): Promise<void> {
  await putMembersThatMatter.run(db.pool, [guildId, members, botUserId, MODERATION_PERMISSIONS]);
}

const findMember = sql.command({
  parameters: [sql.text, sql.text],
  text: 'SELECT FROM members WHERE guild_id = $1 AND user_id = $2',
});

/** Whether the mirror has a member. */
export async function isMirrored(db: Database, guildId: string, userId: string): Promise<boolean> {
  return (await findMember.run(db.pool, [guildId, userId])) === 1;
}

/**
 * Removes members who left, were kicked or were banned from the mirror. Every token that they issued in the guild is
 * revoked at once (spec §3), with an audit row each. Call this only if the departure is certain.
 *
 * @returns ids of the revoked tokens
 */
export function membersLeft(db: Database, guildId: string, userIds: readonly string[]): Promise<string[]> {
  return inTransaction(db, async (tx) => {
    await tx.prisma.member.deleteMany({ where: { guildId, userId: { in: [...userIds] } } });
    return revokeTokens(tx, { guildId, issuerIds: userIds }, 'issuer_left', 'system');
  });
}
