import AxeBuilder from '@axe-core/playwright';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { launchChromium } from '../src/chromium.ts';
import { signIn, switchDeveloperModeOn } from '../src/pages.ts';

const run = inject('run');
const guild = `/guilds/${run.guild_id}`;
const PATHS = [
  ...['', '/approvals', '/servers', '/audit', '/settings', '/tokens'].map((path) => `${guild}${path}`),
  '/device',
];

let browser: Browser;
let page: Page;

beforeAll(async () => {
  browser = await launchChromium();
  page = await (await browser.newContext()).newPage();
  await signIn(page, run, 'owner');
  await page.goto(`${run.web}${guild}`);
  await switchDeveloperModeOn(page);
});
afterAll(() => browser?.close());

describe.each(['dark', 'light'])('in the %s theme', (theme) => {
  beforeAll(async () => {
    const { hostname } = new URL(run.web);
    await page.context().addCookies([{ name: 'bailiff.theme', value: theme, domain: hostname, path: '/' }]);
  });

  test.each(PATHS)('the page %s has no accessibility fault axe can find', async (path) => {
    await page.goto(`${run.web}${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual(
      [],
    );
  });

  test('the narrowest phone needs no scrolling sideways', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    for (const path of PATHS) {
      await page.goto(`${run.web}${path}`);
      const overflow = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      expect(overflow, path).toBe(0);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  });
});
