import { refillBudgets } from '#src/budgets.ts';
import { joined } from '#src/newcomers.ts';
import { countClicks, signIn } from '#src/pages.ts';
import { run } from '#src/run.ts';
import { expect, test, verifies } from '#src/testing.ts';

const MOST_CLICKS = 2;
/** The colour of buttons that do what cannot be undone. */
const RED = 'rgb(180, 42, 33)';

test.beforeAll(() => refillBudgets(run.directory));

test('from the menu on a person to a done ban it takes two clicks and one form', async ({ page }) => {
  verifies('bot.ban.two-clicks');
  await joined('Gull Grabber');
  const clicks = await countClicks(page);
  await page.goto(`${run.sandbox}/?${new URLSearchParams({ as: run.people.owner ?? '' })}`);
  const people = page.getByRole('complementary', { name: 'Members' });
  await people.getByRole('button', { name: 'Gull Grabber' }).press('Enter');
  const menu = page.getByRole('menuitem', { name: 'Ban', exact: true });
  await menu.waitFor();
  const before = clicks();
  await menu.click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Reason').fill('Grabs what is not theirs');
  await expect(form).toHaveCount(1);
  await form.getByRole('button', { name: 'Submit' }).click();
  await page
    .getByRole('list', { name: 'Messages' })
    .getByText(/Done\..*Grabs what is not theirs/s)
    .waitFor();
  await expect(form).toHaveCount(0);
  expect(clicks() - before).toBe(MOST_CLICKS);
});

test('from the page of a person in the dashboard to a done ban it takes two clicks and one form', async ({
  page,
}) => {
  verifies('dashboard.ban.two-clicks');
  const id = await joined('Gull Gobbler');
  const clicks = await countClicks(page);
  await signIn(page, run, 'owner');
  await page.goto(`${run.web}/guilds/${run.guild_id}/members/${id}`);
  const ban = page.getByRole('main').getByRole('button', { name: 'Ban', exact: true });
  await expect(ban).toBeEnabled();
  const before = clicks();
  await ban.click();
  const form = page.getByRole('dialog', { name: /^Ban / });
  await form.getByLabel('Reason', { exact: true }).fill('Gobbles what is not theirs');
  await expect(form).toHaveCount(1);
  const submit = form.getByRole('button', { name: 'Ban', exact: true });
  await expect(submit).toHaveCSS('background-color', RED);
  // It goes by itself.
  const told = page.getByText(/^Gull Gobbler is banned: case #\d+\.$/).waitFor();
  await Promise.all([told, submit.click()]);
  await form.waitFor({ state: 'detached' });
  await page.getByText('Banned', { exact: true }).first().waitFor();
  expect(clicks() - before).toBe(MOST_CLICKS);
});
