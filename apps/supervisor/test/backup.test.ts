// A backup or restore that breaks off. The backup is read from a pipe, so that a test says how far it has come.
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { constants, existsSync } from 'node:fs';
import {
  appendFile,
  chown,
  type FileHandle,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  rename,
  stat,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { openDatabase } from '@bailiff/prisma';
import { startEmbeddedPostgres } from '@bailiff/prisma/embedded';
import { LONG_LIMITS } from '@bailiff/prisma/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { restore } from '#src/backup.ts';
import { instanceDirectory, OWN_ENVIRONMENT } from '#src/instance.ts';
import { ROOT } from '#src/root.ts';

const isRoot = process.getuid?.() === 0;

let home: Awaited<ReturnType<typeof instanceDirectory>>;
let pipe: string;
let content: Buffer;

beforeEach(async () => {
  home = await instanceDirectory();
  pipe = join(home.path, 'some.backup');
  await layPipe();
  content = await emptyBackup();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  // Whoever still waits for something to read.
  await (await open(pipe, constants.O_RDWR)).close();
  await home.remove();
});

/** A backup of a database without rows. */
async function emptyBackup(): Promise<Buffer> {
  const entries = await readdir(join(ROOT, 'prisma', 'migrations'), { withFileTypes: true });
  const header = {
    bailiff_backup: 1,
    release: '0.1.0',
    migrations: entries.filter((entry) => entry.isDirectory()).map(({ name }) => name),
    audit_days: [],
    taken_at: '2026-11-29T00:00:00.000Z',
    served_discord: false,
  };
  const lines = `${JSON.stringify(header)}\n`;
  const sha256 = createHash('sha256').update(lines).digest('hex');
  return gzipSync(`${lines}${JSON.stringify({ end: true, rows: 0, sha256 })}\n`);
}

async function layPipe(): Promise<void> {
  execFileSync('mkfifo', [`${pipe}.new`]);
  await rename(`${pipe}.new`, pipe);
}

/** Lets the reader have the first bytes of the backup, and has it wait for the rest. */
async function begin(): Promise<FileHandle> {
  let writer: FileHandle | undefined;
  const isRead = async () => {
    // It fails while nobody reads, and would wait without a deadline otherwise.
    writer ??= await open(pipe, constants.O_WRONLY | constants.O_NONBLOCK).catch(() => undefined);
    return writer;
  };
  await expect.poll(isRead, { timeout: 60_000 }).toBeDefined();
  if (writer === undefined) throw new Error('Nobody reads the backup.');
  // The next reading gets a pipe of its own.
  await layPipe();
  await writer.write(content.subarray(0, 20));
  return writer;
}

async function finish(writer: FileHandle): Promise<void> {
  await writer.write(content.subarray(20));
  await writer.close();
}

/** Lets a restore read the backup until its last reading, when its tables are there. */
async function beginLastReading(): Promise<FileHandle> {
  for (let reading = 1; reading < 3; reading++) await finish(await begin());
  return begin();
}

/** Executes a script for operators. */
function execute(script: string, directory: string, file: string) {
  const child = spawn(process.execPath, [join(ROOT, 'scripts', script), file], {
    env: { ...process.env, ...OWN_ENVIRONMENT, BAILIFF_DIR: directory },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => printed.push(chunk));
  const ended = once(child, 'close').then(() => Buffer.concat(printed).toString());
  return { child, ended };
}

async function serverPid(directory: string): Promise<number | undefined> {
  const text = await readFile(join(directory, 'postgres', 'owner.json'), 'utf8').catch(() => '');
  // The file is written in one go, but not at one moment.
  return text.endsWith('}') ? JSON.parse(text).postmaster : undefined;
}

function isThere(pid: number | undefined): boolean {
  try {
    return process.kill(pid ?? Number.NaN, 0);
  } catch {
    return false;
  }
}

test('a restore leaves a database alone that was started in its folder meanwhile', async () => {
  vi.stubEnv('BAILIFF_DIR', home.path);
  const restoring = restore(pipe, () => {});
  const refused = expect(restoring).rejects.toThrow(/in use by process/);
  const writer = await begin();
  const server = await startEmbeddedPostgres({ directory: join(home.path, 'postgres'), tests: true });
  await finish(writer);
  await refused;
  const database = openDatabase(server.url, { ...LONG_LIMITS, applicationName: 'test', max: 1 });
  expect((await database.pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  await database.close();
  await server.stop();

  // Nor one that was stopped again since.
  const again = restore(pipe, () => {});
  await expect(again).rejects.toThrow(/has a database already/);
  expect(existsSync(join(home.path, 'postgres', 'data', 'PG_VERSION'))).toBe(true);
});

test('a restore leaves a database alone that was made in its folder meanwhile and does not run', async () => {
  vi.stubEnv('BAILIFF_DIR', home.path);
  const restoring = restore(pipe, () => {});
  const refused = expect(restoring).rejects.toThrow(/has a database already/);
  const writer = await begin();
  const directory = join(home.path, 'postgres');
  const server = await startEmbeddedPostgres({ directory, tests: true });
  await server.stop();
  await finish(writer);
  await refused;
  const again = await startEmbeddedPostgres({ directory, tests: true });
  expect(again.url).toBe(server.url);
  await again.stop();
});

test('a restore that breaks off leaves nothing of its own behind, and what was there stays', async () => {
  vi.stubEnv('BAILIFF_DIR', home.path);
  const old = join(home.path, 'postgres', 'data.old');
  await mkdir(old, { recursive: true });
  const broken = expect(restore(pipe, () => {})).rejects.toThrow('cut or damaged');
  const writer = await beginLastReading();
  await writer.close();
  await broken;
  expect(await readdir(join(home.path, 'postgres'))).toEqual(['data.old']);
});

test.runIf(isRoot)('as root, nothing is left behind where the data is elsewhere', async () => {
  const closed = join(home.path, 'closed');
  await mkdir(closed, { mode: 0o700 });
  const directory = join(closed, 'bailiff');
  vi.stubEnv('BAILIFF_DIR', directory);
  const broken = expect(restore(pipe, () => {})).rejects.toThrow('cut or damaged');
  const writer = await beginLastReading();
  const elsewhere = await readlink(join(directory, 'postgres', 'data'));
  expect(existsSync(elsewhere)).toBe(true);
  await writer.close();
  await broken;
  expect(existsSync(elsewhere)).toBe(false);
  expect(await readdir(join(directory, 'postgres'))).toEqual([]);
});

test('a restore that is interrupted ends its server and leaves nothing behind', async () => {
  const { child, ended } = execute('restore.ts', home.path, pipe);
  const writer = await beginLastReading();
  const pid = await serverPid(home.path);
  expect(isThere(pid)).toBe(true);
  child.kill('SIGINT');
  const postgres = join(home.path, 'postgres');
  await expect.poll(() => readdir(postgres), { timeout: 60_000 }).toEqual([]);
  expect(isThere(pid)).toBe(false);
  // Node reads from a pipe to its end, whatever was asked of it since.
  await writer.close();
  expect(await ended).toBe('Nothing was restored: it was stopped.\n');
});

test('a backup that is interrupted ends the server that was started for it', async () => {
  const directory = join(home.path, 'postgres');
  await (await startEmbeddedPostgres({ directory, tests: true })).stop();
  // With this a server goes on recovering from the log of another one, which never comes: it is not ready.
  const data = join(directory, 'data');
  const { uid, gid } = await stat(data);
  await appendFile(join(data, 'postgresql.conf'), 'hot_standby = off\n');
  await writeFile(join(data, 'standby.signal'), '');
  await chown(join(data, 'standby.signal'), uid, gid);
  const { child, ended } = execute('backup.ts', home.path, join(home.path, 'other.backup'));
  await expect.poll(() => serverPid(home.path), { timeout: 60_000 }).toBeDefined();
  const pid = await serverPid(home.path);
  child.kill('SIGTERM');
  expect(await ended).toBe('Nothing was backed up: it was stopped.\n');
  expect(isThere(pid)).toBe(false);
  expect(existsSync(join(directory, 'owner.json'))).toBe(false);
});
