import { send } from '@bailiff/sandbox/visitor';
import { startMachineClock } from '#src/machine-clock.ts';
import { countClicks } from '#src/pages.ts';
import { run } from '#src/run.ts';
import { expect, test, verifies } from '#src/testing.ts';

const MOST_CLICKS = 15;
const MOST_MINUTES = 3;
/** A guild that nobody has configured. No other test is about it. */
const GUILD = 'Gravel Pit';
const OWNER = 'Noor Rahimi';

let guildId = '';

async function control<Answer>(endpoint: string, json: object): Promise<Answer> {
  const { status, body, text } = await send(`${run.sandbox}/sandbox/${endpoint}`, { method: 'POST', json });
  expect(status, text).toBe(200);
  return body as Answer;
}

test.beforeAll(async () => {
  const { body } = await send(`${run.sandbox}/sandbox/state`);
  const { guilds } = body as {
    guilds: { id: string; name: string; members: { user_id: string; bot: boolean }[] }[];
  };
  const guild = guilds.find(({ name }) => name === GUILD);
  guildId = guild?.id ?? '';
  const named = Object.values(run.people);
  const user = guild?.members.find(({ user_id, bot }) => !bot && !named.includes(user_id))?.user_id;
  const role = 'Foreman';
  await control('roles', {
    action: 'create',
    guild_id: guildId,
    name: role,
    permissions: ['BanMembers', 'ModerateMembers'],
  });
  await control('members', { action: 'add_role', guild_id: guildId, user, role });
});

test('an owner configures a guild on the first evening, from one list, with few clicks', async ({ page }) => {
  verifies('dashboard.first-evening', 'dashboard.first-steps');
  const clicks = await countClicks(page);
  const machineNow = await startMachineClock();
  const began = machineNow();
  const step = (name: string) => page.getByRole('listitem').filter({ hasText: name }).getByRole('link');
  const overview = () => page.getByRole('navigation').getByRole('link', { name: 'Overview' }).click();

  await page.goto(run.web);
  await page.getByRole('button', { name: 'Sign in with Discord' }).click();
  await page.getByRole('link', { name: OWNER }).click();
  await page.getByRole('link', { name: GUILD }).click();
  await page.getByText('0 of 7 done').waitFor();

  await step('Say what your roles may do').click();
  await page.getByRole('button', { name: 'Confirm these grants' }).click();
  await page.getByText('Saved.').waitFor();
  await overview();

  await step('Choose a log channel').click();
  const channel = page.getByRole('combobox', { name: 'Log channel' });
  await expect(channel).toBeFocused();
  await channel.click();
  await page.getByRole('option', { name: '#general' }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Save', exact: true })).toHaveCount(0);
  await overview();

  await step('Add reasons to pick from').click();
  await page.getByRole('button', { name: /^Add these \d+ reasons$/ }).click();
  await page.getByRole('table', { name: 'Preset reasons' }).waitFor();
  await overview();

  for (const done of ['Say what your roles may do', 'Choose a log channel', 'Add reasons to pick from'])
    await expect(step(done)).toContainText('Done');
  await expect(step('Decide what strikes lead to')).not.toContainText('Done');
  const minutes = (machineNow() - began) / 60_000;
  test.info().annotations.push({ type: 'clicks', description: `${clicks()}` });
  expect(clicks()).toBeGreaterThan(3);
  expect(clicks()).toBeLessThanOrEqual(MOST_CLICKS);
  expect(minutes).toBeLessThan(MOST_MINUTES);

  // The bot looks for those who hold a role that was granted something.
  await expect(step('Bring in a second moderator')).toContainText('Done');
});

test('the first steps are put away, and the settings bring them back', async ({ page }) => {
  verifies('dashboard.first-steps.hide');
  await page.goto(run.web);
  await page.getByRole('button', { name: 'Sign in with Discord' }).click();
  await page.getByRole('link', { name: OWNER }).click();
  await page.getByRole('link', { name: GUILD }).click();
  const title = page.getByRole('heading', { name: 'First steps' });
  await page.getByRole('button', { name: 'Hide' }).click();
  await expect(title).toHaveCount(0);
  await page.reload();
  await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
  await expect(title).toHaveCount(0);

  await page.goto(`${run.web}/guilds/${guildId}/settings`);
  await page.getByRole('switch', { name: 'First steps on the overview' }).check();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Save', exact: true })).toHaveCount(0);
  await page.getByRole('navigation').getByRole('link', { name: 'Overview' }).click();
  await title.waitFor();
});
