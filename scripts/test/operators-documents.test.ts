// Every command that the operators' documents show is executed by a test, or says there why not.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { commandBlocks, verifies } from '@bailiff/core/testing';
import { seedGuild, seedSession, seedToken } from '@bailiff/engine/testing';
import { createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..', '..');
const DOCUMENTS = ['docs/operations.md', 'docs/discord.md'];

/** Which test executes a command, by the script that it runs, and the words by which that test can be seen to do so. */
const EXECUTED_BY: Readonly<Record<string, readonly [test: string, by: string]>> = {
  start: ['e2e/test/operators-documents.test.ts', "'npm start'"],
  web: ['e2e/test/operators-documents.test.ts', "'npm run web'"],
  backup: ['e2e/test/operators-documents.test.ts', "'npm run backup'"],
  restore: ['e2e/test/operators-documents.test.ts', "'npm run restore'"],
  migrate: ['scripts/test/updating.test.ts', "'npm run migrate'"],
  tier: ['e2e/test/lifecycle.test.ts', "'tier'"],
  forget: ['packages/engine/test/forget.test.ts', 'scripts/forget.ts'],
  doctor: ['apps/supervisor/test/doctor.test.ts', "'doctor.ts'"],
  tokens: ['scripts/test/operators-documents.test.ts', "'npm run tokens'"],
  archive: ['scripts/test/archive.test.ts', "'scripts/archive.ts'"],
  sessions: ['scripts/test/operators-documents.test.ts', "'npm run sessions'"],
};

const lines = DOCUMENTS.flatMap(commandBlocks)
  .filter(({ notRun }) => notRun === undefined)
  .flatMap(({ commands }) => commands.trim().split('\n'))
  .map((line) => line.replace(/\s+#.*/, ''));

test.each(lines)('%s is executed', (line) => {
  verifies('ops.documents-run');
  const [, name, start] = /^(?:[A-Z_]+=\S* )*npm (?:run ([\w:-]+)|(start))\b/.exec(line) ?? [];
  const [path, by] = EXECUTED_BY[name ?? start ?? ''] ?? [];
  expect(path, 'add a test of it to EXECUTED_BY, or a comment "not run" to the document').toBeDefined();
  expect(readFileSync(join(ROOT, path ?? ''), 'utf8')).toContain(by);
});

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** Runs what a shell would run for the line, without npm, which takes longer than most of these commands. */
function run(line: string, databaseUrl: string) {
  const command = line.replace(/^npm run (\S+)( --)?/, 'node --run $1 --');
  const env = { ...process.env, DATABASE_URL: databaseUrl };
  return spawnSync('sh', ['-c', command], { cwd: ROOT, env, encoding: 'utf8' });
}

function execute(line: string): string {
  const { status, stdout, stderr } = run(line, database.url);
  expect({ line, status, stderr }).toEqual({ line, status: 0, stderr: '' });
  return stdout;
}

test('the commands for tokens and sessions do what the guide for operators says', async () => {
  verifies('ops.documents-run');
  const guild = await seedGuild(database.database);
  const token = await seedToken(database.database, guild);
  const other = await seedToken(database.database, guild);
  const shown = (name: string) => lines.filter((line) => line.startsWith(name));
  const withIds = (line: string, id: string, owner: string) =>
    line.replace(/\b(tok|ses)_[0-9a-f]{32}\b/, id).replace('123456789012345678', owner);

  const answers = shown('npm run tokens').map((line) => execute(withIds(line, token.id, guild.id)));
  expect(answers).toEqual([
    expect.stringContaining(token.id),
    `Tokens permanently revoked: ${token.id}.\n`,
    `Tokens permanently revoked: ${other.id}.\n`,
  ]);

  for (const cookie of ['one', 'two']) await seedSession(database.database, guild.ownerId, cookie);
  const [list = '', ...ends] = shown('npm run sessions');
  const [id = ''] = execute(list).match(/ses_[0-9a-f]{32}/) ?? [];
  expect(ends.map((line) => execute(withIds(line, id, guild.ownerId)))).toEqual([
    'Sessions ended: 1.\n',
    'Sessions ended: 1.\n',
  ]);
});

test('a change of a tier says what it was, and how many tokens the guild has lost with it', async () => {
  verifies('ops.documents-run');
  const guild = await seedGuild(database.database);
  await seedToken(database.database, guild);
  await seedToken(database.database, guild);
  const change = (tier: string) => execute(`npm run tier -- ${guild.id} ${tier}`);
  expect(change('free')).toBe('Seeded was pro and is free; tokens revoked: 2.\n');
  expect(change('pro')).toBe('Seeded was free and is pro.\n');
});

test('a list of tokens and sessions says of each whose it is, until when, and when it was used', async () => {
  const guild = await seedGuild(database.database);
  const token = await seedToken(database.database, guild);
  await database.database.pool.query(
    `UPDATE tokens SET name = E'a\\nb', expires_at = '2031-02-03', last_used_at = '2026-01-02' WHERE id = $1`,
    [token.id],
  );
  const [row = '', ...others] = execute(`npm run tokens -- list ${guild.id}`).trimEnd().split('\n');
  expect(others).toEqual([]);
  expect(row.split(/ {2,}/)).toEqual([
    token.id,
    'active',
    'rest',
    expect.stringMatching(new RegExp(`^guild ${guild.id} ".*"$`)),
    `issuer ${guild.ownerId}`,
    '"a\\nb"',
    'expires 2031-02-03',
    'used 2026-01-02',
  ]);
  await seedSession(database.database, guild.ownerId, 'three');
  await database.database.pool.query(
    "UPDATE sessions SET signed_in_at = '2031-01-02T03:04Z', seen_at = '2031-01-03T03:00Z' WHERE user_id = $1",
    [guild.ownerId],
  );
  const session = execute(`npm run sessions -- list ${guild.ownerId}`);
  expect(session).toMatch(
    /^ses_[0-9a-f]{32} {2}user \d+ {2}signed in 2031-01-02T03:04Z {2}used 2031-01-03T03:00Z {2}from \S+ {2}".*"\n$/,
  );
});

test('no list shows characters that nobody sees, and with which a name could disguise itself', async () => {
  const guild = await seedGuild(database.database);
  const token = await seedToken(database.database, guild);
  await seedSession(database.database, guild.ownerId, 'disguised');
  const disguised = 'a\u009b31m\u202e\u2028';
  const { pool } = database.database;
  await pool.query('UPDATE tokens SET name = $2 WHERE id = $1', [token.id, disguised]);
  await pool.query('UPDATE guilds SET name = $2 WHERE id = $1', [guild.id, disguised]);
  await pool.query('UPDATE sessions SET browser = $2 WHERE user_id = $1', [guild.ownerId, disguised]);
  const folder = mkdtempSync(join(tmpdir(), 'bailiff-archive-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const printed = [
    execute(`npm run sessions -- list ${guild.ownerId}`),
    execute(`npm run tokens -- list ${guild.id}`),
    execute(`npm run archive -- ${guild.id} ${join(folder, 'a.jsonl')}`),
    execute(`npm run tier -- ${guild.id} free`),
  ];
  for (const text of printed) {
    expect(text).toContain('a\\u009b31m\\u202e\\u2028');
    expect(text).not.toMatch(/[\u009b\u202e\u2028]/);
  }
});

test('a list that nobody reads to its end ends without an error', async () => {
  const guild = await seedGuild(database.database);
  const token = await seedToken(database.database, guild);
  // More than a pipe holds, so that it is still being written when head has ended.
  await database.database.pool.query("UPDATE tokens SET name = repeat('x', 1000000) WHERE id = $1", [
    token.id,
  ]);
  const line = `{ node --run tokens -- list ${guild.id}; echo "code $?" >&2; } | head -c 4`;
  const { stdout, stderr } = run(line, database.url);
  expect([stdout, stderr]).toEqual(['tok_', 'code 0\n']);
});

test.each([
  [`sessions end ses_${'0'.repeat(32)}`, 1, 'There is no such session.'],
  [`tokens revoke tok_${'0'.repeat(32)}`, 1, 'There is no token tok_'],
  ['tokens revoke --guild 123456789012345678 all', 1, 'Bailiff does not know the guild'],
  ['tokens revoke --guild 123456789012345678', 64, 'Usage: '],
  ['tokens revoke --guild 123456789012345678 everything', 64, 'Usage: '],
  ['tokens revoke --guild 123456789012345678 all of them', 64, 'Usage: '],
  ['sessions end --user 123456789012345678', 64, 'Usage: '],
  ['sessions end --guild 123456789012345678 all', 64, 'Usage: '],
  ['sessions end --user Mira all', 64, 'Usage: '],
  ['sessions list 12345678901234567890123', 64, 'Usage: '],
  ['tokens list Harbourlight', 64, 'Usage: '],
  ['tier 123456789012345678 gold', 64, 'Usage: '],
  ['archive 123456789012345678 /dev/null/a.jsonl more', 64, 'Usage: '],
  ['backup /dev/null/one.backup /dev/null/two.backup', 64, 'Usage: '],
  ['restore --yes', 64, 'Usage: '],
  ['forget guild 123456789012345678 --yes really', 64, 'Usage: '],
  ['forget guild 123456789012345678 yes', 64, 'Usage: '],
])('%s ends with %i, does nothing and says why', (line, code, said) => {
  const [name, ...args] = line.split(' ');
  const env = { ...process.env, DATABASE_URL: database.url };
  const { status, stdout, stderr } = spawnSync(process.execPath, [`scripts/${name}.ts`, ...args], {
    cwd: ROOT,
    env,
    encoding: 'utf8',
  });
  expect([status, stdout]).toEqual([code, '']);
  expect(stderr).toContain(said);
});

test.each([
  ['npm run tier -- 123456789012345678 pro', 'The tier was not changed'],
  ['npm run tokens -- list', 'The tokens could not be listed'],
  ['npm run migrate', 'The database of DATABASE_URL'],
])('%s names DATABASE_URL if its address is wrong, without the password', (line, failed) => {
  verifies('ops.database-url.named');
  const url = new URL(database.url);
  // The server of the tests lets its own logins in without their passwords.
  url.username = 'nobody';
  url.password = 'a-wrong-password';
  const place = `${url.host}${url.pathname}`;
  const { status, stderr } = run(line, url.href);
  expect([status, stderr]).toEqual([1, expect.stringContaining(`The database of DATABASE_URL (${place})`)]);
  expect(stderr).toMatch(new RegExp(`^${failed}\\b`));
  expect(stderr).not.toContain('a-wrong-password');
  const otherLogin = new URL(database.url);
  otherLogin.searchParams.set('user', 'nobody');
  for (const wrong of ['db.example/bailiff', database.url.replace(/^\w+/, 'mysql'), otherLogin.href]) {
    const refused = run(line, wrong);
    expect(refused.stderr).toMatch(/DATABASE_URL must be an address such as postgresql:\/\//);
    expect(refused.status).not.toBe(0);
  }
});
