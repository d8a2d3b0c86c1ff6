// A long purge as an owner watches and stops it in the dashboard.
import { Owner, send } from '@bailiff/sandbox/visitor';
import { apiOf } from '#src/api.ts';
import { refillBudgets } from '#src/budgets.ts';
import { signIn } from '#src/pages.ts';
import { run } from '#src/run.ts';
import { expect, test, verifies } from '#src/testing.ts';

test.beforeAll(() => refillBudgets(run.directory));

const guild = `${run.web}/guilds/${run.guild_id}`;
const COUNT = 1000;

/** A new channel with many messages. Returns its id. */
async function fullChannel(name: string): Promise<string> {
  const created = await send(`${run.sandbox}/sandbox/channels`, {
    method: 'POST',
    json: { action: 'create', name },
  });
  expect(created.status, created.text).toBe(200);
  const { id } = JSON.parse(created.text).channel;
  const json = { channel: id, user: 'member', content: 'coins', count: COUNT };
  const { status, text } = await send(`${run.sandbox}/sandbox/messages`, { method: 'POST', json });
  expect(status, text).toBe(200);
  return id;
}

test('the overview shows how far a long purge has got, without a reload, and stops it', async ({ page }) => {
  verifies('dashboard.running-actions', 'action.stop');
  const channelId = await fullChannel('long-purge');
  const owner = await Owner.signIn(run.web, run.people.owner ?? '');
  const { id, secret } = await owner.mintWithWindow(run.guild_id, 'long sweeper');
  await signIn(page, run, 'owner');
  await page.goto(guild);
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  let loads = 0;
  page.on('load', () => {
    loads += 1;
  });
  const running = page.getByRole('region', { name: 'Running now' });
  await expect(running).toHaveCount(0);

  // Each step but the first takes long, so that a slow page shows several before the last.
  for (const slow of [{ delay_ms: 1 }, { delay_ms: 4_000, times: null }]) {
    const json = { method: 'POST', route: '/channels/*/messages/bulk-delete', ...slow };
    await send(`${run.sandbox}/sandbox/faults`, { method: 'POST', json });
  }
  const purging = apiOf(run, secret).call('messages.purge', {
    channel_id: channelId,
    count: COUNT,
    _confirmation: `PURGE ${COUNT} MESSAGES IN CHANNEL ${channelId} IN GUILD ${run.guild_id}`,
  });
  await running.getByText('with token long sweeper').waitFor();
  const told = running.getByText(/^\d+ of 1,000 messages deleted$/);
  await told.waitFor();
  const first = (await told.textContent()) ?? '';
  await expect(told).not.toHaveText(first);
  const bar = running.getByRole('progressbar', { name: 'Purge messages, #long-purge' });
  await expect(bar).toHaveAttribute('max', '1000');
  const stop = running.getByRole('button', { name: 'Stop: Purge messages, #long-purge' });
  await expect(stop).toHaveText('Stop');
  await stop.click();
  await page.getByText('It stops before its next step.').waitFor();
  await send(`${run.sandbox}/sandbox/faults`, { method: 'DELETE' });

  const { purge } = await purging;
  expect(purge.deleted).toBeGreaterThan(0);
  expect(purge.deleted).toBeLessThan(COUNT);
  await expect(running).toHaveCount(0);
  expect(loads).toBe(0);
  await page.goto(`${guild}/audit?operation=actions.stop`);
  const stops = page.getByRole('main').getByRole('row').filter({ hasText: 'Stop a running action' });
  await expect(stops.first()).toContainText('Dashboard');
  await owner.revoke(id);
});
