// The messages that a purge deleted, as moderators read them in the dashboard.
import { Owner, send } from '@bailiff/sandbox/visitor';
import { apiOf } from '#src/api.ts';
import { refillBudgets } from '#src/budgets.ts';
import { signIn } from '#src/pages.ts';
import { run } from '#src/run.ts';
import { expect, test, verifies } from '#src/testing.ts';

test.beforeAll(() => refillBudgets(run.directory));

const guild = `${run.web}/guilds/${run.guild_id}`;
const channelId = run.channels.general ?? '';

async function write(content: string, files: object[] = []): Promise<void> {
  const json = { channel: 'general', user: 'member', content, files };
  const { status, text } = await send(`${run.sandbox}/sandbox/messages`, { method: 'POST', json });
  expect(status, text).toBe(200);
}

test('what a purge deleted is read from its audit row, as it looked in the channel', async ({ page }) => {
  verifies('dashboard.archive');
  await write('First the **bold** words', [{ filename: 'sheep.png', base64: 'AAAA' }]);
  await write('Then `code` and <script>alert(1)</script>');
  const owner = await Owner.signIn(run.web, run.people.owner ?? '');
  const { id, secret } = await owner.mintWithWindow(run.guild_id, 'sweeper');
  const { purge } = await apiOf(run, secret).call('messages.purge', {
    channel_id: channelId,
    count: 2,
    reason: 'Cleared for the fair',
    _confirmation: `PURGE 2 MESSAGES IN CHANNEL ${channelId} IN GUILD ${run.guild_id}`,
  });
  await owner.revoke(id);
  expect(purge.deleted).toBe(2);

  await signIn(page, run, 'owner');
  await page.goto(`${guild}/audit?operation=messages.purge&outcome=performed`);
  await page.getByRole('table').getByRole('link', { name: 'Purge messages' }).first().click();
  await page.getByRole('link', { name: 'Read them, while they are kept' }).click();
  await page.getByRole('heading', { level: 1, name: 'Deleted messages' }).waitFor();
  for (const fact of ['#general', 'Cleared for the fair', 'token sweeper']) {
    await page.getByText(fact).first().waitFor();
  }
  const messages = page.getByRole('region', { name: '2 messages' });
  await expect(messages.locator('strong')).toHaveText('bold');
  await expect(messages.locator('code')).toHaveText('code');
  await messages.getByText('sheep.png').waitFor();
  expect((await messages.textContent()) ?? '').toMatch(/First.*Then.*<script>/s);
});

test('what a guild does not have leaves its navigation in place', async ({ page }) => {
  verifies('dashboard.not-found-in-guild');
  await signIn(page, run, 'owner');
  for (const path of [
    '/cases/999999',
    '/members/12',
    '/tickets/999999',
    '/archives/arc_00000000000000000000000000000009',
  ]) {
    await page.goto(`${guild}${path}`);
    await page.getByText('This guild does not have it').waitFor();
    await page.getByRole('navigation', { name: 'Guild' }).getByRole('link', { name: 'Cases' }).waitFor();
  }
});

test('a page that the navigation does not list is behind none of its links', async ({ page }) => {
  verifies('dashboard.nav-current');
  await signIn(page, run, 'owner');
  await page.goto(`${guild}/tokens`);
  const nav = page.getByRole('navigation', { name: 'Guild' });
  await nav.getByRole('link', { name: 'Overview' }).waitFor();
  await expect(nav.locator('[aria-current]')).toHaveCount(0);
  await page.goto(guild);
  await expect(nav.locator('[aria-current]')).toHaveText('Overview');
});
