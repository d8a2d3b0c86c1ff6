// What pages look like when something is on its way, has failed or is away: for axe, and by keyboard alone.
import { type Database, openDatabase } from '@bailiff/prisma';
import { readSandbox, spareMembers } from '@bailiff/sandbox/visitor';
import { databaseUrl } from '@bailiff/supervisor/database-url';
import type { Page } from '@playwright/test';
import { faultsInThemes } from '#src/axe.ts';
import { refillBudgets } from '#src/budgets.ts';
import { say } from '#src/chat-command.ts';
import { press } from '#src/keyboard.ts';
import { signIn } from '#src/pages.ts';
import { run } from '#src/run.ts';
import { expect, test, verifies } from '#src/testing.ts';

const guild = `${run.web}/guilds/${run.guild_id}`;
let db: Database;
let page: Page;
/** Whom a test has banned. */
const banned: string[] = [];

test.beforeAll(async ({ browser }) => {
  await refillBudgets(run.directory);
  db = openDatabase(await databaseUrl(run.directory), { applicationName: 'test' });
  page = await (await browser.newContext()).newPage();
  await signIn(page, run, 'owner');
});
test.afterAll(async () => {
  await page?.context().close();
  await db?.close();
  // The overview counts bans that stand, in every file that comes after this one.
  for (const user of banned) await say('unban', { user, reason: 'Enough of it' });
});

test('a page on its way has no fault that axe can find', async () => {
  verifies('dashboard.states-accessible');
  // Without its scripts, the shape that stands in place of a list is never replaced by it.
  const address = `${guild}/cases`;
  await page.route(address, async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replace(/<script[\s\S]*?<\/script>/g, '');
    await route.fulfill({ response, body });
  });
  await page.goto(address);
  await page.locator('[aria-busy=true]').waitFor();
  expect(await faultsInThemes(page)).toEqual([]);
  await page.unroute(address);
});

test('a page that could not be made says so without a fault, and is there after Try again by keyboard', async () => {
  verifies('dashboard.states-accessible');
  // Nobody sees this tab, so that it does not try again by itself.
  const tab = await page.context().newPage();
  await tab.addInitScript("Object.defineProperty(document, 'visibilityState', { value: 'hidden' })");
  const client = await db.pool.connect();
  try {
    await client.query(
      'BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0; LOCK TABLE tickets IN ACCESS EXCLUSIVE MODE',
    );
    await tab.goto(`${guild}/tickets`);
    await tab.getByRole('heading', { level: 1, name: 'This page could not be loaded' }).waitFor();
    expect(await faultsInThemes(tab)).toEqual([]);
    // The request's id is one long word.
    await tab.setViewportSize({ width: 360, height: 740 });
    expect(await tab.evaluate('document.documentElement.scrollWidth')).toBe(360);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
  await press(tab.getByRole('button', { name: 'Try again' }));
  await tab.getByRole('heading', { level: 1, name: 'Tickets' }).waitFor();
  await tab.close();
});

test('a message in the corner has no fault, and is put away by keyboard', async () => {
  verifies('dashboard.states-accessible');
  await page.goto(`${guild}/members/${run.people.owner}?act=bans.add`);
  const message = page.getByRole('dialog').filter({ hasText: 'The guild owner cannot be the target.' });
  const dismiss = message.getByRole('button', { name: 'Dismiss' });
  // Who reads with other means than eyes finds it, too, before they have the keyboard or the mouse there.
  await dismiss.waitFor();
  // Under the mouse it stays, however long this takes.
  await message.hover();
  expect(await faultsInThemes(page)).toEqual([]);
  await page.keyboard.press('F6');
  await press(dismiss);
  await message.waitFor({ state: 'detached' });
});

test('that the bot cannot read the guild is said on a page without a fault', async () => {
  verifies('dashboard.states-accessible');
  const set = (isAway: boolean) =>
    db.pool.query(
      'UPDATE guilds SET mirrored_at = CASE WHEN $2 THEN NULL ELSE now() END, mirror_problem = NULL WHERE id = $1',
      [run.guild_id, isAway],
    );
  // An open page that hears of nothing looks again each quarter of a minute.
  await page.clock.install();
  await page.route('**/events?*', (route) => route.abort());
  await page.goto(`${guild}/cases`);
  await page.getByRole('heading', { level: 1, name: 'Cases' }).waitFor();
  const banner = page.getByRole('status').filter({ hasText: 'You can read everything' });
  await expect(banner).toHaveCount(0);
  await set(true);
  try {
    await expect(async () => {
      await page.clock.fastForward(15_000);
      await banner.waitFor({ timeout: 1_000 });
    }).toPass();
    expect(await faultsInThemes(page)).toEqual([]);
  } finally {
    await set(false);
  }
});

test('a page that could not be made is there by itself once it can be made', async () => {
  await page.clock.install();
  const client = await db.pool.connect();
  try {
    await client.query(
      'BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0; LOCK TABLE tickets IN ACCESS EXCLUSIVE MODE',
    );
    await page.goto(`${guild}/tickets`);
    await page.getByRole('heading', { level: 1, name: 'This page could not be loaded' }).waitFor();
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
  await expect(async () => {
    await page.clock.fastForward(15_000);
    await page.getByRole('heading', { level: 1, name: 'Tickets' }).waitFor({ timeout: 1_000 });
  }).toPass();
});

test('a ban that has run out and stands is found from the overview, and can be lifted from its page', async () => {
  const { number } = await notLifted('ban', 'Sold what was not theirs');
  await page.goto(guild);
  await page.getByRole('link', { name: /has run out and stands/ }).click();
  const listed = page.getByRole('main').getByRole('row');
  await listed
    .filter({ hasText: 'Overdue' })
    .getByRole('link', { name: `#${number}` })
    .click();
  await page.getByRole('heading', { level: 1, name: `#${number}` }).waitFor();
  const main = page.getByRole('main');
  await main.getByText('Overdue', { exact: true }).waitFor();
  await main.getByText('Bailiff could not end it and tries again every hour.').waitFor();
  await main.getByText('It should have ended').waitFor();
  await expect(main.getByRole('button', { name: 'Lift the ban' })).toBeEnabled();
});

test('a softban that could not be lifted is found on the page of its person, and can be lifted from there', async () => {
  const { number, userId } = await notLifted('softban', 'Sent the same link everywhere');
  await page.goto(`${guild}/members/${userId}`);
  const main = page.getByRole('main');
  await main.getByText('Banned', { exact: true }).waitFor();
  await main.getByText(/^should have ended/).waitFor();
  await expect(main.getByRole('link', { name: `Case #${number}` })).toBeVisible();
  await expect(main.getByRole('button', { name: 'Lift the ban' })).toBeEnabled();
});

/** Bans somebody, as if the ban had run out since and the bot could not lift it. */
async function notLifted(kind: 'ban' | 'softban', reason: string) {
  const { guild: now } = await readSandbox(run.sandbox ?? '', run.guild_id);
  const userId = spareMembers(now, run.people).at(-1) ?? '';
  banned.push(userId);
  await say('ban', { user: userId, reason });
  const { rows } = await db.pool.query<{ case_number: number }>(
    `UPDATE cases SET kind = $3::"CaseKind", expires_at = issued_at, end_failed_at = now()
     WHERE guild_id = $1 AND user_id = $2 AND kind = 'ban' RETURNING case_number`,
    [run.guild_id, userId, kind],
  );
  return { number: rows[0]?.case_number, userId };
}
