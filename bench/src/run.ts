// npm run bench: the numbers this project promises, measured on this machine, beside a baseline where there is one.
import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { instanceDirectory, startInstance } from '../../e2e/src/instance.ts';
import { measureBan } from './ban.ts';
import { measureHop } from './hop.ts';
import { type Measurement, printTable } from './table.ts';

const RESULTS = resolve(import.meta.dirname, '..', 'results.json');

async function measureStart(directory: string): Promise<{ seconds: number; stop: () => Promise<unknown> }> {
  const startedAt = performance.now();
  const instance = await startInstance({ directory });
  return { seconds: (performance.now() - startedAt) / 1000, stop: () => instance.stop() };
}

async function measure(directory: string): Promise<Measurement[]> {
  const first = await measureStart(directory);
  await first.stop();
  const second = await measureStart(directory);
  await second.stop();

  const instance = await startInstance({ directory });
  try {
    const hopMs = await measureHop(directory);
    const { banMs, discordMs, liftMs, readMs } = await measureBan(instance.run, directory);
    return [
      { name: 'first start, built, to ready', value: first.seconds, unit: 's', promise: 8 },
      { name: 'second npm start, to ready', value: second.seconds, unit: 's', promise: 15 },
      { name: 'queue hop alone: add, perform, NOTIFY (p50)', value: hopMs, unit: 'ms' },
      { name: "the sandbox's Discord alone: PUT a ban (p50)", value: discordMs, unit: 'ms' },
      {
        name: 'ban over the API, request to answer (p50)',
        value: banMs,
        unit: 'ms',
        promise: 40,
        baseline: { name: 'queue hop and Discord alone', value: hopMs + discordMs },
      },
      { name: 'lifting a ban over the API (p50)', value: liftMs, unit: 'ms' },
      { name: 'GET /me over the API (p50)', value: readMs, unit: 'ms' },
    ];
  } finally {
    await instance.stop();
  }
}

// Whatever has to be built is built here.
await (await startInstance()).stop();
const home = await instanceDirectory();
const measurements = await measure(home.path).finally(home.remove);
printTable(measurements);
const results = {
  measured_at: new Date().toISOString(),
  node: process.version,
  cores: availableParallelism(),
  measurements: measurements.map((each) => ({
    ...each,
    ...(each.baseline === undefined ? {} : { ratio: each.value / each.baseline.value }),
  })),
};
await writeFile(RESULTS, `${JSON.stringify(results, null, 2)}\n`);
process.exitCode = measurements.every(({ value, promise }) => promise === undefined || value <= promise)
  ? 0
  : 1;
