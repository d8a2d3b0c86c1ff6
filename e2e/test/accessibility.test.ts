import AxeBuilder from '@axe-core/playwright';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunFile } from '../../scripts/supervisor/run-file.ts';
import { allPages, openWhole, type PageAddress } from '../src/all-pages.ts';
import { launchChromium } from '../src/chromium.ts';
import { type Instance, startInstance } from '../src/instance.ts';
import { signIn, switchDeveloperModeOn } from '../src/pages.ts';
import { tellStory } from '../src/story.ts';

const WIDTHS = [360, 768, 1440];

/** One of its own, for what happens in the story. */
let instance: Instance;
let run: RunFile;
let browser: Browser;
let page: Page;
let pages: PageAddress[];

beforeAll(async () => {
  [instance, browser] = await Promise.all([startInstance(), launchChromium()]);
  run = instance.run;
  page = await (await browser.newContext()).newPage();
  pages = await allPages(run, await tellStory(run));
  await signIn(page, run, 'owner');
  await page.goto(`${run.web}/guilds/${run.guild_id}`);
  await switchDeveloperModeOn(page);
});
afterAll(async () => {
  await browser?.close();
  await instance?.stop();
});

describe.each(['dark', 'light'])('in the %s theme', (theme) => {
  beforeAll(async () => {
    const { hostname } = new URL(run.web);
    await page.context().addCookies([{ name: 'bailiff.theme', value: theme, domain: hostname, path: '/' }]);
  });

  test('no page has an accessibility fault axe can find', async () => {
    const faults: string[] = [];
    for (const { path } of pages) {
      await openWhole(page, `${run.web}${path}`);
      const { violations } = await new AxeBuilder({ page }).analyze();
      faults.push(
        ...violations.map(({ id, nodes }) => `${path} ${id}: ${nodes.map(({ html }) => html).join(' ')}`),
      );
    }
    expect(faults).toEqual([]);
  });
});

test.each(WIDTHS)('at %i px no page needs scrolling sideways', async (width) => {
  await page.setViewportSize({ width, height: 800 });
  const wide: string[] = [];
  for (const { path } of pages) {
    await openWhole(page, `${run.web}${path}`);
    const overflow = await page.evaluate(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    );
    if (overflow !== 0) wide.push(`${path} by ${overflow} px`);
  }
  expect(wide).toEqual([]);
});
