// Several people on the Members page: selected by mouse and keyboard, muted together, and released again.
import { send } from '@bailiff/sandbox/visitor';
import type { Page } from '@playwright/test';
import { faultsInThemes } from '#src/axe.ts';
import { refillBudgets } from '#src/budgets.ts';
import { say } from '#src/chat-command.ts';
import { expectNothingOverFocus } from '#src/keyboard.ts';
import { joined } from '#src/newcomers.ts';
import { signIn } from '#src/pages.ts';
import { run } from '#src/run.ts';
import { expect, test, verifies } from '#src/testing.ts';

const guild = `${run.web}/guilds/${run.guild_id}`;
let page: Page;
/** Who came together, the latest on record first. */
const names = ['Selma Third', 'Selma Second', 'Selma First'] as const;

test.beforeAll(async ({ browser }) => {
  await refillBudgets(run.directory);
  page = await (await browser.newContext()).newPage();
  await signIn(page, run, 'owner');
  for (const preset of PRESETS) presetIds.push((await ownersCall('POST', 'presets', preset)).id);
  for (const name of names.toReversed()) {
    await onRecord(name);
  }
});

const presetIds: string[] = [];
const PRESETS = [
  { kind: 'mute', name: 'Shouted', reason: 'Shouting for hours', duration_minutes: 180 },
  { kind: 'ban', name: 'Raided', reason: 'Took part in a raid', duration_minutes: null },
];

/** A call of the dashboard's API, as the owner's page makes it. */
function ownersCall(method: string, path: string, body: object): Promise<{ id: string }> {
  return page.evaluate(
    async ([address, sent]) => (await (await fetch(address, JSON.parse(sent))).json()) as { id: string },
    [
      `${guild.replace('/guilds/', '/api/guilds/')}/${path}`,
      JSON.stringify({ method, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    ] as const,
  );
}

/** Somebody new of whom there is a warning. Returns their id. */
async function onRecord(name: string): Promise<string> {
  const user = await joined(name);
  await say('warn', { user, reason: 'Noise' });
  return user;
}

async function control(endpoint: string, json: object): Promise<unknown> {
  const { status, body, text } = await send(`${run.sandbox}/sandbox/${endpoint}`, { method: 'POST', json });
  expect(status, text).toBe(200);
  return body;
}
test.afterAll(async () => {
  // The files of a worker share the guild, and its other dialogs offer no presets.
  for (const id of presetIds) await ownersCall('DELETE', `presets/${id}`, {});
  await page?.context().close();
});

const box = (name: string) => page.getByRole('checkbox', { name: `Select ${name}`, exact: true });
const dialog = () => page.getByRole('dialog');
const overflow = () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');

test('several people are muted together after a preview and a typed number, and released again', async () => {
  verifies('members.select', 'members.select-undo', 'members.select-presets');
  await page.goto(`${guild}/members`);
  await page.getByRole('checkbox', { name: 'Select all on this page' }).waitFor();
  await expect(page.getByRole('button', { name: /^Mute \d/ })).toHaveCount(0);
  // The latest three stand beside each other: Shift selects those between.
  await box(names[2]).click();
  await box(names[0]).click({ modifiers: ['Shift'] });
  await page.getByText('3 people selected').waitFor();
  await box(names[1]).uncheck();
  expect(await faultsInThemes(page)).toEqual([]);

  await page.getByRole('button', { name: 'Mute 2 people…' }).click();
  const number = dialog().getByLabel('How many people? Repeat 2');
  await number.waitFor();
  expect(await faultsInThemes(page, '[role=dialog]')).toEqual([]);
  // The guild's presets of the kind, as in the dialog on one person; what one brings can still be changed.
  const preset = dialog().getByLabel('Preset reason');
  await expect(preset.getByRole('option', { name: 'Shouted' })).toHaveCount(1);
  await expect(preset.getByRole('option', { name: 'Raided' })).toHaveCount(0);
  await preset.selectOption('Shouted');
  const reason = dialog().getByRole('textbox', { name: 'Reason' });
  await expect(reason).toHaveValue('Shouting for hours');
  await expect(reason).toHaveAttribute('maxlength', '512');
  await expect(dialog().getByLabel('How many', { exact: true })).toHaveValue('3');
  await expect(dialog().getByLabel('Unit')).toHaveValue('hours');
  await reason.fill('Shouting together');
  await number.fill('3');
  await expect(dialog().getByRole('button', { name: 'Mute 2 people' })).toBeDisabled();
  await number.fill('2');
  await number.press('Enter');
  await page.getByText('2 people done.').waitFor();
  await expect(page.getByText('selected', { exact: false })).toHaveCount(0);
  await expect(page.getByRole('checkbox', { name: 'Select all on this page' })).toBeFocused();

  const row = page
    .getByRole('region', { name: 'Several at once' })
    .getByRole('row', { name: /Shouting together/ });
  await row.waitFor();
  expect(await faultsInThemes(page)).toEqual([]);
  await row.getByRole('button', { name: 'Undo: 2 people muted' }).click();
  await expect(dialog().getByLabel('Reason (optional)')).toBeVisible();
  await dialog().getByRole('button', { name: 'Undo' }).click();
  await expect(row.getByText('Undone')).toBeVisible();
});

test('however much changes in the guild meanwhile, a preview that takes long is asked for once', async () => {
  verifies('members.select');
  let asked = 0;
  page.on('request', (request) => {
    if (request.postData()?.includes('mutes.preview') === true) asked += 1;
  });
  await page.goto(`${guild}/members`);
  await box(names[0]).check();
  await control('faults', { method: 'GET', route: '/guilds/*/members', held: true, times: null });
  await page.getByRole('button', { name: 'Mute 1 person…' }).click();
  await expect(dialog().getByRole('status')).toBeVisible();
  // The page behind the dialog shows who comes on record.
  const warned = onRecord('Selma Later');
  await page.getByRole('row', { name: /Selma Later/, includeHidden: true }).waitFor({ state: 'attached' });
  await send(`${run.sandbox}/sandbox/faults`, { method: 'DELETE' });
  await warned;
  await dialog().getByLabel('How many people? Repeat 1').waitFor();
  expect(asked).toBe(1);
  await dialog().getByRole('button', { name: 'Cancel' }).click();
});

test('with the keyboard alone rows are selected, and Esc lets go of them', async () => {
  verifies('members.select-keyboard');
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(`${guild}/members`);
  await page.getByRole('checkbox', { name: 'Select all on this page' }).waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await page.getByText('2 people selected').waitFor();
  expect(await overflow()).toBe(0);
  await page.keyboard.press('Escape');
  await expect(page.getByText('2 people selected')).toHaveCount(0);
});

test('who may neither be banned nor muted is left alone, with the reason', async () => {
  verifies('members.select-spared');
  await page.goto(`${guild}/members?list=server`);
  await box('Juno Okafor').check();
  await page.getByRole('button', { name: 'Ban 1 person…' }).click();
  await expect(dialog().getByRole('listitem')).toHaveText('Juno Okafor: staff');
  await expect(dialog()).toHaveAccessibleName('Ban 1 person');
  await expect(dialog().getByText('Nobody of them can be banned or muted in this way.')).toBeVisible();
  await expect(dialog().getByLabel('Reason')).toHaveCount(0);
  // Esc that ends a word of an input method means the field, and one that closes the dialog means the dialog.
  await dialog().dispatchEvent('keydown', { key: 'Escape', isComposing: true });
  await dialog().getByRole('button', { name: 'Cancel' }).click();
  await expect(dialog()).toHaveCount(0);
  await page.getByText('1 person selected').waitFor();
  await page.getByRole('button', { name: 'Ban 1 person…' }).click();
  await dialog().waitFor();
  await page.keyboard.press('Escape');
  await expect(dialog()).toHaveCount(0);
  await page.getByText('1 person selected').waitFor();
});

test('everybody on a page is selected with one mark, and nobody once it is taken away', async () => {
  verifies('members.select');
  await page.goto(`${guild}/members`);
  const all = page.getByRole('checkbox', { name: 'Select all on this page' });
  const each = page.getByRole('checkbox', { name: /^Select (?!all)/ });
  await all.check();
  const count = await each.count();
  expect(count).toBeGreaterThan(2);
  await page.getByText(`${count} people selected`).waitFor();
  await all.uncheck();
  await expect(page.getByText(/selected$/)).toHaveCount(0);
  await expect(each.and(page.locator(':checked'))).toHaveCount(0);
});

test('who is on record and has left is banned all the same, and cannot be muted', async () => {
  verifies('members.select-spared');
  await control('members', { action: 'leave', user: await onRecord('Selma Gone') });
  await page.goto(`${guild}/members`);
  await box('Selma Gone').check();
  await page.getByRole('button', { name: 'Mute 1 person…' }).click();
  await expect(dialog().getByRole('listitem')).toHaveText('Selma Gone: not a member');
  await dialog().getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Ban 1 person…' }).click();
  await dialog().getByLabel('How many people? Repeat 1').waitFor();
  await expect(dialog().getByRole('listitem')).toHaveCount(0);
  await dialog().getByRole('button', { name: 'Cancel' }).click();
});

test('a ban of several people takes the messages away that its dialog was told to', async () => {
  const user = await onRecord('Selma Shouts');
  await control('messages', { user, channel: 'general', content: 'Selma sells sirens' });
  await page.goto(`${guild}/members`);
  await box('Selma Shouts').check();
  await page.getByRole('button', { name: 'Ban 1 person…' }).click();
  await dialog().getByLabel('Delete their messages').selectOption({ label: 'Of the last 1 hour' });
  await dialog().getByRole('textbox', { name: 'Reason' }).fill('Sells sirens');
  await dialog().getByLabel('How many people? Repeat 1').fill('1');
  await dialog().getByRole('button', { name: 'Ban 1 person' }).click();
  await page.getByText('1 person done.').waitFor();
  const { text } = await send(`${run.sandbox}/sandbox/state`);
  expect(text).not.toContain('Selma sells sirens');
});

test('nothing lies over the row that has the focus, on the way down and up', async () => {
  // Fewer rows than are on record are in sight.
  await page.setViewportSize({ width: 1280, height: 240 });
  await page.goto(`${guild}/members`);
  const rows = page.getByRole('main').locator('.row-link');
  await rows.nth(names.length - 1).waitFor();
  await page.keyboard.press('j');
  await expect(rows.first()).toBeFocused();
  for (const key of ['j', 'j', 'k', 'k']) {
    await page.keyboard.press(key);
    await expectNothingOverFocus(page);
  }
  await page.setViewportSize({ width: 1280, height: 720 });
});
