import type { Capability } from '@bailiff/core';
import type { Viewer } from '@bailiff/engine/guilds/guilds';

/** A page of a guild, as the navigation lists it. */
interface GuildPage {
  readonly name: GuildPageName;
  /** The path of the page in a guild. */
  readonly href: (guildId: string) => string;
  /** The path of other pages that belong to it. */
  readonly covers?: (guildId: string) => string;
  readonly ownerOnly?: true;
  /** Listed in Developer Mode only (spec §5.7). */
  readonly developer?: true;
  /** The viewer needs one of these; an owner has all. */
  readonly needs?: readonly Capability[];
}

/** The name of a page, which is also its message key in the namespace `shell`. */
export type GuildPageName =
  | 'overview'
  | 'cases'
  | 'members'
  | 'inForce'
  | 'tickets'
  | 'appeals'
  | 'reports'
  | 'servers'
  | 'audit'
  | 'moderators'
  | 'settings'
  | 'tokens'
  | 'approvals'
  | 'guard'
  | 'apiReference';

const GUILD_PAGES: readonly GuildPage[] = [
  { name: 'overview', href: (id) => `/guilds/${id}` },
  { name: 'cases', href: (id) => `/guilds/${id}/cases`, needs: ['strikes.read', 'bans.read', 'mutes.read'] },
  { name: 'members', href: (id) => `/guilds/${id}/members`, needs: ['members.read'] },
  { name: 'inForce', href: (id) => `/guilds/${id}/in-force`, needs: ['channels.write', 'roles.write'] },
  { name: 'tickets', href: (id) => `/guilds/${id}/tickets`, needs: ['tickets.read'] },
  { name: 'appeals', href: (id) => `/guilds/${id}/appeals`, needs: ['appeals.read'] },
  { name: 'reports', href: (id) => `/guilds/${id}/reports`, needs: ['reports.read'] },
  { name: 'servers', href: (id) => `/guilds/${id}/servers`, needs: ['servers.read', 'servers.rcon'] },
  {
    name: 'audit',
    href: (id) => `/guilds/${id}/audit`,
    // What a purge deleted is reached from its row.
    covers: (id) => `/guilds/${id}/archives`,
    needs: ['audit.read'],
  },
  { name: 'moderators', href: (id) => `/guilds/${id}/moderators`, needs: ['audit.read'] },
  { name: 'settings', href: (id) => `/guilds/${id}/settings` },
  { name: 'tokens', href: (id) => `/guilds/${id}/tokens`, ownerOnly: true, developer: true },
  { name: 'approvals', href: (id) => `/guilds/${id}/approvals`, ownerOnly: true, developer: true },
  { name: 'guard', href: (id) => `/guilds/${id}/guard`, ownerOnly: true, developer: true },
  { name: 'apiReference', href: (id) => `/docs/api?guild=${id}`, developer: true },
];

/**
 * The pages of a guild that its viewer may open, in the order of the navigation. Each page checks permissions itself;
 * this list only avoids dead links. Approvals are also listed without Developer Mode while a request is pending.
 */
export function guildPagesFor(
  viewer: Pick<Viewer, 'isOwner' | 'capabilities'>,
  { developerMode, pending }: { developerMode: boolean; pending: number },
): readonly GuildPage[] {
  return GUILD_PAGES.filter(
    ({ name, ownerOnly, developer, needs }) =>
      (ownerOnly !== true || viewer.isOwner) &&
      (developer !== true || developerMode || (name === 'approvals' && pending > 0)) &&
      (needs === undefined || viewer.isOwner || needs.some((each) => viewer.capabilities.includes(each))),
  );
}
