import { CHAT_OPERATION_NAMES, chatEntryOf, type MenuOperation } from '@bailiff/core';
import { DEFAULT_LOCALE, menuWords } from '@bailiff/messages';

/** Entries of the menu on a person. */
export const USER_MENUS = CHAT_OPERATION_NAMES.filter((name): name is MenuOperation<'user'> =>
  isOn('user', chatEntryOf(name)),
);

/** Entries of the menu on a message. */
export const MESSAGE_MENUS = CHAT_OPERATION_NAMES.filter((name): name is MenuOperation<'message'> =>
  isOn('message', chatEntryOf(name)),
);

function isOn(menu: 'user' | 'message', { menus = [] }: ReturnType<typeof chatEntryOf>): boolean {
  return menus.includes(menu);
}

/** The purpose of a menu entry. Undefined for an entry that an older version registered. */
export function operationOf<On extends 'user' | 'message', Offered extends MenuOperation<On>>(
  menus: readonly Offered[],
  on: On,
  name: string,
): Offered | undefined {
  // Discord sends an entry's registered name, whatever language it is shown in.
  return menus.find((operation) => menuWords(DEFAULT_LOCALE, operation, on) === name);
}
