import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { freePort } from '@bailiff/core/testing';
import { expect, test, verifies } from '#src/testing.ts';
import { type OwnDatabase, startDatabase } from './database.ts';
import { spawnWebProcess } from './web-process.ts';

let own: OwnDatabase;

test.beforeAll(async () => {
  own = await startDatabase({ durable: false });
});

test.afterAll(() => own?.drop());

/** A web process as a bot starts it, which has loaded and waits for that bot. */
async function standingBy() {
  const port = await freePort();
  const child = spawnWebProcess(own.url, { port, logLevel: 'debug', args: ['--standby'] });
  const lines = createInterface({ input: child.stdout ?? process.stdin });
  await new Promise<void>((resolve, reject) => {
    lines.on('line', (line) => line.includes('waiting until the bot says') && resolve());
    child.once('message', () => reject(new Error('It says that it is ready.')));
    child.once('exit', (code) => reject(new Error(`It ended with ${code}.`)));
  });
  return { child, origin: `http://127.0.0.1:${port}` };
}

test('a web process loads beside its bot, and answers once the bot has seen that the database is up to date', async () => {
  verifies('ops.web.standby');
  const { child, origin } = await standingBy();
  try {
    await expect(fetch(`${origin}/healthz`)).rejects.toThrow();
    const ready = once(child, 'message');
    child.send({ type: 'begin' });
    expect((await ready)[0]).toMatchObject({ type: 'ready' });
    expect((await fetch(`${origin}/healthz`)).status).toBe(200);
  } finally {
    child.kill('SIGKILL');
  }
});

test('a web process whose bot ends before that ends as well', async () => {
  verifies('ops.web.standby');
  const { child } = await standingBy();
  const exited = once(child, 'exit');
  child.disconnect();
  expect((await exited)[0]).toBe(0);
});
