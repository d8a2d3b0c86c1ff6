import type { OperationName } from '@bailiff/core';

/** Entries of the menu on a person, and what each does. */
export const USER_MENUS = {
  Strike: 'strikes.add',
  Mute: 'mutes.add',
  Ban: 'bans.add',
  History: 'cases.list',
} as const satisfies Record<string, OperationName>;

/** Entries of the menu on a message, and what each does. */
export const MESSAGE_MENUS = {
  'Strike for this message': 'strikes.add',
  'Purge from here': 'messages.purge',
} as const satisfies Record<string, OperationName>;

/** What the entry of a menu does; undefined of an entry that an older version registered. */
export function operationOf<Menus extends Record<string, OperationName>>(
  menus: Menus,
  name: string,
): Menus[keyof Menus] | undefined {
  return Object.hasOwn(menus, name) ? (menus[name] as Menus[keyof Menus]) : undefined;
}
