import type { ForbiddenReason } from './errors.ts';
import { entryOf, type OperationName } from './operations/index.ts';
import { DISCORD_PERMISSIONS } from './permissions.ts';

/** A role's place in the guild's hierarchy. A member without roles has `@everyone`: position 0, the guild's id. */
export interface RolePlace {
  readonly id: string;
  readonly position: number;
}

export interface TargetQuestion {
  readonly guildOwnerId: string;
  readonly botId: string;
  readonly actorId: string;
  readonly targetId: string;
  /** The highest role of each; null for someone who is not a member. */
  readonly actorTopRole: RolePlace | null;
  readonly botTopRole: RolePlace | null;
  readonly targetTopRole: RolePlace | null;
  /** Whether the bot has the Discord permission that the operation needs; absent if it needs none. */
  readonly botHasPermission?: boolean;
}

/**
 * Why the actor or the bot cannot act on the target, or null if both can; checked in the order of decisions: Errors.
 * The owner ranks above everyone, but the bot's own rank limits every actor.
 */
export function targetRefusal(question: TargetQuestion): ForbiddenReason | null {
  const { guildOwnerId, botId, actorId, targetId, targetTopRole } = question;
  if (targetId === guildOwnerId) return 'TARGET_IS_OWNER';
  if (targetId === botId) return 'TARGET_IS_BOT';
  if (targetId === actorId) return 'TARGET_IS_SELF';
  if (targetTopRole !== null) {
    const actorReaches = actorId === guildOwnerId || isAbove(question.actorTopRole, targetTopRole);
    if (!actorReaches || !isAbove(question.botTopRole, targetTopRole)) return 'ROLE_HIERARCHY';
  }
  return question.botHasPermission === false ? 'BOT_MISSING_PERMISSION' : null;
}

/** Whether Discord does this to nobody who has these permissions: it times out no administrator. */
export function isSpared(operation: OperationName, targetPermissions: bigint): boolean {
  return (
    entryOf(operation).sparesAdministrators === true &&
    (targetPermissions & DISCORD_PERMISSIONS.Administrator) !== 0n
  );
}

/**
 * Whether a role is above another one in Discord's order: by position, and at the same position the lower (older) id is
 * higher. A role is not above itself.
 */
export function isAbove(role: RolePlace | null, other: RolePlace): boolean {
  if (role === null) return false;
  if (role.position !== other.position) return role.position > other.position;
  return BigInt(role.id) < BigInt(other.id);
}
