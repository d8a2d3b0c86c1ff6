import { openDatabase } from '@bailiff/prisma';
import { Owner, readSandbox, send, spareMembers } from '@bailiff/sandbox/visitor';
import { databaseUrl } from '@bailiff/supervisor/database-url';
import type { Browser, Page } from '@playwright/test';
import { acquaint } from '#src/acquaint.ts';
import { openWhole } from '#src/all-pages.ts';
import { faultsIn } from '#src/axe.ts';
import { refillBudgets } from '#src/budgets.ts';
import { say } from '#src/chat-command.ts';
import { joined } from '#src/newcomers.ts';
import { NAMES, signIn } from '#src/pages.ts';
import { run } from '#src/run.ts';
import { expect, test, verifies } from '#src/testing.ts';

const guild = `${run.web}/guilds/${run.guild_id}`;
let owner: Page;
let spare: string[];

test.beforeAll(() => refillBudgets(run.directory));
test.beforeAll(async ({ browser }) => {
  spare = spareMembers((await readSandbox(run.sandbox ?? '', run.guild_id)).guild, run.people).slice(-4);
  owner = await (await browser.newContext()).newPage();
  await signIn(owner, run, 'owner');
});
test.afterAll(async () => {
  await takeAppeals([], []);
  await owner?.context().close();
});

/** Sets what people can appeal, and what they are asked. */
async function takeAppeals(kinds: string[], questions: string[], more: object = {}): Promise<void> {
  const api = await Owner.signIn(run.web, run.people.owner ?? '');
  const rules = { introduction: '', cooldown_days: 0, votes_needed: 0, channel_id: null, ...more };
  const path = `/api/guilds/${run.guild_id}/appeal-settings`;
  expect((await api.request('PATCH', path, { kinds, questions, ...rules })).status).toBe(200);
}

const ban = (userId: string) => say('ban', { user: userId, reason: 'Sold the same sheep twice' });

/** The link to the appeal against a ban. Not all have it in a notice: a ban waits for that two seconds at most. */
async function linkOf(userId: string): Promise<string> {
  const db = openDatabase(await databaseUrl(run.directory), { applicationName: 'test' });
  const bans = "SELECT action_id FROM cases WHERE guild_id = $1 AND user_id = $2 AND kind = 'ban'";
  const { rows } = await db.pool.query<{ action_id: string }>(bans, [run.guild_id, userId]);
  await db.close();
  expect(rows).toHaveLength(1);
  return `${run.web}/appeal/${rows[0]?.action_id}`;
}

/** The link that the notice of a ban has. */
async function linkInNotice(userId: string): Promise<string> {
  const { body } = await send(`${run.sandbox}/sandbox/state`, {});
  const { dms } = body as { dms: { user_id: string; messages: { content: string }[] }[] };
  const messages = dms.find(({ user_id }) => user_id === userId)?.messages ?? [];
  const link = /https?:\/\/\S+\/appeal\/\S+/.exec(messages.at(-1)?.content ?? '')?.[0];
  expect(link).toBeDefined();
  return link ?? '';
}

/** A browser in which a person has opened a link, and has signed in for it. */
async function opened(browser: Browser, link: string, userId: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await page.goto(link);
  await page.getByRole('button', { name: 'Sign in with Discord' }).click();
  await page.getByRole('heading', { name: /^Sign in to Bailiff as/ }).waitFor();
  await page.goto(`${page.url()}&login_as=${userId}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  return page;
}

/** What is wrong with a page for people who read it on a phone or with other means than eyes. */
async function faults(page: Page): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    found.push(...(await faultsIn(page)));
  }
  await page.setViewportSize({ width: 360, height: 800 });
  const overflow = await page.evaluate('document.documentElement.scrollWidth');
  if (overflow !== 360) found.push(`${overflow} px wide`);
  await page.setViewportSize({ width: 1440, height: 900 });
  return found;
}

test('a banned person follows the link of the notice, appeals, and is let back in', async ({ browser }) => {
  verifies(
    'appeals.file',
    'appeals.hidden',
    'appeals.settings',
    'appeals.anonymous',
    'appeals.accepted-by-lifting',
    'appeals.from-case',
    'appeals.test-channel',
  );
  await openWhole(owner, `${guild}/settings/appeals`);
  await owner.getByRole('checkbox', { name: 'Ban' }).check();
  await owner.getByLabel('Introduction').fill('Tell us what happened.');
  await expect(owner.getByRole('textbox', { name: 'Question 1' })).toHaveValue('Why should it be lifted?');
  await owner.getByRole('button', { name: 'Add a question' }).click();
  await owner.getByRole('textbox', { name: 'Question 2' }).fill('What will you do otherwise?');
  expect(await faults(owner)).toEqual([]);
  await owner.getByRole('button', { name: 'Save' }).click();
  await owner.getByText('Saved.').waitFor();
  await owner.getByRole('combobox', { name: 'Channel for appeals' }).fill('mod-log');
  await owner.getByRole('option', { name: '#mod-log' }).click();
  await owner.getByRole('button', { name: 'Send a test: Channel for appeals' }).click();
  await owner.getByRole('dialog', { name: 'The test is in #mod-log.' }).waitFor();
  await owner.getByRole('button', { name: 'Discard' }).click();

  const [, other = ''] = spare;
  let [userId, link] = ['', ''];
  // A ban waits two seconds at most for its notice.
  await expect(async () => {
    userId = await joined('Shep Seller');
    await acquaint(userId);
    await ban(userId);
    link = await linkInNotice(userId);
  }).toPass();
  const person = await opened(browser, link, userId);
  await person.getByText('Tell us what happened.').waitFor();
  await person.getByText('Sold the same sheep twice').waitFor();
  expect(await faults(person)).toEqual([]);
  await person.getByLabel('Why should it be lifted?').fill('The second sheep was another one.');
  await person.getByLabel('What will you do otherwise?').fill('Mark them.');
  await person.getByRole('button', { name: 'Send the appeal' }).click();
  await person.getByText('have your appeal').waitFor();
  expect(await faults(person)).toEqual([]);

  const stranger = await opened(browser, link, other);
  await expect(stranger.getByRole('heading', { level: 1 })).toHaveText('There is nothing here');
  const seen = await stranger.content();
  expect(seen).not.toContain('sheep');
  await stranger.goto(`${run.web}/appeal`);
  await stranger.getByText('There is nothing that you can appeal').waitFor();
  await stranger.context().close();

  await openWhole(owner, `${guild}/appeals`);
  await owner.getByRole('link', { name: /Ban/ }).first().click();
  await owner.getByText('The second sheep was another one.').waitFor();
  await owner.getByRole('button', { name: 'Vote for it' }).click();
  await owner.getByText('1 for, 0 against').waitFor();
  await owner.getByRole('link', { name: /^#\d+: Ban$/ }).click();
  await owner.getByRole('link', { name: 'Read the appeal' }).click();
  await owner.getByRole('heading', { level: 1, name: /^Appeal against case/ }).waitFor();
  expect(await faults(owner)).toEqual([]);
  await person.reload();
  await person.getByText('are looking at your appeal').waitFor();
  await owner.getByRole('button', { name: 'Lift the ban' }).click();
  await owner.getByRole('dialog').getByRole('button', { name: 'Lift the ban' }).click();
  await owner.getByText('Accepted').first().waitFor();

  await person.reload();
  await person.getByText('accepted your appeal').waitFor();
  const read = await person.content();
  for (const secret of [NAMES.owner, run.people.owner ?? '']) expect(read).not.toContain(secret);
  await person.goto(`${run.web}/appeal`);
  await person.getByRole('link', { name: /Harbourlight/ }).waitFor();
  expect(await faults(person)).toEqual([]);
  await person.context().close();
});

test('a refused appeal shows the answer of the guild, and not whose it is', async ({ browser }) => {
  verifies('appeals.refuse', 'appeals.anonymous');
  await takeAppeals(['ban'], ['Why should it be lifted?', 'What will you do otherwise?']);
  const [, , userId = ''] = spare;
  await ban(userId);
  const person = await opened(browser, await linkOf(userId), userId);
  await person.getByLabel('Why should it be lifted?').fill('I want back in.');
  await person.getByLabel('What will you do otherwise?').fill('Nothing.');
  await person.getByRole('button', { name: 'Send the appeal' }).click();
  await person.getByText('have your appeal').waitFor();
  await openWhole(owner, `${guild}/appeals`);
  await owner.getByRole('link', { name: /Ban/ }).first().click();
  await owner.getByRole('button', { name: 'Vote against it' }).click();
  await owner.getByText('0 for, 1 against').waitFor();
  await owner.getByRole('button', { name: 'Refuse' }).click();
  await owner.getByLabel('Answer to the person (optional)').fill('Think about it for a month.');
  await owner.getByRole('dialog').getByRole('button', { name: 'Refuse' }).click();
  await owner.getByText('The appeal is refused.').waitFor();
  await person.reload();
  await person.getByText('Think about it for a month.').waitFor();
  const read = await person.content();
  for (const secret of [NAMES.owner, run.people.owner ?? '']) expect(read).not.toContain(secret);
  await person.context().close();
});

test('appeals without a question are not saved, and days and votes are kept each in its place', async () => {
  verifies('appeals.settings');
  await takeAppeals(['ban'], ['Why should it be lifted?']);
  await openWhole(owner, `${guild}/settings/appeals`);
  await owner.getByRole('button', { name: 'Remove question 1' }).click();
  await owner.getByText('Ask at least one question.').first().waitFor();
  await expect(owner.getByRole('button', { name: 'Save', exact: true })).toBeDisabled();
  await owner.getByRole('button', { name: 'Discard' }).click();
  const days = owner.getByLabel('Days to wait after a refusal');
  const votes = owner.getByLabel('Votes needed to decide');
  await days.fill('9');
  await votes.fill('2');
  await owner.getByRole('button', { name: 'Save', exact: true }).click();
  await owner.getByText('Saved.').waitFor();
  await owner.reload();
  await expect(days).toHaveValue('9');
  await expect(votes).toHaveValue('2');
});

test('a question that was saved elsewhere stays when what was changed here is saved', async () => {
  verifies('appeals.settings', 'settings.unsaved');
  await takeAppeals(['ban'], ['Why should it be lifted?'], { votes_needed: 0 });
  await openWhole(owner, `${guild}/settings/appeals`);
  const votes = owner.getByLabel('Votes needed to decide');
  await votes.fill('3');
  const mutes = owner.getByRole('checkbox', { name: 'Mute', exact: true });
  await mutes.check();
  await takeAppeals(['ban'], ['Why should it be lifted?', 'Who saw it?'], { votes_needed: 0 });
  const question = owner.getByRole('textbox', { name: 'Question 2', exact: true });
  await expect(question).toHaveValue('Who saw it?');
  await owner.getByRole('button', { name: 'Save', exact: true }).click();
  await owner.getByText('Saved.').waitFor();
  await owner.reload();
  await expect(question).toHaveValue('Who saw it?');
  await expect(votes).toHaveValue('3');
  await expect(mutes).toBeChecked();
  await expect(owner.getByRole('checkbox', { name: 'Ban', exact: true })).toBeChecked();
  await expect(owner.getByRole('checkbox', { name: 'Strike', exact: true })).not.toBeChecked();
});

test('a page that has not heard of a question that was saved elsewhere leaves it there when it saves', async () => {
  verifies('appeals.settings', 'settings.unsaved');
  await takeAppeals(['ban'], ['Why should it be lifted?'], { votes_needed: 0 });
  await openWhole(owner, `${guild}/settings/appeals`);
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  await owner.route(/[?&]_rsc=/, async (route) => {
    await held;
    await route.continue();
  });
  await takeAppeals(['ban'], ['Why should it be lifted?', 'Who saw it?'], { votes_needed: 0 });
  const votes = owner.getByLabel('Votes needed to decide');
  await votes.fill('3');
  await owner.getByRole('button', { name: 'Save', exact: true }).click();
  await owner.getByText('Saved.').first().waitFor();
  letGo();
  await owner.unrouteAll({ behavior: 'wait' });
  await owner.reload();
  await expect(owner.getByRole('textbox', { name: 'Question 2', exact: true })).toHaveValue('Who saw it?');
  await expect(votes).toHaveValue('3');
});

test('open pages show an appeal and its votes; votes against it let nobody accept it, and what runs out is over', async ({
  browser,
}) => {
  await takeAppeals(['ban'], ['Why should it be lifted?'], { votes_needed: 1 });
  const userId = await joined('Wanda Waits');
  await ban(userId);
  // It stays open, and shows what comes.
  await openWhole(owner, `${guild}/appeals`);
  const person = await opened(browser, await linkOf(userId), userId);
  await person.getByLabel('Why should it be lifted?').fill('I only watched.');
  await person.getByRole('button', { name: 'Send the appeal' }).click();
  await person.getByText('have your appeal').waitFor();
  await owner
    .getByRole('row')
    .filter({ has: owner.locator(`a[href$='/members/${userId}']`) })
    .getByRole('link', { name: /Ban/ })
    .click();
  const lift = owner.getByRole('button', { name: 'Lift the ban' });
  const refuse = owner.getByRole('button', { name: 'Refuse' });
  await expect(refuse).toBeDisabled();
  await expect(owner.getByText('Refuse: It lacks 1 vote.')).toBeVisible();
  const elsewhere = await owner.context().newPage();
  await openWhole(elsewhere, owner.url());
  await owner.getByRole('button', { name: 'Vote against it' }).click();
  await owner.getByText('0 for, 1 against').waitFor();
  await elsewhere.getByText('0 for, 1 against').waitFor();
  await elsewhere.close();
  await expect(refuse).toBeEnabled();
  await expect(lift).toBeDisabled();
  await expect(owner.getByText('Lift the ban: It lacks 1 vote.')).toBeVisible();
  await expect(owner.getByText('Refuse: It lacks')).toHaveCount(0);

  // Nothing is new any more: the list of new appeals stays what it is, and the overview leads to those in review.
  await openWhole(owner, `${guild}/appeals`);
  await expect(owner.getByRole('link', { name: /^New/ })).toHaveAttribute('aria-current', 'page');
  await owner.goto(guild);
  await owner.getByRole('link', { name: /undecided/ }).click();
  await owner
    .getByRole('row')
    .filter({ has: owner.locator(`a[href$='/members/${userId}']`) })
    .waitFor();
  await expect(owner.getByRole('link', { name: /^In review/ })).toHaveAttribute('aria-current', 'page');

  const db = openDatabase(await databaseUrl(run.directory), { applicationName: 'test' });
  const end =
    "UPDATE cases SET expires_at = now() - interval '1 second' WHERE guild_id = $1 AND user_id = $2 AND kind = 'ban'";
  await db.pool.query(end, [run.guild_id, userId]);
  await db.close();
  await person.reload();
  await person.getByText('What you appealed is over. Nobody decided about your appeal.').waitFor();
  await person.goto(`${run.web}/appeal`);
  await person.getByRole('main').getByText('Over', { exact: true }).waitFor();
  await openWhole(owner, `${guild}/appeals?state=all`);
  const row = owner.getByRole('row').filter({ has: owner.locator(`a[href$='/members/${userId}']`) });
  await expect(row.getByText('Over', { exact: true })).toBeVisible();
  await expect(row.getByText('New', { exact: true })).toHaveCount(0);
  await person.context().close();
});

test('five questions can be asked in an appeal, and not more', async () => {
  verifies('appeals.settings');
  await takeAppeals([], []);
  await openWhole(owner, `${guild}/settings/appeals`);
  const add = owner.getByRole('button', { name: 'Add a question' });
  const questions = owner.getByRole('textbox', { name: /^Question \d$/ });
  for (let count = 1; count <= 5; count += 1) {
    await add.click();
    await expect(questions).toHaveCount(count);
  }
  await expect(add).toBeDisabled();
  await expect(owner.getByText('There are at most 5 questions')).toBeVisible();
  await owner.getByRole('button', { name: 'Discard' }).click();
});
