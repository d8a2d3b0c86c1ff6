import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { openDatabase } from '@bailiff/prisma';
import { type MintedToken, Owner, readSandbox, spareMembers } from '@bailiff/sandbox/visitor';
import { databaseUrl } from '@bailiff/supervisor/database-url';
import type { BrowserContext, Page, Response } from '@playwright/test';
import { apiOf, refusalOf } from '#src/api.ts';
import { refillBudgets } from '#src/budgets.ts';
import { GUILD, signIn } from '#src/pages.ts';
import { run } from '#src/run.ts';
import { expect, test, verifies } from '#src/testing.ts';

let context: BrowserContext;
let page: Page;
let owner: Owner;
let secret: string;
let userId: string;
const minted: MintedToken[] = [];

test.beforeAll(() => refillBudgets(run.directory));
test.beforeAll(async ({ browser }) => {
  context = await browser.newContext();
  page = await context.newPage();
  await signIn(page, run, 'owner');
  await page.getByRole('link', { name: GUILD }).click();
  owner = await Owner.signIn(run.web, run.people.owner ?? '');
  secret = await mint('reader of the log');
  const { guild } = await readSandbox(run.sandbox ?? '', run.guild_id);
  userId = spareMembers(guild, run.people).at(-1) ?? '';
});
test.afterAll(async () => {
  await context?.close();
  // A guild has 25 tokens at most, and the end of a window brings every page of its owner up to date.
  for (const { id } of minted) await owner.revoke(id);
});

/** Mints a token with an open window. @returns its secret */
async function mint(name: string): Promise<string> {
  const token = await owner.mintWithWindow(run.guild_id, name);
  minted.push(token);
  return token.secret;
}

const strike = async (reason: string, withSecret = secret) => {
  const answer = await apiOf(run, withSecret).send('strikes.add', {
    user_id: userId,
    severity: 'minor',
    reason,
    _confirmation: `ADD STRIKE TO USER ${userId} IN GUILD ${run.guild_id} SEVERITY MINOR`,
  });
  expect(answer.status).toBe(201);
};

/** A page in a tab of its own, once it hears what happens. */
async function openLive(path: string): Promise<Page> {
  const tab = await context.newPage();
  // What happened while it was made would bring it up to date at any moment of the test.
  await tab.route('**/events?*', (route) =>
    route.continue({
      url: route
        .request()
        .url()
        .replace(/age=\d+/, 'age=0'),
    }),
  );
  const isStream = (response: Response) => new URL(response.url()).pathname.endsWith('/events');
  const hears = tab.waitForResponse(isStream, { timeout: 0 });
  await tab.goto(`${run.web}/guilds/${run.guild_id}${path}`);
  await hears;
  return tab;
}

test('what happens shows in open pages, which are not loaded again for it', async () => {
  while (!(await isShownWithoutLoading(`Sang in the library ${randomUUID()}`))) {
    await refillBudgets(run.directory);
  }
});

/** False if pages were loaded again while something was wrong with the guild or the database: that does it, too. */
async function isShownWithoutLoading(reason: string): Promise<boolean> {
  const overview = await openLive('');
  const other = await openLive('/audit?source=token&operation=strikes.add');
  const rows = other.getByRole('row').filter({ hasText: 'reader of the log' });
  const before = await rows.count();
  const actions = overview.getByRole('link', { name: /^Actions/ });
  const words = await actions.textContent();
  const rendered: string[] = [];
  const states: Promise<{ trouble: string | null }>[] = [];
  let isWell = true;
  for (const each of [overview, other]) {
    const { pathname } = new URL(each.url());
    each.on('request', (request) => new URL(request.url()).pathname === pathname && rendered.push(pathname));
    each.on('response', (response) => {
      if (new URL(response.url()).pathname.endsWith('/state')) states.push(response.json());
    });
    isWell &&= (await each.getByText(/^(You can read everything|Everything works), /).count()) === 0;
  }
  await strike(reason);
  await expect.poll(() => rows.count()).toBe(before + 1); // its outcome takes the place of its request
  await expect.poll(() => actions.textContent()).not.toBe(words);
  const db = openDatabase(await databaseUrl(run.directory), { applicationName: 'test' });
  const failEnd = (at: string) =>
    db.pool.query(`UPDATE cases SET end_failed_at = ${at} WHERE guild_id = $1 AND reason = $2`, [
      run.guild_id,
      reason,
    ]);
  const stands = overview.getByText('1 ban has run out and stands');
  await failEnd('now()');
  await stands.waitFor();
  await failEnd('NULL');
  await expect(stands).toHaveCount(0);
  await db.close();
  const troubles = (await Promise.all(states)).map(({ trouble }) => trouble);
  await overview.close();
  await other.close();
  if (rendered.length > 0 && !(isWell && troubles.every((trouble) => trouble === null))) return false;
  expect(rendered).toEqual([]);
  return true;
}

test('no row is missing between an open audit log and its older page, and a call that ended is requested no more', async () => {
  verifies('audit.one-row-per-call', 'audit.list.page');
  const db = openDatabase(await databaseUrl(run.directory), { applicationName: 'test' });
  const actor = '300000000000009901';
  const write = (from: number, to: number, outcome = 'performed', call: string | null = null) =>
    db.pool.query(
      `INSERT INTO audit (guild_id, actor_source, actor_user_id, operation, target_type, target_id, outcome, action_id)
       SELECT $1, 'chat', $2, 'strikes.add', 'user', lpad(number::text, 18, '7'), $5, $6
       FROM generate_series($3::int, $4::int) AS number ORDER BY number`,
      [run.guild_id, actor, from, to, outcome, call],
    );
  await write(101, 150);
  const log = await openLive(`/audit?actor=${actor}`);
  const targets = log.getByRole('row').getByText(/^7{15}\d{3}$/);
  await expect(targets).toHaveCount(50);
  await expect(log.getByRole('link', { name: 'Older' })).toHaveCount(0);
  await write(151, 153);
  await expect(targets.first()).toHaveText(/153$/);
  const seen = await targets.allTextContents();
  await log.getByRole('link', { name: 'Older' }).click();
  await expect(targets).toHaveCount(3);
  seen.push(...(await targets.allTextContents()));
  expect(seen.map((text) => Number(text.slice(-3)))).toEqual(
    Array.from({ length: 53 }, (_, index) => 153 - index),
  );
  await log.close();

  await write(154, 154, 'requested', 'act_00000000000000000000000000009901');
  const asked = await openLive(`/audit?actor=${actor}&outcome=requested`);
  const running = asked.getByRole('row').getByText(/^7{15}\d{3}$/);
  await expect(running).toHaveCount(1);
  await write(154, 154, 'performed', 'act_00000000000000000000000000009901');
  await expect(running).toHaveCount(0);
  await asked.close();
  await db.close();
});

test('who goes back to the audit log finds what came while they were on another page, and before', async () => {
  const turner = await mint('page turner');
  const log = await openLive('/audit?source=token&operation=strikes.add');
  await log.clock.install();
  const rows = log.getByRole('row').filter({ hasText: 'page turner' });
  await strike('Came while it was open', turner);
  await expect(rows).toHaveCount(1);
  await rows.getByRole('link').first().click();
  await log.waitForURL(/\/audit\/[^?]+$/);
  await strike('Came meanwhile', turner);
  // An open page forgets after some seconds what it has heard.
  await log.clock.fastForward(10_000);
  await log.goBack();
  await expect(rows).toHaveCount(2);
  await log.close();
  await refillBudgets(run.directory);
});

test('what happens while a page is on its way shows in it', async () => {
  const late = await mint('late reader');
  const tab = await openLive('');
  const network = await context.newCDPSession(tab);
  await network.send('Network.enable');
  const heard = new Promise<void>((resolve) => {
    network.on('Network.eventSourceMessageReceived', ({ data }) => data.includes('late reader') && resolve());
  });
  let happened: Promise<unknown> | undefined;
  await tab.route(
    ({ pathname, searchParams }) => pathname.endsWith('/audit') && searchParams.has('_rsc'),
    async (route) => {
      if ('next-router-prefetch' in route.request().headers()) return route.continue();
      const response = await route.fetch();
      // A slow page is asked for again.
      happened ??= strike('Hummed in the library', late);
      await happened;
      await heard;
      await route.fulfill({ response });
    },
  );
  await tab.getByRole('link', { name: 'Audit log', exact: true }).click();
  await tab.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor();
  await tab.getByRole('row').filter({ hasText: 'late reader' }).filter({ hasText: 'Add a strike' }).waitFor();
  await tab.close();
});

test('filters stand in the address, and a row opens to the request, its digest and its outcome', async () => {
  await strike('Whistled in the library');
  await page.getByRole('link', { name: 'Audit log', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor();
  await page.getByLabel('Outcome').selectOption('performed');
  await page.waitForURL(/outcome=performed/);
  const requested = () => page.getByRole('row').filter({ hasText: 'requested' }).count();
  await expect.poll(requested).toBe(0);
  await page.keyboard.press('/');
  await page.keyboard.type('reader of the log');
  await page.keyboard.press('Enter');
  await page.waitForURL(/q=reader/);
  expect(await requested()).toBe(0);

  await page.getByRole('link', { name: 'Add a strike' }).first().click();
  await page.getByRole('heading', { level: 1, name: 'Add a strike' }).waitFor();
  await page.getByText('It happened.').waitFor();
  await page.getByText(/^[0-9a-f]{64}$/).waitFor();
  await page
    .getByText(/"reason": "Whistled in the library"/)
    .first()
    .waitFor();
  await page.getByRole('link', { name: /^Case \d+$/ }).waitFor();
  await page.getByRole('link', { name: /^req_/ }).click();
  await page.waitForURL(/request=req_/);
  await expect.poll(() => page.getByRole('row').filter({ hasText: 'strikes.add' }).count()).toBe(1);
});

test('a call that is refused again and again is one entry, which says how often and when last', async () => {
  const stubborn = await mint('stubborn caller');
  for (let call = 1; call <= 3; call += 1) {
    const input = { user_id: userId, severity: 'minor', reason: 'Sang', _confirmation: 'WRONG' } as const;
    await refusalOf(apiOf(run, stubborn).send('strikes.add', input));
  }
  await page.goto(`${run.web}/guilds/${run.guild_id}/audit?source=token&outcome=refused`);
  const rows = page.getByRole('row').filter({ hasText: 'stubborn caller' });
  await expect(rows).toHaveCount(1);
  await rows.getByRole('link').first().click();
  await page.getByText(/^3 times, last .*\(\d{4}-\d\d-\d\dT[\d:.]+Z\)$/).waitFor();
});

test('the entries about somebody are found by their name, and those about anything else by its id', async () => {
  verifies('dashboard.audit-target');
  await page.goto(`${run.web}/guilds/${run.guild_id}/audit`);
  await page.getByText('By person or id').click();
  const target = page.getByRole('combobox', { name: 'Target (person or id)' });
  await target.fill('san');
  await page.getByRole('option', { name: /^Sana Iqbal/ }).click();
  await page.waitForURL(new RegExp(`target=${run.people.member}`));
  await page.getByRole('link', { name: /^Target \(person or id\): Sana Iqbal/ }).waitFor();
  await expect(target).toHaveValue('Sana Iqbal');

  await target.fill(run.channels.general ?? '');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: /^Target \(person or id\): #general/ }).waitFor();
  await target.fill('nobody of that name');
  await page.keyboard.press('Tab');
  await page.getByText('Nobody was chosen for “nobody of that name”').waitFor();
});

test('an export downloads what the filters leave of these', async () => {
  await page.goto(`${run.web}/guilds/${run.guild_id}/audit?operation=strikes.add&outcome=performed`);
  await page.getByRole('button', { name: 'Export' }).click();
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: /^JSON lines/ }).click();
  const text = await readFile(await (await downloading).path(), 'utf8');
  const rows = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(rows.length).toBeGreaterThan(0);
  expect(new Set(rows.map(({ operation, outcome }) => `${operation} ${outcome}`))).toEqual(
    new Set(['strikes.add performed']),
  );
});

test('an export that is refused when its dialog was closed says so', async () => {
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  await page.route('**/exports', async (route) => {
    await held;
    const error = { code: 'RATE_LIMITED', message: 'Not so fast.', details: {} };
    await route.fulfill({ status: 429, json: { error } });
  });
  await page.goto(`${run.web}/guilds/${run.guild_id}/audit`);
  await page.getByRole('button', { name: 'Export' }).click();
  const dialog = page.getByRole('dialog', { name: 'Export' });
  await dialog.getByRole('button', { name: 'CSV' }).click();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  letGo();
  await page.getByRole('dialog').filter({ hasText: 'Not so fast.' }).waitFor();
  await page.unrouteAll({ behavior: 'wait' });
});

test('an export that is refused when it is fetched leaves the dashboard as it is', async () => {
  const href = `/api/guilds/${run.guild_id}/exports/aud_none`;
  await page.route('**/exports', (route) => route.fulfill({ status: 201, json: { href } }));
  await page.goto(`${run.web}/guilds/${run.guild_id}/audit`);
  await page.getByRole('button', { name: 'Export' }).click();
  const fetched = page.waitForEvent('download');
  await page.getByRole('dialog', { name: 'Export' }).getByRole('button', { name: 'CSV' }).click();
  expect(await (await fetched).failure()).not.toBeNull();
  await page.unrouteAll({ behavior: 'wait' });
  await expect(page.getByRole('button', { name: 'Export' })).toBeVisible();
});

test('reads are left out of the log until they are asked for', async () => {
  verifies('audit.dashboard-hides-reads');
  expect((await apiOf(run, secret).send('bans.list')).status).toBe(200);
  await strike('Read aloud in the library');
  await page.goto(`${run.web}/guilds/${run.guild_id}/audit`);
  const rows = (operation: string) => page.getByRole('row').filter({ hasText: operation });
  await rows('strikes.add').first().waitFor();
  expect(await rows('bans.list').count()).toBe(0);
  await page.getByLabel('Reads').selectOption('Shown');
  await page.waitForURL(/reads=shown/);
  await rows('bans.list').first().waitFor();
});

test('the open charts grow by what happened, and not by what was refused', async () => {
  const day = dayOfUtc();
  try {
    await expectChartsToGrow();
  } catch (error) {
    if (dayOfUtc() === day) throw error;
    // At midnight the charts got the column of another day.
    await expectChartsToGrow();
  }
});

const dayOfUtc = () => new Date().toISOString().slice(0, 10);

async function expectChartsToGrow(): Promise<void> {
  const overview = await openLive('');
  await overview.getByText('Show as a table').last().click();
  const table = overview.getByRole('table', { name: 'What was done: By source' });
  const today = table.getByRole('row').nth(1).getByRole('cell').last();
  const refusals = overview.getByRole('link', { name: /^Refused/ });
  const [before, words] = [Number(await today.textContent()), (await refusals.textContent()) ?? ''];
  const input = { user_id: userId, severity: 'minor', reason: 'Hummed in the library' } as const;
  await refusalOf(apiOf(run, secret).send('strikes.add', { ...input, _confirmation: 'WRONG' }));
  await expect(refusals).not.toHaveText(words);
  await expect(today).toHaveText(String(before));
  await strike('Hummed in the library');
  await expect(today).toHaveText(String(before + 1));
  await overview.close();
}

test('an open log takes up only what its filters leave', async () => {
  const dancer = await mint('dancer');
  const bans = await openLive('/audit?operation=bans.add');
  const all = await openLive('/audit');
  // A log shows its newest rows, and those of other tests drop out.
  const rows = (tab: Page) =>
    tab.getByRole('row').filter({ hasText: 'strikes.add' }).filter({ hasText: 'dancer' });
  await all.getByRole('table').waitFor();
  await strike('Danced in the library', dancer);
  await expect(rows(all)).toHaveCount(1);
  await expect(rows(bans)).toHaveCount(0);
  await bans.close();
  await all.close();
});
