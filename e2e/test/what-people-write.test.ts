// Names and texts that could break a page, or make it lie.
import type { Page } from '@playwright/test';
import { refillBudgets } from '#src/budgets.ts';
import { say } from '#src/chat-command.ts';
import { joined } from '#src/newcomers.ts';
import { signIn } from '#src/pages.ts';
import { run } from '#src/run.ts';
import { expect, test, verifies } from '#src/testing.ts';

const guild = `${run.web}/guilds/${run.guild_id}`;
/** Turns around what follows it. */
const TURN = '\u202e';
/** Nobody sees it. */
const NOTHING = '\u200b';

/** As long as Discord allows, in another direction, of look-alike letters, and with what nobody sees. */
const PEOPLE = [
  '🔥'.repeat(16),
  'محمد العربي (المشرف)',
  `${TURN}gnp.exe`,
  'Мirа Vоss',
  `Mira${NOTHING} Voss`,
];

let page: Page;
let userId = '';

test.beforeAll(() => refillBudgets(run.directory));
test.beforeAll(async ({ browser }) => {
  page = await (await browser.newContext({ viewport: { width: 360, height: 740 } })).newPage();
  await signIn(page, run, 'owner');
  for (const name of PEOPLE) {
    userId = await joined(name);
    await say('strike add', { user: userId, severity: 'minor', reason: `Wrote ${TURN}dab gnihton` });
    await say('note add', { user: userId, text: `Looks like ${NOTHING}${TURN}arim` });
    await say('ticket open', { subject: `${NOTHING}${TURN}${name}` }, userId);
  }
});
test.afterAll(() => page?.context().close());

test('what nobody sees is written out or left out, wherever it stands, and every name fits on a phone', async () => {
  verifies('dashboard.unseen-written');
  for (const path of ['', '/cases', '/tickets', '/members', '/audit', `/members/${userId}`]) {
    await page.goto(`${guild}${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
    await expectHonest(path);
  }
  await expect(page.getByText('Wrote \\u202edab gnihton')).toBeVisible();
  await expect(page.getByText('Looks like \\u200b\\u202earim')).toBeVisible();
  for (const [list, row] of [
    ['/cases', /Wrote/],
    ['/tickets', /Mira/],
  ] as const) {
    await page.goto(`${guild}${list}`);
    await page
      .getByRole('row', { name: row })
      .first()
      .getByRole('link', { name: /^#\d+$/ })
      .click();
    await page.getByRole('heading', { level: 1, name: /#\d+/ }).waitFor();
    await expectHonest(list);
  }
});

test('a name that is written from right to left turns nothing around that stands beside it', async () => {
  const name = PEOPLE[1] ?? '';
  await page.goto(`${guild}/cases`);
  const link = page.getByRole('main').getByRole('link', { name }).first();
  await expect(link.locator('bdi')).toHaveText(name);
  await link.click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
});

async function expectHonest(where: string): Promise<void> {
  const text = (await page.getByRole('main').textContent()) ?? '';
  expect(
    [TURN, NOTHING].filter((unseen) => text.includes(unseen)),
    where,
  ).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth'), where).toBe(360);
}
