// Pages that stay open longer than what they show holds: after a sign-out, a lost role, an update.
import { openDatabase } from '@bailiff/prisma';
import { Owner, readSandbox, send, spareMembers } from '@bailiff/sandbox/visitor';
import { databaseUrl } from '@bailiff/supervisor/database-url';
import type { Browser, Page, Request } from '@playwright/test';
import { refillBudgets } from '#src/budgets.ts';
import { say } from '#src/chat-command.ts';
import { type NAMES, newTab, signedInPage } from '#src/pages.ts';
import { run } from '#src/run.ts';
import { expect, test, verifies } from '#src/testing.ts';

test.beforeAll(() => refillBudgets(run.directory));

const guild = `${run.web}/guilds/${run.guild_id}`;

let browser: Browser;
let page: Page;
/** Somebody whom the pages are about. */
let userId: string;

test.beforeAll(async ({ browser: launched }) => {
  browser = launched;
  userId = spareMembers((await readSandbox(run.sandbox ?? '', run.guild_id)).guild, run.people).at(12) ?? '';
});
test.afterEach(() => page?.context().close());

/** A browser of its own in which somebody is signed in. */
async function openAs(person: keyof typeof NAMES): Promise<void> {
  page = await signedInPage(browser, run, person);
}

/** As when somebody comes back to a tab: what it shows is compared with what is true. */
const show = (tab: Page) => tab.evaluate("document.dispatchEvent(new Event('visibilitychange'))");

test('a sign-out that fails is told; after one, the other tab says so, and Back leads to the sign-in', async () => {
  verifies('dashboard.left-open');
  await openAs('owner');
  const other = await page.context().newPage();
  await other.clock.install();
  await other.goto(`${guild}/cases`);
  await other.getByRole('heading', { level: 1, name: 'Cases' }).waitFor();
  await page.goto(`${guild}/audit`);
  await page.getByRole('table').getByRole('link').first().waitFor();
  await page.route('**/api/sessions/current', (route) => route.fulfill({ status: 503 }));
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('dialog').filter({ hasText: 'You are still signed in.' }).waitFor();
  await page.unrouteAll({ behavior: 'wait' });
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign in with Discord' }).waitFor();
  await page.goBack();
  await page.waitForURL(/\/sign-in/);
  await expect(page.getByRole('table')).toHaveCount(0);

  const notice = other.getByRole('alert').filter({ hasText: 'Your session has ended' });
  await expect.poll(() => show(other).then(() => notice.count())).toBe(1);
  const elsewhere = await newTab(other.context(), () =>
    notice.getByRole('link', { name: 'Sign in again in a new tab' }).click(),
  );
  await elsewhere.getByRole('button', { name: 'Sign in with Discord' }).click();
  const identity = elsewhere.getByRole('link', { name: 'Mira Voss' });
  await identity.waitFor();
  // From now on the tab asks nothing by itself, and so hears of the sign-in from the other one.
  await other.clock.pauseAt(Date.now() + 60_000);
  await identity.click();
  await elsewhere.getByRole('heading', { name: 'You are signed in' }).waitFor();
  await notice.waitFor({ state: 'detached' });
});

test('somebody who has lost their role is told so: by the open page, by what they try, and on the next page', async () => {
  verifies('dashboard.left-open');
  const role = 'Artist';
  await grant(role, ['strikes.read', 'strikes.write', 'members.read']);
  await changeRole('add_role', role);
  try {
    await openAs('member');
    await expect.poll(() => open(`/members/${userId}`)).toBe(200);
    await page.getByRole('button', { name: 'Warn' }).click();
    const dialog = page.getByRole('dialog', { name: /^Warn / });
    await dialog.getByLabel('Reason', { exact: true }).fill('Sang out of tune');
    await changeRole('remove_role', role);
    await expect
      .poll(() => page.request.get(`${run.web}/api/guilds/${run.guild_id}/state`).then((a) => a.status()))
      .toBe(404);

    await dialog.getByRole('button', { name: 'Warn' }).click();
    await dialog.getByText('This is not one of your guilds, or no longer is.').waitFor();
    await page.keyboard.press('Escape');
    const notice = page.getByRole('alert').filter({ hasText: 'You can no longer open this guild' });
    await expect.poll(() => show(page).then(() => notice.count())).toBe(1);
    await page.getByRole('link', { name: 'Cases', exact: true }).click();
    const main = page.getByRole('main');
    await main.getByText('This guild does not have it, or you can no longer see it').waitFor();
    await main.getByRole('link', { name: 'Go to your guilds' }).click();
    await page.getByRole('heading', { level: 1, name: 'Your guilds' }).waitFor();
  } finally {
    await changeRole('remove_role', role);
    await grant(role, []);
  }
});

const open = async (path: string) => (await page.goto(`${guild}${path}`))?.status();

async function grant(role: string, capabilities: readonly string[]): Promise<void> {
  const owner = await Owner.signIn(run.web, run.people.owner ?? '');
  const { body } = await owner.request('GET', `/api/guilds/${run.guild_id}/grants`);
  const { roles } = body as { roles: { role_id: string; name: string }[] };
  const { role_id } = roles.find(({ name }) => name === role) ?? { role_id: '' };
  const { status } = await owner.request('PUT', `/api/guilds/${run.guild_id}/grants`, {
    grants: [{ role_id, capabilities }],
  });
  expect(status).toBe(200);
}

/** Does nothing if they have the role, or lack it, already. */
async function changeRole(action: 'add_role' | 'remove_role', role: string): Promise<void> {
  const json = { action, user: 'member', role };
  const { status, text } = await send(`${run.sandbox}/sandbox/members`, { method: 'POST', json });
  expect(status, text).toBe(200);
}

test('code that an update has removed: the page says so and stays, and works again once it is loaded again', async () => {
  verifies('dashboard.left-open');
  await openAs('owner');
  await page.goto(`${guild}/members/${userId}`);
  // It has all that it loads by itself.
  await page.waitForLoadState('networkidle');
  const files = '**/_next/static/chunks/**';
  await page.route(files, (route) => route.fulfill({ status: 404 }));
  const ban = page.getByRole('button', { name: 'Ban', exact: true });
  await ban.click();
  const notice = page.getByRole('alert').filter({ hasText: 'Part of this page could not be loaded' });
  await notice.waitFor();
  await expect(ban).toBeVisible();
  await page.unroute(files);
  await notice.getByRole('button', { name: 'Reload the page' }).click();
  await notice.waitFor({ state: 'detached' });
  await ban.click();
  await page.getByRole('dialog', { name: /^Ban / }).waitFor();
});

test('after an update an open page says so and keeps what is typed, which arrives all the same', async () => {
  verifies('dashboard.left-open-update');
  await openAs('owner');
  await page.goto(`${guild}/members/${userId}`);
  await page.getByRole('button', { name: 'Warn' }).click();
  const dialog = page.getByRole('dialog', { name: /^Warn / });
  await dialog.getByLabel('Reason', { exact: true }).fill('Sang through the update');
  let loads = 0;
  page.on('load', () => {
    loads += 1;
  });
  // The page is of the build before: its chunks are gone, and Next's server names another build.
  await page.evaluate("document.documentElement.dataset.build = 'before'");
  await page.route('**/_next/static/chunks/**', (route) => route.fulfill({ status: 404 }));
  await page.route(/[?&]_rsc=/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, headers: { ...response.headers(), 'x-nextjs-deployment-id': 'after' } });
  });
  await show(page);
  await page.getByText('Bailiff was updated').waitFor();
  // Something else happens in the guild, which an open page shows as a rule.
  const options = { user: userId, reason: 'Meanwhile' };
  await say('warn', options);
  await expect(dialog.getByLabel('Reason', { exact: true })).toHaveValue('Sang through the update');
  await dialog.getByRole('button', { name: 'Warn' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(loads).toBe(0);
  await page.unrouteAll();
  const notice = page.getByRole('alert').filter({ hasText: 'Bailiff was updated' });
  await notice.getByRole('button', { name: 'Reload the page' }).click();
  await notice.waitFor({ state: 'detached' });
  for (const reason of ['Meanwhile', 'Sang through the update'])
    await expect(page.getByRole('table').first()).toContainText(reason);
});

test('while Bailiff does not answer, an open page says so, until it answers again', async () => {
  verifies('dashboard.left-open');
  await openAs('owner');
  await page.clock.install();
  let asked = 0;
  await page.route('**/events?*', async (route) => {
    asked += 1;
    await route.fulfill({ status: 503 });
  });
  await page.goto(`${guild}/cases`);
  // It asks for what changes again: after 5 s, and later ever more seldom.
  await expect(async () => {
    await page.clock.fastForward(5_000);
    expect(asked).toBeGreaterThan(1);
  }).toPass();
  await page.unrouteAll({ behavior: 'wait' });
  await page.context().setOffline(true);
  const notice = page.getByRole('alert').filter({ hasText: 'Bailiff does not answer' });
  await expect.poll(() => show(page).then(() => notice.count())).toBe(1);
  await page.context().setOffline(false);
  await expect.poll(() => show(page).then(() => notice.count())).toBe(0);
});

test('a page that cannot be brought up to date keeps what is typed, says so, and goes on by itself', async () => {
  verifies('dashboard.left-open');
  await openAs('owner');
  await page.clock.install();
  await page.goto(`${guild}/members/${userId}`);
  await page.getByRole('button', { name: 'Warn' }).click();
  const dialog = page.getByRole('dialog', { name: /^Warn / });
  const reason = dialog.getByLabel('Reason', { exact: true });
  await reason.fill('Sang through the lock');
  // Behind the dialog it has no role.
  const notice = page.getByText('Bailiff does not answer', { exact: true });
  const db = openDatabase(await databaseUrl(run.directory), { applicationName: 'test' });
  const client = await db.pool.connect();
  const owner = await Owner.signIn(run.web, run.people.owner ?? '');
  const settings = `/api/guilds/${run.guild_id}/settings`;
  try {
    await client.query(
      'BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0; LOCK TABLE notes IN ACCESS EXCLUSIVE MODE',
    );
    await owner.change('PATCH', settings, { notice_colour: '#111111' });
    await expect(async () => {
      await page.clock.fastForward(3_000);
      await notice.or(page.getByText('This page could not be loaded')).waitFor({ timeout: 1_000 });
    }).toPass();
    await expect(reason).toHaveValue('Sang through the lock');
  } finally {
    await client.query('ROLLBACK');
    client.release();
    await db.close();
  }
  await expect(async () => {
    await page.clock.fastForward(15_000);
    await expect(notice).toHaveCount(0, { timeout: 1_000 });
  }).toPass();
  await expect(reason).toHaveValue('Sang through the lock');
  await dialog.getByRole('button', { name: 'Warn' }).click();
  await dialog.waitFor({ state: 'detached' });
  await expect(page.getByRole('table').first()).toContainText('Sang through the lock');
});

test('while Bailiff refuses to say how things are, an open page says so and catches up afterwards', async () => {
  verifies('dashboard.left-open');
  await openAs('owner');
  await page.clock.install();
  await page.goto(`${guild}/members/${userId}`);
  await page.getByRole('button', { name: 'Warn' }).waitFor();
  let refused = 0;
  await page.route('**/state', async (route) => {
    refused += 1;
    await route.fulfill({
      status: 429,
      json: { error: { code: 'RATE_LIMITED', message: 'Too many', details: {} } },
    });
  });
  await say('warn', { user: userId, reason: 'While the page was refused' });
  const notice = page.getByRole('alert').filter({ hasText: 'Bailiff does not answer' });
  await expect(async () => {
    await page.clock.fastForward(3_000);
    await notice.waitFor({ timeout: 1_000 });
  }).toPass();
  expect(refused).toBeGreaterThan(0);
  await page.unrouteAll({ behavior: 'wait' });
  await expect(async () => {
    await page.clock.fastForward(15_000);
    await expect(page.getByRole('table').first()).toContainText('While the page was refused', {
      timeout: 1_000,
    });
  }).toPass();
  await expect(notice).toHaveCount(0);
});

test('a tab that nobody sees keeps no connection, and shows what it missed once somebody looks at it again', async () => {
  verifies('dashboard.left-open');
  await openAs('owner');
  const isStream = (request: Request) => new URL(request.url()).pathname.endsWith('/events');
  const hears = page.waitForResponse((response) => isStream(response.request()), { timeout: 0 });
  await page.goto(`${guild}/members/${userId}`);
  await hears;
  const left = page.waitForEvent('requestfailed', isStream);
  await look('hidden');
  await left;
  await say('warn', { user: userId, reason: 'While nobody looked' });
  await look('visible');
  await expect(page.getByRole('table').first()).toContainText('While nobody looked');
});

/** As when somebody leaves the tab, or comes back to it. */
async function look(state: 'hidden' | 'visible'): Promise<void> {
  await page.evaluate(
    `Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true })`,
  );
  await show(page);
}

test('the numbers of the last day are counted anew while the overview stays open', async () => {
  verifies('dashboard.left-open');
  await openAs('owner');
  await page.clock.install();
  await page.goto(guild);
  await page.getByRole('heading', { name: 'Last 24 hours' }).waitFor();
  let counted = 0;
  page.on('request', (request) => {
    if (request.headers().rsc !== undefined && new URL(request.url()).pathname === new URL(guild).pathname)
      counted += 1;
  });
  await expect(async () => {
    await page.clock.fastForward(5 * 60_000);
    expect(counted).toBeGreaterThan(0);
  }).toPass();
});

test('what the overview is told while it is brought up to date stays, though what comes then was counted before', async () => {
  verifies('dashboard.attention', 'dashboard.left-open');
  const owner = await Owner.signIn(run.web, run.people.owner ?? '');
  const { token } = (await owner.mint(run.guild_id, 'soon over')).body as { token: { id: string } };
  const db = openDatabase(await databaseUrl(run.directory), { applicationName: 'test' });
  await db.pool.query("UPDATE tokens SET expires_at = now() + interval '1 day' WHERE id = $1", [token.id]);
  await db.close();
  await openAs('owner');
  await page.goto(guild);
  const expiring = page.getByRole('link', { name: /expires? within a week/ });
  await expiring.waitFor();
  // By this one sees that the page was brought up to date.
  const { hostname } = new URL(run.web);
  const cookie = { name: 'bailiff.developer-mode', value: 'on', domain: hostname, path: '/' };
  await page.context().addCookies([cookie]);
  const { promise: counted, resolve: count } = Promise.withResolvers<void>();
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  await page.route(`${guild}?_rsc=*`, async (route) => {
    if ('next-router-prefetch' in route.request().headers()) return route.continue();
    const response = await route.fetch();
    count();
    await held;
    await route.fulfill({ response });
  });
  await owner.change('PATCH', `/api/guilds/${run.guild_id}/settings`, { notice_colour: '#333333' });
  await counted;
  await owner.revoke(token.id);
  await expect(expiring).toHaveCount(0);
  letGo();
  await page.getByRole('link', { name: 'API & MCP' }).waitFor();
  await expect(expiring).toHaveCount(0);
  await page.unrouteAll({ behavior: 'wait' });
});

test('without scripts the dashboard says that it needs them, also in place of a list', async () => {
  verifies('dashboard.needs-scripts');
  await openAs('owner');
  const storageState = await page.context().storageState();
  const plain = await browser.newContext({ storageState, javaScriptEnabled: false });
  try {
    const tab = await plain.newPage();
    for (const path of ['/sign-in?again=1', `/guilds/${run.guild_id}/cases`]) {
      await tab.goto(`${run.web}${path}`);
      // The test runner finds no text in here, although people see it.
      const notice = tab.locator('noscript div').first();
      await expect(notice).toBeVisible();
      await expect(notice).toContainText('The dashboard needs JavaScript');
    }
  } finally {
    await plain.close();
  }
});
