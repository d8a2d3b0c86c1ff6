// Several people on the Members page: selected by mouse and keyboard, muted together, and released again.
import { send } from '@bailiff/sandbox/visitor';
import type { Page } from '@playwright/test';
import { faultsInThemes } from '#src/axe.ts';
import { refillBudgets } from '#src/budgets.ts';
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
  for (const name of names.toReversed()) {
    const { member } = (await control('members', { action: 'join', name })) as Joined;
    const options = { user: member.user.id, reason: 'Noise' };
    const said = await control('interactions', { type: 'command', user: 'owner', command: 'warn', options });
    expect(said).toMatchObject({ state: 'answered' });
  }
});

interface Joined {
  readonly member: { readonly user: { readonly id: string } };
}

async function control(endpoint: string, json: object): Promise<unknown> {
  const { status, body, text } = await send(`${run.sandbox}/sandbox/${endpoint}`, { method: 'POST', json });
  expect(status, text).toBe(200);
  return body;
}
test.afterAll(() => page?.context().close());

const box = (name: string) => page.getByRole('checkbox', { name: `Select ${name}`, exact: true });
const dialog = () => page.getByRole('dialog');
const overflow = () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');

test('several people are muted together after a preview and a typed number, and released again', async () => {
  verifies('members.select', 'members.select-undo');
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
  await dialog().getByLabel('Reason').fill('Shouting together');
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
  await row.getByRole('button', { name: 'Undo: 2 people muted' }).click();
  await dialog().getByRole('button', { name: 'Undo' }).click();
  await expect(row.getByText('Undone')).toBeVisible({ timeout: 30_000 });
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
  await expect(dialog().getByText('Nobody of them can be banned or muted in this way.')).toBeVisible();
  await expect(dialog().getByLabel('Reason')).toHaveCount(0);
  await dialog().getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('1 person selected').waitFor();
});
