// Lists of several pages, in a guild with records from earlier years.
import { type Database, openDatabase } from '@bailiff/prisma';
import { databaseUrl } from '@bailiff/supervisor/database-url';
import type { Page } from '@playwright/test';
import { signedInPage, switchDeveloperModeOn } from '#src/pages.ts';
import { run } from '#src/run.ts';
import { expect, test, verifies } from '#src/testing.ts';

/** The bot was never in it, so nothing of Discord's changes it. */
const GUILD_ID = '700000000000000001';
const MEMBER = '720000000000000001';
const SERVER = `srv_${'0'.repeat(31)}1`;
const owner = run.people.owner ?? '';
const guild = `${run.web}/guilds/${GUILD_ID}`;
/** More than a page of each list shows. */
const MANY = 120;
const MOST_TOKENS = 25;

const ROWS = `
  INSERT INTO guilds (id, name, owner_id, tier, mirrored_at) VALUES ($1, 'Long lists', $2, 'pro', now());
  INSERT INTO cases (id, guild_id, case_number, kind, user_id, reason, issued_by, severity, expires_at)
  SELECT 'str_long' || lpad(n::text, 4, '0'), $1, n, CASE n % 2 WHEN 0 THEN 'strike' ELSE 'mute' END::"CaseKind",
    '$3', 'Case of long ago', $2, CASE n % 2 WHEN 0 THEN 'minor' END::"StrikeSeverity", CASE n % 2 WHEN 1 THEN now() END
  FROM generate_series(1, ${2 * MANY}) AS n;
  INSERT INTO tickets (guild_id, number, subject, status, opened_by, claimed_by, closed_at)
  SELECT $1, n, CASE n % 2 WHEN 0 THEN 'Done ' ELSE 'Waits ' END || n,
    CASE n % 2 WHEN 0 THEN 'closed' ELSE 'claimed' END::"TicketStatus", '$3',
    CASE n WHEN 1 THEN $2 ELSE '$3' END, CASE n % 2 WHEN 0 THEN now() END
  FROM generate_series(1, ${2 * MANY}) AS n;
  INSERT INTO reports (guild_id, number, status, user_id, reported_by, reason, closed_by, closed_at)
  SELECT $1, n, 'closed', '$3', $2, 'Report ' || n, $2, now() FROM generate_series(1, ${MANY}) AS n;
  INSERT INTO audit (guild_id, actor_source, actor_user_id, operation, target_type, target_id, outcome)
  SELECT $1, 'chat', $2, 'strikes.add', 'user', '$3', CASE n % 2 WHEN 0 THEN 'performed' ELSE 'failed' END::"AuditOutcome"
  FROM generate_series(1, ${2 * MANY}) AS n;
  INSERT INTO tokens (guild_id, issuer_id, name, kind, secret_hash, secret_last_four, capabilities)
  SELECT $1, $2, 'Token ' || n, 'rest', sha256(('long ' || n)::bytea), 'long', ARRAY['strikes.read']
  FROM generate_series(1, ${MOST_TOKENS}) AS n;
  INSERT INTO appeals (guild_id, case_id, user_id, answers, language, state)
  SELECT $1, id, '$3', '[]', 'en', CASE case_number % 4 WHEN 0 THEN 'sent' ELSE 'in_review' END::"AppealState"
  FROM cases WHERE guild_id = $1;
  INSERT INTO game_servers (id, guild_id, name, host, port, password_sealed, created_by)
  VALUES ('$4', $1, 'Regatta', 'game.example', 25575, '', $2);
  INSERT INTO actions (id, guild_id, operation, input, digest, state, actor_source, actor_user_id, request_id, claim_by,
    target_type, target_id)
  SELECT 'act_' || lpad(n::text, 32, '0'), $1, CASE n % 2 WHEN 0 THEN 'servers.rcon' ELSE 'roles.add' END,
    json_build_object('command', 'say ' || n, 'reason', 'Role ' || n), '', 'done', 'chat', $2, 'req_1', now(),
    CASE n % 2 WHEN 0 THEN 'server' END, CASE n % 2 WHEN 0 THEN '$4' END
  FROM generate_series(1, ${2 * MANY}) AS n;
  INSERT INTO measures (guild_id, kind, subject_id, action_id, before, after, taken_at)
  SELECT $1, 'role', '$3:' || replace(id, 'act_', ''), id, '{}', '{}', now()
  FROM actions WHERE guild_id = $1 AND operation = 'roles.add'`
  .replaceAll('$1', `'${GUILD_ID}'`)
  .replaceAll('$2', `'${owner}'`)
  .replaceAll('$3', MEMBER)
  .replaceAll('$4', SERVER);
const TABLES = [
  'measures',
  'actions',
  'game_servers',
  'tokens',
  'reports',
  'tickets',
  'cases',
  'guild_counters',
];

let db: Database;
let page: Page;

test.beforeAll(async ({ browser }) => {
  db = openDatabase(await databaseUrl(run.directory), { applicationName: 'test' });
  await db.pool.query(ROWS);
  page = await signedInPage(browser, run, 'owner');
});
test.afterAll(async () => {
  await page?.context().close();
  for (const table of TABLES) await db?.pool.query(`DELETE FROM ${table} WHERE guild_id = $1`, [GUILD_ID]);
  await db?.pool.query('UPDATE guilds SET left_at = now() WHERE id = $1', [GUILD_ID]);
  await db?.close();
});

for (const [list, filter, others] of [
  ['cases', 'kind=strike', 'Mute'],
  ['tickets', 'status=closed', 'Waits'],
  ['reports', 'status=all', null],
  ['audit', 'outcome=performed', 'failed'],
  ['appeals', 'state=in_review', 'New'],
] as const) {
  test(`the next page of ${list} keeps the filter ${filter}`, async () => {
    await page.goto(`${guild}/${list}?${filter}`);
    const main = page.getByRole('main');
    await main.getByRole('link', { name: 'Older' }).click();
    await main.getByRole('link', { name: 'Newer' }).waitFor();
    expect(page.url()).toContain(filter);
    if (others !== null) await expect(main.getByRole('row').filter({ hasText: others })).toHaveCount(0);
    await main.getByRole('link', { name: 'Newer' }).click();
    await main.getByRole('link', { name: 'Newer' }).waitFor({ state: 'detached' });
    expect(page.url()).toContain(filter);
  });
}

test('the next page of the commands of a game server shows those before', async () => {
  await page.goto(`${guild}/servers/${SERVER}`);
  const main = page.getByRole('main');
  const runs = main.getByRole('list', { name: 'History' }).getByRole('listitem');
  const latest = runs.filter({ hasText: `say ${2 * MANY}` });
  await latest.waitFor();
  await main.getByRole('link', { name: 'Older' }).click();
  await main.getByRole('link', { name: 'Newer' }).waitFor();
  await expect(latest).toHaveCount(0);
  await runs
    .filter({ hasText: /say \d+/ })
    .first()
    .waitFor();
});

test('the next page of the roles in force shows those before, and leads to the first', async () => {
  await page.goto(`${guild}/in-force`);
  const rows = page.getByRole('region', { name: 'Roles for a while' }).getByRole('table').getByRole('row');
  const latest = rows.filter({ hasText: `Role ${2 * MANY - 1}` });
  await latest.waitFor();
  await page.getByRole('link', { name: 'Next page' }).click();
  await page.getByRole('link', { name: 'First page' }).waitFor();
  await expect(latest).toHaveCount(0);
  await rows
    .filter({ hasText: /Role \d+/ })
    .first()
    .waitFor();
  await page.getByRole('link', { name: 'First page' }).click();
  await latest.waitFor();
});

test('the counts of a member lead to the cases of that kind, and of that member', async () => {
  await page.goto(`${guild}/members/${MEMBER}`);
  for (const [count, kind] of [
    ['Strikes', 'strike'],
    ['Mutes', 'mute'],
    ['Bans', 'ban'],
  ])
    await expect(page.getByRole('main').getByRole('link', { name: new RegExp(`^${count}`) })).toHaveAttribute(
      'href',
      `/guilds/${GUILD_ID}/cases?member=${MEMBER}&kind=${kind}`,
    );
});

test('who asks for their own tickets gets no others', async () => {
  await page.goto(`${guild}/tickets?status=all&claimer=me`);
  const rows = page.getByRole('main').getByRole('table').getByRole('row');
  await expect(rows.filter({ hasText: 'Waits 1' })).toHaveCount(1);
  await expect(rows).toHaveCount(2);
});

test(`with ${MOST_TOKENS} tokens a guild gets no further one, and its owner is told why`, async () => {
  await page.goto(guild);
  await switchDeveloperModeOn(page);
  await page.goto(`${guild}/tokens`);
  const create = page.getByRole('button', { name: 'Create token' });
  await expect(create).toBeDisabled();
  await expect(page.getByText(new RegExp(`at most ${MOST_TOKENS} tokens`))).toBeVisible();
});

test('the list of guilds says where the bot is away', async () => {
  await page.goto(run.web);
  const link = page.getByRole('link', { name: /Long lists/ });
  await expect(link).not.toContainText('bot away');
  await db.pool.query('UPDATE guilds SET mirrored_at = NULL WHERE id = $1', [GUILD_ID]);
  await page.reload();
  await expect(link).toContainText(/away/i);
});

test('a filter of tickets keeps their state, and so does clearing all filters', async () => {
  verifies('dashboard.filter-chips');
  await page.goto(`${guild}/tickets?status=closed`);
  await page.getByLabel('Claimed by').selectOption('Me');
  await page.waitForURL((url) => url.searchParams.get('claimer') === 'me');
  expect(new URL(page.url()).searchParams.get('status')).toBe('closed');
  await page.goto(`${guild}/tickets?status=closed&q=Done`);
  await page.getByRole('link', { name: 'Clear all' }).click();
  await page.waitForURL((url) => !url.searchParams.has('q'));
  expect(new URL(page.url()).search).toBe('?status=closed');
});
