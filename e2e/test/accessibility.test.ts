import AxeBuilder from '@axe-core/playwright';
import { type Instance, startInstance } from '@bailiff/supervisor/instance';
import type { RunFile } from '@bailiff/supervisor/run-file';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allPages, openWhole, type PageAddress } from '#src/all-pages.ts';
import { launchChromium } from '#src/chromium.ts';
import { signIn, switchDeveloperModeOn } from '#src/pages.ts';
import { tellStory } from '#src/story.ts';

const DIALOG = '[role="dialog"], [role="alertdialog"]';
const WIDTHS = [360, 768, 1440];

/** Every dialog: the page it is on, and what is pressed there until it opens. */
const DIALOGS: readonly { on: string; pressed: readonly string[] }[] = [
  { on: 'tokens', pressed: ['Create token'] },
  { on: 'tokens', pressed: ['More for night-watch', 'Renew …'] },
  { on: 'tokens', pressed: ['More for night-watch', 'Rotate …'] },
  { on: 'tokens', pressed: ['More for night-watch', 'Edit …'] },
  { on: 'tokens', pressed: ['More for night-watch', 'Revoke …'] },
  { on: 'settings', pressed: ['Add a reason'] },
  { on: 'servers', pressed: ['Add server'] },
  { on: 'servers', pressed: ['Edit Survival'] },
  { on: 'servers', pressed: ['Remove Survival'] },
  { on: 'cases-one', pressed: ['Remove the strike'] },
  { on: 'members-one', pressed: ['Strike'] },
  { on: 'members-one', pressed: ['Mute'] },
  { on: 'members-one', pressed: ['Ban'] },
  { on: 'tickets-one', pressed: ['Close ticket'] },
];

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
      faults.push(...(await faultsOf(path, new AxeBuilder({ page }))));
    }
    expect(faults).toEqual([]);
  });

  test.each(DIALOGS)('nor has the dialog on $on behind $pressed', async ({ on, pressed }) => {
    const path = pages.find(({ name }) => name === on)?.path ?? '';
    await openWhole(page, `${run.web}${path}`);
    for (const label of pressed) {
      const button = page.getByRole('button', { name: label, exact: true });
      await button
        .or(page.getByRole('menuitem', { name: label, exact: true }))
        .first()
        .click();
    }
    await page.locator(DIALOG).first().waitFor();
    expect(await faultsOf(path, new AxeBuilder({ page }).include(DIALOG))).toEqual([]);
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

async function faultsOf(path: string, axe: AxeBuilder): Promise<string[]> {
  const { violations } = await axe.analyze();
  return violations.map(({ id, nodes }) => `${path} ${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}
