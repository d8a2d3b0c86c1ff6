import { z } from 'zod';
import { type DiscordPermission, permissionBits } from './permissions.ts';

/** Cases, tickets, appeals and reports: one capability to read each, and one to write it. */
const READ_AND_WRITTEN = [
  'strikes.read',
  'strikes.write',
  'bans.read',
  'bans.write',
  'mutes.read',
  'mutes.write',
  'tickets.read',
  'tickets.write',
  'appeals.read',
  'appeals.write',
  'reports.read',
  'reports.write',
] as const;

/** Every capability, in the order in which people see them (decisions: Capabilities). */
export const CAPABILITIES = [
  ...READ_AND_WRITTEN,
  'messages.purge',
  'channels.write',
  'roles.write',
  'servers.read',
  'servers.rcon',
  'members.read',
  'audit.read',
] as const;

export type Capability = (typeof CAPABILITIES)[number];

/** Whether a name is that of a capability. `none`, `of_action` and `of_case` in the operation table are not. */
export function isCapability(name: string): name is Capability {
  return CAPABILITIES.some((capability) => capability === name);
}

/** `enforcement_strike_add` is the specification's second name for `strikes.write` (decisions: Capabilities). */
const ALIASES: Readonly<Record<string, Capability>> = { enforcement_strike_add: 'strikes.write' };

/** Schema of a capability in a request. An alias becomes the stored name. */
export const CapabilityInput = z
  .string()
  .transform((name) => ALIASES[name] ?? name)
  .pipe(z.enum(CAPABILITIES));

/** The longest list of capabilities in a request, with its repetitions. */
const MOST_LISTED = 100;

/** Schema of a set of capabilities in a request: aliases resolved, no repetitions, in table order. */
export const CapabilitySet = z.array(CapabilityInput).max(MOST_LISTED).transform(inTableOrder);

/** `snapshot ∩ live`, in table order (spec §5.5). */
export function intersect(
  snapshot: readonly Capability[],
  live: readonly Capability[],
): readonly Capability[] {
  return inTableOrder(snapshot.filter((capability) => live.includes(capability)));
}

/** The capabilities among `names`, each once, in table order. Names that this version does not know are dropped. */
export function inTableOrder(names: readonly string[]): readonly Capability[] {
  return CAPABILITIES.filter((capability) => names.includes(capability));
}

/** Sets of capabilities that people pick for a token, instead of choosing each. */
export const CAPABILITY_PRESETS = {
  read: [
    'strikes.read',
    'bans.read',
    'mutes.read',
    'tickets.read',
    'appeals.read',
    'reports.read',
    'servers.read',
    'members.read',
    'audit.read',
  ],
  moderation: [...READ_AND_WRITTEN, 'messages.purge', 'channels.write', 'members.read'],
  everything: CAPABILITIES,
} as const satisfies Readonly<Record<string, readonly Capability[]>>;

/** Discord permission bits. Any one of them makes a member a moderator, even without a grant in Bailiff. */
export const MODERATION_PERMISSIONS: bigint = permissionBits([
  'KickMembers',
  'BanMembers',
  'Administrator',
  'ManageMessages',
  'ModerateMembers',
]);

/** Who moderates also sees whom they moderate, helps in tickets and looks at reports. */
const OF_MODERATORS: readonly Capability[] = [
  'members.read',
  'tickets.read',
  'tickets.write',
  'reports.read',
  'reports.write',
];

/** The capabilities to propose for a role, by the Discord permission it has. */
const PROPOSED: readonly (readonly [DiscordPermission, readonly Capability[]])[] = [
  ['BanMembers', ['bans.read', 'bans.write', 'appeals.read', 'appeals.write', ...OF_MODERATORS]],
  ['ModerateMembers', ['mutes.read', 'mutes.write', 'strikes.read', 'strikes.write', ...OF_MODERATORS]],
  ['ManageMessages', ['messages.purge', ...OF_MODERATORS]],
  ['ManageChannels', ['channels.write']],
  ['ManageRoles', ['roles.write']],
  ['Administrator', CAPABILITIES],
];

/** The capabilities that no Discord permission stands for, save Administrator. */
export const WITHOUT_PERMISSION: readonly Capability[] = CAPABILITIES.filter(
  (capability) =>
    !PROPOSED.some(([permission, names]) => permission !== 'Administrator' && names.includes(capability)),
);

/**
 * The capabilities to propose to the owner of a new guild for a role with these Discord permission bits (decisions:
 * Capabilities). They take effect when the owner confirms them.
 */
export function proposeCapabilities(permissions: bigint): readonly Capability[] {
  return inTableOrder(
    PROPOSED.filter(([permission]) => (permissions & permissionBits([permission])) !== 0n).flatMap(
      ([, capabilities]) => capabilities,
    ),
  );
}
