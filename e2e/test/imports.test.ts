import { readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Owner, readSandbox, send } from '@bailiff/sandbox/visitor';
import type { Page } from '@playwright/test';
import { faultsInThemes } from '#src/axe.ts';
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

/** Answers the first call like this, in place of the server, which answers those that follow. */
async function answerFirst(address: string, json: object): Promise<void> {
  let calls = 0;
  await page.route(address, async (route) => {
    calls += 1;
    await (calls === 1 ? route.fulfill({ json }) : route.continue());
  });
}

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
  const downloading = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download each row’s result' }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toBe('import-result.jsonl');
  const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { line: 2, fate: 'new', id: '1' },
    { line: 3, fate: 'refused' },
  ]);

  await page.goto(`${run.web}/guilds/${run.guild_id}/members/834989431927603999`);
  await page
    .getByRole('link', { name: /^(Case )?#\d+/ })
    .first()
    .click();
  await page.getByText('Imported. It is a record only').waitFor();
  await page.goto(IMPORTS);
  await page.getByRole('button', { name: 'Undo old-bot.csv' }).click();
  // An import of more than a thousand records is undone in several steps.
  await answerFirst('**/undo', { removed: 1_000, kept: null });
  await page.getByRole('button', { name: 'Remove these records' }).click();
  await page.getByText('undone', { exact: false }).first().waitFor();
  await page.unrouteAll({ behavior: 'wait' });
  await expect(page.getByRole('button', { name: 'Undo old-bot.csv' })).toHaveCount(0);
});

test('a file that has changed since it was chosen is said to be unreadable, and can be chosen again', async () => {
  verifies('imports.dashboard');
  const path = join(run.directory, 'changing.csv');
  const heading = 'kind,user_id,issued_at,id,reason\n';
  await writeFile(path, heading);
  // Browsers notice a change by the second.
  const before = Date.now() / 1000 - 60;
  await utimes(path, before, before);
  await page.goto(IMPORTS);
  await page.getByLabel('Where they come from').selectOption('CSV');
  await page.getByLabel('File').setInputFiles(path);
  const check = page.getByRole('button', { name: 'See what would come' });
  await check.click();
  await page.getByText('There are no rows in this file.').waitFor();
  await writeFile(path, `${heading}warning,834989431927603998,2024-05-06,1,Old spam\n`);
  await check.click();
  await page.getByText('The file cannot be read any more. Choose it again.').waitFor();
  const ofExcel = join(run.directory, 'of-excel.csv');
  await writeFile(ofExcel, `${heading}warning,834989431927603998,2024-05-06,1,Störung\n`, 'latin1');
  await page.getByLabel('File').setInputFiles(ofExcel);
  await check.click();
  await page.getByText('The file is not UTF-8, so letters would be lost.', { exact: false }).waitFor();
  const choosing = page.waitForEvent('filechooser');
  await page.getByText('Choose a file', { exact: true }).click();
  await (await choosing).setFiles(path);
  await check.click();
  await page.getByText('1 would come').waitFor();
});

for (const [what, lose, told] of [
  ['its connection is lost', (tab: Page) => tab.context().setOffline(true), 'The server cannot be reached.'],
  [
    'the session has ended in another tab',
    async (tab: Page) => {
      const ended = await tab.request.delete(`${run.web}/api/sessions/current`, {
        headers: { Origin: run.web },
      });
      expect(ended.status()).toBe(200);
    },
    'Your session has ended',
  ],
] as const)
  test(`an import that breaks off because ${what} says so, and its file stays chosen`, async ({
    browser,
  }) => {
    verifies('dashboard.left-open');
    const tab = await (await browser.newContext()).newPage();
    await signIn(tab, run, 'owner');
    // A refresh that is under way when the answers stop would end in another document.
    await tab.route('**/events?*', (route) => route.abort());
    await tab.goto(IMPORTS);
    await tab.getByLabel('Where they come from').selectOption('CSV');
    const buffer = Buffer.from(
      'kind,user_id,issued_at,id,reason\nwarning,834989431927603997,2024-05-06,1,Old spam',
    );
    await tab.getByLabel('File').setInputFiles({ name: 'broken-off.csv', mimeType: 'text/csv', buffer });
    await tab.getByRole('button', { name: 'See what would come' }).click();
    let replaced = 0;
    await tab.route('**/api/guilds/*/imports', async (route) => {
      await lose(tab);
      tab.on('request', (request) => {
        if (/[?&]_rsc=/.test(request.url()) || request.isNavigationRequest()) replaced += 1;
      });
      await route.continue();
    });
    const bring = tab.getByRole('button', { name: 'Import 1 row' });
    // Once the look after the first step has been answered.
    await expect(bring).toBeEnabled();
    const looked = tab.waitForRequest(/\/state$/);
    await bring.click();
    await expect(tab.getByRole('main').getByText(told).first()).toBeVisible();
    await looked;
    await expect(tab.getByRole('button', { name: 'See what would come' })).toBeEnabled();
    expect(replaced).toBe(0);
    await tab.context().close();
  });

test('nothing brings the page up to date while an import runs, and it catches up afterwards', async () => {
  verifies('dashboard.left-open');
  await page.goto(IMPORTS);
  await page.getByLabel('Where they come from').selectOption('CSV');
  const buffer = Buffer.from(
    'kind,user_id,issued_at,id,reason\nwarning,834989431927603996,2024-05-06,1,Old spam',
  );
  await page.getByLabel('File').setInputFiles({ name: 'held.csv', mimeType: 'text/csv', buffer });
  await page.getByRole('button', { name: 'See what would come' }).click();
  const happened: string[] = [];
  await page.route('**/api/guilds/*/imports', async (route) => {
    page.on('request', (request) => {
      if (/[?&]_rsc=/.test(request.url())) happened.push('refreshed');
    });
    const looked = page.waitForResponse(/\/state$/);
    const owner = await Owner.signIn(run.web, run.people.owner ?? '');
    await owner.request('PATCH', `/api/guilds/${run.guild_id}/settings`, { notice_colour: '#222222' });
    await looked;
    // What follows the answer in the page has been done then.
    await page.evaluate('new Promise((done) => setTimeout(done))');
    happened.push('imported');
    await route.continue();
  });
  await page.getByRole('button', { name: 'Import 1 row' }).click();
  await page.getByText('1 came, 0 were here already, 0 could not come.').waitFor();
  await expect.poll(() => happened.slice(0, 2)).toEqual(['imported', 'refreshed']);
  await page.unrouteAll({ behavior: 'wait' });
  await page.getByRole('button', { name: 'Undo held.csv' }).click();
  await page.getByRole('button', { name: 'Remove these records' }).click();
  await page.getByText('The import is undone').waitFor();
});

test('a file without rows is told from one that brings nothing', async () => {
  verifies('imports.dashboard');
  await page.goto(IMPORTS);
  for (const [source, name, text] of [
    ['CSV', 'only-a-heading.csv', 'kind,user_id,issued_at,id,reason'],
    ['Zeppelin', 'empty.json', ''],
  ] as const) {
    await page.getByLabel('Where they come from').selectOption(source);
    const file = { name, mimeType: 'text/plain', buffer: Buffer.from(text) };
    await page.getByLabel('File').setInputFiles(file);
    await page.getByRole('button', { name: 'See what would come' }).click();
    await expect(
      page.getByRole('alert').filter({ hasText: 'There are no rows in this file.' }),
    ).toBeVisible();
    await expect(page.getByText('would come,')).toHaveCount(0);
  }
  await page.getByLabel('Where they come from').selectOption('MASZ');
  await expect(page.getByText('There are no rows in this file.')).toHaveCount(0);
});

test('the owner looks through the bans at Discord, brings those that are new, and undoes it without lifting one', async () => {
  verifies('imports.discord');
  const { status, text } = await send(`${run.sandbox}/sandbox/bans`, {
    method: 'POST',
    json: { action: 'old', count: 3 },
  });
  expect(status, text).toBe(200);
  const banned = async () => (await readSandbox(run.sandbox ?? '', run.guild_id)).guild.bans.length;
  const before = await banned();
  await page.goto(IMPORTS);
  const part = page.getByRole('region', { name: 'Bans at Discord' });
  // Discord lists a thousand at a time: here two in a first part, and then those that there are.
  await answerFirst('**/bans', { fates: [{ fate: 'new' }, { fate: 'new' }, { fate: 'known' }], next: '0' });
  await part.getByRole('button', { name: 'Look through the bans' }).click();
  await part.getByText('5 would come').waitFor();
  await page.unrouteAll({ behavior: 'wait' });
  await part.getByRole('button', { name: 'Look through the bans' }).click();
  await part.getByText('3 would come').waitFor();
  expect(await faultsInThemes(page)).toEqual([]);
  await part.getByRole('button', { name: 'Import 3 bans' }).click();
  await part.getByText('3 came').waitFor();
  await part.getByRole('button', { name: 'Look through the bans' }).click();
  await part.getByText('Every ban at Discord is a case here already.').waitFor();
  await page.getByRole('button', { name: 'Undo the import of bans' }).click();
  const dialog = page.getByRole('dialog', { name: 'Undo the import of bans' });
  await dialog.getByText('Nobody is unbanned at Discord.').waitFor();
  await dialog.getByRole('button', { name: 'Remove these records' }).click();
  await dialog.waitFor({ state: 'detached' });
  await expect(page.getByRole('button', { name: 'Undo the import of bans' })).toHaveCount(0);
  expect(await banned()).toBe(before);
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
  }
});

test('another source takes back what was said of the one before', async () => {
  verifies('imports.dashboard');
  await page.goto(IMPORTS);
  const source = page.getByLabel('Where they come from');
  await source.selectOption('CSV');
  const rows = ['kind,user_id,issued_at,id,reason', 'warning,834989431927603998,2024-05-06,2,Old spam'];
  const buffer = Buffer.from(rows.join('\n'));
  await page.getByLabel('File').setInputFiles({ name: 'other-bot.csv', mimeType: 'text/csv', buffer });
  await page.getByRole('button', { name: 'See what would come' }).click();
  await page.getByRole('button', { name: 'Import 1 row' }).waitFor();
  await source.selectOption('Zeppelin');
  await expect(page.getByRole('button', { name: 'Import 1 row' })).toHaveCount(0);
  await expect(page.getByText('would come,')).toHaveCount(0);
});

test('another file takes back what was said of the one before, and a long name is no hindrance', async () => {
  verifies('imports.dashboard');
  await page.goto(IMPORTS);
  await page.getByLabel('Where they come from').selectOption('CSV');
  const rows = ['kind,user_id,issued_at,id,reason', 'warning,834989431927603997,2024-05-06,3,Old spam'];
  const buffer = Buffer.from(rows.join('\n'));
  const choose = (name: string) =>
    page.getByLabel('File').setInputFiles({ name, mimeType: 'text/csv', buffer });
  await choose('first.csv');
  await page.getByRole('button', { name: 'See what would come' }).click();
  const bring = page.getByRole('button', { name: 'Import 1 row' });
  await bring.waitFor();
  const long = `${'old-bot-'.repeat(12)}end.csv`;
  await choose(long);
  await page.getByText(long).waitFor();
  await expect(bring).toHaveCount(0);
  await expect(page.getByText('would come,')).toHaveCount(0);
  await page.getByRole('button', { name: 'See what would come' }).click();
  await bring.click();
  await page.getByText('1 came, 0 were here already, 0 could not come.').waitFor();
  await page.getByRole('button', { name: `Undo ${long.slice(-64)}` }).click();
  await page.getByRole('button', { name: 'Remove these records' }).click();
  await page.getByText('The import is undone').waitFor();
});

test('a file of which the part of the page that reads it cannot be loaded is not said to be checked', async () => {
  verifies('imports.dashboard');
  await page.goto(IMPORTS);
  await page.getByLabel('Where they come from').selectOption('CSV');
  const buffer = Buffer.from('kind,user_id,issued_at,id,reason');
  await page.getByLabel('File').setInputFiles({ name: 'cut-off.csv', mimeType: 'text/csv', buffer });
  await page.route('**/_next/static/**', (route) => route.abort());
  const check = page.getByRole('button', { name: 'See what would come' });
  await check.click();
  await page.getByText('The file could not be read to its end.').waitFor();
  await page.unroute('**/_next/static/**');
  await expect(check).toBeEnabled();
});

test('the archive of the server comes as a file that is named after the server and the day', async () => {
  verifies('archive.export');
  await page.goto(IMPORTS);
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download the archive' }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toMatch(
    new RegExp(`^bailiff-${run.guild_id}-20\\d\\d-\\d\\d-\\d\\d\\.jsonl$`),
  );
  const [first = ''] = (await readFile(await download.path(), 'utf8')).split('\n');
  expect(JSON.parse(first)).toMatchObject({ format: 'bailiff-archive', guild_id: run.guild_id });
});
