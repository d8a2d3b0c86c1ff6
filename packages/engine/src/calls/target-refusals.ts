import {
  DISCORD_PERMISSIONS,
  entryOf,
  type ForbiddenReason,
  isAbove,
  isSpared,
  type OperationName,
  permissionTitle,
  type RolePlace,
  type TargetQuestion,
  targetRefusal,
} from '@bailiff/core';
import { type Queryable, sql } from '@bailiff/prisma';

const placesInGuild = sql.statement({
  parameters: [sql.text, sql.text, sql.text],
  columns: {
    owner_id: sql.text,
    bot_id: sql.text.orNull,
    user_id: sql.text.orNull,
    id: sql.text.orNull,
    position: sql.int.orNull,
    permissions: sql.bigint.orNull,
  },
  text: `SELECT g.owner_id, s.bot_user_id AS bot_id, m.user_id, r.id, r.position, r.permissions
    FROM guilds g
    LEFT JOIN gateway_shards s ON s.shard_id = g.shard_id
    LEFT JOIN members m ON m.guild_id = g.id AND m.user_id IN ($2, $3, s.bot_user_id)
    LEFT JOIN roles r ON r.guild_id = g.id AND (r.id = ANY (m.role_ids) OR r.id = g.id)
    WHERE g.id = $1`,
});

/** A role of somebody. */
interface HeldRole extends RolePlace {
  readonly permissions: bigint;
}

/** Who acts on whom, as the mirror knows them, with their roles. */
async function placesOf(db: Queryable, guildId: string, actorId: string, targetId: string) {
  const rows = await placesInGuild.all(db, [guildId, actorId, targetId]);
  const botId = rows[0]?.bot_id ?? '';
  const rolesOf = (userId: string): HeldRole[] =>
    rows
      .filter((row) => row.user_id === userId)
      .flatMap(({ id, position, permissions }) =>
        id === null || position === null ? [] : [{ id, position, permissions: BigInt(permissions ?? 0) }],
      );
  const targetRoles = rolesOf(targetId);
  const botRoles = rolesOf(botId);
  const question: TargetQuestion = {
    guildOwnerId: rows[0]?.owner_id ?? '',
    botId,
    actorId,
    targetId,
    actorTopRole: highest(rolesOf(actorId)),
    botTopRole: highest(botRoles),
    targetTopRole: highest(targetRoles),
  };
  return { question, targetRoles, botRoles };
}

function highest(roles: readonly RolePlace[]): RolePlace | null {
  return roles.reduce<RolePlace | null>(
    (top, role) => (top !== null && isAbove(top, role) ? top : role),
    null,
  );
}

/**
 * Why the actor may not strike or warn the target; null if they may. The mirror holds everyone with a granted role.
 * Anyone who is not in it ranks below everybody (decisions: Operations).
 */
export async function strikeRefusal(
  db: Queryable,
  guildId: string,
  actorId: string,
  targetId: string,
): Promise<ForbiddenReason | null> {
  return targetRefusal((await placesOf(db, guildId, actorId, targetId)).question);
}

const rolesById = sql.statement({
  parameters: [sql.text, sql.arrayOf(sql.text)],
  columns: { id: sql.text, position: sql.int, permissions: sql.bigint },
  text: 'SELECT id, position, permissions FROM roles WHERE guild_id = $1 AND (id = ANY ($2) OR id = $1)',
});

/** Somebody on whom others may want to act. */
export interface Target {
  readonly userId: string;
  /** Null if nobody knows. */
  readonly inGuild: boolean | null;
  /** Their roles as Discord says, for somebody who is not in the mirror. */
  readonly roleIds: readonly string[];
}

/** Why an operation cannot be performed on somebody now. */
export interface Obstacle {
  readonly reason: ForbiddenReason | 'NOT_A_MEMBER';
  /** The Discord permission that the bot lacks, as Discord calls it. */
  readonly permissions?: readonly string[];
}

/**
 * What is known to keep a person from performing operations on somebody now, by operation; null if nothing is. It follows
 * the rules by which the operations are refused, over what the mirror knows. The operations check again.
 */
export async function obstaclesTo<N extends OperationName>(
  db: Queryable,
  { guildId, actorId }: { readonly guildId: string; readonly actorId: string },
  { userId, inGuild, roleIds }: Target,
  operations: readonly N[],
): Promise<ReadonlyMap<N, Obstacle | null>> {
  const { question, targetRoles, botRoles } = await placesOf(db, guildId, actorId, userId);
  const held =
    inGuild === true && targetRoles.length === 0
      ? (await rolesById.all(db, [guildId, roleIds])).map((row) => ({
          ...row,
          permissions: BigInt(row.permissions),
        }))
      : targetRoles;
  const may = permissionsOf(botRoles);
  const obstacleTo = (operation: N): Obstacle | null => {
    const { botPermissions, notFound } = entryOf(operation);
    const needed = botPermissions?.[0];
    const refusal = targetRefusal({
      ...question,
      targetTopRole: highest(held),
      // Without the bot in the mirror, nobody knows what it may do.
      ...(needed === undefined || botRoles.length === 0
        ? {}
        : { botHasPermission: (may & DISCORD_PERMISSIONS[needed]) !== 0n }),
    });
    if (refusal === 'BOT_MISSING_PERMISSION' && needed !== undefined)
      return { reason: refusal, permissions: [permissionTitle(needed)] };
    if (refusal !== null) return { reason: refusal };
    if (notFound === 'member' && inGuild === false) return { reason: 'NOT_A_MEMBER' };
    return isSpared(operation, permissionsOf(held)) ? { reason: 'TARGET_IS_ADMIN' } : null;
  };
  return new Map(operations.map((name) => [name, obstacleTo(name)]));
}

function permissionsOf(roles: readonly HeldRole[]): bigint {
  const all = roles.reduce((bits, { permissions }) => bits | permissions, 0n);
  return (all & DISCORD_PERMISSIONS.Administrator) === 0n ? all : ~0n;
}
