import { type Instance, startInstance } from '@bailiff/supervisor/instance';
import type { Page } from '@playwright/test';
import { allPages, openWhole, PAGE_NAMES } from '#src/all-pages.ts';
import { faultsIn } from '#src/axe.ts';
import { DIALOG, DIALOGS, openDialog } from '#src/dialogs.ts';
import { focusNotShown } from '#src/keyboard.ts';
import { tellLongest } from '#src/longest.ts';
import { enterState, PAGE_STATES } from '#src/page-states.ts';
import { signIn, switchDeveloperModeOn } from '#src/pages.ts';
import { tellStory } from '#src/story.ts';
import { expect, test, verifies } from '#src/testing.ts';

const THEMES = ['dark', 'light'];
/** Pages are loaded at the first. At the others they are shown as somebody makes the window wider. */
const WIDTHS = [360, 768, 1440];
/** As they are sent, gzipped. */
const MOST_SCRIPT_BYTES = 150_000;

// A third of them for each worker: all together take longer than everything else.
test.describe.configure({ mode: 'parallel' });

/** An instance of its own, for what happens in the story. */
let instance: Instance;
let page: Page;
/** Addresses by the names of their pages. */
let addresses: ReadonlyMap<string, string>;

test.beforeAll(async ({ browser }) => {
  instance = await startInstance();
  const { run } = instance;
  const pages = allPages(run, { ...(await tellStory(run)), userId: await tellLongest(run) });
  addresses = new Map(pages.map(({ name, path }) => [name, `${run.web}${path}`]));
  // Without transitions, so that colours are those of the theme at once.
  page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage();
  await signIn(page, run, 'owner');
  await page.goto(`${run.web}/guilds/${run.guild_id}`);
  await switchDeveloperModeOn(page);
});
test.afterAll(async () => {
  await page?.context().close();
  await instance?.stop();
});

for (const name of PAGE_NAMES) {
  test(`the page ${name} needs at most 150 KB of scripts; it and its dialogs have no fault that axe can find in either theme, and a focus that one can see`, async () => {
    verifies('dashboard.scripts');
    await openWhole(page, addresses.get(name) ?? '');
    await expectFewScripts();
    expect(await overflow(), 'px').toBe(0);
    await expectNoFaults();
    expect(await focusNotShown(page)).toEqual([]);
    for (const pressed of DIALOGS[name] ?? []) {
      await openDialog(page, pressed);
      await expectNoFaults(DIALOG);
      await page.keyboard.press('Escape');
      await expect(page.locator(DIALOG)).toHaveCount(0);
    }
  });

  test(`the page ${name} needs no scrolling sideways`, async () => {
    verifies('dashboard.longest');
    for (const [n, width] of WIDTHS.entries()) {
      await page.setViewportSize({ width, height: 800 });
      if (n === 0) await openWhole(page, addresses.get(name) ?? '');
      expect(await overflow(), `px at ${width} px`).toBe(0);
    }
    await page.setViewportSize({ width: 1280, height: 720 });
  });
}

for (const state of PAGE_STATES) {
  test(`${state.name}: no fault that axe can find in either theme`, async () => {
    verifies('dashboard.states-accessible');
    const leave = await enterState(page, state, addresses.get(state.page) ?? '');
    try {
      await expectNoFaults();
    } finally {
      await leave();
    }
  });
}

test('every dialog and state in the lists is on a page', () => {
  const named = [...Object.keys(DIALOGS), ...PAGE_STATES.map(({ page: name }) => name)];
  expect(PAGE_NAMES).toEqual(expect.arrayContaining(named));
});

async function expectFewScripts(): Promise<void> {
  const scripts = await page.evaluate<readonly { url: string; bytes: number }[]>(
    `performance.getEntriesByType('resource').filter(({ name }) => new URL(name).pathname.endsWith('.js'))
      .map(({ name, encodedBodySize }) => ({ url: name, bytes: encodedBodySize }))`,
  );
  const sizes = new Map(scripts.map(({ url, bytes }) => [url, bytes]));
  const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  // Less than React alone would be none that were measured.
  expect(bytes, 'bytes').toBeGreaterThan(70_000);
  expect(bytes, 'bytes').toBeLessThan(MOST_SCRIPT_BYTES);
}

/** How many pixels of the page are out of sight to the right, once what measures itself has done so. */
function overflow(): Promise<number> {
  return page.evaluate(`new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() =>
    resolve(document.documentElement.scrollWidth - document.documentElement.clientWidth))))`);
}

async function expectNoFaults(where?: string): Promise<void> {
  for (const [n, theme] of THEMES.entries()) {
    await page.evaluate(`document.documentElement.dataset.theme = ${JSON.stringify(theme)}`);
    // Nothing moves for who wants no motion: colours are those of the theme at once, and nothing has an end to wait for.
    expect(await page.evaluate('document.getAnimations().length'), theme).toBe(0);
    // A theme has colours of its own and nothing else.
    expect(await faultsIn(page, { where, ofColors: n > 0 }), theme).toEqual([]);
  }
}
