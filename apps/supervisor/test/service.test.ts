import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EX_CONFIG } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Service, type ServiceOptions } from '#src/service.ts';

let directory: string;
const services: Service[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'bailiff-service-'));
});

afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.stop()));
  await rm(directory, { recursive: true, force: true });
});

/** Starts a service that runs the source. */
async function serve(source: string, options: Partial<ServiceOptions> = {}): Promise<Service> {
  const entry = join(directory, 'entry.mjs');
  await writeFile(entry, source);
  const service = new Service({
    name: 'example',
    entry,
    env: process.env,
    logPath: join(directory, 'logs', 'example.log'),
    stopTimeoutMs: 2_000,
    onFatal: () => {},
    ...options,
  });
  services.push(service);
  service.start();
  return service;
}

test('a process that ends with 78 is not started again', async () => {
  const fatal = Promise.withResolvers<number>();
  let starts = 0;
  await serve(`process.send('up', () => process.exit(${EX_CONFIG}));`, {
    onMessage: () => {
      starts += 1;
    },
    onFatal: fatal.resolve,
    onRestart: () => fatal.reject(new Error('It was started again.')),
  });
  expect(await fatal.promise).toBe(EX_CONFIG);
  expect(starts).toBe(1);
});

test('a process that ends in any other way is started again, as another process', async () => {
  const pids: unknown[] = [];
  const again = Promise.withResolvers<void>();
  const service = await serve(
    `process.send(process.pid);
     setInterval(() => {}, 1000);`,
    {
      onMessage: (pid) => {
        pids.push(pid);
        if (pids.length === 2) again.resolve();
        else if (typeof pid === 'number') process.kill(pid, 'SIGKILL');
      },
    },
  );
  await again.promise;
  expect(pids[0]).not.toBe(pids[1]);
  expect(service.pid).toBe(pids[1]);
});

test('a process that the machine could not start is tried again', async () => {
  verifies('ops.start-refused');
  const up = Promise.withResolvers<void>();
  const { execPath } = process;
  // As where there is no place for one more process, for a moment.
  process.execPath = join(directory, 'nothing');
  try {
    await serve("process.send('up'); setInterval(() => {}, 1000);", { onMessage: () => up.resolve() });
  } finally {
    process.execPath = execPath;
  }
  await up.promise;
});

test('a process whose start throws is tried again, and does not end the supervisor', async () => {
  verifies('ops.start-refused');
  const up = Promise.withResolvers<void>();
  // The machine takes no environment of this size, and Node throws, as it does without free memory.
  const env: NodeJS.ProcessEnv = { ...process.env, TOO_LARGE: 'x'.repeat(8 * 1024 * 1024) };
  await serve("process.send('up'); setInterval(() => {}, 1000);", { env, onMessage: () => up.resolve() });
  delete env.TOO_LARGE;
  await up.promise;
});

test('what a process prints is in its log, and its last lines can be shown', async () => {
  const ended = Promise.withResolvers<number>();
  const service = await serve(
    `for (let n = 1; n <= 12; n += 1) console.log('line ' + n); process.exitCode = ${EX_CONFIG}; process.disconnect();`,
    { onFatal: ended.resolve },
  );
  await ended.promise;
  expect(await readFile(service.logPath, 'utf8')).toContain('line 1\nline 2\n');
  expect(service.lastLines().split('\n')).toEqual(Array.from({ length: 10 }, (_, n) => `line ${n + 3}`));
});

test('a process that somebody has stopped still ends in good order', async () => {
  const up = Promise.withResolvers<void>();
  const service = await serve(
    `process.on('SIGTERM', () => { console.log('ended in good order'); process.exit(0); });
     process.send('up');
     setInterval(() => {}, 1000);`,
    { stopTimeoutMs: 60_000, onMessage: () => up.resolve() },
  );
  await up.promise;
  process.kill(service.pid ?? 0, 'SIGSTOP');
  await service.stop();
  await expect.poll(() => readFile(service.logPath, 'utf8')).toContain('ended in good order');
});

test('a process that ignores SIGTERM is killed after its deadline, with what it started', async () => {
  const up = Promise.withResolvers<unknown>();
  const service = await serve(
    `import { spawn } from 'node:child_process';
     process.on('SIGTERM', () => {});
     const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
     process.send(child.pid);
     setInterval(() => {}, 1000);`,
    { stopTimeoutMs: 200, onMessage: up.resolve },
  );
  const grandchild = await up.promise;
  await service.stop();
  expect(isThere(service.pid)).toBe(false);
  await expect.poll(() => isThere(grandchild)).toBe(false);
});

test('what a process leaves behind when it crashes is ended before the next one begins', async () => {
  const left = Promise.withResolvers<unknown>();
  await serve(
    `import { spawn } from 'node:child_process';
     import { existsSync, writeFileSync } from 'node:fs';
     const seen = ${JSON.stringify(join(directory, 'seen'))};
     if (existsSync(seen)) setInterval(() => {}, 1000);
     else {
       writeFileSync(seen, '');
       const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
       process.send(child.pid, () => process.exit(1));
     }`,
    { onMessage: left.resolve },
  );
  const pid = await left.promise;
  await expect.poll(() => isThere(pid)).toBe(false);
});

test('a process that has ended is not started again once it is stopped', async () => {
  const planning = Promise.withResolvers<void>();
  const said = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    if (String(text).includes('It starts again in 1 s')) planning.resolve();
    return true;
  });
  const service = await serve('process.exit(1);');
  // Goes on in the turn in which that is said: a second later it would run again.
  await planning.promise;
  said.mockRestore();
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const planned = timers();
  const stopped = service.stop();
  expect(timers()).toBe(planned - 1);
  await stopped;
});

test('a process that hears nothing any more is stopped by SIGTERM at once, however long it may take', async () => {
  const up = Promise.withResolvers<void>();
  const service = await serve(
    `process.on('SIGTERM', () => { console.log('ended in good order'); process.exit(0); });
     process.send('up', () => process.disconnect());
     setInterval(() => {}, 1000);`,
    { onMessage: () => up.resolve() },
  );
  await up.promise;
  await expect.poll(() => service.send({ type: 'hello' })).toBe(false);
  await service.stop({ message: { type: 'retire' }, timeoutMs: 60_000 });
  await expect.poll(() => readFile(service.logPath, 'utf8')).toContain('ended in good order');
});

function isThere(pid: unknown): boolean {
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch {
    return false;
  }
}
