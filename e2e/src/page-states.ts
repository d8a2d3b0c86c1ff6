// What pages look like besides being full: empty, searching, refused, cut off. For tests of how they read.
import type { Page } from '@playwright/test';
import { openWhole } from './all-pages.ts';
import { expect } from './testing.ts';

export interface PageState {
  readonly name: string;
  /** The name of the page, and what follows its address. */
  readonly page: string;
  readonly query?: string;
  /** px; default 1280. */
  readonly width?: number;
  /** Brings the loaded page into the state, and waits until it is there. */
  readonly enter?: (page: Page) => Promise<void>;
  /** Undoes what a reload does not. */
  readonly leave?: (page: Page) => Promise<void>;
}

const NOTHING = '?q=there-is-no-such-thing';

export const PAGE_STATES: readonly PageState[] = [
  { name: 'no case found', page: 'cases', query: NOTHING },
  { name: 'no ticket found', page: 'tickets', query: NOTHING },
  { name: 'nobody found', page: 'members', query: NOTHING },
  { name: 'no entry found', page: 'audit', query: NOTHING },
  { name: 'a filter with a wrong value', page: 'cases', query: '?kind=wrong&member=1' },
  { name: 'an unknown case', page: 'cases-one', query: '99' },
  {
    name: 'filters open on a phone',
    page: 'audit',
    query: '?outcome=performed',
    width: 360,
    enter: async (page) => {
      await page.getByRole('button', { name: /^Filters/ }).click();
      await page.getByLabel('Outcome', { exact: true }).waitFor();
    },
  },
  {
    name: 'navigation open on a phone',
    page: 'cases',
    width: 360,
    enter: async (page) => {
      await page.getByRole('navigation', { name: 'Guild' }).getByRole('button', { name: 'Cases' }).click();
      await page.getByRole('link', { name: 'Tickets' }).waitFor();
    },
  },
  {
    name: 'people to choose from',
    page: 'cases',
    enter: async (page) => {
      await page.getByRole('combobox', { name: 'Member' }).fill('WWW');
      await page.getByRole('listbox').getByRole('option').first().waitFor();
    },
  },
  {
    name: 'channels to choose from',
    page: 'settings',
    enter: async (page) => {
      await page.getByRole('combobox', { name: 'Log channel' }).fill('mod');
      await page.getByRole('listbox').getByRole('option').first().waitFor();
    },
  },
  {
    name: 'what the palette found',
    page: 'overview',
    enter: async (page) => {
      await page.getByRole('button', { name: 'Search …' }).click();
      await page.getByRole('combobox', { name: /^A page, a name/ }).fill('ban WWW');
      await page.getByRole('option', { name: /^Ban: W/ }).waitFor();
    },
  },
  {
    name: 'the list of shortcuts',
    page: 'audit',
    enter: async (page) => {
      await page.getByRole('button', { name: 'Search …' }).click();
      await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    },
  },
  {
    name: 'a menu',
    page: 'tokens',
    enter: async (page) => {
      await page.getByRole('button', { name: 'More for night-watch' }).click();
      await page.getByRole('menuitem').first().waitFor();
    },
  },
  {
    name: 'the formats of an export',
    page: 'audit',
    enter: async (page) => {
      await page.getByRole('button', { name: 'Export' }).click();
      await page.getByRole('dialog', { name: 'Export' }).waitFor();
    },
  },
  {
    name: 'unsaved settings that must be mended first',
    page: 'settings-escalation',
    enter: async (page) => {
      await page.getByRole('button', { name: 'Add a step' }).click();
      await page.getByRole('button', { name: 'Add a step' }).click();
      await page.getByText('You have unsaved changes').first().waitFor();
    },
  },
  {
    name: 'a form that is refused',
    page: 'members-one',
    enter: async (page) => {
      await page.getByRole('main').getByRole('button', { name: 'Warn', exact: true }).click();
      const dialog = page.getByRole('dialog', { name: /^Warn / });
      await dialog.getByLabel('Reason', { exact: true }).fill(' ');
      await page.context().setOffline(true);
      await dialog.getByRole('button', { name: 'Warn', exact: true }).click();
      await dialog.getByRole('alert').waitFor();
    },
    leave: (page) => page.context().setOffline(false),
  },
  {
    name: 'a Bailiff that does not answer',
    page: 'cases',
    enter: async (page) => {
      await page.context().setOffline(true);
      const alert = page.getByRole('alert').filter({ hasText: 'Bailiff does not answer' });
      const seenAgain = "document.dispatchEvent(new Event('visibilitychange'))";
      // Again, because a page that has just come may not listen yet.
      await expect.poll(() => page.evaluate(seenAgain).then(() => alert.count())).toBe(1);
    },
    leave: (page) => page.context().setOffline(false),
  },
  {
    name: 'a part that an update has removed',
    page: 'cases',
    enter: async (page) => {
      await page.route('**/_next/static/chunks/**', (route) => route.fulfill({ status: 404 }));
      await page.getByRole('button', { name: 'Search …' }).click();
      await page.getByRole('button', { name: 'Reload the page' }).waitFor();
    },
    leave: (page) => page.unroute('**/_next/static/chunks/**'),
  },
];

/** Brings a page into a state. @returns what undoes it */
export async function enterState(
  page: Page,
  { query = '', width = 1280, enter, leave }: PageState,
  address: string,
): Promise<() => Promise<void>> {
  await page.setViewportSize({ width, height: 720 });
  await openWhole(page, `${address}${query}`);
  await page.waitForLoadState('networkidle');
  await enter?.(page);
  return async () => {
    await leave?.(page);
    await page.setViewportSize({ width: 1280, height: 720 });
  };
}
