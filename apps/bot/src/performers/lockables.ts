import { DISCORD_PERMISSIONS, type DiscordPermission, permissionBits } from '@bailiff/core';
import type { MeasureState } from '@bailiff/engine/guilds/measures';
import { type APIRole, AuditLogEvent, OverwriteType, Routes } from 'discord.js';
import { guildRefusal } from '#src/channel-access.ts';
import { Refusal } from './carry-out.ts';
import { readChannel } from './channel-settings.ts';
import type { PerformerDeps } from './deps.ts';
import { missingPermissions, permissionsOf, readBotHierarchy } from './members.ts';

/** What a lock takes from @everyone. */
const WRITING = ['SendMessages', 'SendMessagesInThreads'] as const satisfies readonly DiscordPermission[];
const LOCKED = permissionBits(WRITING);

/** What the bot needs to lock and to unlock: Discord lets it change only what it may do itself. */
export const FOR_LOCKS = ['ManageRoles', ...WRITING] as const satisfies readonly DiscordPermission[];

/** Changes what @everyone may do, with a reason for the guild's audit log. */
type Change = (auditReason: string, signal: AbortSignal) => Promise<unknown>;

/** Where something can be locked, as Discord has it at this moment. */
export interface LockState {
  /** Whether a lock would take nothing from anyone. */
  readonly isClosed: boolean;
  /** What stands now of what a lock changes, apart from what is left of an earlier lock: there, what stood before that. */
  before(earlier: MeasureState | null): MeasureState;
  readonly lock: Change;
  /** Puts back what stood before, where the lock still stands; null where nothing of it does. */
  restore(before: MeasureState): Change | null;
}

/** A channel or a guild that can be locked. */
export interface Lockable {
  /** What a lock is kept under: the channel's id, or the guild's. */
  readonly subjectId: string;
  readonly channelId: string | null;
  /** The entries in the guild's audit log of its locks. */
  readonly events: readonly AuditLogEvent[];
  /** Reads it, and whether the bot may change it. @throws DiscordFailure */
  read(signal: AbortSignal): Promise<LockState | Refusal>;
}

const bitsOf = (bits: string | undefined) => BigInt(bits ?? '0');

/** A channel: a lock is in its overwrite of @everyone, which counts for members with any role. */
export function lockableChannel(deps: PerformerDeps, guildId: string, channelId: string): Lockable {
  const route = Routes.channelPermission(channelId, guildId);
  return {
    subjectId: channelId,
    channelId,
    events: [AuditLogEvent.ChannelOverwriteCreate, AuditLogEvent.ChannelOverwriteUpdate],
    read: async (signal) => {
      const place = { guildId, channelId, signal };
      const channel = await readChannel(deps, place, 'ViewChannel', 'ManageRoles');
      if (channel instanceof Refusal) return channel;
      const lacking = await guildRefusal(deps, guildId, signal, ...WRITING);
      if (lacking !== null) return new Refusal(lacking);
      const overwrites = ('permission_overwrites' in channel && channel.permission_overwrites) || [];
      const overwrite = overwrites.find(({ id }) => id === guildId);
      const allow = bitsOf(overwrite?.allow);
      const deny = bitsOf(overwrite?.deny);
      const without = (lock: MeasureState | null) => {
        const standing = lock === null ? 0n : deny & LOCKED & ~bitsOf(lock.deny);
        return { allow: allow | (bitsOf(lock?.allow) & standing), deny: deny & ~standing };
      };
      const put =
        (set: { allow: bigint; deny: bigint }): Change =>
        (reason, inTime) =>
          deps.api.send('PUT', route, {
            signal: inTime,
            reason,
            body: { type: OverwriteType.Role, allow: String(set.allow), deny: String(set.deny) },
          });
      return {
        isClosed: (LOCKED & ~deny) === 0n,
        before: (earlier) => {
          const open = without(earlier);
          return {
            existed: earlier?.existed ?? overwrite !== undefined,
            allow: String(open.allow & LOCKED),
            deny: String(open.deny & LOCKED),
          };
        },
        lock: put({ allow: allow & ~LOCKED, deny: deny | LOCKED }),
        restore: (before) => {
          const open = without(before);
          if (open.deny === deny) return null;
          if (before.existed === true || (open.allow | open.deny) !== 0n) return put(open);
          return (reason, inTime) => deps.api.send('DELETE', route, { signal: inTime, reason });
        },
      };
    },
  };
}

/** The guild: a lock is in the role @everyone. Roles and channels that say otherwise stay open. */
export function lockableGuild(deps: PerformerDeps, guildId: string): Lockable {
  const route = Routes.guildRole(guildId, guildId);
  return {
    subjectId: guildId,
    channelId: null,
    events: [AuditLogEvent.RoleUpdate],
    read: async (signal) => {
      const [roles, hierarchy] = await Promise.all([
        deps.api.get<APIRole[]>(Routes.guildRoles(guildId), { signal }),
        readBotHierarchy(deps, guildId, signal),
      ]);
      // What the bot has from @everyone only it would lose itself, and could not give back.
      const ownRoles = { ...hierarchy, roles: hierarchy.roles.filter(({ id }) => id !== guildId) };
      const own = permissionsOf(ownRoles, hierarchy.botRoleIds);
      const lacking = FOR_LOCKS.filter((name) => (own & DISCORD_PERMISSIONS[name]) === 0n);
      if (lacking.length > 0) return new Refusal(missingPermissions(lacking));
      const now = bitsOf(roles.find(({ id }) => id === guildId)?.permissions);
      const set =
        (permissions: bigint): Change =>
        (reason, inTime) =>
          deps.api.send('PATCH', route, {
            signal: inTime,
            reason,
            body: { permissions: String(permissions) },
          });
      return {
        isClosed: (now & LOCKED) === 0n,
        before: (earlier) => ({ allow: String((now | bitsOf(earlier?.allow)) & LOCKED) }),
        lock: set(now & ~LOCKED),
        restore: (before) => {
          const standing = bitsOf(before.allow) & ~now;
          return standing === 0n ? null : set(now | standing);
        },
      };
    },
  };
}
