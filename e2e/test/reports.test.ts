import { Owner, send } from '@bailiff/sandbox/visitor';
import { faultsIn } from '#src/axe.ts';
import { refillBudgets } from '#src/budgets.ts';
import { say } from '#src/chat-command.ts';
import { interact } from '#src/interact.ts';
import { signIn } from '#src/pages.ts';
import { run } from '#src/run.ts';
import { expect, test, verifies } from '#src/testing.ts';

const guildPath = `/guilds/${run.guild_id}`;

test.beforeAll(() => refillBudgets(run.directory));

test('a report of a member appears on the page, is claimed there and closed with an answer', async ({
  page,
}) => {
  verifies('reports.dashboard', 'reports.answer');
  const owner = await Owner.signIn(run.web, run.people.owner ?? '');
  const reports_channel_id = run.channels.mod_log;
  await owner.change('PATCH', `/api${guildPath}/settings`, { reports_channel_id });
  await signIn(page, run, 'owner');
  await page.goto(`${run.web}${guildPath}/reports`);
  await page.getByRole('heading', { level: 1, name: 'Reports' }).waitFor();

  await say('report', { user: 'troll', reason: 'Sells <b>coins</b>' }, 'quiet');
  // Nobody reloads the page.
  const report = page
    .getByRole('article', { name: /^Report #\d+$/ })
    .filter({ hasText: 'Sells <b>coins</b>' });
  await report.waitFor();
  await expect(report.getByRole('link', { name: 'GriefLord' })).toBeVisible();
  expect(await faultsIn(page)).toEqual([]);
  await page.setViewportSize({ width: 360, height: 780 });
  const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
  expect(overflow).toBe(0);

  await report.getByRole('button', { name: /^Claim report/ }).click();
  await report.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: /^Claimed/ }).click();
  await report.getByRole('button', { name: /^Close report/ }).click();
  const dialog = page.getByRole('dialog', { name: /^Close report/ });
  await dialog.getByLabel('Answer to who reported it').fill('They are gone');
  expect(await faultsIn(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Close', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: /^Closed/ }).click();
  await report.getByText('They are gone').waitFor();

  // Whom it is about could read the audit log, and would learn who made it.
  await page.goto(`${run.web}${guildPath}/audit?action=reports.add`);
  await page
    .getByRole('row', { name: /Report somebody/ })
    .getByRole('link')
    .first()
    .click();
  await page
    .getByText('What was reported is not shown here, because whom it is about may read this.')
    .waitFor();
  expect(await page.getByText('Sells').count()).toBe(0);
});

test('a report of a message shows what was written and what nobody sees in file names, and leads to it', async ({
  page,
}) => {
  verifies('reports.dashboard');
  const owner = await Owner.signIn(run.web, run.people.owner ?? '');
  const reports_channel_id = run.channels.mod_log;
  await owner.change('PATCH', `/api${guildPath}/settings`, { reports_channel_id });
  // Its end turns around, and looks like that of a picture.
  const files = [{ filename: 'coins\u202egnp.exe', base64: 'AAAA' }];
  const json = { user: 'troll', channel: 'general', content: 'Cheap <i>coins</i> here', files };
  const written = await send(`${run.sandbox}/sandbox/messages`, { method: 'POST', json });
  const id = (written.body as { messages: { id: string }[] }).messages[0]?.id ?? '';
  const menu = { type: 'message_menu', user: 'quiet', command: 'Report this message', target: id };
  const { id: interaction_id } = await interact(run, menu);
  const fields = { reason: 'Sells them again' };
  await interact(run, { type: 'modal', user: 'quiet', interaction_id, fields });
  await signIn(page, run, 'owner');
  await page.goto(`${run.web}${guildPath}/reports`);
  const report = page.getByRole('article').filter({ hasText: 'Sells them again' });
  await expect(report).toContainText('Cheap <i>coins</i> here');
  await expect(report).toContainText('1 file: coins\\u202egnp.exe');
  const address = `https://discord.com/channels/${run.guild_id}/${run.channels.general}/${id}`;
  await expect(report.getByRole('link', { name: 'Open in Discord' })).toHaveAttribute('href', address);
  await report.getByRole('button', { name: /^Close report/ }).click();
  const closing = page.getByRole('dialog', { name: /^Close report/ });
  await closing.getByRole('button', { name: 'Close', exact: true }).click();
  await closing.waitFor({ state: 'detached' });
  await report.waitFor({ state: 'detached' });
});
