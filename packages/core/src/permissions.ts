/** The Discord permissions that Bailiff uses, with Discord's names and bits. */
export const DISCORD_PERMISSIONS = {
  KickMembers: 1n << 1n,
  BanMembers: 1n << 2n,
  Administrator: 1n << 3n,
  ManageChannels: 1n << 4n,
  ViewAuditLog: 1n << 7n,
  ViewChannel: 1n << 10n,
  SendMessages: 1n << 11n,
  ManageMessages: 1n << 13n,
  EmbedLinks: 1n << 14n,
  AttachFiles: 1n << 15n,
  ReadMessageHistory: 1n << 16n,
  Connect: 1n << 20n,
  ManageRoles: 1n << 28n,
  ManageThreads: 1n << 34n,
  SendMessagesInThreads: 1n << 38n,
  ModerateMembers: 1n << 40n,
} as const;

export type DiscordPermission = keyof typeof DISCORD_PERMISSIONS;

/** What a permission is called in English, and in `details.permissions` of an error. */
export function permissionTitle(name: DiscordPermission): string {
  return name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ');
}

/** With these a role moderates in Discord itself. */
const MODERATING: readonly DiscordPermission[] = [
  'Administrator',
  'BanMembers',
  'KickMembers',
  'ModerateMembers',
  'ManageMessages',
  'ManageThreads',
  'ManageChannels',
  'ManageRoles',
  'ViewAuditLog',
];

/** How a role with these bits moderates in Discord itself. An administrator may do everything. */
export function moderatingPermissions(bits: bigint): readonly DiscordPermission[] {
  const held = MODERATING.filter((name) => (bits & DISCORD_PERMISSIONS[name]) !== 0n);
  return held.includes('Administrator') ? ['Administrator'] : held;
}

/** Further permissions over other members, or over what belongs to the guild. They mean nothing else to Bailiff. */
const FURTHER_POWER = {
  ManageGuild: 1n << 5n,
  MuteMembers: 1n << 22n,
  DeafenMembers: 1n << 23n,
  MoveMembers: 1n << 24n,
  ManageNicknames: 1n << 27n,
  ManageWebhooks: 1n << 29n,
  ManageGuildExpressions: 1n << 30n,
  ManageEvents: 1n << 33n,
  PinMessages: 1n << 51n,
} as const;

/** The permissions with which a role has power over other members, messages or the guild. */
export const POWER_PERMISSIONS: bigint = Object.values<bigint>(FURTHER_POWER).reduce(
  (bits, bit) => bits | bit,
  permissionBits(MODERATING),
);

/** The permission bits of these permissions. */
export function permissionBits(names: readonly DiscordPermission[]): bigint {
  return names.reduce((bits, name) => bits | DISCORD_PERMISSIONS[name], 0n);
}
