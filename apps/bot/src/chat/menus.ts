import type { MenuOperation } from '@bailiff/core';
import { DEFAULT_LOCALE, menuWords } from '@bailiff/messages';

/** Entries of the menu on a person. */
export const USER_MENUS = [
  'strikes.add',
  'mutes.add',
  'bans.add',
  'cases.list',
] as const satisfies readonly MenuOperation<'user'>[];

/** Entries of the menu on a message. */
export const MESSAGE_MENUS = [
  'strikes.add',
  'messages.purge',
] as const satisfies readonly MenuOperation<'message'>[];

/** What the entry of a menu does; undefined for an entry that an older version registered. */
export function operationOf<On extends 'user' | 'message', Offered extends MenuOperation<On>>(
  menus: readonly Offered[],
  on: On,
  name: string,
): Offered | undefined {
  // Discord names an entry as it was registered, whatever language it is shown in.
  return menus.find((operation) => menuWords(DEFAULT_LOCALE, operation, on) === name);
}
