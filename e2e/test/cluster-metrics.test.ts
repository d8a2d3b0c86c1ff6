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

test('each of the four processes of a cluster serves its own metrics', async () => {
  verifies('ops.metrics.cluster');
  const first = await freePorts();
  let instance: Instance | undefined;
  try {
    instance = await startInstance({
      command: 'start-cluster.mjs',
      env: { METRICS_PORT: String(first), METRICS_WEB_PORT: String(first + 1) },
    });
    for (const [port, process] of [
      [first, 'bot'],
      [first + STEP, 'bot'],
      [first + 1, 'web'],
      [first + 1 + STEP, 'web'],
    ] as const) {
      await expect.poll(() => servedAt(port), { timeout: 30_000 }).toBe(process);
    }
  } finally {
    await instance?.stop();
  }
});
