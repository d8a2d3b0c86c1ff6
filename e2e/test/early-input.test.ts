// What people do in a page before its scripts have run: it happens when they have, and once.
import type { Browser, Page } from '@playwright/test';
import { refillBudgets } from '#src/budgets.ts';
import { signedInPage, signIn } from '#src/pages.ts';
import { run } from '#src/run.ts';
import { expect, test, verifies } from '#src/testing.ts';

test.beforeAll(() => refillBudgets(run.directory));

const guild = `${run.web}/guilds/${run.guild_id}`;

let page: Page;
test.beforeAll(async ({ browser }) => {
  page = await browser.newPage();
  await signIn(page, run, 'owner');
});
test.afterAll(() => page?.close());

/** Opens a page whose scripts are on their way. @returns lets them come */
async function openBeforeScripts(address: string, opened = page): Promise<() => Promise<void>> {
  const { promise: come, resolve } = Promise.withResolvers<void>();
  await opened.route('**/_next/static/**/*.js', async (route) => {
    await come;
    await route.continue();
  });
  await opened.goto(address, { waitUntil: 'commit' });
  return async () => {
    resolve();
    await opened.unrouteAll({ behavior: 'wait' });
  };
}

test('a button that was pressed too early does what it does, once', async ({ browser }) => {
  verifies('dashboard.early-input');
  const context = await browser.newContext();
  const visitor = await context.newPage();
  const sent: string[] = [];
  visitor.on('request', (request) => {
    if (request.method() === 'POST') sent.push(new URL(request.url()).pathname);
  });
  const come = await openBeforeScripts(run.web, visitor);
  const button = visitor.getByRole('button', { name: 'Sign in with Discord' });
  await button.click();
  await button.click();
  await expect(button).toHaveCSS('cursor', 'progress');
  await come();
  await visitor.waitForURL(/oauth2\/authorize/);
  expect(sent).toEqual(['/api/auth/signin/discord']);
  await context.close();
});

test('a dialog that was asked for too early opens, by keyboard too, and closes for good', async () => {
  verifies('dashboard.early-input');
  for (const press of ['click', 'Enter'] as const) {
    const come = await openBeforeScripts(`${guild}/settings/reasons`);
    const button = page.getByRole('button', { name: 'Add a reason' });
    await (press === 'click' ? button.click() : button.press(press));
    expect(await page.getByRole('dialog').count()).toBe(0);
    await come();
    await page.getByRole('dialog', { name: 'A new preset reason' }).waitFor();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await expect(button).toBeFocused();
  }
});

test('what was switched, chosen and typed too early counts', async () => {
  verifies('dashboard.early-input');
  const come = await openBeforeScripts(`${guild}/settings`);
  const notify = page.getByRole('switch', { name: 'Tell members what was done to them' });
  const before = await notify.isChecked();
  await notify.click();
  const language = page.getByLabel("The guild's language", { exact: true });
  await language.selectOption('fr');
  await come();
  await page.getByRole('status').filter({ hasText: 'You have unsaved changes' }).waitFor();
  await expect(notify).toBeChecked({ checked: !before });
  await expect(language).toHaveValue('fr');
  await page.getByRole('button', { name: 'Discard' }).click();
  await expect(notify).toBeChecked({ checked: before });

  const comeAgain = await openBeforeScripts(`${guild}/settings/escalation`);
  const days = page.getByLabel('Strikes expire after (days)');
  await days.fill('31');
  await comeAgain();
  await page.getByRole('status').filter({ hasText: 'You have unsaved changes' }).waitFor();
  await expect(days).toHaveValue('31');
  await page.getByRole('button', { name: 'Discard' }).click();
});

test('a field with a list that was clicked too early opens it, unless somebody has gone on', async () => {
  verifies('dashboard.early-input');
  const field = page.getByRole('combobox', { name: 'Log channel' });
  const channels = page.getByRole('listbox', { name: 'Log channel' }).getByRole('option');
  const come = await openBeforeScripts(`${guild}/settings`);
  await field.click();
  await come();
  await channels.first().waitFor();
  await page.keyboard.press('Escape');
  await expect(channels).toHaveCount(0);

  const comeAgain = await openBeforeScripts(`${guild}/settings`);
  await field.click();
  await page.getByRole('switch', { name: 'Tell members what was done to them' }).click();
  await comeAgain();
  await page.getByRole('status').filter({ hasText: 'You have unsaved changes' }).waitFor();
  await expect(channels).toHaveCount(0);
  await page.getByRole('button', { name: 'Discard' }).click();
});

test('a file that was chosen too early is chosen', async () => {
  verifies('dashboard.early-input');
  const come = await openBeforeScripts(`${guild}/settings/imports`);
  const buffer = Buffer.from('user_id,kind\n');
  // A field for files is not waited for until it is seen: it may still stand in a part that React has yet to put in place.
  await page.getByText('Choose a file', { exact: true }).waitFor();
  await page.getByLabel('File').setInputFiles({ name: 'lanterns.csv', mimeType: 'text/csv', buffer });
  await come();
  await page.getByText('lanterns.csv').waitFor();
  await expect(page.getByRole('button', { name: 'See what would come' })).toBeEnabled();
});

test('of a word that was begun too early no letter is lost', async ({ browser }) => {
  verifies('dashboard.early-input');
  const own = await signedInPage(browser, run, 'owner');
  // What is done again waits until the word is written.
  await own.addInitScript(`
    globalThis.waiting = [];
    const later = setTimeout;
    window.setTimeout = (work, ms, ...rest) => (ms === 50 ? waiting.push(work) : later(work, ms, ...rest));
  `);
  const come = await openBeforeScripts(`${guild}/settings/escalation`, own);
  const days = own.getByLabel('Strikes expire after (days)');
  await days.fill('3');
  await come();
  // React leaves a name in each element that it has taken over.
  const isTakenOver = (field: object) => Object.keys(field).some((key) => key.startsWith('__reactProps'));
  await expect.poll(() => days.evaluate(isTakenOver)).toBe(true);
  await days.press('End');
  await days.press('5');
  await own.evaluate('for (const work of waiting.splice(0)) work()');
  await expect(days).toHaveValue('35');
  await own.context().close();
});

test('a filter that was chosen too early filters, and is one step back', async () => {
  verifies('dashboard.early-input');
  await page.goto(`${guild}/settings`);
  const come = await openBeforeScripts(`${guild}/cases`);
  await page.getByLabel('Kind', { exact: true }).selectOption('ban');
  await come();
  await page.waitForURL(/kind=ban/);
  await page.goBack();
  await page.waitForURL(/\/cases$/);
  await page.goBack();
  await page.waitForURL(/\/settings$/);
});

test('a shortcut that was pressed too early leads where it leads', async () => {
  verifies('dashboard.early-input');
  for (const [keys, leadsTo] of [
    [['Control+k'], page.getByRole('dialog', { name: 'Search or go to' })],
    [[...Array<string>(30).fill('j'), 'Control+k'], page.getByRole('dialog', { name: 'Search or go to' })],
    [['?'], page.getByRole('dialog', { name: 'Keyboard shortcuts' })],
    [['/'], page.locator('input[type=search]:focus')],
    [['g', 's'], page.getByRole('heading', { level: 1, name: 'Settings' })],
  ] as const) {
    const come = await openBeforeScripts(`${guild}/cases`);
    await page.getByRole('searchbox').waitFor();
    for (const key of keys) await page.keyboard.press(key);
    await come();
    await leadsTo.waitFor();
  }
});

test('a shortcut that was pressed too early on a checkbox counts', async () => {
  verifies('dashboard.early-input');
  const come = await openBeforeScripts(`${guild}/settings/roles`);
  await page.getByRole('checkbox', { name: 'Moderator: bans.read' }).focus();
  await page.keyboard.press('?');
  await come();
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
});

/** Asks for the palette by a key at the moment that a script of the page waits for, and expects it to open. */
async function expectPaletteWhen(browser: Browser, script: string): Promise<void> {
  const opened = await signedInPage(browser, run, 'owner');
  await opened.addInitScript(`{
    const pressOn = (selector) => {
      const element = document.querySelector(selector);
      if (element === null) return requestAnimationFrame(() => pressOn(selector));
      element.dispatchEvent(
        new KeyboardEvent('keydown', { key: 'k', ctrlKey: true, bubbles: true, cancelable: true }),
      );
    };
    ${script}
  }`);
  await opened.goto(`${guild}/settings/roles`);
  await opened.getByRole('dialog', { name: 'Search or go to' }).waitFor();
  await opened.context().close();
}

test('a shortcut is not lost that is pressed while React takes the page over', async ({ browser }) => {
  verifies('dashboard.early-input');
  // React has begun to listen, and stops each key until it knows what the page does with it.
  await expectPaletteWhen(
    browser,
    `const listen = document.addEventListener;
    document.addEventListener = (type, listener, options) => {
      listen.call(document, type, listener, options);
      if (type !== 'keydown' || options !== true) return;
      document.addEventListener = listen;
      queueMicrotask(() => pressOn('body'));
    };`,
  );
});

test('a shortcut is not lost in a part that React takes over after the page around it', async ({
  browser,
}) => {
  verifies('dashboard.early-input');
  await expectPaletteWhen(
    browser,
    `let early;
    Object.defineProperty(window, 'bailiffEarlyInput', {
      get: () => early,
      set: (made) => {
        const begin = () => {
          made.begin();
          pressOn('main a');
        };
        early = { ...made, begin };
      },
    });`,
  );
});
