import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BOT_PERMISSIONS } from '@bailiff/core';
import { readSandbox, spareMembers } from '@bailiff/sandbox/visitor';
import { apiOf, refusalOf, revokeToken } from '#src/api.ts';
import { refillBudgets } from '#src/budgets.ts';
import { createToken, GUILD, heardCard, signIn, switchDeveloperModeOn } from '#src/pages.ts';
import { run } from '#src/run.ts';
import { expect, test, verifies } from '#src/testing.ts';

const sandbox = run.sandbox ?? '';

test.beforeAll(() => refillBudgets(run.directory));

test('an owner mints a token, a script asks, the owner approves in the browser, and Discord has the ban', async ({
  page,
}) => {
  verifies(
    'dashboard.create-form',
    'approval.tab',
    'approval.window',
    'approval.details',
    'window.required.bans.add',
  );
  await signIn(page, run, 'owner');
  await page.getByRole('link', { name: GUILD }).click();
  await switchDeveloperModeOn(page);
  const secret = await createToken(page, 'night watch');

  const { guild } = await readSandbox(sandbox, run.guild_id);
  const [userId = ''] = spareMembers(guild, run.people);
  const call = () =>
    apiOf(run, secret).send('bans.add', {
      user_id: userId,
      reason: 'Sold the same sheep twice',
      _confirmation: `BAN USER ${userId} IN GUILD ${run.guild_id} PERMANENT`,
    });
  const asked = await refusalOf(call());
  expect(asked).toMatchObject({ status: 403, code: 'RE_AUTH_REQUIRED' });

  await page.goto((asked.is('RE_AUTH_REQUIRED') && asked.details?.reauth_url) || '');
  const request = await heardCard(page, 'Sold the same sheep twice');
  expect(await request.textContent()).toContain(userId);
  await request.getByRole('button', { name: 'Allow once' }).waitFor();
  await request.getByRole('button', { name: 'Allow everything for 15 minutes' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Allow everything for 15 minutes' }).click();
  const token = page.getByRole('main').getByRole('listitem').filter({ hasText: 'night watch' }).first();
  await token.getByText(/^Open for/).waitFor();

  expect(await call()).toMatchObject({ status: 201, body: { ban: { user_id: userId, active: true } } });
  const after = await readSandbox(sandbox, run.guild_id);
  expect(after.guild.bans.find((ban) => ban.user_id === userId)?.reason).toContain('night watch');

  await token.getByRole('button', { name: 'Close', exact: true }).click();
  await token.getByRole('button', { name: 'Approve next destructive action' }).waitFor();
  expect(await refusalOf(call())).toMatchObject({ code: 'RE_AUTH_REQUIRED' });
  await revokeToken(run, secret);
});

test('without Developer Mode no token can be created', async ({ page }) => {
  verifies('dashboard.developer-mode');
  await signIn(page, run, 'owner');
  await page.goto(`${run.web}/guilds/${run.guild_id}/tokens`);
  await page.getByRole('switch', { name: 'Developer Mode' }).waitFor();
  expect(await page.getByRole('button', { name: 'Create token' }).count()).toBe(0);
  await page.getByRole('switch', { name: 'Developer Mode' }).click();
  await page.getByRole('button', { name: 'Create token' }).waitFor();
});

test('the secret is shown once, and afterwards only its last four characters', async ({ page }) => {
  verifies('secret.last-four');
  await signIn(page, run, 'owner');
  await page.getByRole('link', { name: GUILD }).click();
  await switchDeveloperModeOn(page);
  const secret = await createToken(page, 'once');
  await page.reload();
  await page.getByText(`svcpat_…${secret.slice(-4)}`).waitFor();
  expect(await page.content()).not.toContain(secret);
  await revokeToken(run, secret);
});

test('the link that adds Bailiff to a guild asks for what its operations need, and stands where the README says', async ({
  page,
}) => {
  await signIn(page, run, 'owner');
  const name = 'Add Bailiff to a guild';
  const link = await page.getByRole('link', { name }).getAttribute('href');
  expect(new URL(link ?? '').searchParams.get('permissions')).toBe(String(BOT_PERMISSIONS));
  const readme = await readFile(join(import.meta.dirname, '..', '..', 'README.md'), 'utf8');
  expect(readme).toContain(`**${name}**`);
});

test('to somebody without a part in the guild it does not exist', async ({ page }) => {
  await signIn(page, run, 'member');
  expect(await page.getByRole('link', { name: GUILD }).count()).toBe(0);
  const answer = await page.goto(`${run.web}/guilds/${run.guild_id}`);
  expect(answer?.status()).toBe(404);
});
