import type { GuildPageName } from './guild-pages.ts';

/** The cookie that says `off` where somebody switched shortcuts of one key off. */
export const SHORTCUTS_COOKIE = 'bailiff.shortcuts';

/** The letter after `g` that opens a page. */
export const PAGE_KEYS: Readonly<Record<GuildPageName, string>> = {
  overview: 'o',
  cases: 'c',
  members: 'm',
  inForce: 'f',
  tickets: 't',
  appeals: 'e',
  reports: 'd',
  servers: 'v',
  audit: 'a',
  moderators: 'w',
  settings: 's',
  tokens: 'k',
  approvals: 'p',
  guard: 'u',
  apiReference: 'r',
};

/** A page that a reader may open, for shortcuts and the palette. */
export interface Destination {
  readonly label: string;
  readonly href: string;
  /** The letter after `g`. */
  readonly letter: string;
}

/** What one key does on a page. `none` leaves the key to the browser. */
export type KeyMeaning =
  | { readonly does: 'none' | 'palette' | 'help' | 'next' | 'previous' | 'select' | 'prefix' }
  | { readonly does: 'go'; readonly href: string };

export interface Pressed {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  /** Whether somebody types in a field, or a dialog is open. */
  readonly isBusy: boolean;
  /** Whether the key before was `g`. */
  readonly afterG: boolean;
}

const NONE = { does: 'none' } as const;

/**
 * What a key does. Those without Ctrl or ⌘ can be switched off, and do nothing while somebody types
 * (WCAG 2.1.4, character key shortcuts).
 */
export function meaningOf(
  { key, ctrlKey, metaKey, altKey, isBusy, afterG }: Pressed,
  destinations: readonly Destination[],
  enabled: boolean,
): KeyMeaning {
  if (altKey) return NONE;
  if (ctrlKey || metaKey) return key.toLowerCase() === 'k' ? { does: 'palette' } : NONE;
  if (!enabled || isBusy) return NONE;
  if (afterG) {
    const destination = destinations.find(({ letter }) => letter === key);
    return destination === undefined ? NONE : { does: 'go', href: destination.href };
  }
  return ONE_KEY.get(key) ?? NONE;
}

const ONE_KEY: ReadonlyMap<string, KeyMeaning> = new Map([
  ['?', { does: 'help' }],
  ['j', { does: 'next' }],
  ['k', { does: 'previous' }],
  ['x', { does: 'select' }],
  ['g', { does: 'prefix' }],
]);
