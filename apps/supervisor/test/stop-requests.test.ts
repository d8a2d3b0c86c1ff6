import { spawn } from 'node:child_process';
import { type EventEmitter, once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { StopRequests } from '#src/stop-requests.ts';

const PROCESSES = fileURLToPath(new URL('../src/processes.mjs', import.meta.url));
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'] as const;
/** The process as what it is to those who listen: their events have any name. */
const events: EventEmitter = process;
let before: Map<string, ReturnType<EventEmitter['listeners']>>;

beforeEach(() => {
  before = new Map(SIGNALS.map((name) => [name, events.listeners(name)]));
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
  for (const name of SIGNALS)
    for (const listener of events.listeners(name))
      if (!before.get(name)?.includes(listener)) events.off(name, listener as () => void);
});

/** What the signal does that the terminal or the system sends. */
const signal = (name: (typeof SIGNALS)[number]) => void process.emit(name as 'SIGINT', name as 'SIGINT');

test.each(SIGNALS)('%s asks for the stop, in good order and with exit code 0', async (name) => {
  let kills = 0;
  const stop = new StopRequests(() => {
    kills += 1;
  });
  expect([stop.isAsked, stop.exitCode]).toEqual([false, undefined]);
  signal(name);
  await stop.asked;
  expect([stop.isAsked, stop.exitCode, kills]).toEqual([true, 0, 0]);
});

test('the same Ctrl-C that npm passes on too stops nothing by force, and one a second later does', () => {
  let kills = 0;
  const stop = new StopRequests(() => {
    kills += 1;
  });
  signal('SIGINT');
  signal('SIGINT');
  signal('SIGTERM');
  vi.advanceTimersByTime(1_000);
  signal('SIGINT');
  expect(kills).toBe(0);
  vi.advanceTimersByTime(1);
  signal('SIGINT');
  expect(kills).toBe(1);
  // What a service ended with later changes nothing about a stop that a person wanted.
  stop.ask(78);
  expect(stop.exitCode).toBe(0);
});

test('what a service ended with is what everything ends with, also if a person asks meanwhile', async () => {
  const stop = new StopRequests(() => {});
  stop.ask(78);
  await stop.asked;
  signal('SIGTERM');
  expect([stop.isAsked, stop.exitCode]).toEqual([true, 78]);
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 143],
] as const)('a command that %s ends says so by the code %i, as a shell expects', async (name, code) => {
  const source = `
    import { endOnStopRequest } from ${JSON.stringify(PROCESSES)};
    endOnStopRequest();
    process.send('up');
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', source], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  await once(child, 'message');
  child.kill(name);
  expect(await once(child, 'exit')).toEqual([code, null]);
});
