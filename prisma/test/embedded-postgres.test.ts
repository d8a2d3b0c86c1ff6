import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import {
  chmod,
  chown,
  link,
  mkdir,
  mkdtemp,
  readFile,
  readlink,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#src/embedded-postgres.ts';
import { processStart } from '#src/process-identity.ts';
import { removeAbandonedServer, removeWithServers } from '#src/server-directory.ts';

const MODULE = new URL('../src/embedded-postgres.ts', import.meta.url).href;
const isRoot = process.getuid?.() === 0;

let home: string;
let running: EmbeddedPostgres[] = [];

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'bailiff-embedded-'));
  await chmod(home, 0o755);
});

afterEach(async () => {
  await Promise.all(running.map((server) => server.stop()));
  running = [];
});

afterAll(() => removeWithServers(home));

async function start(directory: string, port?: number): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({
    directory,
    tests: true,
    ...(port === undefined ? {} : { port }),
  });
  running.push(server);
  return server;
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Another process that starts the server, says so on stdout, and waits to be killed. */
async function startElsewhere(directory: string, uid?: number) {
  const script = `
    const { startEmbeddedPostgres } = await import(${JSON.stringify(MODULE)});
    const server = await startEmbeddedPostgres({ directory: ${JSON.stringify(directory)}, tests: true });
    process.on('SIGTERM', async () => { await server.stop(); process.exit(0); });
    process.stdout.write(JSON.stringify({ url: server.url, pid: server.pid }) + '\\n');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: '/',
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  const [line] = (await once(child.stdout, 'data', { signal: AbortSignal.timeout(80_000) })) as [Buffer];
  return { child, ...(JSON.parse(line.toString()) as { url: string; pid: number }) };
}

/** Occupies a port for as long as `use` runs. */
async function whileTaken<Result>(port: number, use: (port: number) => Promise<Result>): Promise<Result> {
  const other = createServer().listen(port, '127.0.0.1');
  await once(other, 'listening');
  const address = other.address();
  try {
    return await use(typeof address === 'object' && address !== null ? address.port : 0);
  } finally {
    other.close();
  }
}

describe('over one directory', () => {
  let directory: string;
  beforeAll(() => {
    directory = join(home, 'shared');
  });

  test('data, port and password survive a restart; the password is for our eyes only', async () => {
    const first = await start(directory);
    await query(first.url, 'CREATE TABLE kept (id int); INSERT INTO kept VALUES (7);');
    await first.stop();
    await first.exited;
    const second = await start(directory);
    expect(second.url).toBe(first.url);
    expect(await query(second.url, 'SELECT id FROM kept')).toEqual([{ id: 7 }]);
    expect((await stat(join(directory, 'connection.json'))).mode & 0o777).toBe(0o600);
  });

  test('what a process left behind whose number another one has now keeps nobody out', async () => {
    await writeFile(
      join(directory, 'owner.json'),
      JSON.stringify({ pid: process.pid, startedAt: 'of another' }),
    );
    const { url } = await start(directory);
    expect(await query(url, 'SELECT id FROM kept')).toEqual([{ id: 7 }]);
  });

  test('data of another version of PostgreSQL is refused, with the way to bring it over', async () => {
    const version = join(directory, 'data', 'PG_VERSION');
    const own = await readFile(version, 'utf8');
    onTestFinished(() => writeFile(version, own));
    await writeFile(version, '17\n');
    const told = /is of PostgreSQL 17; this version brings PostgreSQL 18\. Run npm run backup/;
    await expect(start(directory)).rejects.toThrow(told);
  });

  test('it listens on the loopback address only and is no superuser', async () => {
    const { url } = await start(directory);
    expect(await query(url, 'SHOW listen_addresses')).toEqual([{ listen_addresses: '127.0.0.1' }]);
    expect(await query(url, 'SELECT rolsuper FROM pg_roles WHERE rolname = current_user')).toEqual([
      { rolsuper: false },
    ]);
    expect(await query(url, 'SELECT current_setting($$server_version$$) >= $$18$$ AS ok')).toEqual([
      { ok: true },
    ]);
  });

  test('a taken port that was asked for is named', async () => {
    await whileTaken(0, async (port) => {
      await expect(start(directory, port)).rejects.toThrow(`Port ${port} on 127.0.0.1`);
    });
  });

  test('the port of last time, when taken, is replaced by a free one', async () => {
    const first = await start(directory);
    await first.stop();
    await whileTaken(first.port, async () => {
      const second = await start(directory);
      expect(second.port).not.toBe(first.port);
      expect(await query(second.url, 'SELECT id FROM kept')).toEqual([{ id: 7 }]);
    });
  });

  test('a second start is refused and names both processes', async () => {
    const server = await start(directory);
    await expect(start(directory)).rejects.toThrow(
      new RegExp(`in use by process ${process.pid} \\(PostgreSQL is process ${server.pid}\\)`),
    );
    expect(await query(server.url, 'SELECT id FROM kept')).toEqual([{ id: 7 }]);
  });

  test('a server somebody else started on the data is left alone and named', async () => {
    const server = await start(directory);
    await rm(join(directory, 'owner.json'));
    await expect(start(directory)).rejects.toThrow(`(process ${server.pid}) is running on`);
    expect(await query(server.url, 'SELECT id FROM kept')).toEqual([{ id: 7 }]);
  });

  test('after a kill -9 of the server it starts again with its data', async () => {
    const server = await start(directory);
    process.kill(server.pid, 'SIGKILL');
    await server.exited;
    await server.stop();
    const again = await start(directory);
    expect(await query(again.url, 'SELECT id FROM kept')).toEqual([{ id: 7 }]);
  });

  test('a postmaster.pid whose number went to another program or PostgreSQL is no obstacle', async () => {
    const other = await start(join(home, 'other'));
    for (const pid of [process.pid, other.pid]) {
      const server = await start(directory);
      await server.stop();
      const lockFile = join(directory, 'data', 'postmaster.pid');
      await writeFile(lockFile, `${pid}\n${directory}/data\n0\n${server.port}\n\n\n\n`);
      const again = await start(directory);
      expect(await query(again.url, 'SELECT id FROM kept')).toEqual([{ id: 7 }]);
      await again.stop();
    }
  });

  test('a server whose owner was killed is ended by the next start', async () => {
    const orphan = await startElsewhere(directory);
    orphan.child.kill('SIGKILL');
    await once(orphan.child, 'exit');
    expect(await query(orphan.url, 'SELECT id FROM kept')).toEqual([{ id: 7 }]);
    const server = await start(directory);
    expect(server.pid).not.toBe(orphan.pid);
    expect(await query(server.url, 'SELECT id FROM kept')).toEqual([{ id: 7 }]);
  });

  test('lost connection data is said, not papered over', async () => {
    const path = join(directory, 'connection.json');
    const content = await readFile(path);
    await rm(path);
    await expect(start(directory)).rejects.toThrow(/connection\.json is missing or damaged/);
    await writeFile(path, content, { mode: 0o600 });
  });

  test('the only copy of the password is never half written: it is replaced as a whole, and only by another one', async () => {
    const path = join(directory, 'connection.json');
    const first = await start(directory);
    await first.stop();
    const before = await stat(path);
    const content = await readFile(path, 'utf8');
    const second = await start(directory);
    await second.stop();
    expect(await stat(path)).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs });

    // What another name of the old file shows was not written over.
    const old = join(directory, 'old.json');
    await link(path, old);
    await whileTaken(first.port, async () => {
      const third = await start(directory);
      expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({
        ...JSON.parse(content),
        port: third.port,
      });
      await third.stop();
    });
    expect(await readFile(old, 'utf8')).toBe(content);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await rm(old);
  });

  test('a server whose owner cannot be written down is ended', async () => {
    const obstacle = join(directory, 'owner.json.new');
    await mkdir(join(obstacle, 'in-the-way'), { recursive: true });
    await expect(start(directory)).rejects.toThrow('EISDIR');
    await rm(obstacle, { recursive: true });
    // Otherwise it would be somebody else's server on the data.
    const server = await start(directory);
    expect(await query(server.url, 'SELECT id FROM kept')).toEqual([{ id: 7 }]);
  });

  test('a server that recovers after a power cut is given the time it needs', async () => {
    await (await start(directory)).stop();
    const data = join(directory, 'data');
    const { uid, gid } = await stat(data);
    const own = (path: string) => chown(path, uid, gid);
    // With this it goes on recovering from the log of another server, which never comes.
    const configuration = join(data, 'postgresql.conf');
    const content = await readFile(configuration, 'utf8');
    await writeFile(configuration, `${content}\nhot_standby = off\n`);
    await writeFile(join(data, 'standby.signal'), '');
    await own(join(data, 'standby.signal'));
    const told: number[] = [];
    const startWithin = (startTimeoutSeconds: number) =>
      startEmbeddedPostgres({
        directory,
        tests: true,
        startTimeoutSeconds,
        onRecovering: (seconds) => {
          told.push(seconds / startTimeoutSeconds);
          // Now it need not wait for more.
          const pid = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n', 1)[0]);
          writeFileSync(join(data, 'promote'), '');
          process.kill(pid, 'SIGUSR1');
        },
      });
    const server = await startWithin(5).catch((error: Error) => {
      // It takes longer than that on a busy machine until the server begins with the data.
      if (!error.message.includes('was not ready in time')) throw error;
      return startWithin(60);
    });
    running.push(server);
    expect(told[0]).toBe(1);
    expect(await query(server.url, 'SELECT id FROM kept')).toEqual([{ id: 7 }]);
    await writeFile(configuration, content);
  });

  test('a server that cannot start shows the end of its log', async () => {
    const configuration = join(directory, 'data', 'postgresql.conf');
    const content = await readFile(configuration, 'utf8');
    await writeFile(configuration, `${content}\nno_such_setting = 1\n`);
    await expect(start(directory)).rejects.toThrow(/ended while starting.*no_such_setting/s);
    await writeFile(configuration, content);
  });
});

test('what a killed test run left behind can be removed, what a live one uses cannot', async () => {
  const directory = join(home, 'left-behind');
  const orphan = await startElsewhere(directory);
  await removeAbandonedServer(directory);
  expect(existsSync(directory)).toBe(true);
  orphan.child.kill('SIGKILL');
  await once(orphan.child, 'exit');
  await removeAbandonedServer(directory);
  expect(existsSync(directory)).toBe(false);
  expect(processStart(orphan.pid)).toBeUndefined();
});

test.runIf(isRoot)('it runs for a plain user as well, and ends with its parent on SIGTERM', async () => {
  const directory = join(home, 'plain');
  await mkdir(directory);
  await chown(directory, 65_534, 65_534);
  const server = await startElsewhere(directory, 65_534);
  expect(await query(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  server.child.kill('SIGTERM');
  await once(server.child, 'exit');
  expect(processStart(server.pid)).toBeUndefined();
});

test.runIf(isRoot)('as root, data behind a closed door moves to where the server can reach it', async () => {
  const closed = join(home, 'closed');
  await mkdir(closed, { mode: 0o700 });
  const directory = join(closed, 'bailiff');
  const first = await start(directory);
  await query(first.url, 'CREATE TABLE kept (id int)');
  await first.stop();
  const second = await start(directory);
  expect(await query(second.url, 'SELECT id FROM kept')).toEqual([]);
  await second.stop();
  const elsewhere = await readlink(join(directory, 'data'));
  expect(elsewhere).toMatch(/^\/var\/lib\/bailiff\/data-/);
  expect(existsSync(elsewhere)).toBe(true);
  await removeWithServers(closed);
  expect([existsSync(elsewhere), existsSync(closed)]).toEqual([false, false]);
});
