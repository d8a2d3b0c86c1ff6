import { z } from 'zod';
import { type DiscordPermission, permissionBits } from './permissions.ts';

/** What a member may do in a guild, in the order people read it (decisions: Capabilities). */
export const CAPABILITIES = [
  'strikes.read',
  'strikes.write',
  'bans.read',
  'bans.write',
  'mutes.read',
  'mutes.write',
  'tickets.read',
  'tickets.write',
  'messages.purge',
  'servers.read',
  'servers.rcon',
  'members.read',
  'audit.read',
] as const;

export type Capability = (typeof CAPABILITIES)[number];

/** Whether this names a capability; `none` and its kind in the table of operations do not. */
export function isCapability(name: string): name is Capability {
  return CAPABILITIES.some((capability) => capability === name);
}

/** `enforcement_strike_add` is the specification's second name of `strikes.write` (decisions: Capabilities). */
const ALIASES: Readonly<Record<string, Capability>> = { enforcement_strike_add: 'strikes.write' };

/** A capability as given by a caller; an alias becomes the name that is stored. */
export const CapabilityInput = z
  .string()
  .transform((name) => ALIASES[name] ?? name)
  .pipe(z.enum(CAPABILITIES));

/** A set of capabilities as given by a caller: aliases resolved, no repetitions, in table order. */
export const CapabilitySet = z.array(CapabilityInput).transform(inTableOrder);

/** `snapshot ∩ live`, in table order (spec §5.5). */
export function intersect(
  snapshot: readonly Capability[],
  live: readonly Capability[],
): readonly Capability[] {
  return inTableOrder(snapshot.filter((capability) => live.includes(capability)));
}

/** The capabilities of `names` that exist, each once, in table order; names of another version are dropped. */
export function inTableOrder(names: readonly string[]): readonly Capability[] {
  return CAPABILITIES.filter((capability) => names.includes(capability));
}

/** Discord permission bits of which one makes a moderator, whatever was granted to them here. */
export const MODERATION_PERMISSIONS: bigint = permissionBits([
  'KickMembers',
  'BanMembers',
  'Administrator',
  'ManageMessages',
  'ModerateMembers',
]);

/** Which grants are proposed to roles that have a Discord permission. */
const PROPOSED: readonly (readonly [DiscordPermission, readonly Capability[]])[] = [
  ['BanMembers', ['bans.read', 'bans.write']],
  ['ModerateMembers', ['mutes.read', 'mutes.write', 'strikes.read', 'strikes.write']],
  ['ManageMessages', ['messages.purge']],
];

/**
 * The grants proposed to the owner of a new guild for a role with these Discord permission bits
 * (decisions: Capabilities). They take effect only once the owner confirms them.
 */
export function proposeCapabilities(permissions: bigint): readonly Capability[] {
  return inTableOrder(
    PROPOSED.flatMap(([permission, capabilities]) =>
      (permissions & permissionBits([permission, 'Administrator'])) === 0n ? [] : capabilities,
    ),
  );
}
