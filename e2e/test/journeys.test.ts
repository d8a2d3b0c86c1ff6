import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BOT_PERMISSIONS } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { launchChromium } from '#src/chromium.ts';
import { callApi } from '#src/client.ts';
import { createToken, GUILD, signIn, switchDeveloperModeOn } from '#src/pages.ts';
import { readSandbox, spareMembers } from '#src/sandbox.ts';

const run = inject('run');
const sandbox = run.sandbox ?? '';
const bans = `/guilds/${run.guild_id}/bans`;

let browser: Browser;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());
beforeEach(async () => {
  context = await browser.newContext();
  context.setDefaultTimeout(15_000);
  page = await context.newPage();
});
afterEach(() => context?.close());

test('an owner mints a token, a script asks, the owner approves in the browser, and Discord has the ban', async () => {
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
    callApi(run.web, secret, 'POST', bans, {
      user_id: userId,
      reason: 'Sold the same sheep twice',
      _confirmation: `BAN USER ${userId} IN GUILD ${run.guild_id} PERMANENT`,
    });
  const asked = await call();
  expect(asked).toMatchObject({ status: 403, body: { error: { code: 'RE_AUTH_REQUIRED' } } });
  const { reauth_url: address } = (asked.body as { error: { details: { reauth_url: string } } }).error
    .details;

  await page.goto(address);
  const request = page.getByRole('article').filter({ hasText: 'Sold the same sheep twice' });
  expect(await request.textContent()).toContain(userId);
  await request.getByRole('button', { name: 'This call only' }).waitFor();
  await request.getByRole('button', { name: '15 minutes' }).click();
  const token = page.getByRole('listitem').filter({ hasText: 'night watch' }).first();
  await token.getByText(/^Open for/).waitFor();

  expect(await call()).toMatchObject({ status: 201, body: { ban: { user_id: userId, active: true } } });
  const after = await readSandbox(sandbox, run.guild_id);
  expect(after.guild.bans.find((ban) => ban.user_id === userId)?.reason).toContain('night watch');

  await token.getByRole('button', { name: 'Close', exact: true }).click();
  await token.getByRole('button', { name: 'Approve next destructive action' }).waitFor();
  expect(await call()).toMatchObject({ body: { error: { code: 'RE_AUTH_REQUIRED' } } });
});

test('without Developer Mode no token can be created', async () => {
  verifies('dashboard.developer-mode');
  await signIn(page, run, 'owner');
  await page.goto(`${run.web}/guilds/${run.guild_id}/tokens`);
  await page.getByRole('switch', { name: 'Developer Mode' }).waitFor();
  expect(await page.getByRole('button', { name: 'Create token' }).count()).toBe(0);
  await page.getByRole('switch', { name: 'Developer Mode' }).click();
  await page.getByRole('button', { name: 'Create token' }).waitFor();
});

test('the secret is shown once, and afterwards only its last four characters', async () => {
  verifies('secret.last-four');
  await signIn(page, run, 'owner');
  await page.getByRole('link', { name: GUILD }).click();
  await switchDeveloperModeOn(page);
  const secret = await createToken(page, 'once');
  await page.reload();
  await page.getByText(`svcpat_…${secret.slice(-4)}`).waitFor();
  expect(await page.content()).not.toContain(secret);
});

test('the link that adds Bailiff to a guild asks for what its operations need, and stands where the README says', async () => {
  await signIn(page, run, 'owner');
  const name = 'Add Bailiff to a guild';
  const link = await page.getByRole('link', { name }).getAttribute('href');
  expect(new URL(link ?? '').searchParams.get('permissions')).toBe(String(BOT_PERMISSIONS));
  const readme = await readFile(join(import.meta.dirname, '..', '..', 'README.md'), 'utf8');
  expect(readme).toContain(`**${name}**`);
});

test('to somebody without a part in the guild it does not exist', async () => {
  await signIn(page, run, 'member');
  expect(await page.getByRole('link', { name: GUILD }).count()).toBe(0);
  const answer = await page.goto(`${run.web}/guilds/${run.guild_id}`);
  expect(answer?.status()).toBe(404);
});
