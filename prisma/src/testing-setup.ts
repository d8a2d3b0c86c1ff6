import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from './embedded-postgres.ts';
import { generateClient } from './generate.ts';
import { migrate } from './migrate.ts';
import { removeAbandonedServer } from './server-directory.ts';
import { databaseUrl, dropRunDatabases, runOnServer } from './test-server.ts';

const DIRECTORY_PREFIX = 'bailiff-test-';

/**
 * vitest's globalSetup: one PostgreSQL per run, with a migrated template database that tests clone. With
 * `TEST_DATABASE_URL` (a role that may create databases) that server is used instead of an embedded one.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const undo: (() => Promise<void>)[] = [];
  const teardown = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    await generateClient();
    const url = process.env.TEST_DATABASE_URL || (await startServer(undo));
    const template = `bailiff_test_${randomBytes(6).toString('hex')}`;
    // The whole directory of an embedded server is deleted.
    if (process.env.TEST_DATABASE_URL) undo.push(() => dropRunDatabases(url, template));
    await runOnServer(url, `CREATE DATABASE ${template}`);
    await migrate(databaseUrl(url, template));
    project.provide('testServer', { url, template });
  } catch (error) {
    await teardown();
    const problem = error instanceof Error ? (error.stack ?? error.message) : String(error);
    project.provide('testServer', { problem });
  }
  return teardown;
}

async function startServer(undo: (() => Promise<void>)[]): Promise<string> {
  for (const name of await readdir(tmpdir())) {
    if (name.startsWith(DIRECTORY_PREFIX)) await removeAbandonedServer(join(tmpdir(), name));
  }
  const directory = await mkdtemp(join(tmpdir(), DIRECTORY_PREFIX));
  undo.push(() => rm(directory, { recursive: true, force: true }));
  const server = await startEmbeddedPostgres({ directory, tests: true });
  undo.push(() => server.stop());
  return server.url;
}
