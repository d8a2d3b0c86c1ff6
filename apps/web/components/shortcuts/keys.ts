import { SHORTCUTS_COOKIE } from '#src/shortcuts.ts';

/** Whether keys without Ctrl are shortcuts in this browser, as they are until somebody switches them off. */
export function areShortcutsOn(): boolean {
  return !document.cookie.split('; ').includes(`${SHORTCUTS_COOKIE}=off`);
}

/** Whether a key belongs to a field in which somebody types, or to an open dialog or menu. */
export function isForOther(target: EventTarget | null): boolean {
  return isTyping(target) || isDialogOpen();
}

/** A message in the corner is a dialog that is not modal: it takes no key. */
const OPEN = '[role=dialog]:not([aria-modal=false]), [role=alertdialog], [role=menu]';

export function isDialogOpen(): boolean {
  return document.querySelector(OPEN) !== null;
}

function isTyping(target: EventTarget | null): boolean {
  // Nobody types into a checkbox.
  if (target instanceof HTMLInputElement && target.type === 'checkbox') return false;
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName))
  );
}
