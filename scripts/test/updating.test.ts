// An update as docs/operations.md describes it, with its own commands: backed up, failed, gone back from, and done.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { commandBlocks, verifies } from '@bailiff/core/testing';
import { seedGuild, seedToken } from '@bailiff/engine/testing';
import { openDatabase } from '@bailiff/prisma';
import { createTestDatabase, LONG_LIMITS, type TestDatabase } from '@bailiff/prisma/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..', '..');
const LEFT_OUT = ['node_modules', 'test', '.next', '.turbo', 'dist', 'app', 'components', 'discord'];
const FIRST = '29991231000000_add_a_column';
const SECOND = '29991231000001_demand_it';

let folder: string;
let newer: string;
let database: TestDatabase;
let empty: TestDatabase;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bailiff-update-'));
  newer = laterRelease();
  [database, empty] = await Promise.all([createTestDatabase(), createTestDatabase({ empty: true })]);
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await Promise.all([database.drop(), empty.drop()]);
});

/** The folder of a release with two more migrations than this one. The packages are this one's. */
function laterRelease(): string {
  const release = join(folder, 'newer');
  for (const part of ['apps', 'packages', 'prisma', 'scripts']) {
    const filter = (path: string) => !LEFT_OUT.includes(basename(path));
    cpSync(join(ROOT, part), join(release, part), { recursive: true, filter });
  }
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  writeFileSync(join(release, 'package.json'), JSON.stringify({ ...manifest, version: '2999.1.0' }));
  const modules = join(release, 'node_modules');
  mkdirSync(join(modules, '@bailiff'), { recursive: true });
  const installed = readdirSync(join(ROOT, 'node_modules')).filter((name) => name !== '@bailiff');
  for (const name of installed) symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  const ours = [
    'prisma',
    ...['apps', 'packages'].flatMap((part) =>
      readdirSync(join(release, part)).map((name) => join(part, name)),
    ),
  ];
  for (const path of ours) symlinkSync(join(release, path), join(modules, '@bailiff', basename(path)));
  writeMigration(release, FIRST, 'ALTER TABLE guilds ADD COLUMN updated text;');
  writeMigration(release, SECOND, 'ALTER TABLE guilds ALTER COLUMN updated SET NOT NULL;');
  return release;
}

function writeMigration(release: string, name: string, sql: string): void {
  mkdirSync(join(release, 'prisma', 'migrations', name), { recursive: true });
  writeFileSync(join(release, 'prisma', 'migrations', name, 'migration.sql'), sql);
}

/** The commands under "Updating". */
const [BACKUP = '', MIGRATE = '', RESTORE = ''] = commandBlocks('docs/operations.md')
  .flatMap(({ commands }) => commands.trim().split('\n'))
  .filter((line) => line.includes('before.backup') || line.includes('npm run migrate'));

/** Executes a command in the folder of a release, with the addresses of this test. */
function execute(release: string, line: string) {
  const { bot, web } = database.processUrls;
  const command = line
    .replace('postgresql://bailiff_bot:another%20secret@db.example:5432/bailiff', bot)
    .replace('postgresql://bailiff_web:a%20third%20secret@db.example:5432/bailiff', web)
    .replace('postgresql://bailiff:one%20secret@db.example:5432/bailiff', database.url)
    .replace('postgresql://bailiff:one%20secret@db.example:5432/before', empty.url)
    .replace('/var/backups', folder)
    .replace(/npm run (\S+)( --)?/, 'node --run $1 --');
  // Nothing of Discord: what brings a database up to date may run where no token is.
  const env = { ...process.env, DATABASE_URL: database.url, DISCORD_TOKEN: '' };
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], {
    cwd: release,
    env,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

const guildsIn = async ({ database: { pool } }: TestDatabase) => {
  const { rows } = await pool.query('SELECT * FROM guilds ORDER BY id');
  return rows;
};

const tokensIn = async ({ database: { pool } }: TestDatabase) => {
  const { rows } = await pool.query<{ id: string }>('SELECT id FROM tokens ORDER BY id COLLATE "C"');
  return rows.map(({ id }) => id);
};

test('an update that fails leaves the data to the earlier version, and goes on once it is corrected', async () => {
  verifies('ops.update', 'ops.documents-run');
  const guild = await seedGuild(database.database);
  const token = await seedToken(database.database, guild);
  const before = await guildsIn(database);
  expect(execute(ROOT, BACKUP)).toMatchObject({ status: 0, stdout: expect.stringMatching(/^Wrote /) });

  expect(execute(newer, MIGRATE)).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(
      new RegExp(`^Migration ${SECOND} failed and nothing of it remains: .*null`),
    ),
  });
  expect(await guildsIn(database)).toEqual(before.map((row) => ({ ...row, updated: null })));

  // Back to the earlier version: it applies nothing, and works.
  expect(execute(ROOT, MIGRATE)).toMatchObject({ status: 0, stdout: 'The database is up to date.\n' });
  const { id: later } = await seedToken(database.database, guild);

  writeMigration(newer, SECOND, "ALTER TABLE guilds ALTER COLUMN updated SET DEFAULT 'yes';");
  const corrected = execute(newer, MIGRATE);
  expect(corrected).toMatchObject({ status: 0, stdout: expect.stringMatching(`^Applied ${SECOND}, `) });
  expect(await tokensIn(database)).toEqual([token.id, later].sort());

  // Far back: the backup from before, with the version that wrote it.
  expect(execute(ROOT, RESTORE)).toMatchObject({ status: 0, stderr: '' });
  expect(await guildsIn(empty)).toEqual(before);
  expect(await tokensIn(empty)).toEqual([token.id]);
});

test('the guide migrates as the owner also where .env has the addresses of the processes', () => {
  verifies('ops.update');
  const { bot, web } = database.processUrls;
  writeFileSync(join(newer, '.env'), `DATABASE_URL=${bot}\nDATABASE_WEB_URL=${web}\n`);
  expect(execute(newer, MIGRATE)).toMatchObject({ status: 0, stderr: '' });
});

/** What a command of the release says when its settings are in `.env`, and not in the environment. */
function withEnvironmentFile(text: string, command: string, ...args: string[]) {
  return inEnvironment({}, text, command, ...args);
}

/** The same, with these settings in the environment. */
function inEnvironment(env: NodeJS.ProcessEnv, text: string, command: string, ...args: string[]) {
  writeFileSync(join(newer, '.env'), text);
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(newer, command), ...args], {
    // The folder of the release is found from anywhere.
    cwd: folder,
    env: { PATH: process.env.PATH, ...env },
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

test('a command looks where npm start has its data, also if .env leaves BAILIFF_DIR empty', () => {
  expect(withEnvironmentFile('DATABASE_URL=\nBAILIFF_DIR=\n', 'scripts/tokens.ts', 'list')).toEqual({
    status: 1,
    stdout: '',
    stderr:
      `There is no database in ${join(newer, '.bailiff')} that this user can read. If Bailiff keeps its data elsewhere, ` +
      'set BAILIFF_DIR to that folder, or DATABASE_URL. If it has none yet, run npm start first.\n',
  });
});

test.each<[string, readonly string[], RegExp]>([
  ['scripts/migrate.ts', [], /^Applied |^The database is up to date/],
  ['scripts/tokens.ts', ['list'], /^(tok_|$)/],
  ['scripts/doctor.ts', [], /Database: PostgreSQL \d+/],
  ['scripts/backup.ts', ['read-env.backup'], /^Wrote \S+read-env\.backup: /],
])('%s works on the database that .env names', async (command, args, said) => {
  const secret = Buffer.alloc(32, 7).toString('base64');
  const settings = ['SANDBOX=on', `SECRETS_KEY=${secret}`, `NEXTAUTH_SECRET=${secret}`];
  const text = [`DATABASE_URL=${database.url}`, ...settings].join('\n');
  expect(withEnvironmentFile(text, command, ...args)).toMatchObject({
    stdout: expect.stringMatching(said),
    stderr: '',
  });
});

test('what a command is given in the environment counts, also where .env has that secret in a file', () => {
  verifies('ops.secret-files', 'ops.update');
  const file = join(folder, 'database_url');
  writeFileSync(file, 'postgresql://bailiff_bot:b@127.0.0.1:9/bailiff');
  const migrated = { status: 0, stdout: 'The database is up to date.\n', stderr: '' };
  const inFile = `DATABASE_URL_FILE=${file}\n`;
  expect(inEnvironment({ DATABASE_URL: database.url }, inFile, 'scripts/migrate.ts')).toEqual(migrated);
  writeFileSync(file, database.url);
  const other = 'DATABASE_URL=postgresql://bailiff_bot:b@127.0.0.1:9/bailiff\n';
  expect(inEnvironment({ DATABASE_URL_FILE: file }, other, 'scripts/migrate.ts')).toEqual(migrated);
  // The address of the file is left out as one in .env itself is.
  expect(inEnvironment({ DATABASE_URL: '' }, inFile, 'scripts/tokens.ts', 'list')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('There is no database in'),
  });
});

test('the guide has the new packages installed before the new release migrates', () => {
  verifies('ops.update');
  const [, updating = ''] = readFileSync(join(ROOT, 'docs', 'operations.md'), 'utf8').split('### Updating');
  const [upToMigrate = ''] = updating.split('npm run migrate\n');
  expect(upToMigrate).toContain('`npm run build`');
});

test('npm start reads .env before it does anything else', () => {
  const check = join('apps', 'supervisor', 'src', 'check.ts');
  writeFileSync(
    join(newer, check),
    `import { Preparation } from './preparation.ts';
     const preparation = new Preparation();
     await preparation.check().catch(({ message }) => process.stdout.write(message));
     await preparation.end();`,
  );
  const { stdout } = withEnvironmentFile('PORT=none\n', check);
  expect(stdout).toContain('PORT must be a port');
});

test('a migration takes its three addresses from files that .env names, and lets each login do its part', async () => {
  verifies('ops.secret-files');
  const fresh = await createTestDatabase({ empty: true });
  const urls = {
    DATABASE_URL: fresh.url,
    DATABASE_BOT_URL: fresh.processUrls.bot,
    DATABASE_WEB_URL: fresh.processUrls.web,
  };
  for (const [name, url] of Object.entries(urls)) writeFileSync(join(folder, name), `${url}\n`);
  const text = Object.keys(urls).map((name) => `${name}_FILE=${join(folder, name)}\n`);
  expect(withEnvironmentFile(text.join(''), 'scripts/migrate.ts')).toEqual({
    status: 0,
    stdout: expect.stringMatching(/^Applied /),
    stderr: '',
  });
  for (const url of [fresh.processUrls.bot, fresh.processUrls.web]) {
    const db = openDatabase(url, { ...LONG_LIMITS, applicationName: 'updating test', max: 1 });
    expect((await db.pool.query('SELECT id FROM guilds')).rows).toEqual([]);
    await db.close();
  }
  await fresh.drop();
  expect(withEnvironmentFile('', 'scripts/migrate.ts')).toEqual({
    status: 78,
    stdout: '',
    stderr: expect.stringContaining('DATABASE_URL'),
  });
});
