import { openDatabase } from '@bailiff/prisma';
import { Owner } from '@bailiff/sandbox/visitor';
import { databaseUrl } from '@bailiff/supervisor/database-url';
import type { Page } from '@playwright/test';
import { refillBudgets } from '#src/budgets.ts';
import { NAMES, newTab, signIn } from '#src/pages.ts';
import { run } from '#src/run.ts';
import { expect, test, verifies } from '#src/testing.ts';

test.beforeAll(() => refillBudgets(run.directory));

const guild = `${run.web}/guilds/${run.guild_id}`;

/** As if the person had signed in two hours ago, in every browser. */
async function ageSignIns(userId: string): Promise<void> {
  const db = openDatabase(await databaseUrl(run.directory), { applicationName: 'test' });
  await db.pool.query("UPDATE sessions SET signed_in_at = now() - interval '2 hours' WHERE user_id = $1", [
    userId,
  ]);
  await db.close();
}

const rows = (page: Page) => page.getByRole('table', { name: 'Your sessions' }).getByRole('row');

test('a person ends a session of another browser, and then all of them', async ({ browser }) => {
  verifies('session.list-end');
  const [laptop, phone] = [await browser.newContext(), await browser.newContext()];
  const [here, there] = [await laptop.newPage(), await phone.newPage()];
  for (const page of [here, there]) await signIn(page, run, 'moderator');

  await here.getByRole('link', { name: `${NAMES.moderator}: Your sessions` }).click();
  await here.getByRole('heading', { level: 1, name: 'Your sessions' }).waitFor();
  const own = rows(here).filter({ hasText: 'This browser' });
  await expect(own).toContainText('Chrome on Linux');
  await expect(own).toContainText('127.0.0.1');
  // The latest sign-in comes first.
  await expect(rows(here).nth(2)).toContainText('This browser');
  const others = rows(here).filter({ hasText: 'Chrome on Linux' }).filter({ hasNotText: 'This browser' });
  await others
    .first()
    .getByRole('button', { name: /^End the session/ })
    .click();
  await here.getByText('The session has ended.').waitFor();
  await there.goto(guild);
  await there.getByRole('heading', { name: 'Sign in to Bailiff' }).waitFor();

  await here.getByRole('button', { name: 'Sign out everywhere' }).click();
  await here.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
  // Before this page leaves, it may show a sign-in that leads back to it.
  await here.waitForURL(`${run.web}/sign-in`);
  await here.getByRole('heading', { name: 'Sign in to Bailiff' }).waitFor();
  await here.goto(guild);
  await here.getByRole('heading', { name: 'Sign in to Bailiff' }).waitFor();
  await Promise.all([laptop.close(), phone.close()]);
});

test('a token wants a sign-in of the last hour, and what was typed stays', async ({ browser }) => {
  verifies('session.fresh');
  const context = await browser.newContext();
  const { hostname } = new URL(run.web);
  await context.addCookies([{ name: 'bailiff.developer-mode', value: 'on', domain: hostname, path: '/' }]);
  const page = await context.newPage();
  await signIn(page, run, 'owner');
  await ageSignIns(run.people.owner ?? '');
  await page.goto(`${guild}/tokens`);
  await page.getByRole('button', { name: 'Create token' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('crop of today');
  await dialog.getByRole('button', { name: 'Everything' }).click();
  await dialog.getByRole('button', { name: 'Create token' }).click();
  await dialog.getByText('you must have signed in within the last hour').waitFor();
  const again = dialog.getByRole('link', { name: 'Sign in again in a new tab' });
  const elsewhere = await newTab(context, () => again.click());
  await elsewhere.getByRole('button', { name: 'Sign in with Discord' }).click();
  await elsewhere.getByRole('link', { name: NAMES.owner }).click();
  await elsewhere.getByRole('heading', { name: 'You are signed in' }).waitFor();
  await dialog.getByText('You are signed in again').waitFor();
  expect(await dialog.getByLabel('Name').inputValue()).toBe('crop of today');
  await dialog.getByRole('button', { name: 'Create token' }).click();
  await dialog.getByText(/^svcpat_[0-9A-Z]{48}$/).waitFor();
  await dialog.getByRole('button', { name: 'I have stored it' }).click();
  const row = page.getByRole('row').filter({ hasText: 'crop of today' });
  await row.getByRole('button', { name: /More/ }).click();
  await page.getByRole('menuitem', { name: 'Revoke' }).click();
  await dialog.getByRole('textbox').fill('crop of today');
  await dialog.getByRole('button', { name: /Revoke/ }).click();
  await row.getByText('revoked').waitFor();
  await context.close();
});

test('another language of the guild wants no fresh sign-in, though a log channel is set', async ({
  browser,
}) => {
  verifies('session.fresh');
  const path = `/api/guilds/${run.guild_id}/settings`;
  const owner = await Owner.signIn(run.web, run.people.owner ?? '');
  await owner.change('PATCH', path, { log_channel_id: run.channels.mod_log });
  const page = await (await browser.newContext()).newPage();
  await signIn(page, run, 'owner');
  await ageSignIns(run.people.owner ?? '');
  await page.goto(`${guild}/settings`);
  await page.getByLabel("The guild's language").selectOption('fr');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved.').waitFor();
  await page.context().close();
  const again = await Owner.signIn(run.web, run.people.owner ?? '');
  await again.change('PATCH', path, { language: 'en', log_channel_id: null });
});
