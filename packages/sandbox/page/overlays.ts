import { type Child, h, part, present } from './dom.ts';

/** Menus, dialogs and the line that says what went wrong. */

export interface MenuEntry {
  readonly label: string;
  readonly run: () => void;
  /** The heading above it, where it differs from that of the entry before. */
  readonly group?: string;
  readonly isDanger?: boolean;
}

export type At = { readonly x: number; readonly y: number } | Element;

/** Opens a menu at the pointer or below an element. It closes with Escape, and focus goes back to where it was. */
export function openMenu(label: string, entries: readonly MenuEntry[], at: At): void {
  const before = document.activeElement;
  let group: string | undefined;
  const menu = h('div', { class: 'menu', role: 'menu', 'aria-label': label, popover: 'auto' });
  for (const entry of entries) {
    if (entry.group !== undefined && entry.group !== group) {
      menu.append(h('div', { class: 'menu-group', role: 'presentation' }, entry.group));
    }
    group = entry.group ?? group;
    const run = () => {
      menu.hidePopover();
      entry.run();
    };
    const look = entry.isDanger ? 'danger' : null;
    menu.append(
      h('button', { role: 'menuitem', type: 'button', tabindex: -1, class: look, onclick: run }, entry.label),
    );
  }
  const buttons = [...menu.querySelectorAll('button')];
  const move = (event: KeyboardEvent) => {
    const index = buttons.findIndex((button) => button.matches(':focus'));
    const steps: Record<string, number> = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: -1 };
    if (event.key === 'Tab') menu.hidePopover();
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    buttons.at(step >= buttons.length ? 0 : step)?.focus();
  };
  menu.addEventListener('keydown', move);
  menu.addEventListener('toggle', (event) => {
    if (event.newState !== 'closed') return;
    if (menu.contains(document.activeElement) && before instanceof HTMLElement) before.focus();
    menu.remove();
  });
  part('menus').append(menu);
  menu.showPopover();
  place(menu, at);
  buttons[0]?.focus();
}

function place(menu: HTMLElement, at: At): void {
  const box = at instanceof Element ? at.getBoundingClientRect() : null;
  const { x, y } = at instanceof Element ? { x: box?.left ?? 0, y: box?.bottom ?? 0 } : at;
  const { width, height } = menu.getBoundingClientRect();
  const above = (box?.top ?? y) - height;
  const top = y + height > innerHeight - 8 ? Math.max(8, above) : y;
  menu.style.setProperty('left', `${Math.max(8, Math.min(x, innerWidth - width - 8))}px`);
  menu.style.setProperty('top', `${Math.min(top, Math.max(8, innerHeight - height - 8))}px`);
}

/** What `contextmenu` was asked at: the pointer, or the element if it was asked with the keyboard. */
export function askedAt(event: MouseEvent, element: Element): At {
  event.preventDefault();
  return event.clientX === 0 && event.clientY === 0 ? element : { x: event.clientX, y: event.clientY };
}

/** Opens a dialog that goes away when it is closed. */
export function openDialog(title: string, make: (close: () => void) => readonly Child[]): HTMLDialogElement {
  const dialog = h('dialog', { 'aria-labelledby': 'dialog-title' });
  const close = () => dialog.close();
  dialog.append(
    h(
      'div',
      { class: 'dialog-head' },
      h('h2', { id: 'dialog-title' }, title),
      h('button', { type: 'button', class: 'plain', 'aria-label': 'Close', onclick: close }, '×'),
    ),
    ...present(make(close)),
  );
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** Asks before something that is not easily undone. */
export function confirmFirst(title: string, words: string, label: string, run: () => void): void {
  openDialog(title, (close) => [
    h('p', null, words),
    h(
      'div',
      { class: 'row end' },
      h('button', { type: 'button', onclick: close }, 'Cancel'),
      h(
        'button',
        {
          type: 'button',
          class: 'danger',
          onclick: () => {
            close();
            run();
          },
        },
        label,
      ),
    ),
  ]);
}

/** Says what could not be done. */
export function failed(error: unknown): void {
  notify(error instanceof Error ? error.message : String(error));
}

/** Says what went wrong, until it is closed or something else goes well. Null takes it away. */
export function notify(text: string | null): void {
  const notice = part('notice');
  notice.replaceChildren();
  if (text === null) return;
  const close = h(
    'button',
    { type: 'button', class: 'plain', 'aria-label': 'Close', onclick: () => notify(null) },
    '×',
  );
  notice.append(h('span', null, text), close);
}
