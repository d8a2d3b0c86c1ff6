import { verifies } from '@bailiff/core/testing';
import { expect, it } from 'vitest';
import { type Destination, meaningOf, PAGE_KEYS, type Pressed } from '#src/shortcuts.ts';

const PAGES: readonly Destination[] = [
  { label: 'Cases', href: '/cases', letter: PAGE_KEYS.cases },
  { label: 'Settings', href: '/settings', letter: PAGE_KEYS.settings },
];
const IDLE = { ctrlKey: false, metaKey: false, altKey: false, isBusy: false, afterG: false };
const press = (pressed: Partial<Pressed> & { key: string }, enabled = true) =>
  meaningOf({ ...IDLE, ...pressed }, PAGES, enabled);

it.each([
  ['j', 'next'],
  ['k', 'previous'],
  ['?', 'help'],
  ['x', 'select'],
  ['g', 'prefix'],
  ['q', 'none'],
])('%s alone means: %s', (key, does) => {
  verifies('dashboard.shortcuts');
  expect(press({ key })).toEqual({ does });
});

it('g and the letter of a page go there, and to no page that the reader may not open', () => {
  verifies('dashboard.shortcuts');
  expect(press({ key: 'c', afterG: true })).toEqual({ does: 'go', href: '/cases' });
  expect(press({ key: PAGE_KEYS.audit, afterG: true })).toEqual({ does: 'none' });
  expect(new Set(Object.values(PAGE_KEYS)).size).toBe(Object.keys(PAGE_KEYS).length);
});

it.each(['j', 'k', 'x', '?', 'g', 'c'])(
  '%s does nothing while somebody types, or with shortcuts off',
  (key) => {
    verifies('dashboard.shortcuts-off');
    for (const afterG of [true, false]) {
      expect(press({ key, afterG, isBusy: true })).toEqual({ does: 'none' });
      expect(press({ key, afterG }, false)).toEqual({ does: 'none' });
      for (const modifier of ['ctrlKey', 'metaKey', 'altKey'])
        expect(press({ key, afterG, [modifier]: true })).toEqual(
          key === 'k' && modifier !== 'altKey' ? { does: 'palette' } : { does: 'none' },
        );
    }
  },
);

it('Ctrl K and ⌘ K open the palette, also while somebody types and with shortcuts off', () => {
  verifies('dashboard.palette');
  expect(press({ key: 'k', ctrlKey: true, isBusy: true }, false)).toEqual({ does: 'palette' });
  expect(press({ key: 'K', metaKey: true })).toEqual({ does: 'palette' });
});
