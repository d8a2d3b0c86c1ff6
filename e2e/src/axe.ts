import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';

/**
 * What axe finds wrong in a page, or in what a selector names there: each rule with the elements that break it.
 *
 * All is read in the page itself. A second page, which could read frames of other sites too, would take as long again.
 */
export async function faultsIn(page: Page, selector?: string): Promise<string[]> {
  // It is half a megabyte: once is enough for a document.
  const isLoaded = await page.evaluate("'axe' in window");
  const axe = new AxeBuilder({ page, ...(isLoaded ? { axeSource: ' ' } : {}) });
  // Otherwise axe describes every element that is right too.
  axe.setLegacyMode().options({ resultTypes: ['violations'] });
  if (selector !== undefined) axe.include(selector);
  const { violations } = await axe.analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

/** What axe finds wrong in the dark and the light theme. Nothing moves meanwhile: colours are those of the theme at once. */
export async function faultsInThemes(page: Page, selector?: string): Promise<string[]> {
  const faults: string[] = [];
  await page.emulateMedia({ reducedMotion: 'reduce' });
  for (const theme of ['dark', 'light']) {
    await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
    faults.push(...(await faultsIn(page, selector)).map((fault) => `${theme}: ${fault}`));
  }
  return faults;
}
