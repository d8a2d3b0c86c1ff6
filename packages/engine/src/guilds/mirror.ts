import { MODERATION_PERMISSIONS } from '@bailiff/core';
import { DEFAULT_LOCALE, localeOf } from '@bailiff/messages';
import { type Database, GuildTier, type Queryable, sql } from '@bailiff/prisma';
import { inTransaction } from '#src/database/transaction.ts';
import { revokeTokens } from '#src/tokens/revocations.ts';

/** A guild as Discord describes it, without its roles. */
export interface MirroredGuild {
  readonly id: string;
  readonly name: string;
  readonly iconHash: string | null;
  readonly ownerId: string;
  readonly shardId: number;
  /** Discord's locale of a community guild. It becomes the language of a new guild. */
  readonly preferredLocale?: string;
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
}

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

const distrustGuildsOfShard = sql.command({
  parameters: [sql.int, sql.numeric],
  text: `UPDATE guilds SET mirrored_at = NULL
    WHERE mirrored_at IS NOT NULL AND (shard_id = $1 OR div(id::numeric, 4194304) % $2 = $1)`,
});

/** Marks the mirror of a shard's guilds as not trusted, until each guild is compared with Discord again. */
export async function distrustShard(db: Database, shardId: number, shardCount: number): Promise<void> {
  await distrustGuildsOfShard.run(db.pool, [shardId, shardCount]);
}

/** The same for one guild that Discord does not serve at the moment. */
export async function distrustGuild(db: Database, guildId: string): Promise<void> {
  await db.prisma.guild.updateMany({
    where: { id: guildId, mirroredAt: { not: null } },
    data: { mirroredAt: null },
  });
}

const putHeartbeat = sql.command({
  parameters: [sql.int, sql.int, sql.text, sql.float],
  text: `INSERT INTO gateway_shards (shard_id, shard_count, bot_user_id, heartbeat_at)
    VALUES ($1, $2, $3, clock_timestamp() - make_interval(secs => $4))
    ON CONFLICT (shard_id) DO UPDATE SET shard_count = EXCLUDED.shard_count, bot_user_id = EXCLUDED.bot_user_id,
      heartbeat_at = EXCLUDED.heartbeat_at`,
});

/**
 * Records that a shard's connection was alive `ageSeconds` ago. The mirror of its guilds is fresh for a minute from
 * then (SQL `live_guilds`).
 */
export async function beatShard(
  db: Database,
  shard: { shardId: number; shardCount: number; botUserId: string; ageSeconds: number },
): Promise<void> {
  await putHeartbeat.run(db.pool, [shard.shardId, shard.shardCount, shard.botUserId, shard.ageSeconds]);
}

const freshShard = sql.command({
  parameters: [sql.int],
  text: 'SELECT FROM gateway_shards WHERE shard_id = $1 AND heartbeat_is_fresh(heartbeat_at)',
});

/** Whether any process follows the events of a shard at the moment. */
export async function shardIsAlive(db: Database, shardId: number): Promise<boolean> {
  return (await freshShard.run(db.pool, [shardId])) === 1;
}

/** Removes a shard's heartbeat, because its connection was closed on purpose. */
export async function endShard(db: Database, shardId: number): Promise<void> {
  await db.prisma.gatewayShard.deleteMany({ where: { shardId } });
}

const idsOfShard = sql.statement({
  parameters: [sql.numeric, sql.numeric],
  columns: { id: sql.text },
  text: 'SELECT id FROM guilds WHERE left_at IS NULL AND div(id::numeric, 4194304) % $2 = $1 ORDER BY id',
});

/** The guilds of a shard, by Discord's formula, that the bot has not left. */
export async function guildsOfShard(db: Database, shardId: number, shardCount: number): Promise<string[]> {
  const rows = await idsOfShard.all(db.pool, [shardId, shardCount]);
  return rows.map(({ id }) => id);
}

const upsertGuild = sql.command({
  parameters: [sql.text, sql.text, sql.text.orNull, sql.text, sql.int, sql.oneOf({ GuildTier }), sql.text],
  text: `INSERT INTO guilds (id, name, icon_hash, owner_id, shard_id, tier, language)
    VALUES ($1, $2, $3, $4, $5, $6, $7)
    ON CONFLICT (id) DO UPDATE SET name = EXCLUDED.name, icon_hash = EXCLUDED.icon_hash,
      owner_id = EXCLUDED.owner_id, shard_id = EXCLUDED.shard_id, left_at = NULL`,
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

const upsertRoles = sql.command({
  parameters: [sql.text, sql.jsonb<readonly MirroredRole[]>()],
  text: `INSERT INTO roles (guild_id, id, name, position, color, permissions, managed)
    SELECT $1, id, name, position, color, permissions, managed FROM jsonb_to_recordset($2) AS role(${ROLE_FIELDS})
    ON CONFLICT (guild_id, id) DO UPDATE SET name = EXCLUDED.name, position = EXCLUDED.position,
      color = EXCLUDED.color, permissions = EXCLUDED.permissions, managed = EXCLUDED.managed`,
});

const deleteOtherRoles = sql.command({
  parameters: [sql.text, sql.arrayOf(sql.text)],
  text: 'DELETE FROM roles WHERE guild_id = $1 AND id <> ALL ($2)',
});

/** Writes roles of a guild. With `complete`, deletes all other roles of the guild and their grants. */
export async function putRoles(
  db: Queryable,
  guildId: string,
  roles: readonly MirroredRole[],
  { complete }: { complete: boolean },
): Promise<void> {
  await upsertRoles.run(db, [guildId, roles]);
  if (complete) await deleteOtherRoles.run(db, [guildId, roles.map(({ id }) => id)]);
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

export async function removeRole(db: Database, guildId: string, roleId: string): Promise<void> {
  await db.prisma.role.deleteMany({ where: { guildId, id: roleId } });
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

const MEMBER_FIELDS =
  '"userId" text, username text, "displayName" text, "avatarHash" text, bot boolean, "roleIds" text[]';

/** Writes the members that meet the condition. */
const upsertMembers = (condition: string) => `INSERT INTO members
    (guild_id, user_id, username, display_name, avatar_hash, bot, role_ids)
  SELECT $1, "userId", username, "displayName", "avatarHash", bot, "roleIds"
  FROM jsonb_to_recordset($2) AS member(${MEMBER_FIELDS})
  WHERE ${condition}
  ON CONFLICT (guild_id, user_id) DO UPDATE SET username = EXCLUDED.username, display_name = EXCLUDED.display_name,
    avatar_hash = EXCLUDED.avatar_hash, bot = EXCLUDED.bot, role_ids = EXCLUDED.role_ids`;

const putMembers = sql.command({
  parameters: [sql.text, sql.jsonb<readonly MirroredMember[]>()],
  text: upsertMembers('true'),
});

const putMemberThatMatters = sql.command({
  parameters: [sql.text, sql.jsonb<readonly MirroredMember[]>(), sql.text, sql.bigint],
  text: upsertMembers(`EXISTS (SELECT FROM guilds WHERE id = $1) AND ("userId" = $3
    OR EXISTS (SELECT FROM members m WHERE m.guild_id = $1 AND m.user_id = "userId")
    OR EXISTS (SELECT FROM guilds g WHERE g.id = $1 AND g.owner_id = "userId")
    OR EXISTS (SELECT FROM role_grants r WHERE r.guild_id = $1 AND grant_reaches(r, "roleIds"))
    OR EXISTS (SELECT FROM roles r WHERE r.guild_id = $1 AND r.id <> $1 AND r.id = ANY ("roleIds") AND r.permissions & $4 <> 0)
    OR EXISTS (SELECT FROM tokens t WHERE t.guild_id = $1 AND t.issuer_id = "userId" AND t.revoked_at IS NULL)
    OR EXISTS (SELECT FROM users u WHERE u.id = "userId"))`),
});

const deleteOtherMembers = sql.command({
  parameters: [sql.text, sql.arrayOf(sql.text), sql.arrayOf(sql.text)],
  text: `DELETE FROM members m WHERE guild_id = $1 AND user_id <> ALL ($2) AND (user_id = ANY ($3) OR NOT EXISTS (
    SELECT FROM tokens t WHERE t.guild_id = $1 AND t.issuer_id = m.user_id AND t.revoked_at IS NULL))`,
});

const trustGuild = sql.command({
  parameters: [sql.text],
  text: 'UPDATE guilds SET mirrored_at = clock_timestamp() WHERE id = $1 AND left_at IS NULL',
});

/** Writes a member from an event, if the mirror should have the member or has them already. */
export async function putMember(
  db: Database,
  guildId: string,
  member: MirroredMember,
  botUserId: string,
): Promise<void> {
  await putMemberThatMatters.run(db.pool, [guildId, [member], botUserId, MODERATION_PERMISSIONS]);
}

/**
 * Replaces the members of a guild. With `trusted`, its whole mirror is trusted from now on.
 *
 * @returns issuers of tokens that are not among them. Ask Discord whether they left (`memberLeft`).
 */
export function replaceMembers(
  db: Database,
  guildId: string,
  members: readonly MirroredMember[],
  options: { issuerIds: ReadonlySet<string>; trusted: boolean },
): Promise<string[]> {
  return inTransaction(db, async (tx) => {
    const userIds = members.map(({ userId }) => userId);
    await putMembers.run(tx, [guildId, members]);
    // A person who issued a token while the list was read may be missing from it. Events and the next list cover them.
    await deleteOtherMembers.run(tx, [guildId, userIds, [...options.issuerIds]]);
    if (options.trusted) await trustGuild.run(tx, [guildId]);
    const present = new Set(userIds);
    return [...options.issuerIds].filter((id) => !present.has(id));
  });
}

/**
 * Removes a member who left, was kicked or was banned from the mirror. Every token that they issued in the guild is
 * revoked at once (spec §3), with an audit row each. Call this only if the departure is certain.
 *
 * @returns ids of the revoked tokens
 */
export function memberLeft(db: Database, guildId: string, userId: string): Promise<string[]> {
  return inTransaction(db, async (tx) => {
    await tx.prisma.member.deleteMany({ where: { guildId, userId } });
    return revokeTokens(tx, { guildId, issuerId: userId }, 'issuer_left', 'system');
  });
}
