import { openDatabase } from '@bailiff/prisma';
import { Owner } from '@bailiff/sandbox/visitor';
import { databaseUrl } from '@bailiff/supervisor/database-url';
import type { Page } from '@playwright/test';
import { openWhole } from '#src/all-pages.ts';
import { faultsIn } from '#src/axe.ts';
import { refillBudgets } from '#src/budgets.ts';
import { interact } from '#src/interact.ts';
import { signIn } from '#src/pages.ts';
import { run } from '#src/run.ts';
import { expect, test, verifies } from '#src/testing.ts';

/** What a new guild has. */
const STARTING = {
  categories: [] as object[],
  most_open_of_person: 5,
  most_open_of_guild: 200,
  cooldown_minutes: 0,
  sends_transcript: false,
  asks_feedback: false,
};

const guild = `${run.web}/guilds/${run.guild_id}`;
let owner: Page;

test.beforeAll(() => refillBudgets(run.directory));
test.beforeAll(async ({ browser }) => {
  owner = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage();
  await signIn(owner, run, 'owner');
});
test.afterAll(async () => {
  await owner?.context().close();
  const api = await Owner.signIn(run.web, run.people.owner ?? '');
  await api.change('PATCH', `/api/guilds/${run.guild_id}/ticket-settings`, STARTING);
});

test('the owner sets a category with a question, and the ticket’s page shows both', async () => {
  verifies('tickets.settings', 'tickets.categories');
  await openWhole(owner, `${guild}/settings/tickets`);
  await owner.getByRole('button', { name: 'Add a category' }).click();
  await owner.getByLabel('Name of category 1').fill('Griefing');
  await owner.getByRole('button', { name: 'Add a question to Griefing' }).click();
  await owner.getByRole('textbox', { name: 'Question 1 of Griefing' }).fill('Who did it?');
  for (const colorScheme of ['light', 'dark'] as const) {
    await owner.emulateMedia({ colorScheme });
    expect(await faultsIn(owner)).toEqual([]);
  }
  await owner.setViewportSize({ width: 360, height: 800 });
  const nameOfCategory = owner.getByLabel('Name of category 1');
  // The longest names, with a space and without one.
  for (const name of ['Something '.repeat(6).trim(), 'W'.repeat(60), 'Griefing']) {
    await nameOfCategory.fill(name);
    await owner.getByRole('button', { name: `Remove ${name}`, exact: true }).waitFor();
    expect(await owner.evaluate('document.documentElement.scrollWidth')).toBe(360);
  }
  await owner.setViewportSize({ width: 1440, height: 900 });
  await owner.getByRole('switch', { name: 'Send the transcript to who opened the ticket' }).check();
  await owner.getByRole('button', { name: 'Save' }).click();
  await owner.getByText('Saved.').waitFor();

  const options = { subject: 'My boat is gone' };
  const { id } = await interact(run, { type: 'command', user: 'quiet', command: 'ticket open', options });
  const fields = { subject: 'My boat is gone', answer_0: 'The captain' };
  const sent = await interact(run, { type: 'modal', user: 'quiet', interaction_id: id, fields });
  const number = /#(\d+)/.exec(sent.message?.content ?? '')?.[1];
  await owner.goto(`${guild}/tickets/${number}`);
  await owner.getByText('Griefing', { exact: true }).waitFor();
  await owner.getByRole('term').getByText('Who did it?').waitFor();
  await owner.getByRole('definition').getByText('The captain').waitFor();
});

test('a question goes from its place, and two categories cannot have one name', async () => {
  verifies('tickets.settings');
  await openWhole(owner, `${guild}/settings/tickets`);
  const names = owner.getByLabel(/^Name of category/);
  const before = await names.count();
  await owner.getByRole('button', { name: 'Add a category' }).click();
  await expect(names).toHaveCount(before + 1);
  await names.last().fill('Repairs');
  const questions = owner.getByRole('textbox', { name: / of Repairs$/ }).and(owner.getByLabel(/^Question/));
  for (const [index, question] of ['Which boat?', 'Which part?', 'Since when?'].entries()) {
    await owner.getByRole('button', { name: 'Add a question to Repairs' }).click();
    await questions.nth(index).fill(question);
  }
  await owner.getByRole('button', { name: 'Remove question 2 of Repairs' }).click();
  await expect(questions).toHaveCount(2);
  await expect(questions.first()).toHaveValue('Which boat?');
  await expect(questions.last()).toHaveValue('Since when?');
  const save = owner.getByRole('button', { name: 'Save', exact: true });
  await expect(save).toBeEnabled();
  await owner.getByRole('button', { name: 'Add a category' }).click();
  await names.last().fill('Repairs');
  await owner.getByText('Two categories have the same name.').first().waitFor();
  await expect(save).toBeDisabled();
  await owner.getByRole('button', { name: 'Discard' }).click();
  await expect(names).toHaveCount(before);
});

test('the category goes whose button was pressed, and the others keep their questions', async () => {
  verifies('tickets.settings');
  await openWhole(owner, `${guild}/settings/tickets`);
  const names = owner.getByLabel(/^Name of category/);
  const before = await names.count();
  for (const [place, name] of ['Boats', 'Nets'].entries()) {
    await owner.getByRole('button', { name: 'Add a category' }).click();
    await expect(names).toHaveCount(before + place + 1);
    await names.last().fill(name);
    await owner.getByRole('button', { name: `Add a question to ${name}` }).click();
    await owner.getByRole('textbox', { name: `Question 1 of ${name}` }).fill(`Which of the ${name}?`);
  }
  await owner.getByRole('button', { name: 'Remove Boats', exact: true }).click();
  await expect(names).toHaveCount(before + 1);
  await expect(names.last()).toHaveValue('Nets');
  await expect(owner.getByRole('textbox', { name: 'Question 1 of Nets' })).toHaveValue('Which of the Nets?');
  await owner.getByRole('button', { name: 'Discard' }).click();
  await expect(names).toHaveCount(before);
});

test('the limits of tickets and the question how the help was are kept, each in its place', async () => {
  verifies('tickets.settings');
  await openWhole(owner, `${guild}/settings/tickets`);
  const limits = [
    ['Open tickets of a member', '4'],
    ['Open tickets of the server', '150'],
    ['Minutes between two tickets', '7'],
  ] as const;
  for (const [label, value] of limits) await owner.getByLabel(label).fill(value);
  const transcript = owner.getByRole('switch', { name: 'Send the transcript to who opened the ticket' });
  const feedback = owner.getByRole('switch', { name: 'Ask who opened a ticket how the help was' });
  await transcript.uncheck();
  await feedback.check();
  await owner.getByRole('button', { name: 'Save', exact: true }).click();
  await owner.getByText('Saved.').waitFor();
  await owner.reload();
  for (const [label, value] of limits) await expect(owner.getByLabel(label)).toHaveValue(value);
  await expect(transcript).not.toBeChecked();
  await expect(feedback).toBeChecked();
});

test('what is saved elsewhere while something here is not saved stays, and so does what is not saved', async () => {
  verifies('tickets.settings', 'settings.unsaved');
  const api = await Owner.signIn(run.web, run.people.owner ?? '');
  const path = `/api/guilds/${run.guild_id}/ticket-settings`;
  const saved = { ...STARTING, categories: [] as object[] };
  await api.change('PATCH', path, saved);
  await openWhole(owner, `${guild}/settings/tickets`);
  const pause = owner.getByLabel('Minutes between two tickets');
  await pause.fill('9');
  const category = { name: 'Anchors', description: '', questions: [], role_ids: [] };
  await api.change('PATCH', path, { ...saved, categories: [category] });
  const name = owner.getByLabel('Name of category 1');
  await expect(name).toHaveValue('Anchors');
  await owner.reload();
  await expect(name).toHaveValue('Anchors');
  await expect(pause).toHaveValue('9');
  await owner.getByRole('button', { name: 'Save', exact: true }).click();
  await owner.getByText('Saved.').waitFor();
  await owner.reload();
  await expect(name).toHaveValue('Anchors');
  await expect(pause).toHaveValue('9');
});

test('a page that has not heard of what was saved elsewhere leaves it as it is when it saves', async () => {
  verifies('tickets.settings', 'settings.unsaved');
  const api = await Owner.signIn(run.web, run.people.owner ?? '');
  const path = `/api/guilds/${run.guild_id}/ticket-settings`;
  await api.change('PATCH', path, STARTING);
  await openWhole(owner, `${guild}/settings/tickets`);
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  await owner.route(/[?&]_rsc=/, async (route) => {
    await held;
    await route.continue();
  });
  const category = { name: 'Anchors', description: '', questions: [], role_ids: [] };
  await api.change('PATCH', path, { categories: [category] });
  const pause = owner.getByLabel('Minutes between two tickets');
  await pause.fill('9');
  await owner.getByRole('button', { name: 'Save', exact: true }).click();
  await owner.getByText('Saved.').first().waitFor();
  letGo();
  await owner.unrouteAll({ behavior: 'wait' });
  await owner.reload();
  await expect(owner.getByLabel('Name of category 1')).toHaveValue('Anchors');
  await expect(pause).toHaveValue('9');
});

for (const when of ['until the page is brought up to date', 'when it no longer is, after an update'] as const)
  test(`what was saved stays in the form ${when}, and what is changed then is added to it`, async () => {
    verifies('tickets.settings', 'settings.unsaved');
    const api = await Owner.signIn(run.web, run.people.owner ?? '');
    const path = `/api/guilds/${run.guild_id}/ticket-settings`;
    await api.change('PATCH', path, STARTING);
    await openWhole(owner, `${guild}/settings/tickets`);
    const add = owner.getByRole('button', { name: 'Add a category' });
    const save = owner.getByRole('button', { name: 'Save', exact: true });
    await add.click();
    await owner.getByLabel('Name of category 1').fill('Sails');
    const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
    if (when === 'until the page is brought up to date') {
      await owner.route(/[?&]_rsc=/, async (route) => {
        await held;
        await route.continue();
      });
    } else {
      await owner.evaluate("document.documentElement.dataset.build = 'before'");
      await owner.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
      await owner.getByText('Bailiff was updated').waitFor();
    }
    await save.click();
    await owner.getByText('Saved.').first().waitFor();
    await expect(owner.getByLabel('Name of category 1')).toHaveValue('Sails');
    await expect(owner.getByText('You have unsaved changes')).toHaveCount(0);
    await add.click();
    await owner.getByLabel('Name of category 2').fill('Ropes');
    letGo();
    await save.click();
    await save.waitFor({ state: 'detached' });
    await owner.unrouteAll({ behavior: 'wait' });
    await owner.reload();
    await expect(owner.getByLabel('Name of category 1')).toHaveValue('Sails');
    await expect(owner.getByLabel('Name of category 2')).toHaveValue('Ropes');
  });

test('what was saved stays when the page cannot be brought up to date, and is not undone by what is saved next', async () => {
  verifies('tickets.settings', 'settings.unsaved', 'dashboard.left-open');
  const api = await Owner.signIn(run.web, run.people.owner ?? '');
  const path = `/api/guilds/${run.guild_id}/ticket-settings`;
  await api.change('PATCH', path, STARTING);
  await openWhole(owner, `${guild}/settings/tickets`);
  const pause = owner.getByLabel('Minutes between two tickets');
  const ofPerson = owner.getByLabel('Open tickets of a member');
  const save = owner.getByRole('button', { name: 'Save', exact: true });
  const notice = owner.getByRole('alert').filter({ hasText: 'Bailiff does not answer' });
  const db = openDatabase(await databaseUrl(run.directory), { applicationName: 'test' });
  const client = await db.pool.connect();
  try {
    // Once the save is done and before the page hears of it, what only this page reads cannot be read any more.
    await owner.route(`**${path}`, async (route) => {
      const response = await route.fetch();
      await client.query(
        'BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0; LOCK TABLE ticket_settings IN ACCESS EXCLUSIVE MODE',
      );
      await route.fulfill({ response });
    });
    await pause.fill('9');
    await save.click();
    await notice.waitFor();
    await owner.unrouteAll({ behavior: 'wait' });
    await expect(pause).toHaveValue('9');
    await ofPerson.fill('3');
  } finally {
    await client.query('ROLLBACK');
    client.release();
    await db.close();
  }
  await save.click();
  await save.waitFor({ state: 'detached' });
  await owner.reload();
  await expect(pause).toHaveValue('9');
  await expect(ofPerson).toHaveValue('3');
});

test('a role that may read tickets no more is taken from a category', async () => {
  verifies('tickets.settings');
  const api = await Owner.signIn(run.web, run.people.owner ?? '');
  const path = `/api/guilds/${run.guild_id}/grants`;
  const { roles } = (await api.request('GET', path)).body as { roles: { role_id: string; name: string }[] };
  const role = roles.find(({ name }) => name === 'Artist')?.role_id ?? '';
  await api.change('PATCH', `/api/guilds/${run.guild_id}/ticket-settings`, {
    ...STARTING,
    categories: [{ name: 'Paint', description: '', questions: [], role_ids: [role] }],
  });
  await openWhole(owner, `${guild}/settings/tickets`);
  const mark = owner.getByRole('checkbox', { name: `@${role}` });
  await expect(mark).toBeChecked();
  await mark.click();
  await owner.getByRole('button', { name: 'Save', exact: true }).click();
  await owner.getByText('Saved.').waitFor();
  await owner.reload();
  await owner.getByLabel('Name of category 1').waitFor();
  await expect(mark).toHaveCount(0);
});
