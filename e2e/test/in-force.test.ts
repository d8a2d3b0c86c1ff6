// What Bailiff set for a while, on the page In force and on the page of a member.
import { readSandbox, spareMembers } from '@bailiff/sandbox/visitor';
import type { Page } from '@playwright/test';
import { faultsInThemes } from '#src/axe.ts';
import { refillBudgets } from '#src/budgets.ts';
import { say } from '#src/chat-command.ts';
import { signedInPage } from '#src/pages.ts';
import { run } from '#src/run.ts';
import { expect, test, verifies } from '#src/testing.ts';

test.beforeAll(() => refillBudgets(run.directory));

const guild = `${run.web}/guilds/${run.guild_id}`;
let page: Page;

test.beforeAll(async ({ browser }) => {
  page = await signedInPage(browser, run, 'owner');
});
test.afterAll(() => page?.context().close());

const part = (name: string) => page.getByRole('region', { name, exact: true }).getByRole('table');

test('what is in force is listed by name when it begins, ends with a button, and is gone then', async () => {
  verifies('in-force.page');
  const { guild: world } = await readSandbox(run.sandbox ?? '', run.guild_id);
  const userId = spareMembers(world, run.people).at(20) ?? '';
  const role = world.roles.find(({ name }) => name === 'Artist')?.id ?? '';
  await page.goto(`${guild}/in-force`);
  await page.getByRole('heading', { level: 1, name: 'In force' }).waitFor();

  await say('lock', { channel: run.channels.general ?? '', duration: '2h', reason: 'Raid' });
  await expect(part('Locks').getByRole('row').filter({ hasText: '#general' })).toContainText('Raid');
  await say('role temp', { user: userId, role, duration: '7d' });
  // Other people may have roles for a while too.
  const given = part('Roles for a while')
    .getByRole('row')
    .filter({ has: page.locator(`a[href$='/members/${userId}']`) });
  await expect(given).toContainText('@Artist');
  expect(await faultsInThemes(page)).toEqual([]);
  await given.getByRole('link').first().click();
  await page.waitForURL(new RegExp(`/members/${userId}$`));
  await expect(part('Roles for a while').getByRole('row')).toHaveCount(2);
  expect(await faultsInThemes(page)).toEqual([]);

  await page.getByRole('button', { name: /^End now: Take @Artist back/ }).click();
  const taking = page.getByRole('dialog', { name: /^Take @Artist back/ });
  await taking.getByRole('button', { name: 'End now' }).click();
  await page.getByText(/no longer has @Artist\.$/).waitFor();
  await taking.waitFor({ state: 'detached' });
  await expect(part('Roles for a while')).toHaveCount(0);

  await page.getByRole('navigation', { name: 'Guild' }).getByRole('link', { name: 'In force' }).click();
  await page.getByRole('button', { name: 'End now: Unlock #general' }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Unlock #general' });
  await dialog.getByLabel('Reason (optional)').fill('The raid is over');
  await dialog.getByRole('button', { name: 'End now' }).click();
  await dialog.waitFor({ state: 'detached' });
  await expect(page.getByRole('row').filter({ hasText: '#general' })).toHaveCount(0);
  await expect(given).toHaveCount(0);

  await page.goto(`${guild}/audit?operation=channels.unlock&source=dashboard`);
  await page.getByRole('row').nth(1).getByRole('link').first().click();
  await page
    .getByText(/The raid is over/)
    .first()
    .waitFor();
});
