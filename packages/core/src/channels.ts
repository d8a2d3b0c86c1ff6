import { DISCORD_PERMISSIONS, type DiscordPermission } from './permissions.ts';

/** What a role or a person may and may not do in a channel. Bit sets as decimal numbers. */
export interface ChannelOverwrite {
  /** The id of the role or person; of `@everyone` the guild's id. */
  readonly id: string;
  readonly allow: string;
  readonly deny: string;
}

/** A member, and what their roles permit in the guild as a whole. */
export interface PermissionHolder {
  readonly guildId: string;
  readonly userId: string;
  readonly roleIds: readonly string[];
  readonly permissions: bigint;
}

/**
 * The permission bits of a member in a channel: the overwrite of @everyone, then those of the member's roles together,
 * then the member's own (Discord's order). What Discord denies implicitly, such as everything where the member may not
 * view the channel, is not taken away, so that each missing permission can be named.
 */
export function permissionsInChannel(
  { guildId, userId, roleIds, permissions }: PermissionHolder,
  overwrites: readonly ChannelOverwrite[],
): bigint {
  if ((permissions & DISCORD_PERMISSIONS.Administrator) !== 0n) return ~0n;
  const ofRoles = new Set(roleIds.filter((id) => id !== guildId));
  const inOrder = [
    overwrites.filter(({ id }) => id === guildId),
    overwrites.filter(({ id }) => ofRoles.has(id)),
    overwrites.filter(({ id }) => id === userId),
  ];
  return inOrder.reduce((bits, group) => {
    const allow = group.reduce((all, overwrite) => all | BigInt(overwrite.allow), 0n);
    const deny = group.reduce((all, overwrite) => all | BigInt(overwrite.deny), 0n);
    return (bits & ~deny) | allow;
  }, permissions);
}

/** Those of these permissions that are not among the bits. */
export function permissionsLacking(bits: bigint, needed: readonly DiscordPermission[]): DiscordPermission[] {
  return needed.filter((name) => (bits & DISCORD_PERMISSIONS[name]) === 0n);
}

/** A channel's place in its guild. */
interface ChannelPlace {
  readonly id: string;
  readonly kind: string;
  readonly position: number;
  readonly parentId: string | null;
}

/**
 * Channels in the order in which Discord lists them, each category before its channels: those without a category first,
 * and in each group those for speaking last.
 */
export function inDiscordOrder<Listed extends ChannelPlace>(channels: readonly Listed[]): Listed[] {
  const sorted = channels.toSorted(
    (a, b) =>
      speakingLast(a) - speakingLast(b) || a.position - b.position || (BigInt(a.id) < BigInt(b.id) ? -1 : 1),
  );
  const categories = sorted.filter(({ kind }) => kind === 'category');
  const known = new Set(categories.map(({ id }) => id));
  const loose = sorted.filter(
    ({ kind, parentId }) => kind !== 'category' && (parentId === null || !known.has(parentId)),
  );
  const within = Map.groupBy(
    sorted.filter(({ kind }) => kind !== 'category'),
    ({ parentId }) => parentId,
  );
  return [...loose, ...categories.flatMap((category) => [category, ...(within.get(category.id) ?? [])])];
}

function speakingLast({ kind }: ChannelPlace): number {
  return kind === 'voice' || kind === 'stage' ? 1 : 0;
}
