import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { freePort } from '@bailiff/core/testing';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { Front } from '#src/front.ts';
import { Service } from '#src/service.ts';

let directory: string;
let front: Front;
let port: number;
const webs: Service[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'bailiff-front-'));
  front = new Front();
  port = await freePort();
  await front.listen('127.0.0.1', port);
});

afterEach(async () => {
  front.close();
  await Promise.all(webs.splice(0).map((web) => web.stop()));
  await rm(directory, { recursive: true, force: true });
});

/** It takes each connection that it is handed, and greets by its name. */
const GREETING = "process.send({ type: 'taken', id }, () => socket.end(name))";
/** It takes the first connection and does nothing more. */
const TAKING = "process.send({ type: 'taken', id }, () => { for (;;); })";
/** It is busy before it takes anything. */
const BUSY = 'for (;;);';

/** A process that is ready. @param behave what it does with each connection that it is handed */
async function startWeb(name: string, behave = GREETING, onTaken = () => {}): Promise<Service> {
  const entry = join(directory, `${name}.mjs`);
  await writeFile(
    entry,
    `const name = '${name}';
     process.on('message', ({ id }, socket) => { ${behave} });
     process.send({ type: 'up' });`,
  );
  const up = Promise.withResolvers<void>();
  const web: Service = new Service({
    name,
    entry,
    env: process.env,
    logPath: join(directory, `${name}.log`),
    stopTimeoutMs: 2_000,
    onFatal: () => {},
    onMessage: (message) => {
      const { type, id } = message as { type: string; id: number };
      if (type === 'up') return up.resolve();
      front.taken(id);
      onTaken();
    },
    onEnd: () => front.ended(web),
  });
  webs.push(web);
  web.start();
  await up.promise;
  return web;
}

/** Who answers a new connection. */
const answered = () => text(connect(port, '127.0.0.1'));

test('each web process that is ready gets connections in turn, and none once it is removed', async () => {
  const [first, second] = [await startWeb('first'), await startWeb('second')];
  front.add(first);
  front.add(second);
  const both = [await answered(), await answered(), await answered(), await answered()];
  expect(both.toSorted()).toEqual(['first', 'first', 'second', 'second']);
  expect(both[0]).not.toBe(both[1]);
  front.remove(first);
  expect([await answered(), await answered()]).toEqual(['second', 'second']);
});

test('a process that is ready again is no two processes', async () => {
  const [first, second] = [await startWeb('first'), await startWeb('second')];
  for (const web of [first, second, first]) front.add(web);
  const all: string[] = [];
  for (let n = 0; n < 6; n += 1) all.push(await answered());
  expect(all.filter((name) => name === 'first')).toHaveLength(3);
});

test('clients whose web process is killed before it takes them are answered by another', async () => {
  const [busy, other] = [await startWeb('busy', BUSY), await startWeb('other')];
  front.add(busy);
  const answers = Array.from({ length: 5 }, () => connect(port, '127.0.0.1'));
  await Promise.all(answers.map((client) => once(client, 'connect')));
  await nextTurn();
  await nextTurn();
  front.add(other);
  busy.kill();
  expect(await Promise.all(answers.map(text))).toEqual(Array(5).fill('other'));
});

test('what a web process has begun to read is not given to another when it is killed, and its client hears it', async () => {
  const taken = Promise.withResolvers<void>();
  const [taking, other] = [await startWeb('taking', TAKING, taken.resolve), await startWeb('other')];
  front.add(taking);
  const answer = answered();
  await taken.promise;
  front.add(other);
  taking.kill();
  expect(await answer).toBe('');
});

test('a client who comes while no web process is ready is answered by the first that is', async () => {
  const web = await startWeb('late');
  const client = connect(port, '127.0.0.1');
  const answer = text(client);
  await once(client, 'connect');
  // The system has the connection, so the front has accepted it after one whole turn.
  await nextTurn();
  await nextTurn();
  front.add(web);
  expect(await answer).toBe('late');
});

test('who waits for a web process that does not come is let go after ten seconds, and nobody waits behind 500', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const clients = Array.from({ length: 500 }, () => connect(port, '127.0.0.1'));
  const gone = Promise.all(clients.map((client) => once(client.resume(), 'close')));
  await Promise.all(clients.map((client) => once(client, 'connect')));
  expect(await answered()).toBe('');
  expect(clients.some(({ closed }) => closed)).toBe(false);
  vi.advanceTimersByTime(10_000);
  await gone;
});

test('a process that is gone as soon as it was ready does not keep the front from going on', async () => {
  const free = await freePort();
  const source = `
    import { once } from 'node:events';
    import { connect } from 'node:net';
    import { setImmediate as nextTurn } from 'node:timers/promises';
    import { Front } from ${JSON.stringify(import.meta.resolve('#src/front.ts'))};
    import { Service } from ${JSON.stringify(import.meta.resolve('#src/service.ts'))};
    const front = new Front();
    await front.listen('127.0.0.1', ${free});
    const client = connect(${free}, '127.0.0.1');
    await once(client, 'connect');
    await nextTurn();
    await nextTurn();
    // Nothing can be sent to it.
    front.add(new Service({ name: 'gone', entry: '', env: {}, logPath: 'gone.log', stopTimeoutMs: 0 }));
    process.exit(0);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', source], {
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: 200_000,
  });
  expect(await once(child, 'exit')).toEqual([0, null]);
});
