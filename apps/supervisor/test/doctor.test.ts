import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifies } from '@bailiff/core/testing';
import { createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import { type Sandbox, startSandbox } from '@bailiff/sandbox';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { doctor, type Machine } from '#src/doctor.ts';
import { ROOT } from '#src/root.ts';

let directory: string;
let database: TestDatabase;
let sandbox: Sandbox;
/** The environment of an installation in which nothing is wrong. */
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  [directory, database, sandbox] = await Promise.all([
    mkdtemp(join(tmpdir(), 'bailiff-doctor-')),
    createTestDatabase(),
    startSandbox(),
  ]);
  sandbox.control.application({ redirect_uris: ['https://bailiff.example/api/auth/callback/discord'] });
  env = {
    BAILIFF_DIR: directory,
    DATABASE_URL: database.url,
    DISCORD_TOKEN: sandbox.botToken,
    DISCORD_CLIENT_ID: sandbox.clientId,
    DISCORD_CLIENT_SECRET: sandbox.clientSecret,
    DISCORD_API_URL: sandbox.apiUrl,
    PUBLIC_URL: 'https://api.bailiff.example',
    DASHBOARD_URL: 'https://bailiff.example',
    NEXTAUTH_SECRET: 'a secret that is long enough for a test',
    SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
  };
});
afterAll(async () => {
  await Promise.all([sandbox.close(), database.drop(), rm(directory, { recursive: true })]);
});

async function examined(machine: Partial<Machine>, guildIds: readonly string[] = []) {
  const lines: string[] = [];
  const code = await doctor(guildIds, (line) => lines.push(line), { env, ...machine });
  return { code, lines, wrong: lines.filter((line) => line.startsWith('WRONG')) };
}
const COMMANDS = /^WRONG {2}Commands: /; // no bot has run here

test('says what is so, and what is not with what to do', async () => {
  verifies('bot.doctor');
  const { code, lines, wrong } = await examined({});
  expect([code, wrong]).toEqual([1, [expect.stringMatching(COMMANDS)]]);
  for (const subject of ['Version', 'Configuration', 'Disk', 'Database', 'Clock', 'Token', 'Redirect'])
    expect(lines.filter((line) => line.startsWith(`ok     ${subject}: `))).toHaveLength(1);
});

test.each<[string, RegExp, () => Partial<Machine>]>([
  ['Node', /Version: .*npm start, which installs Node 24/, () => ({ node: '20.19.0' })],
  ['a full disk', /Disk: Only .* GiB are free .* Make room/, () => ({ leastFree: Number.MAX_SAFE_INTEGER })],
  [
    'a database that is away',
    /Database: It does not answer .* Check DATABASE_URL/,
    () => ({ env: { ...env, DATABASE_URL: 'postgresql://bailiff@127.0.0.1:9/bailiff' } }),
  ],
  [
    'an address for signing in that Discord does not know',
    /Redirect: Nobody can sign in: add https:\/\/other.example\/api/,
    () => ({ env: { ...env, DASHBOARD_URL: 'https://other.example' } }),
  ],
])('finds %s', async (_what, text, change) => {
  verifies('bot.doctor');
  const { code, wrong } = await examined(change());
  expect([code, wrong.filter((line) => !COMMANDS.test(line))]).toEqual([1, [expect.stringMatching(text)]]);
});

test('of an embedded database that it does not find, says where it looked and what names another folder', async () => {
  verifies('bot.doctor');
  const { lines } = await examined({ env: { ...env, DATABASE_URL: '' } });
  const [line] = lines.filter((each) => each.includes(' Database: '));
  expect(line).toContain(directory);
  expect(line).toContain('set BAILIFF_DIR');
});

test('finds that the bot is not in a guild that it is asked about', async () => {
  verifies('bot.doctor');
  const { wrong } = await examined({}, ['100000000000000009']);
  expect(wrong).toContainEqual(
    expect.stringMatching(/^WRONG {2}Guild 100000000000000009: The bot is not in it/),
  );
});

test('finds a database that a later release has changed, and one that waits for this release', async () => {
  verifies('bot.doctor');
  await database.database.pool.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
     VALUES ('later', '', '29990101000000_later', now(), 1)`,
  );
  expect((await examined({})).wrong).toContainEqual(
    expect.stringMatching(
      /Database: A later release has changed it \(29990101000000_later\)\. Update Bailiff/,
    ),
  );
  await database.database.pool.query('UPDATE _prisma_migrations SET finished_at = NULL');
  const { lines } = await examined({});
  expect(lines).toContainEqual(
    expect.stringMatching(/^note {3}Database: .* next npm start updates its tables/),
  );
});

test('finds functions of an earlier release, a migration that was changed, and a restore that has no end', async () => {
  verifies('bot.doctor');
  const { url, processUrls, database: behind, drop } = await createTestDatabase();
  onTestFinished(drop);
  const found = async (DATABASE_URL = url) => {
    const { lines } = await examined({ env: { ...env, DATABASE_URL } });
    return lines.filter((line) => line.includes(' Database: '));
  };
  expect(await found()).toEqual([expect.stringMatching(/^ok .* as this release needs it/)]);
  await behind.pool.query("UPDATE _bailiff_sql SET checksum = 'earlier' WHERE name = 'functions/admit_call'");
  expect(await found()).toEqual([
    expect.stringMatching(/^note .* lacks functions\/admit_call of this release/),
  ]);
  expect(await found(processUrls.bot)).toEqual([
    expect.stringMatching(
      /^WRONG .* this login may not change tables\. Run npm run migrate with the owner's/,
    ),
  ]);
  await behind.pool.query(
    "UPDATE _prisma_migrations SET checksum = 'other' WHERE migration_name = '20261123000000_initial'",
  );
  expect(await found()).toEqual([
    expect.stringMatching(/^WRONG .* Migration 20261123000000_initial was changed after .* Restore /),
  ]);
  await behind.pool.query('CREATE SCHEMA bailiff_unfinished_restore');
  expect(await found()).toEqual([
    expect.stringMatching(/^WRONG .* A restore into this database did not come to its end\. Make an empty/),
  ]);
});

test('finds a PostgreSQL that is too old', async () => {
  verifies('bot.doctor');
  const older = await createTestDatabase();
  try {
    const { pool } = older.database;
    // Whoever connects from now on is told another version, by a function that stands before PostgreSQL's own.
    await pool.query(
      `CREATE FUNCTION public.current_setting(text) RETURNS text LANGUAGE sql AS
         $$ SELECT CASE $1 WHEN 'server_version_num' THEN '130022' ELSE pg_catalog.current_setting($1) END $$;
       DO $$ BEGIN
         EXECUTE format('ALTER DATABASE %I SET search_path = public, pg_catalog', current_database());
       END $$`,
    );
    const { code, wrong } = await examined({ env: { ...env, DATABASE_URL: older.url } });
    expect(code).toBe(1);
    expect(wrong).toContainEqual('WRONG  Database: It is PostgreSQL 13. Bailiff needs 14 or newer.');
  } finally {
    await older.drop();
  }
});

test('says each wrong setting, and asks nobody anything', async () => {
  verifies('bot.doctor');
  const { code, wrong } = await examined({ env: { ...env, PORT: 'x', DISCORD_CLIENT_ID: '1' } });
  expect(code).toBe(1);
  expect(wrong).toEqual([
    'WRONG  Configuration: PORT must be a port from 1 to 65535, or 0 for a free one.',
    "WRONG  Configuration: DISCORD_CLIENT_ID must be the application's id: 17 to 20 digits.",
  ]);
});

test('npm run doctor ends with 0 while the sandbox stands in for Discord, and with 64 for what is no guild', () => {
  verifies('bot.doctor');
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [join(ROOT, 'scripts', 'doctor.ts'), ...args], {
      cwd: ROOT,
      env: { PATH: process.env.PATH, BAILIFF_DIR: directory, DISCORD_TOKEN: '', DATABASE_URL: '', PORT: '0' },
      encoding: 'utf8',
    });
  const { status, stdout } = run();
  expect([status, stdout]).toEqual([0, expect.stringContaining('There is no application to check')]);
  expect(run('everything').status).toBe(64);
});
