// What a guild's people do in an evening, without a mouse: Tab, Enter, Esc, arrow keys and shortcuts only.
import { Owner } from '@bailiff/sandbox/visitor';
import type { Locator, Page } from '@playwright/test';
import { apiOf, refusalOf } from '#src/api.ts';
import { refillBudgets } from '#src/budgets.ts';
import { say } from '#src/chat-command.ts';
import { expectChoiceShown, focusedHeading, press, reach, type } from '#src/keyboard.ts';
import { joined } from '#src/newcomers.ts';
import { GUILD, NAMES } from '#src/pages.ts';
import { run } from '#src/run.ts';
import { expect, test, verifies } from '#src/testing.ts';

test.beforeAll(() => refillBudgets(run.directory));

const guild = `${run.web}/guilds/${run.guild_id}`;
const TOKEN = 'no mouse';

let page: Page;
let owner: Owner;
let tokenId = '';
/** Members whom nothing has happened to. */
let spare: string[];

test.beforeAll(async ({ browser }) => {
  const context = await browser.newContext();
  const { hostname } = new URL(run.web);
  await context.addCookies([{ name: 'bailiff.developer-mode', value: 'on', domain: hostname, path: '/' }]);
  page = await context.newPage();
  await page.goto(run.web);
  await press(page.getByRole('button', { name: 'Sign in with Discord' }));
  await press(page.getByRole('link', { name: NAMES.owner }));
  await press(page.getByRole('link', { name: GUILD }));
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  owner = await Owner.signIn(run.web, run.people.owner ?? '');
  spare = await Promise.all(['Whistling Wim', 'Oarless Ole', 'Singing Sif'].map(joined));
});
test.afterAll(async () => {
  if (tokenId !== '') await owner.revoke(tokenId);
  await page?.context().close();
});

/** Goes to a page of the guild from its overview, by its link in the navigation. */
async function goTo(name: string): Promise<void> {
  await page.goto(guild);
  await press(page.getByRole('navigation', { name: 'Guild' }).getByRole('link', { name, exact: true }));
  await page.getByRole('heading', { level: 1, name }).waitFor();
}

/** Esc closes the dialog, and the focus is back on what opened it. */
async function leave(dialog: Locator, opener: Locator): Promise<void> {
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await expect(opener).toBeFocused();
}

/** A member's dialog that a button opens, with the focus in it. */
async function openDialog(button: Locator, name: RegExp | string): Promise<Locator> {
  await press(button);
  const dialog = page.getByRole('dialog', { name });
  await dialog.waitFor();
  await expect(dialog.locator(':focus')).toHaveCount(1);
  return dialog;
}

test('comes past the navigation with the first Tab', async () => {
  verifies('dashboard.keyboard');
  await page.goto(`${guild}/audit`);
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to the content' })).toBeFocused();
  await page.keyboard.press('Enter');
  await press(page.getByRole('button', { name: 'Views' }));
  await page.getByRole('dialog', { name: 'Views' }).waitFor();
});

test('approves a call, opens a window and closes it', async () => {
  verifies('dashboard.keyboard');
  const minted = await owner.mint(run.guild_id, TOKEN);
  const { token, secret } = minted.body as { token: { id: string }; secret: string };
  tokenId = token.id;
  const [userId = '', , otherId = ''] = spare;
  const ban = (user = userId, reason = 'Whistled at night') =>
    apiOf(run, secret).send('bans.add', {
      user_id: user,
      reason,
      _confirmation: `BAN USER ${user} IN GUILD ${run.guild_id} PERMANENT`,
    });
  await refusalOf(ban());
  const { details } = await refusalOf(ban(otherId, 'Sang at noon'));
  const { reauth_url } = details as { reauth_url: string };
  const request = new URL(reauth_url).searchParams.get('approval');
  await page.goto(`${guild}/approvals`);
  const cardOf = (reason: string) => page.getByRole('article').filter({ hasText: reason });
  const card = cardOf('Whistled at night');
  const everything = card.getByRole('button', { name: 'Allow everything for 15 minutes' });
  await reach(everything);
  // After a change of the list a click at a place in it does not count for half a second, which lasts longer here. What
  // has the focus counts.
  await page.evaluate(`{
    const later = setTimeout;
    window.setTimeout = (work, ms, ...rest) => later(work, ms === 500 ? 120_000 : ms, ...rest);
  }`);
  await owner.request('POST', `/api/approvals/${request}`, { decision: 'refuse' });
  await cardOf('Sang at noon').waitFor({ state: 'detached' });
  await leave(await openDialog(everything, /15 minutes/), everything);
  await press(card.getByRole('button', { name: 'Allow once' }));
  await card.waitFor({ state: 'detached' });
  // Who goes on does so from where the card was.
  await expect(focusedHeading(page)).toHaveCount(1);
  expect((await ban()).status).toBe(201);

  const row = page.getByRole('main').getByRole('listitem').filter({ hasText: TOKEN });
  const dialog = await openDialog(
    row.getByRole('button', { name: 'Approve next destructive action' }),
    /15 minutes/,
  );
  await press(dialog.getByRole('button', { name: 'Allow everything for 15 minutes' }));
  await dialog.waitFor({ state: 'detached' });
  await press(row.getByRole('button', { name: 'Close', exact: true }));
  await row.getByRole('button', { name: 'Approve next destructive action' }).waitFor();
});

test('makes a token, and leaves its dialogs', async () => {
  verifies('dashboard.keyboard');
  await goTo('API & MCP');
  const create = page.getByRole('button', { name: 'Create token' });
  await leave(await openDialog(create, /token/i), create);
  const more = page.getByRole('button', { name: `More for ${TOKEN}` });
  await press(more);
  await page.getByRole('menuitem', { name: 'Renew …' }).waitFor();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('menu')).toHaveCount(0);
  await press(more);
  const revoke = page.getByRole('menuitem', { name: 'Revoke …' });
  // What is pressed while it opens does not reach it.
  await expect(page.getByRole('menuitem').first()).toBeFocused();
  await page.keyboard.press('End');
  await expect(revoke).toBeFocused();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await leave(page.getByRole('dialog'), more);
});

test('finds a member in the palette and bans them', async () => {
  verifies('dashboard.keyboard');
  await goTo('Cases');
  const field = page.getByRole('combobox', { name: /^A page, a name/ });
  await page.keyboard.press('Control+k');
  await expect(field).toBeFocused();
  await page.keyboard.type('members');
  await page.getByRole('option', { name: /^Members/ }).waitFor();
  await expectChoiceShown(field);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor();
  const [, userId = ''] = spare;
  await page.keyboard.press('/');
  await page.keyboard.type(userId);
  await page.keyboard.press('Enter');
  await press(page.getByRole('link', { name: `Open the record of ${userId}` }));
  const button = page.getByRole('main').getByRole('button', { name: 'Ban', exact: true });
  await leave(await openDialog(button, /^Ban /), button);
  const dialog = await openDialog(button, /^Ban /);
  await type(dialog.getByLabel('Reason', { exact: true }), 'Stole the oars');
  await press(dialog.getByRole('button', { name: 'Ban', exact: true }));
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('row', { name: /Stole the oars/ }).waitFor();
});

test('filters a list and takes the filter away', async () => {
  verifies('dashboard.keyboard');
  await goTo('Cases');
  await reach(page.getByLabel('Kind', { exact: true }));
  await page.keyboard.type('Ban');
  await page.waitForURL(/kind=ban/);
  await page.getByRole('row', { name: /Stole the oars/ }).waitFor();
  await press(page.getByRole('link', { name: /remove this filter/ }));
  await page.waitForURL((url) => !url.searchParams.has('kind'));
  // What had the focus is gone, so the search has it.
  await expect(page.getByRole('searchbox')).toBeFocused();
  await press(page.getByRole('row', { name: /Stole the oars/ }).getByRole('link', { name: /^#\d+$/ }));
  await page.waitForURL(/\/cases\/\d+$/);
});

test('changes a setting, is asked before leaving, and saves', async () => {
  verifies('dashboard.keyboard');
  await goTo('Settings');
  const notify = page.getByRole('switch', { name: 'Tell members what was done to them' });
  await reach(notify);
  await page.keyboard.press('Space');
  const asked = page.getByRole('dialog', { name: 'Leave without saving?' });
  const elsewhere = page.getByRole('link', { name: 'Escalation', exact: true });
  await press(elsewhere);
  await asked.waitFor();
  await press(asked.getByRole('button', { name: 'Keep editing' }));
  await expect(asked).toHaveCount(0);
  await expect(elsewhere).toBeFocused();
  await press(page.getByRole('button', { name: 'Discard' }));
  await expect(page.getByText('You have unsaved changes')).toHaveCount(0);
  await expect(focusedHeading(page)).toHaveCount(1);
});

test('takes up a ticket and closes it', async () => {
  verifies('dashboard.keyboard');
  await say('ticket open', { subject: 'My mouse is broken' }, 'quiet');
  await goTo('Tickets');
  const row = page.getByRole('row', { name: /My mouse is broken/ });
  await press(row.getByRole('link', { name: /^#\d+$/ }));
  await page.waitForURL(/\/tickets\/[^/]+$/); // The list has buttons to claim too.
  const main = page.getByRole('main');
  await press(main.getByRole('button', { name: /^Claim/ }));
  await main.getByRole('button', { name: /^Release/ }).waitFor();
  const close = main.getByRole('button', { name: 'Close ticket' });
  const dialog = await openDialog(close, /^Close ticket/);
  await type(dialog.getByLabel('Reason (optional)'), 'Use the keyboard');
  await press(dialog.getByRole('button', { name: 'Close ticket' }));
  await dialog.waitFor({ state: 'detached' });
  await main.getByText('Use the keyboard').waitFor();
});
