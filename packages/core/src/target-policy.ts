import type { ForbiddenReason } from './errors.ts';

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
  /** Highest role of each, null for someone who is not a member. */
  readonly actorTopRole: RolePlace | null;
  readonly botTopRole: RolePlace | null;
  readonly targetTopRole: RolePlace | null;
  /** Whether the bot holds the Discord permission the operation needs; absent where it needs none. */
  readonly botHasPermission?: boolean;
}

/**
 * Why the actor, or the bot on the actor's behalf, cannot act on the target, or null; tested in the order of
 * decisions: Errors. The owner acts above everyone but is bound, as all are, by what the bot can reach.
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

/** Discord's order of roles: by position, then the lower (older) id is the higher role. Nobody is above an equal. */
export function isAbove(role: RolePlace | null, other: RolePlace): boolean {
  if (role === null) return false;
  if (role.position !== other.position) return role.position > other.position;
  return BigInt(role.id) < BigInt(other.id);
}
