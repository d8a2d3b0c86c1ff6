import type { OperationName } from '@bailiff/core';
import { CATALOGUES, DEFAULT_LOCALE, type Messages } from '@bailiff/messages';

/** An entry of a menu: its words among the messages `commands`, and what it does. */
interface Menu {
  readonly text: keyof Messages['commands']['menus'];
  readonly operation: OperationName;
}

/** Entries of the menu on a person. */
export const USER_MENUS = [
  { text: 'strike', operation: 'strikes.add' },
  { text: 'mute', operation: 'mutes.add' },
  { text: 'ban', operation: 'bans.add' },
  { text: 'history', operation: 'cases.list' },
] as const satisfies readonly Menu[];

/** Entries of the menu on a message. */
export const MESSAGE_MENUS = [
  { text: 'strikeForMessage', operation: 'strikes.add' },
  { text: 'purgeFromHere', operation: 'messages.purge' },
] as const satisfies readonly Menu[];

/** What the entry of a menu does; undefined of an entry that an older version registered. */
export function operationOf<const Menus extends readonly Menu[]>(
  menus: Menus,
  name: string,
): Menus[number]['operation'] | undefined {
  // Discord names an entry as it was registered, whatever language it is shown in.
  const { menus: texts } = CATALOGUES[DEFAULT_LOCALE].commands;
  return menus.find(({ text }) => texts[text] === name)?.operation;
}
