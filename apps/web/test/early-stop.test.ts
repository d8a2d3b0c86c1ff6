import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

const root = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/** A database that accepts connections and says nothing, as one that is stopped. */
const silent = createServer();
let child: ChildProcess | undefined;

beforeAll(async () => {
  await once(silent.listen(0, '127.0.0.1'), 'listening');
});
afterEach(() => void child?.kill('SIGKILL'));
afterAll(() => void silent.close());

/** Starts a program and asks it to stop once it has asked the database. Returns its exit code and the signal that killed it. */
async function stopWhileWaiting(path: string) {
  const { port } = silent.address() as AddressInfo;
  const asked = once(silent, 'connection');
  const started = spawn(process.execPath, [root(path)], {
    env: {
      NODE_ENV: 'production',
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      DATABASE_URL: `postgresql://nobody:x@127.0.0.1:${port}/nothing`,
      PUBLIC_URL: 'http://127.0.0.1:1',
      DISCORD_CLIENT_ID: '100000000000000000',
      DISCORD_CLIENT_SECRET: 'test',
      NEXTAUTH_SECRET: 'test'.repeat(8),
    },
    stdio: 'ignore',
  });
  child = started;
  const exited = once(started, 'exit');
  const [socket] = await asked;
  started.kill('SIGTERM');
  const ended = await exited;
  socket.destroy();
  return ended;
}

test.each([
  ['apps/web/src/server.ts', 0],
  ['scripts/migrate.ts', 143],
])('%s hears SIGTERM also while it waits for the database', async (path, code) => {
  // Process 1 of a container is deaf to signals without a handler, and any other process is killed by them.
  expect(await stopWhileWaiting(path)).toEqual([code, null]);
});
