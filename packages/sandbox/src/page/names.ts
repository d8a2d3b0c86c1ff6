import type { Guild, Member, User } from '#src/model.ts';
import { byRank } from '#src/permissions.ts';
import type { World } from '#src/world.ts';

/** The name that the guild knows a person, a role or a channel by; the id if it knows none. */
export function nameOf(world: World, guild: Guild, id: string | null): string {
  if (id === null) return 'nobody';
  const user = world.users.get(id);
  if (user) return personName(user, guild.members.has(id) ? guild.members.get(id) : undefined);
  return guild.roles.get(id)?.name ?? guild.channels.get(id)?.name ?? id;
}

/** Nickname, display name or, where nothing of those could be seen, the name of the account. */
export function personName(user: User, member?: Member): string {
  const shown = member?.nick ?? user.globalName ?? user.username;
  return INVISIBLE.test(shown) ? user.username : shown;
}

const INVISIBLE = /^[\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/** The colour of the highest role that has one; 0 for none. */
export function colorOf(guild: Guild, member: Member | undefined): number {
  const colored = (member?.roleIds ?? [])
    .flatMap((id) => guild.roles.get(id) ?? [])
    .filter(({ color }) => color !== 0);
  return colored.toSorted(byRank).at(-1)?.color ?? 0;
}
