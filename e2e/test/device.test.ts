import type { Page } from '@playwright/test';
import { apiOf, revokeToken } from '#src/api.ts';
import { faultsInThemes } from '#src/axe.ts';
import { refillBudgets } from '#src/budgets.ts';
import { GUILD, NAMES } from '#src/pages.ts';
import { run } from '#src/run.ts';
import { expect, test, verifies } from '#src/testing.ts';

test.beforeAll(() => refillBudgets(run.directory));

interface Codes {
  device_code: string;
  user_code: string;
  verification_uri: string;
  verification_uri_complete: string;
}

test.use({ viewport: { width: 360, height: 740 } });

async function ask<Body>(path: 'code' | 'token', fields: Record<string, string>): Promise<Body> {
  const response = await fetch(`${run.web}/api/oauth/device/${path}`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: 'bailiff-mcp', ...fields }),
  });
  return (await response.json()) as Body;
}

const poll = ({ device_code }: Codes, client_id = 'bailiff-mcp') =>
  ask<{ access_token?: string; error?: string }>('token', {
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code,
    client_id,
  });

async function signInFrom(page: Page, address: string, person: keyof typeof NAMES): Promise<void> {
  await page.goto(address);
  await page.getByRole('button', { name: 'Sign in with Discord' }).click();
  await page.getByRole('link', { name: NAMES[person] }).click();
  await page.getByRole('heading', { level: 1, name: 'Connect a client' }).waitFor();
}

test('from the link of a client over sign-in to a token: the owner sees who asks, picks the guild and authorises', async ({
  page,
}) => {
  verifies('device.confirm.shows', 'device.confirm.guild', 'device.user-code.entry');
  const codes = await ask<Codes>('code', {});
  await signInFrom(page, codes.verification_uri_complete, 'owner');
  expect(await page.getByLabel('Code', { exact: true }).inputValue()).toBe(codes.user_code);
  await expect(page.getByLabel('Code', { exact: true })).toHaveAttribute('autocapitalize', 'characters');
  await page.getByLabel('Code', { exact: true }).fill(codes.user_code.toLowerCase().replace('-', ' '));
  expect(await faultsInThemes(page)).toEqual([]);
  await page.getByRole('button', { name: 'Continue' }).click();

  await page.getByRole('heading', { level: 2, name: 'Bailiff MCP asks for a token' }).waitFor();
  for (const fact of [codes.user_code, 'bailiff-mcp', '127.0.0.1', /now|\d+ (?:second|minute)s? ago/])
    await expect(page.locator('dl')).toContainText(fact);
  expect(await faultsInThemes(page)).toEqual([]);
  expect((await poll(codes)).error).toBe('authorization_pending');

  await page.getByLabel('Guild').selectOption({ label: GUILD });
  await page.getByRole('button', { name: 'Authorise' }).click();
  await page.getByRole('heading', { name: 'Authorised' }).waitFor();
  await page.getByText('You can close this page').waitFor();
  expect(await faultsInThemes(page)).toEqual([]);
  const { access_token = '' } = await poll(codes);
  expect(await apiOf(run, access_token).call('me')).toMatchObject({ token: { kind: 'mcp' } });
  await revokeToken(run, access_token);
});

test('the owner sees what a client calls itself and asks for, gives less, and finds its token in the list', async ({
  page,
}) => {
  verifies(
    'device.scope.narrows',
    'device.consent.choices',
    'device.client-name',
    'device.tokens.told-apart',
  );
  const asking = { client_id: 'bailiff-cli', scope: 'bans.read bans.write', client_name: 'Night\u202eshift' };
  const codes = await ask<Codes>('code', asking);
  await signInFrom(page, codes.verification_uri_complete, 'owner');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('Night\\u202eshift (unverified)').waitFor();
  expect(await page.getByRole('checkbox').count()).toBe(2);
  await page.getByRole('checkbox', { name: 'bans.write' }).uncheck();
  await page.getByRole('checkbox', { name: 'bans.read' }).uncheck();
  expect(await page.getByRole('button', { name: 'Authorise' }).isDisabled()).toBe(true);
  const why = page.getByText('Choose at least one capability');
  await expect(why).toBeVisible();
  await page.getByRole('checkbox', { name: 'bans.read' }).check();
  await expect(why).toHaveCount(0);
  await page.getByLabel('Name', { exact: true }).fill('night shift');
  await page.getByLabel('Guild').selectOption({ label: GUILD });
  await page.getByLabel('Allowed addresses').fill('a.example');
  await page.getByRole('button', { name: 'Authorise' }).click();
  await page.getByText('Line 1:').waitFor();
  await page.getByLabel('Allowed addresses').clear();
  await page.getByRole('button', { name: 'Add the client’s address' }).click();
  await page.getByRole('button', { name: 'Authorise' }).click();
  await page.getByRole('heading', { name: 'Authorised' }).waitFor();
  const { access_token = '' } = await poll(codes, 'bailiff-cli');
  const me = await apiOf(run, access_token).call('me');
  expect(me).toMatchObject({ token: { kind: 'rest', name: 'night shift' }, snapshot: ['bans.read'] });
  await page.getByRole('link', { name: `See the tokens of ${GUILD}` }).click();
  await page.getByRole('switch', { name: 'Developer Mode' }).click();
  const row = page.getByRole('row', { name: 'night shift' });
  await row.getByText('connected as bailiff-cli').waitFor();
  await revokeToken(run, access_token);
});

test('a code that is typed wrong says what to do, and so does one that lapses; a refused one gives no token', async ({
  page,
}) => {
  await page.clock.install();
  const codes = await ask<Codes>('code', {});
  await signInFrom(page, codes.verification_uri, 'owner');
  await page.getByLabel('Code', { exact: true }).fill('BBBB-BBBB');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('alert').filter({ hasText: 'No client waits with this code' }).waitFor();
  const typeCode = async () => {
    await page.getByLabel('Code', { exact: true }).fill(codes.user_code);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Refuse' }).waitFor();
  };
  await typeCode();
  await expect(async () => {
    await page.clock.fastForward(15 * 60_000);
    await page.getByRole('heading', { name: 'The code has lapsed' }).waitFor({ timeout: 1_000 });
  }).toPass();
  // By the clock of the server it has not.
  await page.getByRole('button', { name: 'Enter another code' }).click();
  await typeCode();
  await page.getByRole('button', { name: 'Refuse' }).click();
  await page.getByRole('heading', { name: 'Refused' }).waitFor();
  expect(await faultsInThemes(page)).toEqual([]);
  expect((await poll(codes)).error).toBe('access_denied');
});

test('who owns no guild is told so, and what to do', async ({ page }) => {
  verifies('device.confirm.owner-only');
  await signInFrom(page, `${run.web}/device`, 'member');
  await page.getByText('You own no guild that Bailiff is in').waitFor();
  await page.getByRole('link', { name: 'Add Bailiff to a guild' }).waitFor();
  expect(await page.getByLabel('Code', { exact: true }).count()).toBe(0);
});
