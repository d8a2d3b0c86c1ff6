import { Owner } from '@bailiff/sandbox/visitor';
import { type Instance, startInstance } from '@bailiff/supervisor/instance';
import type { Page } from '@playwright/test';
import { signIn } from '#src/pages.ts';
import { expect, test, verifies } from '#src/testing.ts';

/** One of its own: where others were told of their strikes, the next person has to wait until the bot writes to them. */
let instance: Instance;
let page: Page;

test.beforeAll(async ({ browser }) => {
  instance = await startInstance();
  page = await (await browser.newContext()).newPage();
});
test.afterAll(async () => {
  await page?.context().close();
  await instance?.stop();
});

test('a case says that its target could not be told, and why', async () => {
  verifies('cases.undelivered');
  const { run } = instance;
  const owner = await Owner.signIn(run.web, run.people.owner ?? '');
  const { status } = await owner.request('POST', `/api/guilds/${run.guild_id}/actions`, {
    operation: 'strikes.add',
    input: { user_id: run.people.quiet, reason: 'Whistled at night', severity: 'minor' },
  });
  expect(status).toBe(201);
  await signIn(page, run, 'owner');
  await page.goto(`${run.web}/guilds/${run.guild_id}/cases?member=${run.people.quiet}`);
  await page
    .getByRole('row', { name: /Whistled at night/ })
    .getByRole('link', { name: /^#\d+/ })
    .click();
  // Also while the page is open: the message is tried after the strike.
  await page.getByText(/^Otto Brandt could not be told: they take no messages from the bot\.$/).waitFor();
});
