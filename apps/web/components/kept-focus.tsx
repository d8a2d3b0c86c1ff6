'use client';

import { useEffect } from 'react';

/**
 * Keeps a place in the page for people who use the keyboard or a screen reader: where what has the focus goes, such as
 * the bar that saved or a request that was decided, the nearest heading gets it. Otherwise nothing would have it, and
 * they would begin at the top again. Use it once per page.
 */
export function KeptFocus() {
  useEffect(() => {
    let latest = placeAfter(null);
    const remember = () => {
      latest = placeAfter(latest);
    };
    const keep = () => {
      let place = latest;
      while (place?.popup?.isConnected === false) place = place.before;
      // What a dialog or menu was opened with gets the focus back when that closes.
      if (place === null || place.element.isConnected) return;
      const { around, path } = place;
      latest = null;
      // Another page begins at its top.
      if (path !== location.pathname) return;
      // After those who know better where it belongs.
      setTimeout(() => {
        if (document.activeElement === document.body) focusHeading(around);
      });
    };
    const observer = new MutationObserver(keep);
    observer.observe(document.body, { childList: true, subtree: true });
    document.addEventListener('focusin', remember);
    return () => {
      observer.disconnect();
      document.removeEventListener('focusin', remember);
    };
  }, []);
  return null;
}

/** What has the focus, and where it is. */
interface Place {
  readonly element: Element;
  /** What it is in, from the inside to the outside. */
  readonly around: readonly Element[];
  readonly path: string;
  /** The dialog or menu that it is in. */
  readonly popup: Element | null;
  /** Where the focus was before that opened. */
  readonly before: Place | null;
}

/** The place that has the focus now, after another one. */
function placeAfter(last: Place | null): Place | null {
  const element = document.activeElement;
  if (element === null || element === document.body) return null;
  const around: Element[] = [];
  for (let each = element.parentElement; each !== null; each = each.parentElement) around.push(each);
  const popup = element.closest('[role=dialog], [role=alertdialog], [role=menu]');
  const before = popup === null ? null : popup === last?.popup ? last.before : last;
  return { element, around, path: location.pathname, popup, before };
}

/** Gives the focus to the first heading in the innermost of these that is still there and has one. */
function focusHeading(around: readonly Element[]): void {
  const heading = around
    .filter(({ isConnected }) => isConnected)
    .flatMap((each) => [...each.querySelectorAll<HTMLElement>('h1, h2, h3')])
    .find((each) => each.checkVisibility());
  if (heading === undefined) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}
