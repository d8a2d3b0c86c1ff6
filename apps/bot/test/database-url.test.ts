// An operator who wrote a wrong address learns which variable has it.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { verifies } from '@bailiff/core/testing';
import { createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import { type Sandbox, startSandbox } from '@bailiff/sandbox';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBot } from '#src/bot.ts';
import { configFor, environmentFor } from './harness.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

let sandbox: Sandbox;
let database: TestDatabase;

beforeAll(async () => {
  [sandbox, database] = await Promise.all([startSandbox({ port: 0 }), createTestDatabase()]);
});
afterAll(() => Promise.all([sandbox.close(), database.drop()]));

test('a refused login and a server that is away are told with DATABASE_URL, and without the password', async () => {
  verifies('ops.database-url.named');
  const url = new URL(database.url);
  // The server of the tests lets its own logins in without their passwords.
  url.username = 'nobody';
  url.password = 'a-wrong-password';
  const refused = startBot({ ...settings(url.href), log: pino({ level: 'silent' }) });
  await expect(refused).rejects.toThrow(
    `the database of DATABASE_URL (${url.host}${url.pathname}) cannot be used: password authentication failed`,
  );

  // A port where nobody listens.
  const closed = createServer().listen({ host: '127.0.0.1', port: 0 });
  await once(closed, 'listening');
  const address = closed.address();
  url.port = String(typeof address === 'object' ? address?.port : 0);
  closed.close();
  const stop = new AbortController();
  const line = Promise.withResolvers<string>();
  const log = pino({ level: 'warn' }, { write: (text) => line.resolve(text) });
  const waiting = startBot({ ...settings(url.href), log, signal: stop.signal });
  waiting.catch(() => {});
  const text = await line.promise;
  expect(text).toContain(`waiting for the database of DATABASE_URL (${url.host}${url.pathname})`);
  expect(text).not.toContain('a-wrong-password');
  stop.abort();
  await expect(waiting).rejects.toThrow();
});

test('a bot whose login the database refuses says so and ends with 75, so that it is started again', async () => {
  const url = new URL(database.url);
  url.username = 'nobody';
  url.password = 'a-wrong-password';
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, ...environmentFor(sandbox, url.href, { LOG_LEVEL: 'fatal' }) };
  await expect(
    promisify(execFile)(process.execPath, [MAIN], { env, timeout: 120_000 }),
  ).rejects.toMatchObject({
    code: 75,
    stdout: expect.stringContaining('could not start'),
  });
});

function settings(databaseUrl: string) {
  return { config: configFor(sandbox, databaseUrl), onFatal: () => {} };
}
