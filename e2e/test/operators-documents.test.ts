// What the operators' documents say of backups, of moving to another server, of several processes and of new keys, done as
// they say it: with the very commands that they show, of which only addresses, folders and ports are replaced.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chown, mkdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { commandBlocks } from '@bailiff/core/testing';
import { openDatabase } from '@bailiff/prisma';
import { processUrlsOf } from '@bailiff/prisma/embedded';
import { databaseUrl } from '@bailiff/supervisor/database-url';
import { instanceDirectory, OWN_ENVIRONMENT } from '@bailiff/supervisor/instance';
import { readRunFile } from '@bailiff/supervisor/run-file';
import { run } from '#src/run.ts';
import { expect, test, verifies } from '#src/testing.ts';

const ROOT = resolve(import.meta.dirname, '..', '..');
const READY_TIMEOUT_MS = 300_000;
const NOBODY = 65_534;

/** Somebody else where we are root, if they may see the project: then PostgreSQL and files are a plain user's. */
const plainUser = process.getuid?.() === 0 && mayRun(NOBODY) ? NOBODY : undefined;

function mayRun(uid: number): boolean {
  const node = join(ROOT, 'node_modules', '.bin', 'node');
  return spawnSync('sh', ['-c', 'test -r "$0" -a -x "$0"', node], { cwd: '/', uid, gid: uid }).status === 0;
}

/** What to do at the end, last first. */
const cleanUps: (() => Promise<unknown>)[] = [];
test.afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** The commands of a document that run this script, in their order. */
function shown(document: string, script: string): string[] {
  const lines = commandBlocks(document).flatMap(({ commands }) => commands.trim().split('\n'));
  return lines.filter((line) => line.includes(script)).map((line) => line.replace(/\s+#.*/, ''));
}

const OPERATIONS = 'docs/operations.md';
const COMMANDS = {
  backup: shown(OPERATIONS, 'npm run backup'),
  restore: shown(OPERATIONS, 'npm run restore'),
  web: shown(OPERATIONS, 'npm run web'),
  shards: shown('docs/discord.md', 'npm start'),
};

/** What stands in the documents for what an operator has, and what it is here. */
type Places = Readonly<Record<string, string>>;

/** A command as a shell gets it. npm itself is left out: it takes longer than most of what it runs. */
function prepared(line: string, places: Places): string {
  const withPlaces = Object.entries(places).reduce((text, [from, to]) => text.replace(from, to), line);
  return withPlaces
    .replace(/npm run (\S+)( --)?/, 'exec node --run $1 --')
    .replace('npm start', 'exec node --run start');
}

/** The environment without anything of the developer's own instance. */
function environment(own: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...process.env, ...OWN_ENVIRONMENT, ...own };
}

const as = (uid: number | undefined) => (uid === undefined ? {} : { uid, gid: uid });

function execute(line: string | undefined, places: Places, env: NodeJS.ProcessEnv, uid?: number) {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', prepared(line ?? 'false', places)], {
    cwd: ROOT,
    env: environment(env),
    encoding: 'utf8',
    ...as(uid),
  });
  return { status, stdout, stderr };
}

/** Starts what stays in the foreground. It is stopped at the end, as a service manager stops it. */
async function start(
  line: string | undefined,
  env: NodeJS.ProcessEnv,
  places: Places = {},
  uid?: number,
): Promise<string> {
  const child = spawn('sh', ['-c', prepared(line ?? 'false', places)], {
    cwd: ROOT,
    env: environment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    ...as(uid),
  });
  const closed = once(child, 'close');
  cleanUps.push(async () => {
    // The whole group, as a service manager and a terminal do.
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
    await closed;
  });
  return readyLine(child, closed);
}

/** The line that says that it is ready, and the few after it. @throws Error with its output if it does not come */
async function readyLine({ stdout, stderr }: ChildProcess, closed: Promise<unknown>): Promise<string> {
  const lines: string[] = [];
  const ready = Promise.withResolvers<void>();
  for (const input of [stdout, stderr]) {
    if (input === null) continue;
    createInterface({ input }).on('line', (line) => {
      lines.push(line);
      if (/ is ready|^ {2}Dashboard/.test(line)) ready.resolve();
    });
  }
  const late = new Promise((_done, fail) => {
    setTimeout(() => fail(new Error(`It is not ready:\n${lines.join('\n')}`)), READY_TIMEOUT_MS).unref();
  });
  const ended = closed.then(() => Promise.reject(new Error(`It ended:\n${lines.join('\n')}`)));
  await Promise.race([ready.promise, late, ended]);
  return lines.join('\n');
}

/** An empty database on the server of the shared instance, as an operator's own server. */
async function ownDatabase(): Promise<string> {
  const server = openDatabase(await databaseUrl(run.directory), { applicationName: 'e2e', max: 1 });
  const name = `own_${randomBytes(6).toString('hex')}`;
  // It goes with the shared instance.
  await server.pool.query(`CREATE DATABASE ${name}`);
  await server.close();
  return databaseUrl(run.directory, name);
}

test('a running instance is backed up, moved to another server with new keys, and runs there in several processes', async () => {
  verifies('ops.documents-run', 'ops.backup', 'ops.shards.announced');
  const { path: home, remove } = await instanceDirectory();
  cleanUps.push(remove);
  const external = await ownDatabase();
  const places = {
    '/var/backups': join(home, 'backups'),
    '/srv/bailiff-back': join(home, 'back'),
    '/srv/bailiff': join(home, 'restored'),
    'postgresql://bailiff:one%20secret@db.example:5432/bailiff': external,
  };
  const fromShared = { BAILIFF_DIR: run.directory };
  const [toFolder, toFile, toMove, toComeBack] = COMMANDS.backup;
  const [fromFile, move, comeBack] = COMMANDS.restore;

  await test.step('a backup while it runs', async () => {
    for (const line of [toFolder, toFile]) {
      expect(execute(line, places, fromShared)).toMatchObject({
        status: 0,
        stdout: expect.stringMatching(
          /^Wrote \S+: \d+ rows of \d+ tables of the embedded database in \S+\.\n/,
        ),
      });
    }
    expect((await stat(join(home, 'backups', 'bailiff.backup'))).mode & 0o777).toBe(0o600);
  });

  await test.step('a restore into a folder without a database, and a start there, by another user than root', async () => {
    const user = plainUser;
    const folder = join(home, 'restored');
    await mkdir(folder);
    if (user !== undefined) {
      for (const path of [folder, join(home, 'backups'), join(home, 'backups', 'bailiff.backup')]) {
        await chown(path, user, user);
      }
    }
    expect(execute(fromFile, places, {}, user)).toMatchObject({ status: 0, stderr: '' });
    expect(execute(fromFile, places, {}, user)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^Nothing was restored: \S+ has a database already: .+\n$/),
    });
    // The server is started for the backup, because nothing runs there.
    expect(execute(toMove, places, { BAILIFF_DIR: folder }, user)).toMatchObject({ status: 0, stderr: '' });
    await start('npm start', { BAILIFF_DIR: folder, SANDBOX: 'on', HOME: folder }, {}, user);
    const answer = await fetch(`${(await readRunFile(folder))?.web}/readyz`);
    expect(await answer.json()).toMatchObject({ status: 'ready' });
  });

  await test.step('to a server of its own, and back', async () => {
    expect(execute(move, places, fromShared)).toMatchObject({ status: 0, stderr: '' });
    expect(execute(toComeBack, places, fromShared)).toMatchObject({ status: 0, stderr: '' });
    expect(execute(comeBack, places, {})).toMatchObject({ status: 0, stderr: '' });
  });

  const secrets = JSON.parse(await readFile(join(run.directory, 'secrets.json'), 'utf8'));
  const installation = {
    DATABASE_URL: external,
    NEXTAUTH_SECRET: secrets.NEXTAUTH_SECRET,
    SECRETS_KEY: randomBytes(32).toString('base64'),
    SECRETS_KEY_PREVIOUS: secrets.SECRETS_KEY,
  };
  const first = join(home, 'first');
  const [firstShards, lastShards] = COMMANDS.shards;

  const web = await test.step('it starts there, and seals the passwords to the new key', async () => {
    const printed = await start(firstShards, { ...installation, SANDBOX: 'on', BAILIFF_DIR: first });
    expect(printed).toMatch(/Dashboard +http/);
    expect(printed).toContain('The bot and the web process share one database login');
    await expect
      .poll(() => readFile(join(first, 'logs', 'bot.log'), 'utf8'))
      .toContain('sealed passwords of game servers to the new SECRETS_KEY');
    return (await readRunFile(first))?.web ?? '';
  });

  await test.step('the process that plays Discord has none of the secrets', async () => {
    const { pids } = (await readRunFile(first)) ?? {};
    const environment = await readFile(`/proc/${pids?.sandbox}/environ`, 'utf8');
    for (const name of ['NEXTAUTH_SECRET', 'SECRETS_KEY', 'SECRETS_KEY_PREVIOUS'] as const)
      expect(environment.includes(installation[name]), name).toBe(false);
  });

  await test.step('a second process has the other shards, and no dashboard', async () => {
    const running = await readRunFile(first);
    const printed = await start(lastShards, {
      ...installation,
      BAILIFF_DIR: join(home, 'second'),
      DISCORD_API_URL: `${running?.sandbox}/api`,
      DISCORD_TOKEN: running?.application?.token,
      DISCORD_CLIENT_ID: running?.application?.id,
      DISCORD_CLIENT_SECRET: running?.application?.secret,
    });
    expect(printed).toContain('not here: the process of the first shard has it');
    const readiness = async () => (await fetch(`${web}/readyz`)).json();
    await expect.poll(readiness).toMatchObject({ guilds: { trusted: 2 } });
  });

  await test.step('one more web process serves the same', async () => {
    const env = { ...installation, SANDBOX: 'on', BAILIFF_DIR: first };
    const printed = await start(COMMANDS.web[0], env, { 'PORT=3001': 'PORT=0' });
    const [address = ''] = /http:\S+/.exec(printed) ?? [];
    const answer = await fetch(`${address}/readyz`);
    expect(await answer.json()).toMatchObject({ status: 'ready' });
  });
});

test('a stop is heard while another process still changes the database', async () => {
  const { path: home, remove } = await instanceDirectory();
  cleanUps.push(remove);
  const external = await ownDatabase();
  const connection = await readFile(join(run.directory, 'postgres', 'connection.json'), 'utf8');
  const { bot, web } = processUrlsOf(JSON.parse(connection));
  const there = (url: string) => Object.assign(new URL(url), { pathname: new URL(external).pathname }).href;
  const other = openDatabase(external, { applicationName: 'another migration', max: 2 });
  cleanUps.push(() => other.close());
  const holder = await other.pool.connect();
  cleanUps.push(async () => holder.release(true));
  // The lock of a migration: what starts now waits for it.
  await holder.query('SELECT pg_advisory_lock(72707369)');
  const child = spawn(process.execPath, ['scripts/start.mjs'], {
    cwd: ROOT,
    env: environment({
      BAILIFF_DIR: home,
      DATABASE_URL: external,
      DATABASE_BOT_URL: there(bot),
      DATABASE_WEB_URL: there(web),
      SANDBOX: 'on',
      NEXTAUTH_SECRET: 'a secret that is long enough for a test',
      SECRETS_KEY: randomBytes(32).toString('base64'),
    }),
    stdio: 'ignore',
  });
  const closed = once(child, 'close');
  cleanUps.push(async () => void child.kill('SIGKILL'));
  const waiting = async () => {
    const { rowCount } = await other.pool.query(
      `SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = 72707369 AND NOT granted
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    return rowCount;
  };
  await expect.poll(waiting).toBe(1);
  const waitingSince = performance.now();
  child.kill('SIGTERM');
  expect(await closed).toEqual([0, null]);
  // It gives up by itself when it has waited for a minute.
  expect(performance.now() - waitingSince).toBeLessThan(60_000);
});
