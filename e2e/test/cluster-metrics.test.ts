import { readdir, readFile, readlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { parseMetrics } from '@bailiff/core/testing-metrics';
import { type Instance, startInstance } from '@bailiff/supervisor/instance';
import { expect, test, verifies } from '#src/testing.ts';

const STEP = 10;

async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  const free = await new Promise<boolean>((resolve) => {
    probe.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
  });
  await new Promise((resolve) => probe.close(resolve));
  return free;
}

/** A port that is free like the next one, and those ten higher. */
async function freePorts(): Promise<number> {
  for (let port = 19_464; port < 29_000; port += 37) {
    const all = [port, port + 1, port + STEP, port + 1 + STEP];
    if ((await Promise.all(all.map(isFree))).every(Boolean)) return port;
  }
  throw new Error('No ports are free.');
}

/** Which process serves metrics there. */
async function servedAt(port: number): Promise<string | undefined> {
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`).catch(() => undefined);
  const samples = answer === undefined ? [] : parseMetrics(await answer.text());
  return samples.find(({ metric }) => metric === 'bailiff_process_info')?.labels.process;
}

/** The addresses on which a process listens, in the words of /proc: `0100007F` is 127.0.0.1. */
async function listensOn(pid: number): Promise<string[]> {
  const own = await Promise.all(
    (await readdir(`/proc/${pid}/fd`)).map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')),
  );
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/${pid}/net/${name}`, 'utf8')),
  );
  const rows = tables.flatMap((table) => table.split('\n').map((line) => line.trim().split(/\s+/)));
  const listening = rows.filter(
    ([, , , state, , , , , , inode]) => state === '0A' && own.includes(`socket:[${inode}]`),
  );
  return listening.map(([, address = '']) => address.split(':')[0] ?? '');
}

test('each of the four processes of a cluster has its own metrics, and none listens to everybody', async () => {
  verifies('ops.metrics.cluster');
  test.setTimeout(240_000);
  const first = await freePorts();
  let instance: Instance | undefined;
  try {
    instance = await startInstance({
      command: 'start-cluster.mjs',
      env: { HOST: '0.0.0.0', METRICS_PORT: String(first), METRICS_WEB_PORT: String(first + 1) },
    });
    for (const [port, name] of [
      [first, 'bot'],
      [first + STEP, 'bot'],
      [first + 1, 'web'],
      [first + 1 + STEP, 'web'],
    ] as const) {
      await expect.poll(() => servedAt(port), { timeout: 30_000 }).toBe(name);
    }
    // What everybody may reach is the port in front of them, which hands connections to whoever is there.
    if (process.platform === 'linux') {
      const webs = instance.run.pids.webs ?? [];
      expect(webs).toHaveLength(2);
      for (const pid of webs) expect(new Set(await listensOn(pid))).toEqual(new Set(['0100007F']));
    }
  } finally {
    await instance?.stop();
  }
});
