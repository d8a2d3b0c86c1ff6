import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CAPABILITIES } from '@bailiff/core';
import { type Database, openDatabase } from '@bailiff/prisma';
import { type MintedToken, Owner } from '@bailiff/sandbox/visitor';
import { databaseUrl } from '@bailiff/supervisor/database-url';
import { type Instance, instanceDirectory, startInstance } from '@bailiff/supervisor/instance';
import type { RunFile } from '@bailiff/supervisor/run-file';
import type { Page } from '@playwright/test';
import { apiOf } from '#src/api.ts';
import { signIn, switchDeveloperModeOn } from '#src/pages.ts';
import { expect, test, verifies } from '#src/testing.ts';

/** The ports that the instance has called, in its directory. */
const CONNECTIONS = 'connections.log';

// An instance of its own: time passes by moving rows, and nobody else's tokens should grow old with these.
let home: Awaited<ReturnType<typeof instanceDirectory>>;
let instance: Instance;
let run: RunFile;
let db: Database;
let page: Page;
let owner: Owner;

test.beforeAll(async () => {
  home = await instanceDirectory();
  const preload = new URL('../src/log-connections.mjs', import.meta.url);
  preload.searchParams.set('log', join(home.path, CONNECTIONS));
  const env = { NODE_OPTIONS: `--import=${preload.href}` };
  instance = await startInstance({ directory: home.path, env });
  ({ run } = instance);
  db = openDatabase(await databaseUrl(home.path), { applicationName: 'rotation test' });
  owner = await Owner.signIn(run.web, run.people.owner ?? '');
});
test.afterAll(async () => {
  await db?.close();
  await instance?.stop();
  await home?.remove();
});
test.beforeEach(async ({ page: own }) => {
  page = own;
  await signIn(page, run, 'owner');
  await page.goto(`${run.web}/guilds/${run.guild_id}`);
  await switchDeveloperModeOn(page);
});

async function mint(name: string): Promise<MintedToken> {
  const { body } = await owner.mint(run.guild_id, name);
  const { token, secret } = body as { token: { id: string }; secret: string };
  return { id: token.id, name, secret };
}

/** As if it had been made so many days ago. */
const makeOld = ({ id }: MintedToken, days: number) =>
  db.pool.query('UPDATE tokens SET created_at = now() - make_interval(secs => $2) WHERE id = $1', [
    id,
    days * 86_400,
  ]);

async function tokensPage(): Promise<void> {
  await page.goto(`${run.web}/guilds/${run.guild_id}/tokens`);
  await page.getByRole('heading', { level: 1, name: 'API & MCP' }).waitFor();
}

const row = (name: string) => page.getByRole('row').filter({ hasText: name });
const snooze = (name: string) => page.getByRole('button', { name: `Snooze the reminder for ${name}` });
const banner = () => page.getByRole('region', { name: 'Rotation required' });

/** Runs the nightly job, and waits for its mark on a token. */
async function night(tokenId: string): Promise<void> {
  await db.pool.query("SELECT graphile_worker.add_job('require_rotation', '{}')");
  await expect
    .poll(
      async () =>
        (await db.pool.query('SELECT rotation_required_at FROM tokens WHERE id = $1', [tokenId])).rows[0]
          ?.rotation_required_at,
    )
    .not.toBeNull();
}

test('from 90 days the row of a token has a reminder, reckoned in the browser, that can be put away', async () => {
  verifies('rotation.warning-90', 'rotation.snooze');
  const [young, old] = [await mint('young'), await mint('old')];
  const turned = await mint('turned');
  await makeOld(young, 89.9);
  await makeOld(old, 90.1);
  await makeOld(turned, 100);
  await owner.change('POST', `/api/api-tokens/${turned.id}/rotate`, {});
  const gone = await mint('gone with age');
  await makeOld(gone, 100);
  await owner.revoke(gone.id);
  await tokensPage();
  await snooze('old').waitFor();
  // The days are those of its secret.
  for (const name of ['young', 'turned', gone.name]) expect(await snooze(name).count(), name).toBe(0);
  const reminder = page.getByRole('region', { name: 'Rotation reminder' });
  await expect(reminder).toContainText('old');
  await expect(reminder).not.toContainText(gone.name);
  await row('old').getByText('More than 90 days old').waitFor();
  await snooze('old').click();
  await snooze('old').waitFor({ state: 'detached' });
  await page.reload();
  await row('old').waitFor();
  expect(await page.getByText('More than 90 days old').count()).toBe(0);
  const { rows } = await db.pool.query(
    'SELECT rotation_required_at, rotation_warning_dismissed_at IS NULL AS shown FROM tokens WHERE id = ANY ($1) ORDER BY id',
    [[young.id, old.id]],
  );
  expect(rows).toEqual([
    { rotation_required_at: null, shown: true },
    { rotation_required_at: null, shown: false },
  ]);
});

test('without script no reminder is shown: the server does not reckon it', async () => {
  verifies('rotation.warning-90');
  const token = await mint('scriptless');
  await makeOld(token, 100);
  const html = await (await page.request.get(`${run.web}/guilds/${run.guild_id}/tokens`)).text();
  expect(html).toContain('scriptless');
  expect(html).not.toContain('More than 90 days old');
});

test('at 180 days a banner names the token, cannot be dismissed, and goes with the rotation alone', async () => {
  verifies('rotation.banner-180', 'rotation.snooze-not-180', 'rotation.keeps-working');
  const token = await mint('ancient');
  await makeOld(token, 91);
  await tokensPage();
  await snooze('ancient').click();
  await snooze('ancient').waitFor({ state: 'detached' });
  expect(await banner().count()).toBe(0);
  await makeOld(token, 181);
  const forsaken = await mint('forsaken');
  await makeOld(forsaken, 181);
  await night(token.id);
  await night(forsaken.id);
  await owner.revoke(forsaken.id);
  await tokensPage();
  await banner().getByText('ancient').waitFor();
  await expect(banner()).not.toContainText('forsaken');
  expect(await banner().getByRole('button').count()).toBe(0);
  expect(await banner().getByRole('link').count()).toBe(0);

  await owner.change('POST', `/api/api-tokens/${token.id}/snooze-warning`);
  await page.reload();
  await banner().getByText('ancient').waitFor();
  expect(await apiOf(run, token.secret).send('me')).toMatchObject({ status: 200 });
  await makeOld(token, 271);
  expect(await apiOf(run, token.secret).send('me')).toMatchObject({ status: 200 });

  await page.getByRole('button', { name: 'More for ancient' }).click();
  await page.getByRole('menuitem', { name: 'Rotate …' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
  await page.getByRole('button', { name: 'I have stored it' }).click();
  await page.getByRole('dialog', { name: 'The new secret of ancient' }).waitFor({ state: 'detached' });
  await banner().waitFor({ state: 'detached' });
});

test('a new secret is shown until it is stored, though the page cannot be brought up to date meanwhile', async () => {
  await mint('forgetful');
  await tokensPage();
  let isAsked = false;
  let isBroken = true;
  let refreshes = 0;
  await page.route('**/rotate', (route) => {
    isAsked = true;
    return route.continue();
  });
  // What came before may still bring the page up to date until the secret is asked for.
  await page.route('**/tokens*', (route) => {
    const headers = route.request().headers();
    const isRefresh = headers.rsc !== undefined && headers['next-router-prefetch'] === undefined;
    if (!isAsked || !isRefresh) return route.continue();
    refreshes += 1;
    return isBroken ? route.abort() : route.continue();
  });
  await page.getByRole('button', { name: 'More for forgetful' }).click();
  await page.getByRole('menuitem', { name: 'Rotate …' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
  const secret = page.getByRole('dialog').getByText(/^svcpat_[0-9A-Z]{48}$/);
  await secret.waitFor();
  // The page hears of another token, and looks whether it may be loaded again.
  const looked = page.waitForResponse((response) => new URL(response.url()).pathname.endsWith('/state'));
  await mint('remembered');
  await looked;
  await mint('remembered too');
  await expect(secret).toBeVisible();
  expect(refreshes).toBe(0);
  isBroken = false;
  await page.getByRole('button', { name: 'I have stored it' }).click();
  await row('remembered too').waitFor();
  await page.unrouteAll({ behavior: 'wait' });
});

test('Approve next destructive action opens a window of 15 minutes for that token', async () => {
  verifies('window.open.button', 'window.open.expires-at');
  const [token, other] = [await mint('opened'), await mint('left shut')];
  await tokensPage();
  await row('opened').getByRole('button', { name: 'Approve next destructive action' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Allow everything for 15 minutes' }).click();
  await row('opened').getByText('window open').waitFor();
  expect(await row('left shut').getByText('window open').count()).toBe(0);
  const { rows } = await db.pool.query(
    `SELECT token_id, digest, extract(epoch FROM expires_at - opened_at)::int / 60 AS minutes FROM windows
     WHERE token_id = ANY ($1)`,
    [[token.id, other.id]],
  );
  expect(rows).toEqual([{ token_id: token.id, digest: null, minutes: 15 }]);
});

test('the form mints for the guild that is chosen, for 90 days and with the capabilities that are chosen', async () => {
  verifies('dashboard.create-form', 'token.scope.single-guild');
  const { rows: guilds } = await db.pool.query<{ id: string; name: string }>(
    "UPDATE guilds SET owner_id = $1, tier = 'pro' RETURNING id, name",
    [run.people.owner],
  );
  const [other] = guilds.filter(({ id }) => id !== run.guild_id);
  await tokensPage();
  await page.getByRole('button', { name: 'Create token' }).click();
  const dialog = page.getByRole('dialog');
  const choice = dialog.getByLabel('Guild');
  expect(await choice.inputValue()).toBe(run.guild_id);
  await expect(choice).toHaveJSProperty('multiple', false);
  expect((await choice.getByRole('option').allTextContents()).toSorted()).toEqual(
    guilds.map(({ name }) => name).toSorted(),
  );
  await choice.selectOption(other?.name ?? '');
  await dialog.getByLabel('Name').fill('elsewhere');
  await dialog.getByRole('button', { name: 'Everything' }).click();
  await dialog.getByRole('button', { name: 'Create token' }).click();
  await dialog.getByRole('button', { name: 'I have stored it' }).click();
  const { rows } = await db.pool.query(
    "SELECT guild_id, capabilities, expires_at - created_at = interval '90 days' AS lasts FROM tokens WHERE name = 'elsewhere'",
  );
  expect(rows).toEqual([{ guild_id: other?.id, capabilities: [...CAPABILITIES], lasts: true }]);
});

test('nobody is sent an e-mail about a token: no address is asked for or kept, and no mail server is called', async ({
  browser,
}) => {
  verifies('rotation.no-email');
  const token = await mint('mailed to nobody');
  await makeOld(token, 181);
  await night(token.id);
  await owner.change('POST', `/api/api-tokens/${token.id}/rotate`, {});
  await owner.revoke(token.id);
  await expectNoAddress();

  const stranger = await browser.newPage();
  await stranger.goto(run.web);
  await stranger.getByRole('button', { name: 'Sign in with Discord' }).click();
  await stranger.waitForURL(/authorize/);
  expect(new URL(stranger.url()).searchParams.get('scope')).toBe('identify');
  await stranger.close();

  // What the instance has called since it started: itself, its database, Discord and the game server.
  const called = new Set((await readFile(join(home.path, CONNECTIONS), 'utf8')).trim().split('\n'));
  const urls = [run.web, run.sandbox ?? '', await databaseUrl(home.path)];
  const known = [...urls.map((url) => new URL(url).port), ...run.servers.map(({ port }) => String(port))];
  expect(called).toContain(new URL(run.sandbox ?? '').port);
  expect([...called].filter((port) => !known.includes(port))).toEqual([]);
});

async function expectNoAddress(): Promise<void> {
  const { rows } = await db.pool.query<{ name: string }>(
    "SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')",
  );
  expect(rows.map(({ name }) => name)).toContain('public.users');
  for (const { name } of rows) {
    const found = await db.pool.query(
      `SELECT t::text AS row FROM ${name} t WHERE t::text ~ '[[:alnum:]]@[[:alnum:]]'`,
    );
    expect(found.rows, name).toEqual([]);
  }
}

test('the row of a revoked token says what revoked it', async () => {
  const reasons = {
    issuer_left: 'its issuer left the guild',
    capabilities_lost: 'its issuer lost the capabilities',
    tier_lost: 'the guild left the paid tier',
    operator: 'by the operator',
    client: 'by its own client',
  };
  for (const reason of Object.keys(reasons)) {
    const { id } = await mint(`gone: ${reason}`);
    await owner.revoke(id);
    await db.pool.query('UPDATE tokens SET revoked_reason = $2 WHERE id = $1', [id, reason]);
  }
  await tokensPage();
  for (const [reason, said] of Object.entries(reasons))
    await row(`gone: ${reason}`).getByText(said).waitFor();
});

test('a guild that can take no client says so, and cannot be chosen for one', async () => {
  verifies('device.confirm.guild');
  await db.pool.query(
    "UPDATE guilds SET owner_id = $1, tier = CASE id WHEN $2 THEN 'pro' ELSE 'free' END::\"GuildTier\"",
    [run.people.owner, run.guild_id],
  );
  const asked = await fetch(`${run.web}/api/oauth/device/code`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: 'bailiff-mcp' }),
  });
  const { verification_uri_complete } = (await asked.json()) as { verification_uri_complete: string };
  await page.goto(verification_uri_complete);
  await page.getByRole('button', { name: 'Continue' }).click();
  const choice = page.getByLabel('Guild');
  await expect(choice).toHaveValue(run.guild_id);
  const others = choice.getByRole('option', { name: /on the free tier/ });
  await expect(others).not.toHaveCount(0);
  await expect(others.first()).toBeDisabled();
});

test('an expired token is offered no window until it is renewed', async () => {
  const token = await mint('over');
  const endsIn = (interval: string) =>
    db.pool.query('UPDATE tokens SET expires_at = now() + $2::interval WHERE id = $1', [token.id, interval]);
  await endsIn('-1 hour');
  await tokensPage();
  await row('over').getByText('expired', { exact: true }).waitFor();
  const approve = row('over').getByRole('button', { name: 'Approve next destructive action' });
  await expect(approve).toHaveCount(0);
  await page.getByRole('button', { name: 'More for over' }).click();
  await page.getByRole('menuitem', { name: 'Renew …' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Renew' }).click();
  await row('over').getByText('active', { exact: true }).waitFor();
  await approve.waitFor();
  await owner.revoke(token.id);
});
