// What each moderator did, on the page Moderators.
import { Owner } from '@bailiff/sandbox/visitor';
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

test('an owner sees what each moderator did, over the days that they choose, by name', async () => {
  verifies('moderators.page', 'moderators.counted');
  await say('warn', { user: 'troll', reason: 'Spam' });
  await page.goto(guild);
  await page.getByRole('navigation', { name: 'Guild' }).getByRole('link', { name: 'Moderators' }).click();
  await page.getByRole('heading', { level: 1, name: 'Moderators' }).waitFor();
  const table = page.getByRole('table', { name: 'What each moderator did in 30 days' });
  const own = table.getByRole('row').filter({
    has: page.locator(`a[href$='/members/${run.people.owner}']`),
  });
  await expect(own).toContainText('Warning');
  await expect(page.getByText(/^Not in the table: /)).toBeVisible();
  expect(await faultsInThemes(page)).toEqual([]);

  await page.getByRole('link', { name: '7 days' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('table', { name: 'What each moderator did in 7 days' }).waitFor();
  await expect(page.getByRole('link', { name: '7 days' })).toHaveAttribute('aria-current', 'page');

  // On a phone, each row is a card, and nothing scrolls sideways.
  await page.setViewportSize({ width: 360, height: 800 });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
  expect(await faultsInThemes(page)).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 800 });

  // A case that is taken back is counted as lifted, and not as lifted on appeal.
  const numbers = async () => {
    await page.goto(`${guild}/moderators?days=7`);
    const cells = page
      .getByRole('row')
      .filter({ has: page.locator(`a[href$='/members/${run.people.owner}']`) });
    await cells.getByRole('cell').first().waitFor();
    const texts = await cells.getByRole('cell').allTextContents();
    return { cases: Number(texts[1]), lifted: Number(texts[3]), onAppeal: Number(texts[4]) };
  };
  const weekAgo = () => new Date(Date.now() - 7 * 86_400_000).toISOString().slice(0, 10);
  const days = [weekAgo()];
  const before = await numbers();
  const api = await Owner.signIn(run.web, run.people.owner ?? '');
  const act = (operation: string, input: object) =>
    api.request('POST', `/api/guilds/${run.guild_id}/actions`, { operation, input });
  const warned = await act('warnings.add', { user_id: run.people.troll, reason: 'Spam again' });
  const { warning } = warned.body as { warning: { id: string } };
  expect((await act('warnings.remove', { warningId: warning.id })).status).toBeLessThan(300);
  expect(await numbers()).toEqual({ ...before, cases: before.cases + 1, lifted: before.lifted + 1 });

  // The number leads to the cases that it counts, from the day a week ago: that of the page, which may be yesterday's.
  const inWeek = page
    .getByRole('table')
    .getByRole('row')
    .filter({
      has: page.locator(`a[href$='/members/${run.people.owner}']`),
    });
  await inWeek.getByRole('link').nth(1).click();
  await page.waitForURL(/\/cases\?by=\d+&from=/);
  days.push(weekAgo());
  expect(days).toContain(new URL(page.url()).searchParams.get('from'));
});
