import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { verifies } from '@bailiff/core/testing';
import { type SeededGuild, seedGuild, snowflake } from '@bailiff/engine/testing';
import { createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..', '..');

let database: TestDatabase;
let guild: SeededGuild;
let directory: string;

beforeAll(async () => {
  database = await createTestDatabase();
  guild = await seedGuild(database.database);
  directory = mkdtempSync(join(tmpdir(), 'bailiff-archive-'));
});
afterAll(async () => {
  rmSync(directory, { recursive: true });
  await database.drop();
});

/** `npm run archive`, as an operator types it. */
function archive(...words: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/archive.ts', ...words], {
    cwd: ROOT,
    env: { ...process.env, DATABASE_URL: database.url },
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

test('the operator writes a guild to a file that only they can read, which the audit log says', async () => {
  verifies('archive.command', 'ops.documents-run');
  const { pool } = database.database;
  await pool.query('INSERT INTO notes (guild_id, user_id, text, written_by) VALUES ($1, $2, $3, $2)', [
    guild.id,
    snowflake(),
    'Seen before',
  ]);
  const path = join(directory, 'guild.jsonl');
  const { rows } = await pool.query<{ name: string }>('SELECT name FROM guilds WHERE id = $1', [guild.id]);
  expect(archive(guild.id, path)).toEqual({
    status: 0,
    stdout: `8 lines of ${rows[0]?.name} are in ${path}.\n`,
    stderr: '',
  });
  const lines = readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines[0]).toMatchObject({ format: 'bailiff-archive', version: 1, guild_id: guild.id });
  expect(lines.at(-1)).toMatchObject({ type: 'note', text: 'Seen before' });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const { rows: audit } = await pool.query(
    "SELECT actor_source, outcome FROM audit WHERE guild_id = $1 AND operation = 'archive.export'",
    [guild.id],
  );
  expect(audit).toEqual([{ actor_source: 'operator', outcome: 'performed' }]);
});

test('a file that exists stays as it is, and of a guild that is unknown no file is left', () => {
  verifies('archive.command');
  const path = join(directory, 'mine.txt');
  writeFileSync(path, 'mine');
  expect(archive(guild.id, path)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('exists already'),
  });
  expect(readFileSync(path, 'utf8')).toBe('mine');
  const absent = join(directory, 'absent.jsonl');
  expect(archive(snowflake(), absent)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('does not know'),
  });
  expect(readdirSync(directory).filter((name) => name.startsWith('absent'))).toEqual([]);
  expect(archive(guild.id).status).toBe(64);
});

test('a file without a folder is written where the command was typed, and not in the checkout', () => {
  verifies('archive.command');
  const { status } = spawnSync('npm', ['--prefix', ROOT, 'run', 'archive', '--', guild.id, 'here.jsonl'], {
    cwd: directory,
    env: { ...process.env, DATABASE_URL: database.url },
    encoding: 'utf8',
  });
  expect(status).toBe(0);
  expect(readdirSync(directory)).toContain('here.jsonl');
});

test('an archive for which the disk has no room left is not written, and says so', async () => {
  verifies('archive.command');
  // In the last of its steps: the notes.
  await database.database.pool.query(
    "INSERT INTO notes (guild_id, user_id, text, written_by) SELECT $1, $2, repeat('a', 900), $2 FROM generate_series(1, 20)",
    [guild.id, snowflake()],
  );
  const path = join(directory, 'full.jsonl');
  const command = `ulimit -f 8; exec "$0" scripts/archive.ts ${guild.id} ${path}`;
  const { status, stderr } = spawnSync('bash', ['-c', command, process.execPath], {
    cwd: ROOT,
    env: { ...process.env, DATABASE_URL: database.url, NODE_COMPILE_CACHE: '' },
    encoding: 'utf8',
  });
  expect(stderr).toMatch(/^The archive was not written: .*(EFBIG|ENOSPC)/);
  expect(status).toBe(1);
  expect(readdirSync(directory).filter((name) => name.startsWith('full'))).toEqual([]);
});

test('what Ctrl-C leaves of an archive does not look like one', async () => {
  verifies('archive.command');
  const path = join(directory, 'half.jsonl');
  const beginningsOfIt = () => readdirSync(directory).filter((name) => name.startsWith('half'));
  const client = await database.database.pool.connect();
  try {
    // Notes come last.
    await client.query('BEGIN; LOCK TABLE notes IN ACCESS EXCLUSIVE MODE');
    const command = spawn(process.execPath, ['scripts/archive.ts', guild.id, path], {
      cwd: ROOT,
      env: { ...process.env, DATABASE_URL: database.url },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    const ended = once(command, 'close');
    const isBegun = () => beginningsOfIt().some((name) => statSync(join(directory, name)).size > 0);
    await expect.poll(isBegun).toBe(true);
    command.kill('SIGINT');
    expect(await ended).toEqual([null, 'SIGINT']);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
  expect(existsSync(path)).toBe(false);
  expect(archive(guild.id, path)).toMatchObject({ status: 0 });
  expect(beginningsOfIt()).toEqual(['half.jsonl']);
});
