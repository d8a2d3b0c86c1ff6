import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { refillBudgets } from '#src/budgets.ts';
import { expectNothingOverFocus, focusedHeading } from '#src/keyboard.ts';
import { markKnown } from '#src/known-region.ts';
import { newTab, signedInPage } from '#src/pages.ts';
import { run } from '#src/run.ts';
import { expect, test, verifies } from '#src/testing.ts';

test.beforeAll(() => refillBudgets(run.directory));

let page: Page;

test.beforeAll(async ({ browser }) => {
  page = await signedInPage(browser, run, 'owner');
});
test.afterAll(() => page?.close());
test.beforeEach(() => page.setViewportSize({ width: 1280, height: 800 }));

test('a sign-in leaves no warning of Node in the log', async () => {
  verifies('ops.quiet-sign-in');
  const log = await readFile(join(run.directory, 'logs', 'bot.log'), 'utf8');
  expect(log).toContain('the web process is up');
  expect(log).not.toContain('DeprecationWarning');
});

const settings = (section = '') => page.goto(`${run.web}/guilds/${run.guild_id}/settings${section}`);

test('a language that is chosen is spoken on every page, until another is chosen', async () => {
  await settings();
  await page.getByLabel('Language', { exact: true }).selectOption('de');
  await page.getByRole('heading', { level: 1, name: 'Einstellungen' }).waitFor();
  await page.goto(run.web);
  await page.getByRole('heading', { level: 1, name: 'Ihre Server' }).waitFor();
  expect(await page.locator('html').getAttribute('lang')).toBe('de');
  await page.route('**/api/sessions/current', (route) => route.abort());
  await page.getByRole('button', { name: 'Abmelden' }).click();
  const corner = page.getByRole('region', { name: 'Benachrichtigungen' });
  await corner.getByText('Sie sind noch angemeldet.').waitFor();
  await page.unrouteAll({ behavior: 'wait' });
  await page.getByLabel('Sprache').selectOption('en');
  await page.getByRole('heading', { level: 1, name: 'Your guilds' }).waitFor();
});

test('the theme is that of the system until one is chosen, which stays after a reload', async () => {
  verifies('dashboard.theme');
  const canvas = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
  const colours = { light: 'rgb(245, 246, 248)', dark: 'rgb(14, 17, 22)' } as const;
  await settings();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await expect.poll(canvas).toBe(colours[colorScheme]);
  }
  const choice = page.getByLabel('Theme', { exact: true });
  for (const theme of ['light', 'dark'] as const) {
    await choice.selectOption(theme);
    await page.emulateMedia({ colorScheme: theme === 'light' ? 'dark' : 'light' });
    await expect.poll(canvas).toBe(colours[theme]);
    await page.reload();
    expect(await canvas()).toBe(colours[theme]);
  }
  // Also when the browser is closed in between.
  const cookies = await page.context().cookies();
  const kept = cookies.find(({ name }) => name.endsWith('bailiff.theme'));
  expect(kept?.expires).toBeGreaterThan(Date.now() / 1000 + 360 * 86_400);
  await choice.selectOption('system');
  await expect.poll(canvas).toBe(colours.light);
});

test('a page with the dark theme is printed in the colours of the light one', async () => {
  verifies('dashboard.theme');
  const colours = () =>
    page.evaluate<string>(
      "['color', 'background-color'].map((name) => getComputedStyle(document.body)[name]).join(' on ')",
    );
  await settings();
  const choice = page.getByLabel('Theme', { exact: true });
  await choice.selectOption('light');
  await expect.poll(colours).toBe('rgb(26, 31, 39) on rgb(245, 246, 248)');
  await choice.selectOption('dark');
  await expect.poll(colours).toBe('rgb(232, 235, 240) on rgb(14, 17, 22)');
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  expect(await colours()).toBe('rgb(26, 31, 39) on rgb(245, 246, 248)');
  await page.emulateMedia({ media: null, colorScheme: null });
  await choice.selectOption('system');
});

test('a link shows its page without a new document, by mouse, by keyboard and back; with Ctrl in a tab', async () => {
  verifies('dashboard.links');
  await settings();
  const nav = page.getByRole('navigation', { name: 'Guild' });
  const level1 = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
  await nav.getByRole('link', { name: 'Settings' }).waitFor();
  // Shortcuts are heard, so links are followed.
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.evaluate('globalThis.sameDocument = true');

  await nav.getByRole('link', { name: 'Cases' }).click();
  await level1('Cases');
  await nav.getByRole('link', { name: 'Members' }).focus();
  await page.keyboard.press('Enter');
  await level1('Members');
  await page.goBack();
  await level1('Cases');
  const tab = await newTab(page.context(), () =>
    nav.getByRole('link', { name: 'Members' }).click({ modifiers: ['ControlOrMeta'] }),
  );
  await tab.getByRole('heading', { level: 1, name: 'Members' }).waitFor();
  await tab.close();
  await level1('Cases');
  expect(await page.evaluate('globalThis.sameDocument')).toBe(true);
});

test('on a phone the pages are behind a button that names the open one; Esc and a choice close them', async () => {
  await page.setViewportSize({ width: 360, height: 740 });
  await settings();
  const nav = page.getByRole('navigation', { name: 'Guild' });
  expect(await nav.getByRole('link').count()).toBe(0);
  const button = nav.getByRole('button', { name: 'Settings' });
  await button.click();
  expect(await nav.getByRole('link', { name: 'Settings' }).getAttribute('aria-current')).toBe('page');
  await page.keyboard.press('Escape');
  await nav.getByRole('link').first().waitFor({ state: 'hidden' });
  await nav.locator('button:focus').waitFor();
  await button.click();
  await nav.getByRole('link', { name: 'Cases' }).click();
  await nav.getByRole('button', { name: 'Cases' }).waitFor();
  await nav.getByRole('link').first().waitFor({ state: 'hidden' });
});

test('an owner writes what strikes lead to, with an example of it before it is saved', async () => {
  verifies('durations.dashboard');
  await settings('/escalation');
  await page.getByRole('button', { name: 'Add a step' }).click();
  const step = page.getByRole('group', { name: 'Step 1' });
  await step.getByLabel('At (points)').fill('100');
  await page.getByLabel('Strikes expire after (days)').fill('30');
  await page.getByText('100 minor strikes within 30 days → mute for 1 day').waitFor();
  await page.getByText('34 major strikes within 30 days → mute for 1 day').waitFor();
  // A length that is written with its unit, in any language, is taken apart.
  const amount = step.getByLabel('How many');
  await amount.fill('1,5 Stunden');
  await page.getByText('100 minor strikes within 30 days → mute for 90 minutes').waitFor();
  await amount.fill('2 semanas');
  await step.getByLabel('Unit').focus();
  await expect(amount).toHaveValue('2');
  await expect(step.getByLabel('Unit')).toHaveValue('weeks');
  await page.getByText('100 minor strikes within 30 days → mute for 2 weeks').waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('dialog', { name: 'Saved.' }).waitFor();

  await page.getByRole('button', { name: 'Remove step 1' }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Discard' })).toHaveCount(0);
  await page.getByText('Without steps strikes are counted').waitFor();
});

test('what was typed stays when it is refused', async () => {
  await settings('/reasons');
  for (const shown of [1, 2]) {
    await page.getByRole('button', { name: 'Add a reason' }).click();
    const dialog = page.getByRole('dialog', { name: 'A new preset reason' });
    await dialog.getByLabel('Name').fill('Noise at night');
    await dialog.getByLabel('Reason').fill('Noise in several channels');
    await dialog.getByRole('button', { name: 'Add a reason' }).click();
    if (shown === 1) await dialog.waitFor({ state: 'detached' });
    else {
      await dialog.getByText('another preset of this kind has this name').waitFor();
      expect(await dialog.getByLabel('Reason').inputValue()).toBe('Noise in several channels');
    }
  }
});

test('a slash leads to the search of a page, where letters are letters', async () => {
  verifies('dashboard.shortcuts', 'dashboard.shortcuts-off');
  await page.goto(`${run.web}/guilds/${run.guild_id}/cases`);
  await page.getByRole('searchbox').waitFor();
  await page.keyboard.press('/');
  await expect(page.getByRole('searchbox')).toBeFocused();
  await page.keyboard.type('gs?j/');
  await expect(page.getByRole('searchbox')).toHaveValue('gs?j/');
  // Once more, it begins anew.
  await page.getByRole('searchbox').blur();
  await page.keyboard.press('/');
  await page.keyboard.type('x');
  await expect(page.getByRole('searchbox')).toHaveValue('x');
  expect(await page.getByRole('dialog').count()).toBe(0);
});

test('a message in the corner takes no key away from the page', async () => {
  verifies('dashboard.shortcuts');
  await page.goto(`${run.web}/guilds/${run.guild_id}/cases`);
  await markKnown(page.locator('body > [aria-live=polite]'));
  await page.route('**/api/sessions/current', (route) => route.abort());
  await page.getByRole('button', { name: 'Sign out' }).click();
  const message = page.getByRole('dialog').filter({ hasText: 'You are still signed in.' });
  // Under the mouse it stays, however long this takes.
  await message.hover();
  await expect(page.locator('.known')).toContainText('You are still signed in.');
  await page.keyboard.press('/');
  await expect(page.getByRole('searchbox')).toBeFocused();
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Search or go to' });
  await palette.waitFor();
  await page.keyboard.press('Escape');
  await palette.waitFor({ state: 'detached' });
  await expect(message).toBeVisible();
  await page.unrouteAll({ behavior: 'wait' });
});

test('j and k move through rows, Enter opens one, and g with a letter goes to a page', async () => {
  verifies('dashboard.shortcuts');
  await page.goto(`${run.web}/guilds/${run.guild_id}/audit`);
  const rows = page.getByRole('main').locator('.row-link');
  await rows.first().waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  await page.keyboard.press('k');
  await expect(rows.first()).toBeFocused();
  await page.keyboard.press('j');
  await expect(rows.nth(1)).toBeFocused();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/audit\/aud_/);
  await expect(async () => {
    await page.keyboard.press('g');
    await page.keyboard.press('s');
    await page.waitForURL(/\/settings$/, { timeout: 1_000 });
  }).toPass();
});

test('the help lists what works on the page, and switches shortcuts of one key off and on', async () => {
  verifies('dashboard.shortcuts', 'dashboard.shortcuts-off');
  await page.goto(`${run.web}/guilds/${run.guild_id}/audit`);
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await page.getByRole('table').getByRole('link').first().waitFor();
  await page.keyboard.press('?');
  await help.waitFor();
  await expect(help.getByRole('definition').filter({ hasText: 'Next row' })).toHaveCount(1);
  await help.getByRole('switch').uncheck();
  await expect(help.getByRole('definition')).toHaveText(['Search or go to']);
  await page.keyboard.press('Escape');
  await expect(help).toHaveCount(0);
  await page.reload();
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Search or go to' }).waitFor();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.keyboard.press('?');
  await page.keyboard.press('Control+k');
  await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
  await help.getByRole('switch').check();
  await page.keyboard.press('Escape');

  await settings();
  await page.keyboard.press('?');
  await help.waitFor();
  await expect(help.getByRole('definition').filter({ hasText: 'Next row' })).toHaveCount(0);
  await expect(help.getByRole('definition').filter({ hasText: 'Go to the search' })).toHaveCount(0);
  await page.keyboard.press('Escape');
});

test('one field leads to pages and cases, by keyboard alone', async () => {
  verifies('dashboard.palette');
  await settings();
  await page.getByRole('button', { name: 'Search …' }).click();
  const field = page.getByRole('combobox', { name: /^A page, a name/ });
  await expect(field).toBeFocused();
  await field.fill('audit');
  await expect(page.getByRole('option', { selected: true })).toHaveText(/^Audit log/);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/audit$/);
  await page.keyboard.press('Control+k');
  await field.fill('#1');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/cases\/1$/);
});

test('“Ban” and three letters of a name lead to the dialog that bans that person', async () => {
  verifies('dashboard.palette');
  await settings();
  await page.getByRole('button', { name: 'Search …' }).click();
  const field = page.getByRole('combobox', { name: /^A page, a name/ });
  await field.fill('ban san');
  await page.getByRole('option', { name: 'Ban: Sana Iqbal' }).waitFor();
  // Enter chooses nobody whom an earlier text has found.
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  const isForTom = ({ searchParams }: URL) => searchParams.get('query') === 'tom';
  await page.route(isForTom, (route) => held.then(() => route.continue()));
  await field.fill('ban tom');
  await field.press('Enter');
  letGo();
  await expect(page.getByRole('option')).toHaveText([/^Ban: Tomás Rey/]);
  await page.unrouteAll({ behavior: 'wait' });
  await field.fill('ban san');
  await page.getByRole('option', { name: 'Ban: Sana Iqbal' }).click();
  await page.getByRole('dialog', { name: /^Ban / }).waitFor();
  await expect(page).toHaveURL(new RegExp(`/members/${run.people.member}$`));
});

test('the arrow keys move between the marks of the roles', async () => {
  await settings('/roles');
  await page.getByRole('checkbox', { name: 'Moderator: bans.read' }).focus();
  // The page hears keys once it has heard this one.
  const changed = page.getByRole('status').filter({ hasText: 'You have unsaved changes' });
  await page.keyboard.press('Space');
  await changed.waitFor();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowUp');
  expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Admin: bans.write');
  await page.getByRole('button', { name: 'Discard' }).click();
  await changed.waitFor({ state: 'detached' });
});

test('nothing lies over the mark that has the focus: neither the bar that saves nor the names of the roles', async () => {
  await page.setViewportSize({ width: 1280, height: 400 });
  await settings('/roles');
  const marks = page.getByRole('checkbox', { name: /: \w+\.\w+$/ });
  const rows = await page.getByRole('row').filter({ has: marks }).count();
  const columns = (await marks.count()) / rows;
  await marks.first().focus();
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: 'Discard' }).waitFor();
  const press = async (key: string, times: number) => {
    for (let time = 1; time < times; time += 1) {
      await page.keyboard.press(key);
      await expectNothingOverFocus(page);
    }
  };
  await press('ArrowDown', rows);
  await press('ArrowRight', columns);
  await press('ArrowLeft', columns);
  await page.getByRole('button', { name: 'Discard' }).click();
});

test('what is typed on in the palette begins with the first result again', async () => {
  verifies('dashboard.palette');
  await settings();
  await page.keyboard.press('Control+k');
  const field = page.getByRole('combobox', { name: /^A page, a name/ });
  const first = page.getByRole('option').first();
  await field.fill('s');
  await expect(first).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('ArrowDown');
  await expect(first).toHaveAttribute('aria-selected', 'false');
  await field.fill('se');
  await expect(first).toHaveAttribute('aria-selected', 'true');
});

test('a preset reason is changed with the length that it has, and what is said names it as it is kept', async () => {
  await settings('/reasons');
  await page.getByRole('button', { name: 'Add a reason' }).click();
  const adding = page.getByRole('dialog', { name: 'A new preset reason' });
  await adding.getByLabel('Name').fill('Night song');
  await adding.getByLabel('For', { exact: true }).selectOption('Mute');
  await adding.getByLabel('Reason').fill('Sang all night');
  await adding.getByLabel('How many').fill('90 minutes');
  await adding.getByRole('button', { name: 'Add a reason' }).click();
  await adding.waitFor({ state: 'detached' });
  const edit = page.getByRole('button', { name: 'Edit Night song' });
  await edit.click();
  const dialog = page.getByRole('dialog', { name: 'Change Night song' });
  await expect(dialog.getByLabel('How many')).toHaveValue('90');
  await expect(dialog.getByLabel('Unit')).toHaveValue('minutes');
  await dialog.getByLabel('Name').fill('Day song');
  await page.keyboard.press('Escape');
  await edit.click();
  await expect(dialog.getByLabel('Name')).toHaveValue('Night song');
  await dialog.getByLabel('Reason').fill('Sang until noon');
  await dialog.getByRole('button', { name: 'Save changes' }).click();
  // What is said then stands there, besides what was said before.
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('dialog', { name: 'Night song is saved.' }).last().waitFor();
  await expect(page.getByText('Day song is saved.')).toHaveCount(0);
  const remove = async (name: string) => {
    await page.getByRole('button', { name: `Remove ${name}` }).click();
    const removing = page.getByRole('dialog', { name: `Remove ${name}?` });
    await removing.getByRole('button', { name: `Remove ${name}` }).click();
    await removing.waitFor({ state: 'detached' });
    await expect(page.getByRole('button', { name: `Edit ${name}` })).toHaveCount(0);
    await expect(focusedHeading(page)).toHaveCount(1);
  };
  await remove('Night song');

  // One for a strike has its severity.
  await page.getByRole('button', { name: 'Add a reason' }).click();
  await adding.getByLabel('Name').fill('Stolen oars');
  await adding.getByLabel('Severity').selectOption('major');
  await adding.getByLabel('Reason').fill('Stole the oars');
  await adding.getByRole('button', { name: 'Add a reason' }).click();
  await adding.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Edit Stolen oars' }).click();
  await expect(page.getByRole('dialog', { name: 'Change Stolen oars' }).getByLabel('Severity')).toHaveValue(
    'major',
  );
  await page.keyboard.press('Escape');
  await remove('Stolen oars');
});
