// A guild with as many roles and channels as Discord allows.
import { type Database, openDatabase } from '@bailiff/prisma';
import { databaseUrl } from '@bailiff/supervisor/database-url';
import type { Page } from '@playwright/test';
import { openWhole } from '#src/all-pages.ts';
import { faultsIn } from '#src/axe.ts';
import { signIn } from '#src/pages.ts';
import { run } from '#src/run.ts';
import { expect, test, verifies } from '#src/testing.ts';

const MOST = 500;
/** The bot was never in it, so nothing of Discord's changes it. */
const GUILD_ID = '700000000000000000';
const guild = `${run.web}/guilds/${GUILD_ID}`;

let db: Database;
let page: Page;

test.beforeAll(async ({ browser }) => {
  db = openDatabase(await databaseUrl(run.directory), { applicationName: 'test' });
  const { pool } = db;
  await pool.query(
    "INSERT INTO guilds (id, name, owner_id, tier, mirrored_at) VALUES ($1, 'Large', $2, 'free', now())",
    [GUILD_ID, run.people.owner],
  );
  // Each role may ban, so that each is among the proposals, and has a name as long as Discord allows.
  await pool.query(
    `INSERT INTO roles (guild_id, id, name, position, permissions)
     SELECT $1, 700000000000000000 + n, CASE n WHEN 0 THEN '@everyone' ELSE 'Role ' || n || ' ' || repeat('w', 90) END, n, 4
     FROM generate_series(0, $2::int) AS n`,
    [GUILD_ID, MOST],
  );
  await pool.query(
    `INSERT INTO channels (guild_id, id, kind, name, position, overwrites)
     SELECT $1, 710000000000000000 + n, 'text', 'channel-' || n || '-' || repeat('w', 85), n, '[]'
     FROM generate_series(1, $2::int) AS n`,
    [GUILD_ID, MOST],
  );
  page = await (await browser.newContext()).newPage();
  await signIn(page, run, 'owner');
});
test.afterAll(async () => {
  await page?.context().close();
  for (const [table, column] of [
    ['channels', 'guild_id'],
    ['roles', 'guild_id'],
    ['guilds', 'id'],
  ])
    await db?.pool.query(`DELETE FROM ${table} WHERE ${column} = $1`, [GUILD_ID]);
  await db?.close();
});

const overflow = () =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

for (const width of [360, 1440]) {
  test(`the last of ${MOST} channels is found by its name at ${width} px, and nothing overflows`, async () => {
    verifies('dashboard.large-guild');
    await page.setViewportSize({ width, height: 800 });
    await openWhole(page, `${guild}/settings`);
    const field = page.getByRole('combobox', { name: 'Log channel' });
    const options = page.getByRole('listbox').getByRole('option');
    await field.fill('channel-');
    await expect(options).not.toHaveCount(0);
    expect(await overflow()).toBe(0);
    await field.fill(`channel-${MOST}`);
    await expect(options).toHaveCount(1);
    expect(await faultsIn(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await expect(field).toHaveValue(new RegExp(`channel-${MOST}-`));
  });

  test(`the last of ${MOST} roles is found among the proposals at ${width} px, and nothing overflows`, async () => {
    verifies('dashboard.large-guild');
    await page.setViewportSize({ width, height: 800 });
    await openWhole(page, `${guild}/settings/roles`);
    const boxes = page.getByRole('checkbox', { name: /bans\.write$/ });
    await expect(boxes).not.toHaveCount(0);
    expect(await boxes.count()).toBeLessThan(100);
    expect(await overflow()).toBe(0);
    await page.getByRole('searchbox').fill(`role ${MOST}`);
    await expect(boxes).toHaveCount(1);
    expect(await faultsIn(page)).toEqual([]);
  });
}
