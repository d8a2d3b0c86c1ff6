import type { EarlyInput } from './early-input.ts';

/**
 * The first script of each page. It keeps what people do before React hears it, and does it again when React does, so
 * that nothing pressed is lost and nothing happens twice (decisions: Dashboard).
 *
 * Links, and forms with an address, work without script and are left alone.
 */
export const EARLY_INPUT_SCRIPT = `window.bailiffEarlyInput=(${hearEarlyInput})();`;

/** Runs in the browser, as text: it may use nothing from outside. */
function hearEarlyInput(): EarlyInput {
  /** Nobody expects an older press to do something. */
  const KEPT_MS = 30_000;
  const LOOKS_EVERY_MS = 50;
  const MOST_KEPT = 20;
  type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;
  interface Kept {
    readonly element: HTMLElement;
    readonly at: number;
    readonly doAgain: () => void;
  }
  let kept: Kept[] = [];
  /** Keys that nobody has heard. */
  const unheard: KeyboardEvent[] = [];
  let hasBegun = false;
  let timer: number | undefined;

  /** React stops an event about a part that it has not taken over yet, on its way down. No part uses this one. */
  const isHeard = (element: HTMLElement): boolean => {
    if (!hasBegun) return false;
    let hasArrived = false;
    const arrive = () => {
      hasArrived = true;
    };
    element.addEventListener('dragend', arrive);
    element.dispatchEvent(new Event('dragend'));
    element.removeEventListener('dragend', arrive);
    return hasArrived;
  };
  const isOver = ({ element, at }: Kept) => !element.isConnected || performance.now() > at + KEPT_MS;
  /** In the order in which it was done. */
  const doAgain = () => {
    clearTimeout(timer);
    timer = undefined;
    for (let next = kept[0]; next !== undefined; next = kept[0]) {
      if (!isOver(next) && !isHeard(next.element)) {
        timer = window.setTimeout(doAgain, LOOKS_EVERY_MS);
        return;
      }
      kept.shift();
      if (kept.every(({ element }) => element !== next.element)) next.element.removeAttribute('data-waiting');
      if (!isOver(next)) next.doAgain();
    }
  };
  const keep = (element: HTMLElement, again: () => void) => {
    if (kept.length >= MOST_KEPT) return;
    kept.push({ element, at: performance.now(), doAgain: again });
    timer ??= window.setTimeout(doAgain, LOOKS_EVERY_MS);
  };

  const isField = (target: EventTarget | null): target is Field =>
    target instanceof HTMLInputElement ||
    target instanceof HTMLSelectElement ||
    target instanceof HTMLTextAreaElement;

  /** A click opens the list of such a field, and changes nothing where it is open. So the first click goes on as well. */
  const keepOpening = (field: HTMLElement | null) => {
    // What is typed opens the list, too.
    if (field === null || isHeard(field) || kept.some(({ element }) => element === field)) return;
    keep(field, () => {
      // Who has gone on to another field wants no list.
      if (document.activeElement === field) field.click();
    });
  };

  window.addEventListener(
    'click',
    (event) => {
      if (!(event.target instanceof Element)) return;
      const button = event.target.closest('button');
      if (button === null) return keepOpening(event.target.closest<HTMLElement>('[role=combobox]'));
      const isSentByBrowser = button.type === 'submit' && button.form?.hasAttribute('action') === true;
      if (isSentByBrowser || isHeard(button)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      // Who presses again has seen nothing happen.
      if (kept.some(({ element }) => element === button)) return;
      button.setAttribute('data-waiting', '');
      keep(button, () => button.click());
    },
    true,
  );

  const set = (field: Field, wanted: string | boolean) => {
    if (typeof wanted === 'boolean') {
      // A click turns it over again.
      if ('checked' in field && field.checked === wanted) field.checked = !wanted;
      field.click();
    } else if (field instanceof HTMLSelectElement) {
      field.value = wanted;
      field.dispatchEvent(new Event('change', { bubbles: true }));
    } else {
      // React compares a text with the last one that was set through the element's own property.
      field.value = field.defaultValue;
      const type = field instanceof HTMLInputElement ? HTMLInputElement : HTMLTextAreaElement;
      Object.getOwnPropertyDescriptor(type.prototype, 'value')?.set?.call(field, wanted);
      field.dispatchEvent(new Event('input', { bubbles: true }));
    }
    if (document.activeElement !== field) field.dispatchEvent(new FocusEvent('focusout', { bubbles: true }));
  };
  window.addEventListener(
    'input',
    ({ target }) => {
      if (!isField(target)) return;
      // What the field says now contains what was kept of it.
      kept = kept.filter(({ element }) => element !== target);
      if (isHeard(target)) return;
      if (target.type === 'file') {
        // Its files stay in it, and no script may set them.
        keep(target, () => target.dispatchEvent(new Event('change', { bubbles: true })));
        return;
      }
      const wanted =
        target instanceof HTMLInputElement && (target.type === 'checkbox' || target.type === 'radio')
          ? target.checked
          : target.value;
      keep(target, () => set(target, wanted));
    },
    true,
  );

  const isPalette = ({ key, ctrlKey, metaKey }: KeyboardEvent) =>
    (ctrlKey || metaKey) &&
    key.toLowerCase() === 'k' &&
    document.querySelector('[aria-keyshortcuts~="Control+K"]') !== null;
  /** What is typed belongs to its field. */
  const isTypedInto = (target: EventTarget | null) => isField(target) && target.type !== 'checkbox';
  /** A browser that fills a field in sends an event without a key. */
  const isShortcut = (event: Event): event is KeyboardEvent =>
    event instanceof KeyboardEvent &&
    event.key.length === 1 &&
    (isPalette(event) || !isTypedInto(event.target));
  const copyOf = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent) =>
    new KeyboardEvent('keydown', { key, ctrlKey, metaKey, altKey, bubbles: true, cancelable: true });
  const keepKey = (event: Event): boolean => {
    if (event.defaultPrevented || !isShortcut(event)) return false;
    if (unheard.length >= MOST_KEPT && !isPalette(event)) return false;
    // What is typed after the palette was asked for is meant for it.
    if (unheard.some(isPalette)) return false;
    unheard.push(copyOf(event));
    // Browsers have a use of their own for it.
    if (isPalette(event)) event.preventDefault();
    return true;
  };
  /** Who goes on in a page that hears them does not wait for a key any more. */
  const goOn = () => {
    if (hasBegun) unheard.length = 0;
  };
  window.addEventListener('pointerdown', goOn, true);
  // Before React, which listens sooner than it can say what a key does, and stops those that come meanwhile.
  window.addEventListener(
    'keydown',
    (event) => {
      const { target } = event;
      goOn();
      if (!hasBegun) {
        if (keepKey(event)) event.stopImmediatePropagation();
      } else if (target instanceof HTMLElement && isShortcut(event) && !isHeard(target)) {
        // The part with the focus does not hear it yet, but the page does.
        event.stopImmediatePropagation();
        if (!document.dispatchEvent(copyOf(event))) event.preventDefault();
      }
    },
    true,
  );
  // Last of all, so that it has only what nobody has heard.
  window.addEventListener('keydown', keepKey);

  return {
    begin: () => {
      hasBegun = true;
      doAgain();
    },
    keys: () =>
      unheard.filter(
        ({ defaultPrevented, timeStamp }) => !defaultPrevented && performance.now() < timeStamp + KEPT_MS,
      ),
  };
}
