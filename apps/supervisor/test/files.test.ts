import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigurationError } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { checkBackup, takeBackup } from '@bailiff/prisma/backup';
import { processUrlsOf, superuserUrlOf } from '@bailiff/prisma/embedded';
import { createTestDatabase } from '@bailiff/prisma/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { backUp, restore } from '#src/backup.ts';
import { databaseUrl } from '#src/database-url.ts';
import { loadEnvironment } from '#src/environment-file.ts';
import { LogFile } from '#src/log-file.ts';
import { type RunFile, readRunFile, removeRunFile, writeRunFile } from '#src/run-file.ts';
import { keepFromSandbox } from '#src/sandbox-guard.ts';
import { keptSecrets } from '#src/secrets.ts';
import { StartError } from '#src/start-error.ts';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'bailiff-files-'));
});

afterEach(() => rm(directory, { recursive: true, force: true }));

const RUN: RunFile = {
  web: 'http://localhost:3000',
  dashboard: 'http://localhost:3000',
  sandbox: null,
  application: null,
  guild_id: '',
  people: {},
  channels: {},
  servers: [],
  pids: { supervisor: process.pid, bot: 0, sandbox: null },
};

describe('run.json', () => {
  test('of an instance that runs is not removed by another', async () => {
    const other = { ...RUN, pids: { ...RUN.pids, supervisor: process.ppid } };
    await writeRunFile(directory, other);
    await removeRunFile(directory);
    expect(await readRunFile(directory)).toEqual(other);
  });

  test('that is damaged is removed', async () => {
    await writeFile(join(directory, 'run.json'), '{');
    await removeRunFile(directory);
    expect(await readRunFile(directory)).toBeUndefined();
  });

  test('is read back as it was written, by this user only, and is gone once removed', async () => {
    await writeRunFile(directory, RUN);
    expect(await readRunFile(directory)).toEqual(RUN);
    expect((await stat(join(directory, 'run.json'))).mode & 0o777).toBe(0o600);
    await removeRunFile(directory);
    expect(await readRunFile(directory)).toBeUndefined();
  });

  test('does not count when its supervisor is gone', async () => {
    // The largest process id that Linux gives out is 4,194,304.
    await writeRunFile(directory, { ...RUN, pids: { ...RUN.pids, supervisor: 4_194_305 } });
    expect(await readRunFile(directory)).toBeUndefined();
  });
});

describe('the secrets of an installation', () => {
  test('are made once and stay the same', async () => {
    const secrets = await keptSecrets(directory);
    expect(Buffer.from(secrets.SECRETS_KEY, 'base64')).toHaveLength(32);
    expect(Buffer.from(secrets.NEXTAUTH_SECRET, 'base64')).toHaveLength(32);
    expect(await keptSecrets(directory)).toEqual(secrets);
    expect((await stat(join(directory, 'secrets.json'))).mode & 0o777).toBe(0o600);
  });

  test('are made by a later start when the first finds its disk full', async (context) => {
    verifies('ops.full-disk');
    // Only root may mount a file system.
    const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4k', 'tmpfs', directory]);
    context.skip(status !== 0, 'it needs the right to mount a file system');
    try {
      const filling = join(directory, 'filling');
      await writeFile(filling, 'x'.repeat(4096));
      const attempt = keptSecrets(directory);
      await expect(attempt).rejects.toThrow(StartError);
      await expect(attempt).rejects.toThrow(/secrets\.json cannot be written.*ENOSPC.*Make room/);
      expect(await readdir(directory)).toEqual(['filling']);
      await rm(filling);
      const secrets = await keptSecrets(directory);
      expect(await keptSecrets(directory)).toEqual(secrets);
    } finally {
      spawnSync('umount', [directory]);
    }
  });

  test('are the same for all processes that find none at the same time', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => keptSecrets(directory)));
    for (const secrets of all) expect(secrets).toEqual(await keptSecrets(directory));
    expect(await readdir(directory)).toEqual(['secrets.json']);
  });

  test.each(['', '{', '{"NEXTAUTH_SECRET":"x"}'])('are never replaced when damaged: %s', async (text) => {
    const path = join(directory, 'secrets.json');
    await writeFile(path, text);
    const attempt = keptSecrets(directory);
    await expect(attempt).rejects.toThrow(StartError);
    await expect(attempt).rejects.toThrow(`${path} is damaged`);
    expect(await readFile(path, 'utf8')).toBe(text);
  });
});

test('a full log becomes the one before, and the file goes on', async () => {
  const path = join(directory, 'logs', 'bot.log');
  const log = new LogFile(path);
  const megabyte = 'x'.repeat(1024 * 1024);
  for (let n = 0; n < 12; n += 1) log.write(megabyte);
  log.write('the last line');
  expect((await readdir(join(directory, 'logs'))).toSorted()).toEqual(['bot.log', 'bot.log.1']);
  expect((await stat(`${path}.1`)).size).toBeLessThan(11 * 1024 * 1024 + 100);
  // It names people and addresses.
  for (const file of [path, `${path}.1`]) expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readFile(path, 'utf8')).toMatch(/the last line\n$/);
  // Whoever looks for why it was started again finds what was before.
  new LogFile(path).write('after a restart');
  expect(await readFile(path, 'utf8')).toMatch(/the last line\nafter a restart\n$/);
});

test('a log that somebody has moved away begins anew when it would be full', async () => {
  const path = join(directory, 'bot.log');
  const log = new LogFile(path);
  const megabyte = 'x'.repeat(1024 * 1024);
  log.write('the first line');
  await rename(path, `${path}.old`);
  for (let n = 0; n < 10; n += 1) log.write(megabyte);
  log.write('the last line');
  expect(await readFile(path, 'utf8')).toBe('the last line\n');
});

test('a disk that is full costs lines, which are counted once there is room again', async () => {
  verifies('ops.full-disk');
  const path = join(directory, 'bot.log');
  await symlink('/dev/full', path);
  const log = new LogFile(path);
  log.write('lost');
  log.write('lost too');
  await rm(path);
  log.write('kept');
  const [first = '', ...rest] = (await readFile(path, 'utf8')).trimEnd().split('\n');
  expect(JSON.parse(first)).toMatchObject({
    level: 40,
    process: 'supervisor',
    lost_lines: 2,
    reason: expect.stringContaining('ENOSPC'),
  });
  expect(rest).toEqual(['kept']);
});

test('a line of which a full disk takes only a part is lost as a whole, and counted', async (context) => {
  verifies('ops.full-disk');
  // Only root may mount a file system.
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4k', 'tmpfs', directory]);
  context.skip(status !== 0, 'it needs the right to mount a file system');
  try {
    const path = join(directory, 'bot.log');
    const log = new LogFile(path);
    const line = 'x'.repeat(100);
    // 40 of them fit, and a half.
    for (let n = 0; n < 42; n += 1) log.write(line);
    spawnSync('mount', ['-o', 'remount,size=64k', directory]);
    log.write('kept');
    const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
    expect(lines.slice(0, 40)).toEqual(Array.from({ length: 40 }, () => line));
    expect(JSON.parse(lines[40] ?? '')).toMatchObject({
      lost_lines: 2,
      reason: expect.stringContaining('ENOSPC'),
    });
    expect(lines.slice(41)).toEqual(['kept']);
  } finally {
    // The log keeps its file open.
    spawnSync('umount', ['-l', directory]);
  }
});

test('a full log that cannot be put aside loses one line and goes on', async () => {
  const path = join(directory, 'bot.log');
  await mkdir(`${path}.1`);
  const log = new LogFile(path);
  log.write('x'.repeat(11 * 1024 * 1024));
  log.write('lost');
  for (const line of ['kept', 'kept too', 'and this']) log.write(line);
  expect(await readFile(path, 'utf8')).toMatch(/"lost_lines":1.*\nkept\nkept too\nand this\n$/);
});

test('a log whose directory cannot be made yet is written as soon as it can', async () => {
  verifies('ops.full-disk');
  const logs = join(directory, 'logs');
  await writeFile(logs, 'a file where the directory should be');
  const log = new LogFile(join(logs, 'bot.log'));
  log.write('lost');
  await rm(logs);
  log.write('kept');
  expect(await readFile(log.path, 'utf8')).toMatch(/"lost_lines":1.*\nkept\n$/);
});

describe('the sandbox', () => {
  test('does not run where a backup of a real Discord was restored', async () => {
    verifies('ops.sandbox-explicit', 'ops.backup');
    const source = await createTestDatabase();
    const path = join(directory, 'real.backup');
    await takeBackup(source.url, path, { servedDiscord: true });
    await source.drop();
    const restored = join(directory, 'restored');
    vi.stubEnv('BAILIFF_DIR', restored);
    vi.stubEnv('DATABASE_URL', '');
    const said: string[] = [];
    await restore(path, (line) => said.push(line));
    await backUp(join(directory, 'again.backup'), (line) => said.push(line));
    vi.unstubAllEnvs();
    const [wrote, keys] = said.splice(3);
    expect(wrote).toMatch(
      /^Wrote \S+\/again\.backup: \d+ rows of \d+ tables of the embedded database in \S+\/restored\.$/,
    );
    expect(keys).toMatch(/They are in \S+\/restored\/secrets\.json\.$/);
    expect(said).toEqual([
      expect.stringMatching(/^Restored \d+ rows/),
      expect.stringMatching(/npm run tokens -- list .* npm run tokens -- revoke .* Everybody signs in again/),
      expect.stringMatching(
        /SECRETS_KEY are not in it\..* Put its secrets\.json into \S+\/restored, or set both\. Then run npm start\.$/,
      ),
    ]);
    const attempt = keepFromSandbox(restored, { usesSandbox: true, sandboxAllowed: false });
    await expect(attempt).rejects.toThrow('has served a real Discord');
  });

  test('may have the backup of a database of one’s own that it was given, and no other', async () => {
    verifies('ops.sandbox-explicit', 'ops.backup');
    const source = await createTestDatabase();
    vi.stubEnv('DATABASE_URL', source.url);
    const said: string[] = [];
    const servedDiscord = async (name: string, sandbox: string) => {
      vi.stubEnv('SANDBOX', sandbox);
      await backUp(join(directory, name), (line) => said.push(line));
      return (await checkBackup(join(directory, name))).served_discord;
    };
    expect(await servedDiscord('sandbox.backup', 'on')).toBe(false);
    expect(await servedDiscord('real.backup', '')).toBe(true);
    vi.unstubAllEnvs();
    // Where the secrets are that its operator has set, nobody else knows.
    expect(said.slice(0, 2)).toEqual([
      expect.stringMatching(
        /^Wrote \S+\/sandbox\.backup: \d+ rows of [1-9]\d* tables of the database \S+\.$/,
      ),
      expect.stringMatching(/SECRETS_KEY are not in it\..* nobody can read the passwords of game servers\.$/),
    ]);
    // Not its password, which the line would be logged with each night.
    const { host, pathname } = new URL(source.url);
    expect(said[0]).toContain(` the database ${host}${pathname}.`);
    await source.drop();
  });

  test('does not run on a database that has served a real Discord, unless told to', async () => {
    verifies('ops.sandbox-explicit');
    await keepFromSandbox(directory, { usesSandbox: true, sandboxAllowed: false });
    await keepFromSandbox(directory, { usesSandbox: false, sandboxAllowed: false });
    const attempt = keepFromSandbox(directory, { usesSandbox: true, sandboxAllowed: false });
    await expect(attempt).rejects.toThrow(ConfigurationError);
    await expect(attempt).rejects.toThrow('DISCORD_TOKEN is not set');
    await keepFromSandbox(directory, { usesSandbox: true, sandboxAllowed: true });
  });
});

test('a backup says what it leaves out because it is not Bailiff’s', async () => {
  verifies('ops.backup');
  const source = await createTestDatabase();
  await source.database.pool.query('CREATE TABLE cases_old (id text); ALTER TABLE notes ADD colour text');
  vi.stubEnv('DATABASE_URL', source.url);
  const said: string[] = [];
  await backUp(join(directory, 'some.backup'), (line) => said.push(line));
  vi.unstubAllEnvs();
  expect(said[1]).toBe(
    'Left out, because Bailiff did not make them: cases_old, notes.colour. If you need them, use pg_dump.',
  );
  await source.drop();
});

test('a restore that fails leaves no half of a database, so that the next one can be tried', async () => {
  verifies('ops.backup');
  const source = await createTestDatabase();
  // No table of a release takes this row.
  await source.database.pool.query(
    `ALTER TABLE guilds ALTER COLUMN name DROP NOT NULL;
     INSERT INTO guilds (id, name, owner_id, tier)
       VALUES ('100000000000000001', NULL, '100000000000000002', 'pro')`,
  );
  const path = join(directory, 'wrong.backup');
  await takeBackup(source.url, path, { servedDiscord: false });
  await source.drop();
  const restored = join(directory, 'restored');
  vi.stubEnv('BAILIFF_DIR', restored);
  vi.stubEnv('DATABASE_URL', '');
  await expect(restore(path, () => {})).rejects.toThrow('null value in column "name"');
  vi.unstubAllEnvs();
  expect(await readdir(restored, { recursive: true })).toEqual(['postgres']);
});

test('a secret whose file cannot be read ends a command of the operator, and names the file', () => {
  vi.stubEnv('DATABASE_URL_FILE', join(directory, 'absent'));
  expect(loadEnvironment).toThrow(
    /^ {2}DATABASE_URL_FILE names a file that cannot be read \(.*absent: ENOENT\)/m,
  );
  vi.unstubAllEnvs();
});

test('the address of the embedded database is that of its connection file', async () => {
  await expect(databaseUrl(directory)).rejects.toThrow('ENOENT');
  await mkdir(join(directory, 'postgres'));
  await writeFile(join(directory, 'postgres', 'connection.json'), '{"port":5433,"password":"pw"}');
  // Each login has a password of its own, derived from the stored one.
  const address = /^postgresql:\/\/bailiff:[\w-]{43}@127\.0\.0\.1:5433\//;
  expect((await databaseUrl(directory)).replace(address, '')).toBe('bailiff');
  expect((await databaseUrl(directory, 'other')).replace(address, '')).toBe('other');
  const connection = { port: 5433, password: 'pw' };
  const { bot, web } = processUrlsOf(connection);
  const passwords = [await databaseUrl(directory), bot, web, superuserUrlOf(connection)].map(
    (url) => new URL(url).password,
  );
  // Whoever reads that of the web process connects as nobody else.
  expect(new Set(passwords).size).toBe(passwords.length);
});
