import type { Page } from '@playwright/test';
import { signIn } from '#src/pages.ts';
import { run } from '#src/run.ts';
import { expect, test, verifies } from '#src/testing.ts';

const IMPORTS = `${run.web}/guilds/${run.guild_id}/settings/imports`;
let page: Page;

test.beforeAll(async ({ browser }) => {
  page = await browser.newPage();
  await signIn(page, run, 'owner');
});
test.afterAll(() => page?.close());

test('the owner sees what a file would bring, brings it, and undoes it', async () => {
  verifies('imports.dashboard');
  await page.goto(IMPORTS);
  await page.getByLabel('Where they come from').selectOption('CSV');
  const rows = [
    'kind,user_id,issued_at,id,reason',
    'warning,834989431927603999,2024-05-06,1,Old spam',
    'jail,1,2,3,4',
  ];
  const buffer = Buffer.from(rows.join('\n'));
  await page.getByLabel('File').setInputFiles({ name: 'old-bot.csv', mimeType: 'text/csv', buffer });
  await page.getByRole('button', { name: 'See what would come' }).click();
  await page.getByText('1 would come, 0 are here already, 1 cannot come.').waitFor();
  await page.getByRole('button', { name: 'Import 1 row' }).click();
  await page.getByText('1 came, 0 were here already, 1 could not come.').waitFor();
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download each row’s fate' }).click();
  expect((await download).suggestedFilename()).toBe('import-result.jsonl');

  await page.goto(`${run.web}/guilds/${run.guild_id}/members/834989431927603999`);
  await page
    .getByRole('link', { name: /^(Case )?#\d+/ })
    .first()
    .click();
  await page.getByText('Imported. It is a record only').waitFor();
  await page.goto(IMPORTS);
  await page.getByRole('button', { name: 'Undo old-bot.csv' }).click();
  await page.getByRole('button', { name: 'Remove these records' }).click();
  await page.getByText('undone', { exact: false }).first().waitFor();
  await expect(page.getByRole('button', { name: 'Undo old-bot.csv' })).toHaveCount(0);
});
