import { randomBytes } from 'node:crypto';
import { appendFile, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { EMBEDDED_LOGINS, type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.ts';
import { generateClient } from './generate.ts';
import { migrate } from './migrate.ts';
import { removeAbandonedServer, removeWithServers } from './server-directory.ts';
import { databaseUrl, dropRunDatabases, runOnServer } from './test-server.ts';

const DIRECTORY_PREFIX = 'bailiff-test-';

/**
 * vitest's globalSetup: one PostgreSQL per run, with a migrated template database that tests clone. With
 * `TEST_DATABASE_URL` (a role that may create databases and roles) that server is used instead of an embedded one.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const undo: (() => Promise<void> | void)[] = [watchClock()];
  const teardown = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    await generateClient();
    const external = process.env.TEST_DATABASE_URL;
    const { url, processUrls } = external ? await makeLogins(external) : await startServer(undo);
    const template = `bailiff_test_${randomBytes(6).toString('hex')}`;
    // The whole directory of an embedded server is deleted.
    if (external) undo.push(() => dropRunDatabases(url, template));
    await runOnServer(url, `CREATE DATABASE ${template}`);
    await migrate(databaseUrl(url, template), { logins: EMBEDDED_LOGINS });
    const usedTemplate = `${template}_used`;
    await runOnServer(url, `CREATE DATABASE ${usedTemplate} TEMPLATE ${template} STRATEGY file_copy`);
    // One day more than a bot makes: the tests may run past midnight.
    await runOnServer(databaseUrl(url, usedTemplate), 'SELECT keep_audit_partitions(15, 30)');
    project.provide('testServer', { url, processUrls, template, usedTemplate });
  } catch (error) {
    await teardown();
    const problem = error instanceof Error ? (error.stack ?? error.message) : String(error);
    project.provide('testServer', { problem });
  }
  return teardown;
}

/** Says when the machine's clock stepped back, so that a test that fails of it is recognised. @returns what ends it */
function watchClock(): () => void {
  // How far the clock is ahead of one that is never set. It is read between two readings of the other.
  const leads = () => {
    const before = performance.now();
    const now = Date.now();
    return { atMost: now + 1 - before, atLeast: now - performance.now() };
  };
  let { atLeast } = leads();
  const timer = setInterval(() => {
    const lead = leads();
    const stepMs = atLeast - lead.atMost;
    ({ atLeast } = lead);
    if (stepMs < 5) return;
    process.stderr.write(`${new Date().toISOString()} The clock stepped back by ${Math.round(stepMs)} ms.\n`);
  }, 100);
  timer.unref();
  return () => clearInterval(timer);
}

async function startServer(
  undo: (() => Promise<void> | void)[],
): Promise<Pick<EmbeddedPostgres, 'url' | 'processUrls'>> {
  for (const name of await readdir(tmpdir())) {
    if (name.startsWith(DIRECTORY_PREFIX)) await removeAbandonedServer(join(tmpdir(), name));
  }
  const directory = await mkdtemp(join(tmpdir(), DIRECTORY_PREFIX));
  undo.push(() => removeWithServers(directory));
  const server = await startEmbeddedPostgres({ directory, tests: true });
  undo.push(() => server.stop());
  await spareWork(directory, server);
  return server;
}

/**
 * Lets the owner and the processes in without their passwords: checking one is a third of what a connection costs, and
 * tests open thousands. The superuser still needs one, because PostgreSQL would run any program for it.
 *
 * Autovacuum stays away: databases live for seconds, and with hundreds of them it would be in one at any moment.
 */
async function spareWork(directory: string, { url, processUrls, pid }: EmbeddedPostgres): Promise<void> {
  const data = join(directory, 'data');
  const rules = join(data, 'pg_hba.conf');
  const logins = [url, ...Object.values(processUrls)].map((each) => new URL(each).username);
  await writeFile(rules, `host all ${logins} 127.0.0.1/32 trust\n${await readFile(rules, 'utf8')}`);
  await appendFile(join(data, 'postgresql.auto.conf'), 'autovacuum = off\n');
  process.kill(pid, 'SIGHUP');
}

/** The logins of the processes on a server that we did not start, with a password that is new in each run. */
async function makeLogins(url: string): Promise<Pick<EmbeddedPostgres, 'url' | 'processUrls'>> {
  const password = randomBytes(18).toString('base64url');
  const urls = Object.entries(EMBEDDED_LOGINS).map(async ([part, login]: [string, string]) => {
    const exists = await runOnServer(url, `SELECT FROM pg_roles WHERE rolname = '${login}'`);
    await runOnServer(
      url,
      `${exists.length === 0 ? 'CREATE' : 'ALTER'} ROLE ${login} LOGIN PASSWORD '${password}'`,
    );
    const own = new URL(url);
    own.username = login;
    own.password = password;
    return [part, own.href] as const;
  });
  const { bot = '', web = '' } = Object.fromEntries(await Promise.all(urls));
  return { url, processUrls: { bot, web } };
}
