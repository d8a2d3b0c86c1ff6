import type { Capability } from '@bailiff/core';
import type { Viewer } from '@bailiff/engine/guilds/guilds';

/** A page of a guild, as the navigation lists it. */
interface Place {
  readonly name: PlaceName;
  /** Where it is, of this guild. */
  readonly href: (guildId: string) => string;
  readonly ownerOnly?: true;
  /** Only in Developer Mode (spec §5.7). */
  readonly developer?: true;
  /** One of these is enough; an owner holds all. */
  readonly needs?: readonly Capability[];
}

/** Each has a message of this name in the namespace `shell`. */
export type PlaceName =
  | 'overview'
  | 'cases'
  | 'members'
  | 'tickets'
  | 'servers'
  | 'audit'
  | 'settings'
  | 'tokens'
  | 'approvals'
  | 'guard'
  | 'apiReference';

const PLACES: readonly Place[] = [
  { name: 'overview', href: (id) => `/guilds/${id}` },
  { name: 'cases', href: (id) => `/guilds/${id}/cases`, needs: ['strikes.read', 'bans.read', 'mutes.read'] },
  { name: 'members', href: (id) => `/guilds/${id}/members`, needs: ['members.read'] },
  { name: 'tickets', href: (id) => `/guilds/${id}/tickets`, needs: ['tickets.read'] },
  { name: 'servers', href: (id) => `/guilds/${id}/servers`, needs: ['servers.read', 'servers.rcon'] },
  { name: 'audit', href: (id) => `/guilds/${id}/audit`, needs: ['audit.read'] },
  { name: 'settings', href: (id) => `/guilds/${id}/settings` },
  { name: 'tokens', href: (id) => `/guilds/${id}/tokens`, ownerOnly: true, developer: true },
  { name: 'approvals', href: (id) => `/guilds/${id}/approvals`, ownerOnly: true, developer: true },
  { name: 'guard', href: (id) => `/guilds/${id}/guard`, ownerOnly: true, developer: true },
  { name: 'apiReference', href: (id) => `/docs/api?guild=${id}`, developer: true },
];

/**
 * The pages of a guild that its viewer may open, in the order of the navigation. What a page shows it checks itself:
 * this only keeps ways from leading nowhere. Approvals that wait are there without Developer Mode as well.
 */
export function placesFor(
  viewer: Pick<Viewer, 'isOwner' | 'capabilities'>,
  { developerMode, pending }: { developerMode: boolean; pending: number },
): readonly Place[] {
  return PLACES.filter(
    ({ name, ownerOnly, developer, needs }) =>
      (ownerOnly !== true || viewer.isOwner) &&
      (developer !== true || developerMode || (name === 'approvals' && pending > 0)) &&
      (needs === undefined || viewer.isOwner || needs.some((each) => viewer.capabilities.includes(each))),
  );
}
