import AxeBuilder from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

/** What axe asks of colours, of what it asks by default. */
const OF_COLORS = ['color-contrast', 'link-in-text-block'];

/**
 * What axe finds wrong in a page: each rule with the elements that break it.
 *
 * All is read in the page itself. A second page, which could read frames of other sites too, would take as long again.
 *
 * @param where names what is looked at; default: the page
 * @param ofColors looks only for what colours can be wrong in
 */
export async function faultsIn(
  page: Page,
  { where, ofColors = false }: { where?: string | undefined; ofColors?: boolean } = {},
): Promise<string[]> {
  // Nothing moves meanwhile, so that colours are those that stay.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  // The title of a page that is shown anew comes a moment after its content.
  await expect(page).toHaveTitle(/./);
  // It is half a megabyte: once is enough for a document.
  const isLoaded = await page.evaluate("'axe' in window");
  const axe = new AxeBuilder({ page, ...(isLoaded ? { axeSource: ' ' } : {}) });
  // Otherwise axe describes every element that is right too.
  axe.setLegacyMode().options({ resultTypes: ['violations'] });
  if (ofColors) axe.withRules(OF_COLORS);
  if (where !== undefined) axe.include(where);
  const { violations } = await axe.analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

/** What axe finds wrong in the dark and the light theme. */
export async function faultsInThemes(page: Page, where?: string): Promise<string[]> {
  const faults: string[] = [];
  // Also while the theme changes.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  for (const [n, theme] of ['dark', 'light'].entries()) {
    await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
    // A theme has colours of its own and nothing else.
    const found = await faultsIn(page, { where, ofColors: n > 0 });
    faults.push(...found.map((fault) => `${theme}: ${fault}`));
  }
  return faults;
}
