import type { BailiffError } from '@bailiff/client';
import { CAPABILITIES } from '@bailiff/core';
import { openDatabase } from '@bailiff/prisma';
import { type MintedToken, Owner, readSandbox, spareMembers } from '@bailiff/sandbox/visitor';
import { databaseUrl } from '@bailiff/supervisor/database-url';
import type { Browser, BrowserContext, Page } from '@playwright/test';
import { apiOf, refusalOf } from '#src/api.ts';
import { refillBudgets } from '#src/budgets.ts';
import { press, reach } from '#src/keyboard.ts';
import { markKnown } from '#src/known-region.ts';
import { heardCard, NAMES, newTab, signIn } from '#src/pages.ts';
import { run } from '#src/run.ts';
import { expect, test, verifies } from '#src/testing.ts';

const guild = `${run.web}/guilds/${run.guild_id}`;
const MINTED = [
  'harvest',
  'two owners',
  'open window',
  'night-watch',
  'patience',
  'keys',
  'places',
  'row',
  'forgetful',
  'bound by name',
  'second thoughts',
  'told off',
  'copied',
  'list',
  'tardy',
  'on its way',
  'long lists',
  'dawn',
  'renamed elsewhere',
];

interface ListedToken {
  readonly id: string;
  readonly name: string;
  readonly revoked_at: string | null;
}

let browser: Browser;
let context: BrowserContext;
let page: Page;
let owner: Owner;
/** Members whom nothing has happened to; each is taken once. */
let spare: string[];
/** The cookies of the owner's session, with Developer Mode on. */
let signedIn: Awaited<ReturnType<BrowserContext['storageState']>>;

test.beforeAll(() => refillBudgets(run.directory));
test.beforeAll(async ({ browser: launched }) => {
  browser = launched;
  owner = await Owner.signIn(run.web, run.people.owner ?? '');
  spare = spareMembers((await readSandbox(run.sandbox ?? '', run.guild_id)).guild, run.people).reverse();
  const first = await browser.newContext();
  const { hostname } = new URL(run.web);
  await first.addCookies([{ name: 'bailiff.developer-mode', value: 'on', domain: hostname, path: '/' }]);
  await signIn(await first.newPage(), run, 'owner');
  signedIn = await first.storageState();
  await first.close();
});
test.beforeEach(async () => {
  ({ context, page } = await ownerTab());
});
test.afterEach(async () => {
  await context?.close();
  // A guild has 25 tokens at most, and other tests mint too.
  const { body } = await owner.request('GET', `/api/api-tokens?guild_id=${run.guild_id}`);
  for (const { id, name, revoked_at } of (body as { data: ListedToken[] }).data) {
    if (MINTED.includes(name) && revoked_at === null) await owner.revoke(id);
  }
});

/** A browser of its own in which the owner is signed in. */
async function ownerTab(): Promise<{ context: BrowserContext; page: Page }> {
  const own = await browser.newContext({ storageState: signedIn });
  return { context: own, page: await own.newPage() };
}

async function mint(name: string): Promise<MintedToken> {
  const { status, body, text } = await owner.mint(run.guild_id, name);
  expect(status, text).toBe(201);
  const { token, secret } = body as { token: { id: string }; secret: string };
  return { id: token.id, name, secret };
}

/** A script that bans somebody of its own each time. */
function banner({ secret }: Pick<MintedToken, 'secret'>, reason: string) {
  const [userId = ''] = spare.splice(0, 1);
  return () =>
    apiOf(run, secret).send('bans.add', {
      user_id: userId,
      reason,
      _confirmation: `BAN USER ${userId} IN GUILD ${run.guild_id} PERMANENT`,
    });
}

const codeOf = async (call: Promise<unknown>) => (await refusalOf(call)).code;
/** The status of `GET /me`. */
const whoAmI = async (secret: string) =>
  (
    await apiOf(run, secret)
      .send('me')
      .catch((error: BailiffError) => error)
  ).status;
const card = (tab: Page, reason: string) => tab.getByRole('article').filter({ hasText: reason });
const row = (name: string) => page.getByRole('row').filter({ hasText: name });

test('through a forgotten proxy the owner is told, and cannot put its address into an allowlist', async () => {
  verifies('ops.proxy-warning');
  await context.setExtraHTTPHeaders({ 'X-Forwarded-For': '203.0.113.7' });
  await page.goto(`${guild}/tokens`);
  await page.getByText('Whoever runs Bailiff must set TRUSTED_PROXIES=127.0.0.1').waitFor();
  await page.getByRole('button', { name: 'Create token' }).click();
  await page.getByText('Your address is not known').waitFor();
  await expect(page.getByRole('button', { name: /^Add my address/ })).toHaveCount(0);
});

test('mints, is asked, approves this call only, rotates with overlap, revokes', async () => {
  verifies(
    'dashboard.create-form',
    'dashboard.create-form.presets',
    'approval.once.admits',
    'rotation.overlap',
    'approval.details',
    'approval.subject',
    'dashboard.secret-not-in-command',
  );
  await page.goto(`${guild}/tokens`);
  await page.getByRole('button', { name: 'Create token' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('harvest');
  const ticked = dialog.getByRole('checkbox', { checked: true });
  expect(await ticked.count()).toBe(CAPABILITIES.length);
  await dialog.getByRole('button', { name: 'Read only' }).click();
  expect(await ticked.count()).toBe(9);
  await dialog.getByRole('button', { name: 'Moderation' }).click();
  await dialog.getByLabel('Allowed addresses').fill('10.0.0.1/8\n\n203.0.113.300');
  await dialog.getByRole('button', { name: 'Create token' }).click();
  await dialog.getByText(/^Line 1: .*10\.0\.0\.0\/8/).waitFor();
  await dialog.getByText(/^Line 3: /).waitFor();
  await dialog.getByLabel('Allowed addresses').fill('');
  await dialog.getByRole('button', { name: /^Add my address/ }).click();
  const late = Promise.withResolvers<void>();
  await page.route('**/_next/static/chunks/**', async (route) => {
    await late.promise;
    await route.continue();
  });
  await dialog.getByRole('button', { name: 'Create token' }).click();

  const shown = dialog.getByText(/^svcpat_[0-9A-Z]{48}$/);
  const secret = (await shown.textContent()) ?? '';
  // The tabs below the secret come later, and nothing moves under the pointer then.
  const stored = dialog.getByRole('button', { name: 'I have stored it' });
  const place = await stored.boundingBox();
  late.resolve();
  await dialog.getByRole('tab', { name: 'Cursor' }).waitFor();
  expect(await stored.boundingBox()).toEqual(place);
  await page.keyboard.press('Escape');
  await page.mouse.click(2, 2);
  expect(await shown.isVisible()).toBe(true);
  await dialog.getByText('read -rs BAILIFF_TOKEN').waitFor();
  await dialog.getByText('curl -H "Authorization: Bearer $BAILIFF_TOKEN"').waitFor();
  expect((await dialog.textContent())?.split(secret)).toHaveLength(2); // nowhere but where it is shown
  await dialog.getByRole('tab', { name: 'Cursor' }).click();
  await dialog.getByText(`"BAILIFF_TOKEN": "${secret}"`).waitFor();
  await stored.click();
  await dialog.waitFor({ state: 'detached' });
  await page.reload();
  await row('harvest').waitFor();
  expect(await page.content()).not.toContain(secret);

  const ban = banner({ secret }, 'Stole the harvest');
  const asked = await refusalOf(ban());
  await page.goto((asked.is('RE_AUTH_REQUIRED') && asked.details?.reauth_url) || '');
  const request = card(page, 'Stole the harvest');
  await request.getByText('"reason": "Stole the harvest"').waitFor();
  await request.getByText(asked.requestId ?? 'an answer without an id').waitFor();
  const fact = (name: string) =>
    request.locator('dt').getByText(name, { exact: true }).locator('xpath=../dd');
  await expect(fact('Token')).toHaveText('harvest');
  await expect(fact('From')).toHaveText('127.0.0.1');
  await expect(fact('Expires in')).toHaveText(/^(1:00:00|5\d:\d\d)$/);
  const subject = request.getByRole('group', { name: 'Who it is about' });
  await subject.getByText(/^Joined \S/).waitFor();
  await subject.getByRole('link', { name: /earlier cases?$/ }).waitFor();
  await expect(subject.getByRole('link').first()).toHaveAttribute('href', /\/members\/\d+$/);
  await (await heardCard(page, 'Stole the harvest')).getByRole('button', { name: 'Allow once' }).click();
  await request.waitFor({ state: 'detached' });
  // Who follows the link later reads what became of the request.
  await page.goto((asked.is('RE_AUTH_REQUIRED') && asked.details?.reauth_url) || '');
  await page.getByText('The call of this link does not wait any more').waitFor();
  await page.getByText('It was allowed once.').waitFor();
  expect((await ban()).status).toBe(201);
  expect(await codeOf(ban())).toBe('RE_AUTH_REQUIRED');

  await page.getByRole('link', { name: 'API & MCP' }).click();
  await page.getByRole('button', { name: 'More for harvest' }).click();
  await page.getByRole('menuitem', { name: 'Rotate …' }).click();
  await dialog.getByLabel('Let the old secret work').check();
  await dialog.getByRole('button', { name: 'Rotate' }).click();
  const rotated = (await shown.textContent()) ?? '';
  await dialog.getByRole('button', { name: 'I have stored it' }).click();
  await row('harvest').getByText('two secrets').waitFor();
  expect([await whoAmI(secret), await whoAmI(rotated)]).toEqual([200, 200]);

  await page.getByRole('button', { name: 'More for harvest' }).click();
  await page.getByRole('menuitem', { name: 'Revoke …' }).click();
  const revoke = dialog.getByRole('button', { name: 'Revoke' });
  expect(await revoke.isDisabled()).toBe(true);
  await dialog.getByLabel('Type harvest to confirm').fill('harvest');
  await revoke.click();
  await row('harvest').getByText('revoked').first().waitFor();
  expect([await whoAmI(secret), await whoAmI(rotated)]).toEqual([401, 401]);
});

test('a token is renewed, muted, let ask again and given a window from its row, which says each', async () => {
  verifies('dashboard.token-row');
  const token = await mint('row');
  const openMenu = async (item: string) => {
    await page.getByRole('button', { name: 'More for row' }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  const dialog = page.getByRole('dialog');
  await page.goto(`${guild}/tokens`);
  await expect(row('row')).toContainText(`svcpat_…${token.secret.slice(-4)}`);
  await expect(row('row')).not.toContainText('requests muted');
  await openMenu('Mute its requests …');
  await dialog.getByRole('button', { name: 'Mute' }).click();
  await row('row').getByText('requests muted').waitFor();
  const muted = await refusalOf(banner(token, 'Asked while muted')());
  expect(muted.details).toMatchObject({ approval_state: 'muted' });
  await openMenu('Let it ask again');
  await expect(row('row').getByText('requests muted')).toHaveCount(0);
  const asks = await refusalOf(banner(token, 'Asked again')());
  expect(asks.details).toMatchObject({ approval_state: 'pending' });

  await openMenu('Renew …');
  await dialog.getByLabel('Extend by').selectOption({ label: 'Never expires' });
  await dialog.getByRole('button', { name: 'Renew' }).click();
  await expect(row('row').getByRole('cell').nth(3)).toHaveText('never');

  await row('row').getByRole('button', { name: 'Approve next destructive action' }).click();
  await dialog.getByRole('button', { name: 'Allow everything for 15 minutes' }).click();
  await row('row').getByText('window open').waitFor();
  expect(await windowOf(token)).toMatchObject({ open: true });
  await row('row').getByRole('button', { name: 'Close window' }).click();
  await expect(row('row').getByText('window open')).toHaveCount(0);
  expect(await windowOf(token)).toEqual({ open: false });
});

test('a late answer closes no other dialog of the same token', async () => {
  await mint('tardy');
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  await page.route('**/renew', async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(`${guild}/tokens`);
  const openMenu = async (item: string) => {
    await page.getByRole('button', { name: 'More for tardy' }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  const dialog = page.getByRole('dialog');
  await openMenu('Renew …');
  await dialog.getByLabel('Extend by').selectOption({ label: 'Never expires' });
  await dialog.getByRole('button', { name: 'Renew' }).click();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await openMenu('Revoke …');
  const repeated = page.getByLabel('Type tardy to confirm');
  await repeated.fill('tar');
  letGo();
  // Behind the open dialog.
  const renewed = page.getByRole('row', { name: /tardy/, includeHidden: true });
  await expect(renewed.getByRole('cell', { includeHidden: true }).nth(3)).toHaveText('never');
  await expect(repeated).toHaveValue('tar');
  await page.unrouteAll({ behavior: 'wait' });
  await page.keyboard.press('Escape');
});

test('a secret that is on its way is shown, although somebody wants to close its dialog', async () => {
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  const { promise: asked, resolve: heard } = Promise.withResolvers<void>();
  await page.route('**/api/api-tokens', async (route) => {
    heard();
    await held;
    await route.continue();
  });
  await page.goto(`${guild}/tokens`);
  await page.getByRole('button', { name: 'Create token' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('on its way');
  await dialog.getByRole('button', { name: 'Everything' }).click();
  await dialog.getByRole('button', { name: 'Create token' }).click();
  await asked;
  await page.keyboard.press('Escape');
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toHaveCount(0);
  letGo();
  await dialog.getByText(/^svcpat_[0-9A-Z]{48}$/i).waitFor();
  await dialog.getByRole('button', { name: 'I have stored it' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.unrouteAll({ behavior: 'wait' });
});

test('what is decided in one tab is seen in the other, and a decision that comes too late says so', async () => {
  const token = await mint('two owners');
  await refusalOf(banner(token, 'Seen by two')());
  await refusalOf(banner(token, 'Decided by two')());
  const other = await ownerTab();
  try {
    // A tab that hears of nothing, as one that has just woken up.
    await other.page.route('**/events?*', (route) => route.abort());
    await other.page.goto(`${guild}/approvals`);
    await page.goto(`${guild}/approvals`);
    const stale = card(other.page, 'Decided by two');
    await stale.waitFor();
    await (await heardCard(page, 'Decided by two')).getByRole('button', { name: 'Refuse' }).click();
    await page.getByText('Refused.', { exact: true }).waitFor();
    await card(page, 'Decided by two').waitFor({ state: 'detached' });
    await stale.getByRole('button', { name: 'Allow once' }).click();
    await other.page.getByText('This request does not wait any more').first().waitFor();
    await stale.waitFor({ state: 'detached' });

    await other.page.unroute('**/events?*');
    await other.page.reload();
    await card(other.page, 'Seen by two').waitFor();
    await (await heardCard(page, 'Seen by two')).getByRole('button', { name: 'Allow once' }).click();
    await card(other.page, 'Seen by two').waitFor({ state: 'detached' });
  } finally {
    await other.context.close();
  }
});

test('waiting calls keep their places: a later one is announced, and a hasty click on it does nothing', async () => {
  verifies('approval.stable-list');
  const token = await mint('places');
  const first = banner(token, 'Asked first');
  const second = banner(token, 'Asked second');
  await refusalOf(first());
  await page.goto(`${guild}/approvals`);
  await card(page, 'Asked first').waitFor();
  const told = page.getByRole('status').filter({ hasText: /waits? for your approval$/ });
  await markKnown(told);
  await refusalOf(second());
  await expect(page.locator('.known')).toHaveText(/new request.*, show/);
  const show = page.getByRole('button', { name: /new request.*, show/ });
  await show.waitFor();
  expect(await card(page, 'Asked second').count()).toBe(0);
  // Clicks as soon as the card is there, as a person does who was about to click what stood there before.
  await page.evaluate(`(async () => {
    const named = (name, text) =>
      [...document.querySelectorAll(name)].find(({ textContent }) => textContent.includes(text));
    named('button', ', show').click();
    while (named('article', 'Asked second') === undefined) await new Promise(requestAnimationFrame);
    const click = new MouseEvent('click', { bubbles: true, cancelable: true, detail: 1 });
    named('article', 'Asked second').querySelector('button').dispatchEvent(click);
  })()`);
  const asked = await page.getByRole('article').allTextContents();
  const placeOf = (reason: string) => asked.findIndex((text) => text.includes(reason));
  expect(placeOf('Asked first')).toBeLessThan(placeOf('Asked second'));
  await (await heardCard(page, 'Asked first')).getByRole('button', { name: 'Refuse' }).click();
  await card(page, 'Asked first').waitFor({ state: 'detached' });
  await (await heardCard(page, 'Asked second')).getByRole('button', { name: 'Allow once' }).click();
  await card(page, 'Asked second').waitFor({ state: 'detached' });

  const allowed = page.getByRole('row').filter({ hasText: 'Asked second' });
  await allowed.getByText('not made yet').waitFor();
  await allowed.getByRole('button', { name: 'Withdraw' }).click();
  await allowed.getByText('withdrawn').waitFor();
  expect(await codeOf(second())).toBe('RE_AUTH_REQUIRED');
});

test('the calls made in an open window appear as they happen, until it is closed', async () => {
  verifies('window.delete.closes', 'window.asks-first');
  const token = await mint('open window');
  const ban = banner(token, 'Walked through the window');
  await refusalOf(ban());
  await page.goto(`${guild}/approvals`);
  await (await heardCard(page, 'Walked through the window'))
    .getByRole('button', { name: 'Allow everything' })
    .click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('any destructive call, without further questions, for 15 minutes').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  expect(await windowOf(token)).toEqual({ open: false });
  await (await heardCard(page, 'Walked through the window'))
    .getByRole('button', { name: 'Allow everything' })
    .click();
  await dialog.getByRole('button', { name: 'Allow everything' }).click();
  const calls = page.getByRole('region', { name: 'Calls in the open window of open window' });
  await calls.getByText('No call yet').waitFor();
  expect((await ban()).status).toBe(201);
  await calls
    .getByRole('listitem')
    .filter({ hasText: 'Walked through the window' })
    .getByText('done')
    .waitFor();
  await page
    .getByRole('listitem')
    .filter({ has: calls })
    .getByRole('button', { name: 'Close', exact: true })
    .click();
  await calls.waitFor({ state: 'detached' });
  expect(await codeOf(banner(token, 'Came too late')())).toBe('RE_AUTH_REQUIRED');
});

test('an open window is on every page, with its time and a button that closes it', async () => {
  verifies('window.seen-everywhere', 'window.open.button', 'window.requests-wait-no-more');
  const token = await mint('night-watch');
  await refusalOf(banner(token, 'Asked before the window')());
  await page.goto(`${guild}/approvals`);
  await card(page, 'Asked before the window').waitFor();
  const approve = page.getByRole('button', { name: 'Approve next destructive action' });
  await page
    .getByRole('listitem')
    .filter({ hasText: 'night-watch', has: approve })
    .getByRole('button')
    .click();
  await page.getByRole('dialog').getByRole('button', { name: 'Allow everything for 15 minutes' }).click();
  await card(page, 'Asked before the window').waitFor({ state: 'detached' });
  await row('Asked before the window').getByText('the open window admits it').waitFor();

  const strip = page.getByRole('region', { name: 'Open windows' });
  for (const path of ['', '/members', '/settings']) {
    await page.goto(`${guild}${path}`);
    await strip.getByText(/night-watch may act in Harbourlight for 1[0-5]:\d\d/).waitFor();
  }
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(run.web);
  await strip.getByText(/night-watch may act/).waitFor();
  await press(strip.getByRole('button', { name: 'Close the window of night-watch' }));
  await strip.getByText(/night-watch may act/).waitFor({ state: 'detached' });
  expect(await windowOf(token)).toEqual({ open: false });
  await page.goto(`${guild}/approvals`);
  await (await heardCard(page, 'Asked before the window')).getByRole('button', { name: 'Refuse' }).click();
});

async function windowOf({ id }: Pick<MintedToken, 'id'>): Promise<unknown> {
  return (await owner.request('GET', `/api/api-tokens/${id}/reauth-window`)).body;
}

test('a session that ends in the middle of a form loses nothing that was typed', async () => {
  await context.clearCookies({ name: 'bailiff.session' }); // a session of its own, to end
  await signIn(page, run, 'owner');
  await page.goto(`${guild}/tokens`);
  await page.getByRole('button', { name: 'Create token' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('patience');
  await dialog.getByLabel('Allowed addresses').fill('127.0.0.1\n203.0.113.0/24');
  await dialog.getByRole('button', { name: 'Everything' }).click();
  await dialog.getByLabel('tickets.write').uncheck();
  await endSession();

  await dialog.getByRole('button', { name: 'Create token' }).click();
  await dialog.getByText('Your session has ended').waitFor();
  const again = dialog.getByRole('link', { name: 'Sign in again in a new tab' });
  const elsewhere = await newTab(context, () => again.click());
  await elsewhere.getByRole('button', { name: 'Sign in with Discord' }).click();
  await elsewhere.getByRole('link', { name: NAMES.owner }).click();
  await elsewhere.getByRole('heading', { name: 'You are signed in' }).waitFor();

  await dialog.getByText('You are signed in again').waitFor();
  expect(await dialog.getByLabel('Name').inputValue()).toBe('patience');
  expect(await dialog.getByLabel('Allowed addresses').inputValue()).toBe('127.0.0.1\n203.0.113.0/24');
  expect(await dialog.getByLabel('tickets.write').isChecked()).toBe(false);
  await dialog.getByRole('button', { name: 'Create token' }).click();
  await dialog.getByRole('button', { name: 'I have stored it' }).click();
  await row('patience').getByText('18 of 19').waitFor();
});

/** As when it runs out, or is ended in another tab: the page that is open does not hear of it. */
async function endSession(): Promise<void> {
  await page.request.delete(`${run.web}/api/sessions/current`, { headers: { Origin: run.web } });
}

test('by keyboard alone a token is minted and a call approved', async () => {
  await page.goto(`${guild}/tokens`);
  const dialog = page.getByRole('dialog');
  await press(page.getByRole('button', { name: 'Create token' }));
  await dialog.waitFor();
  await reach(dialog.getByLabel('Name'));
  await page.keyboard.type('keys');
  await press(dialog.getByRole('button', { name: 'Everything' }));
  await press(dialog.getByRole('button', { name: 'Create token' }));
  const secret = (await dialog.getByText(/^svcpat_[0-9A-Z]{48}$/).textContent()) ?? '';
  await reach(dialog.getByRole('tab', { name: 'curl' }));
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await dialog.getByText('"command": "node"').waitFor();
  await press(dialog.getByRole('button', { name: 'I have stored it' }));
  await dialog.waitFor({ state: 'detached' });

  const ban = banner({ secret }, 'Typed without a mouse');
  await refusalOf(ban());
  await press(page.getByRole('link', { name: 'Approvals' }));
  await press(card(page, 'Typed without a mouse').getByRole('button', { name: 'Allow once' }));
  await card(page, 'Typed without a mouse').waitFor({ state: 'detached' });
  expect((await ban()).status).toBe(201);
});

test('a secret is not in its dialog again, and a token without a capability is not made', async () => {
  verifies('secret.shown-once');
  await mint('forgetful');
  await page.goto(`${guild}/tokens`);
  const dialog = page.getByRole('dialog');
  const openRotation = async () => {
    await page.getByRole('button', { name: 'More for forgetful' }).click();
    await page.getByRole('menuitem', { name: 'Rotate …' }).click();
  };
  await openRotation();
  await dialog.getByRole('button', { name: 'Rotate' }).click();
  await dialog.getByRole('button', { name: 'I have stored it' }).click();
  await dialog.waitFor({ state: 'detached' });
  await openRotation();
  await dialog.getByLabel('Let the old secret work').waitFor();
  await expect(dialog.getByText(/^svcpat_[0-9A-Z]{48}$/)).toHaveCount(0);
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'Create token' }).click();
  await dialog.getByRole('button', { name: 'Read only' }).click();
  const ticked = dialog.getByRole('checkbox', { checked: true });
  while ((await ticked.count()) > 0) await ticked.first().uncheck();
  await expect(dialog.getByRole('button', { name: 'Create token' })).toBeDisabled();
});

test('a token that gets another name keeps the addresses from which it may be used', async () => {
  const { id } = await mint('bound');
  const ip_allowlist = ['127.0.0.1', '203.0.113.0/24'];
  await owner.request('PATCH', `/api/api-tokens/${id}`, { name: 'bound', ip_allowlist });
  await page.goto(`${guild}/tokens`);
  await page.getByRole('button', { name: 'More for bound' }).click();
  await page.getByRole('menuitem', { name: 'Edit …' }).click();
  const dialog = page.getByRole('dialog', { name: /^Edit / });
  await expect(dialog.getByLabel('Allowed addresses')).toHaveValue(ip_allowlist.join('\n'));
  await dialog.getByLabel('Name').fill('bound by name');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  for (const entry of ip_allowlist) await row('bound by name').getByText(entry, { exact: true }).waitFor();
});

test('the addresses that another tab gave a token stay when it is renamed here', async () => {
  const { id } = await mint('renamed here');
  await page.goto(`${guild}/tokens`);
  await page.getByRole('button', { name: 'More for renamed here' }).click();
  await page.getByRole('menuitem', { name: 'Edit …' }).click();
  const dialog = page.getByRole('dialog', { name: /^Edit / });
  await dialog.getByLabel('Name').fill('renamed twice');
  await owner.request('PATCH', `/api/api-tokens/${id}`, { ip_allowlist: ['203.0.113.0/24'] });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  await row('renamed twice').getByText('203.0.113.0/24', { exact: true }).waitFor();

  // What was looked at and left as it is sends nothing.
  await page.getByRole('button', { name: 'More for renamed twice' }).click();
  await page.getByRole('menuitem', { name: 'Edit …' }).click();
  await expect(dialog.getByLabel('Allowed addresses')).toHaveValue('203.0.113.0/24');
  await owner.request('PATCH', `/api/api-tokens/${id}`, { name: 'renamed elsewhere', ip_allowlist: [] });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  await row('renamed elsewhere').getByText('any', { exact: true }).waitFor();
});

test('a call that was refused is allowed once after all', async () => {
  const token = await mint('second thoughts');
  const ban = banner(token, 'Refused too soon');
  await refusalOf(ban());
  await page.goto(`${guild}/approvals`);
  await (await heardCard(page, 'Refused too soon')).getByRole('button', { name: 'Refuse' }).click();
  const refused = page.getByRole('row').filter({ hasText: 'Refused too soon' });
  await refused.getByText('refused', { exact: true }).waitFor();
  await refused.getByRole('button', { name: 'Allow once after all' }).click();
  await refused.getByText('allowed once, not made yet').waitFor();
  expect((await ban()).status).toBe(201);
});

test('the link to a call that was refused says so, and nothing else', async () => {
  const asked = await refusalOf(banner(await mint('told off'), 'Told off')());
  const link = (asked.is('RE_AUTH_REQUIRED') && asked.details?.reauth_url) || '';
  await page.goto(link);
  await (await heardCard(page, 'Told off')).getByRole('button', { name: 'Refuse' }).click();
  await card(page, 'Told off').waitFor({ state: 'detached' });
  await page.goto(link);
  await page.getByText('It was refused.', { exact: true }).waitFor();
});

test('one’s own address comes to those that are typed already, and the secret is copied as it is shown', async () => {
  verifies('dashboard.create-form');
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(`${guild}/tokens`);
  await page.getByRole('button', { name: 'Create token' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('copied');
  const addresses = dialog.getByLabel('Allowed addresses');
  await addresses.fill('203.0.113.0/24');
  await dialog.getByRole('button', { name: /^Add my address/ }).click();
  await expect(addresses).toHaveValue('203.0.113.0/24\n127.0.0.1');
  await dialog.getByRole('button', { name: 'Create token' }).click();
  const secret = await dialog.getByText(/^svcpat_[0-9A-Z]{48}$/).textContent();
  await dialog.getByRole('button', { name: 'Copy the secret' }).click();
  await dialog.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret);
  await dialog.getByRole('button', { name: 'I have stored it' }).click();
});

test('a call about a list waits with the names of all whom it would ban', async () => {
  verifies('approval.details');
  const token = await mint('list');
  const people = spare.splice(0, 2);
  const api = apiOf(run, token.secret);
  const { preview } = await api.call('bans.preview', { users: people.join(' ') });
  const { id: preview_id, count } = preview ?? { id: '', count: 0 };
  expect(count).toBe(2);
  const _confirmation = `BAN 2 USERS OF PREVIEW ${preview_id} IN GUILD ${run.guild_id} PERMANENT`;
  const input = { preview_id, count, reason: 'Came as one', _confirmation };
  await refusalOf(api.call('bans.many', input));
  await page.goto(`${guild}/approvals`);
  const request = await heardCard(page, 'Came as one');
  await request.getByText('The 2 people on the list').click();
  for (const id of people) await request.getByText(id).first().waitFor();
  await request.getByRole('button', { name: 'Refuse' }).click();
  await request.waitFor({ state: 'detached' });
});

test('the request that a link names shows whom it would ban, also behind those about two thousand', async () => {
  verifies('approval.details');
  const token = await mint('long lists');
  const people = spare.splice(0, 2);
  const api = apiOf(run, token.secret);
  const lists: string[] = [];
  for (const reason of ['Came first', 'Came second', 'Came third']) {
    const { preview } = await api.call('bans.preview', { users: people.join(' ') });
    const { id: preview_id, count } = preview ?? { id: '', count: 0 };
    const _confirmation = `BAN 2 USERS OF PREVIEW ${preview_id} IN GUILD ${run.guild_id} PERMANENT`;
    await refusalOf(api.call('bans.many', { preview_id, count, reason, _confirmation }));
    lists.push(preview_id);
  }
  const db = openDatabase(await databaseUrl(run.directory), { applicationName: 'test' });
  try {
    // The first two name a thousand each: as many as a page shows.
    await db.pool.query(
      `INSERT INTO listed_people (list_id, place, line, user_id)
       SELECT list_id, 9 + n, 9 + n, (720000000000000000 + n)::text
       FROM unnest($1::text[]) AS list_id, generate_series(1, 998) AS n`,
      [lists.slice(0, 2)],
    );
    await page.goto(`${guild}/approvals`);
    const first = card(page, 'Came first');
    await first.locator('summary').getByText('The 1,000 people on the list').waitFor();
    await expect(first.getByRole('link', { name: /people on the list$/ })).toHaveCount(0);
    await card(page, 'Came third').getByRole('link', { name: 'The 2 people on the list' }).click();
    const request = card(page, 'Came third');
    const listed = request.locator('summary').getByText('The 2 people on the list');
    await listed.waitFor();
    await heardCard(page, 'Came third');
    await listed.click();
    for (const id of people) await request.getByText(id).first().waitFor();
    // Now it is the second that leads to its people.
    await card(page, 'Came second').getByRole('link', { name: 'The 1,000 people on the list' }).waitFor();
  } finally {
    await owner.revoke(token.id);
    await db.pool.query('DELETE FROM listed_people WHERE list_id = ANY ($1) AND place > 9', [lists]);
    await db.close();
  }
});

test('an open window goes from every page when it ends, also from one that hears of nothing', async () => {
  verifies('window.seen-everywhere');
  const token = await mint('dawn');
  expect((await owner.request('POST', `/api/api-tokens/${token.id}/reauth-window`)).status).toBeLessThan(300);
  await page.clock.install();
  await page.route('**/events?*', (route) => route.abort());
  await page.goto(`${guild}/members`);
  const strip = page.getByRole('region', { name: 'Open windows' }).getByText(/dawn may act/);
  await strip.waitFor();
  const db = openDatabase(await databaseUrl(run.directory), { applicationName: 'test' });
  await db.pool.query("UPDATE windows SET expires_at = now() - interval '1 second' WHERE token_id = $1", [
    token.id,
  ]);
  await db.close();
  await expect(async () => {
    await page.clock.fastForward(15 * 60_000);
    await strip.waitFor({ state: 'detached', timeout: 1_000 });
  }).toPass();
});
