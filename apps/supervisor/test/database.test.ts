import { appendFile, chown, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase } from '@bailiff/prisma';
import { LONG_LIMITS } from '@bailiff/prisma/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { KeptDatabase } from '#src/database.ts';
import { instanceDirectory } from '#src/instance.ts';

let home: Awaited<ReturnType<typeof instanceDirectory>>;
let database: KeptDatabase | undefined;
/** The servers that were seen. None of them may be left. */
let servers: number[];

beforeEach(async () => {
  home = await instanceDirectory();
  servers = [];
});
afterEach(async () => {
  await database?.stop();
  vi.restoreAllMocks();
  for (const pid of servers) if (isThere(pid)) process.kill(pid, 'SIGKILL');
  await home.remove();
});

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** The server that PostgreSQL's directory belongs to; undefined before it has one. */
async function serverPid(): Promise<number | undefined> {
  const text = await readFile(join(home.path, 'postgres', 'owner.json'), 'utf8').catch(() => '{}');
  // The file is written in one go, but not at one moment.
  const pid: number | undefined = text.endsWith('}') ? JSON.parse(text).postmaster : undefined;
  if (pid !== undefined && !servers.includes(pid)) servers.push(pid);
  return pid;
}

/** With this a server goes on recovering from the log of another one, which never comes: it is not ready. */
async function letRecoverForEver(): Promise<void> {
  const data = join(home.path, 'postgres', 'data');
  const { uid, gid } = await stat(data);
  await appendFile(join(data, 'postgresql.conf'), 'hot_standby = off\n');
  await writeFile(join(data, 'standby.signal'), '');
  await chown(join(data, 'standby.signal'), uid, gid);
}

test('what was confirmed survives a power cut, and a stop also ends a server that still recovers', async () => {
  database = await KeptDatabase.start(home.path);
  const killed = (await serverPid()) ?? Number.NaN;
  const asked = openDatabase(database.url, { ...LONG_LIMITS, applicationName: 'test', max: 1 });
  const { rows } = await asked.pool.query(
    `SELECT name, setting FROM pg_settings
     WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') ORDER BY name`,
  );
  await asked.close();
  expect(rows.map(({ name, setting }) => `${name} ${setting}`)).toEqual([
    'fsync on',
    'full_page_writes on',
    'synchronous_commit on',
  ]);

  await letRecoverForEver();
  vi.spyOn(process.stderr, 'write').mockReturnValue(true); // it says that PostgreSQL ended
  process.kill(killed, 'SIGKILL');
  await expect.poll(async () => ![undefined, killed].includes(await serverPid())).toBe(true);
  await database.stop();
  await expect.poll(() => servers.filter(isThere)).toEqual([]);
});

test('the log of the server is put aside when it has become large, and the server goes on in it', async () => {
  database = await KeptDatabase.start(home.path);
  const log = join(home.path, 'postgres', 'postgres.log');
  const asked = openDatabase(database.url, { ...LONG_LIMITS, applicationName: 'test', max: 1 });
  const fail = (name: string) => expect(asked.pool.query(`SELECT * FROM ${name}`)).rejects.toThrow(name);
  await fail('first');
  await database.boundLog();
  expect(await readFile(log, 'utf8')).toContain('"first"');
  await appendFile(log, 'x'.repeat(10 * 1024 * 1024));
  await database.boundLog();
  await fail('second');
  await asked.close();
  const [now, before] = [await readFile(log, 'utf8'), await readFile(`${log}.1`, 'utf8')];
  expect(now).toMatch(/^\d{4}-/);
  expect(now).toContain('"second"');
  expect(before).toContain('"first"');
});

test('a stop also ends a server that recovers at the first start', async () => {
  await (await KeptDatabase.start(home.path)).stop();
  await letRecoverForEver();
  const stopping = new AbortController();
  const refused = expect(KeptDatabase.start(home.path, stopping.signal)).rejects.toThrow(
    'a stop was asked for',
  );
  await expect.poll(serverPid).toBeDefined();
  stopping.abort();
  await refused;
  expect(servers.filter(isThere)).toEqual([]);
});
