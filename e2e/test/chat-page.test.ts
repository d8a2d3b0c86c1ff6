import { send } from '@bailiff/sandbox/visitor';
import type { Locator, Page } from '@playwright/test';
import { acquaint } from '#src/acquaint.ts';
import { faultsIn } from '#src/axe.ts';
import { refillBudgets } from '#src/budgets.ts';
import { newTab } from '#src/pages.ts';
import { run } from '#src/run.ts';
import { expect, test, verifies } from '#src/testing.ts';

/** Somebody whom no other test knows, so that nothing here is on their record. */
const TARGET = 'Wanda Wharf';
let targetId = '';

test.beforeAll(async () => {
  await refillBudgets(run.directory);
  const { member } = await control<{ member: { user: { id: string } } }>('members', {
    action: 'join',
    name: TARGET,
  });
  targetId = member.user.id;
  await acquaint(targetId);
});
test.afterAll(() => control('members', { action: 'leave', user: targetId }));

async function control<Answer = unknown>(endpoint: string, json: object): Promise<Answer> {
  const { status, body, text } = await send(`${run.sandbox}/sandbox/${endpoint}`, { method: 'POST', json });
  expect(status, text).toBe(200);
  return body as Answer;
}

async function open(page: Page, person: string, query: Record<string, string> = {}): Promise<void> {
  await page.goto(`${run.sandbox}/?${new URLSearchParams({ as: run.people[person] ?? person, ...query })}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
}

async function expectNoFaults(page: Page): Promise<void> {
  expect(await faultsIn(page)).toEqual([]);
}

function answerWith(page: Page, words: string | RegExp): Locator {
  return page.getByRole('list', { name: 'Messages' }).getByRole('listitem').filter({ hasText: words });
}

test('a newcomer gives a first command by keyboard, and the answer is in view', async ({ page }) => {
  verifies('sandbox.page.first-command', 'sandbox.page.who');
  await open(page, 'owner');
  await page.getByRole('button', { name: 'You are Mira Voss (owner)' }).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.keyboard.type('/strike');
  await page.getByRole('option', { name: /^\/strike add/, selected: true }).waitFor();
  await expectNoFaults(page);
  await page.keyboard.press('Enter');
  const form = page.getByRole('form', { name: '/strike add' });
  await expect(form.getByLabel('user')).toBeFocused();
  await page.keyboard.type('wanda');
  await page.getByRole('option', { name: TARGET, selected: true }).waitFor();
  await expectNoFaults(page);
  await page.keyboard.press('Enter');
  await expect(form.getByLabel('user')).toHaveValue(TARGET);
  await expect(form.getByLabel('reason')).toBeFocused();

  // A required option that is left out is said at its field, as Discord does.
  await page.keyboard.press('Enter');
  await form.getByText('This option is required.').waitFor();
  await page.keyboard.type('Spilled the paint');
  await form.getByRole('button', { name: '+ severity' }).press('Enter');
  await page.keyboard.type('minor');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');

  const answer = answerWith(page, /Done.*Spilled the paint/s);
  await answer.waitFor();
  await expect(answer).toBeInViewport({ ratio: 1 });
  await expect(answer.getByText('Only you can see this')).toBeVisible();
  await expectNoFaults(page);
  await answer.getByRole('button', { name: 'Dismiss' }).press('Enter');
  await answer.waitFor({ state: 'detached' });

  // The bot itself suggests values while one types.
  await page.getByRole('textbox', { name: 'Message #general as Mira Voss' }).fill('/rcon');
  await page.keyboard.press('Enter');
  await page.getByRole('option', { name: 'Survival' }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');

  // What they were told is in their direct messages.
  await page.getByRole('button', { name: 'You are Mira Voss (owner)' }).press('Enter');
  await page.getByLabel('Find a person by name').fill('wanda');
  await expectNoFaults(page);
  await page.getByRole('dialog').getByRole('button', { name: TARGET }).press('Enter');
  await page.getByRole('link', { name: 'bailiff unread' }).press('Enter');
  await expect(answerWith(page, 'Reason: Spilled the paint')).toBeInViewport();
});

test('a form from the menu on a person says at the field what is missing', async ({ page }) => {
  verifies('sandbox.page.forms', 'sandbox.page.menus');
  await open(page, 'owner');
  const member = page.getByRole('complementary', { name: 'Members' }).getByRole('button', { name: TARGET });
  await member.click({ button: 'right' });
  await expectNoFaults(page);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('menu')).toHaveCount(0);
  await member.press('Enter');
  await page.getByRole('menuitem', { name: 'Strike', exact: true }).press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Submit' }).click();
  await dialog.getByText('this field of the modal is required').waitFor();
  await expectNoFaults(page);
  await dialog.getByLabel('Reason').fill('Rang the bell all night');
  for (const select of await dialog.getByRole('combobox').all()) await select.selectOption({ index: 1 });
  await dialog.getByRole('button', { name: 'Submit' }).click();
  const answer = answerWith(page, /Done.*Rang the bell/s);
  await answer.waitFor();
  await expect(answer).toBeInViewport();
});

test('a button deletes messages, and they vanish at once', async ({ page }) => {
  verifies('sandbox.page.live', 'sandbox.page.menus');
  const { channel } = await control<{ channel: { id: string } }>('channels', {
    action: 'create',
    name: 'paint-shop',
  });
  await control('messages', { user: 'member', channel: channel.id, content: 'old paint' });
  await open(page, 'owner', { channel: channel.id });
  const spill = answerWith(page, 'fresh paint');
  await control('messages', { user: 'member', channel: channel.id, content: 'fresh paint' });
  await spill.waitFor();

  // Its menu, by keyboard: the last message's button is the one that Tab reaches.
  const more = spill.getByRole('button', { name: 'More about the message of Sana Iqbal' });
  await more.focus();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Purge from here' }).press('Enter');
  const question = answerWith(page, 'Only you can see this').first();
  await expect(question).toBeInViewport();
  await expectNoFaults(page);
  await question
    .getByRole('button', { name: /delete/i })
    .first()
    .press('Enter');
  await expect(answerWith(page, 'old paint')).toHaveCount(0);
  await spill.waitFor({ state: 'detached' });
  await control('channels', { action: 'delete', channel: channel.id });
});

test('at 360 px it opens at the messages, and channels and members are drawers', async ({ browser }) => {
  verifies('sandbox.page.phone');
  for (const colorScheme of ['dark', 'light'] as const) {
    const context = await browser.newContext({ viewport: { width: 360, height: 740 }, colorScheme });
    const page = await context.newPage();
    await open(page, 'owner');
    await expect(page.getByRole('list', { name: 'Messages' }).getByRole('listitem').last()).toBeInViewport();
    const [channels, members] = [
      page.getByRole('navigation', { name: 'Channels' }),
      page.getByRole('complementary'),
    ];
    await expect(channels).toBeHidden();
    await expect(members).toBeHidden();
    await expectNoFaults(page);

    await page.getByRole('button', { name: 'Members' }).click();
    await expect(members).toBeInViewport();
    await expectNoFaults(page);
    await page.keyboard.press('Escape');
    await expect(members).toBeHidden();
    await page.getByRole('button', { name: 'Channels' }).click();
    await expectNoFaults(page);
    await channels.getByRole('link', { name: 'off-topic' }).click();
    await page.getByRole('heading', { level: 1, name: '#off-topic' }).waitFor();
    await expect(channels).toBeHidden();
    await page.getByRole('button', { name: 'Channels' }).click();
    await channels.getByRole('link', { name: 'Audit log' }).click();
    await page.getByRole('table').waitFor();
    await expectNoFaults(page);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    await context.close();
  }
});

test('#mod-log stands in no category, as in Discord', async ({ page }) => {
  await open(page, 'moderator');
  const channels = await page.getByRole('navigation', { name: 'Channels' }).textContent();
  const at = (name: string) => (channels ?? '').indexOf(name);
  expect(at('mod-log')).toBeGreaterThan(-1);
  expect(at('mod-log')).toBeLessThan(at('Tickets'));
});

test('the link to the dashboard signs in as the person one is', async ({ page }) => {
  verifies('sandbox.page.dashboard');
  await open(page, 'owner');
  const toDashboard = page.getByRole('link', { name: 'Dashboard as Mira' });
  const dashboard = await newTab(page.context(), () => toDashboard.click());
  await dashboard.getByRole('button', { name: 'Sign in with Discord' }).click();
  await dashboard.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  expect(new URL(dashboard.url()).pathname).toBe(`/guilds/${run.guild_id}`);
});
