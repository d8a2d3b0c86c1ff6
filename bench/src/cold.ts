import { chmod } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { build } from '../../scripts/install/dockerfile.ts';
import { type Started, setProduction } from '../../scripts/install/production.ts';
import { makeDirectory } from './directory.ts';
import { ROOT } from './web.ts';

const STARTS = 3;

/** Seconds. */
export interface ColdStarts {
  /** From the start of bot and web process until `/readyz` answers 200. */
  readonly ready: readonly number[];
  /** Seeing that the database is up to date, which comes before them. */
  readonly upToDate: readonly number[];
}

/** Starts of what the Dockerfile leaves. Nothing that an earlier start compiled is kept. */
export async function measureColdStarts(): Promise<ColdStarts> {
  const directory = await makeDirectory();
  await chmod(directory, 0o755);
  const env = {
    ...process.env,
    PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
    npm_config_prefer_offline: 'true',
    NEXT_TELEMETRY_DISABLED: '1',
    TURBO_TELEMETRY_DISABLED: '1',
  };
  const image = build(join(ROOT, 'Dockerfile'), { context: ROOT, directory, env, say: () => {} });
  const production = await setProduction(image, directory);
  try {
    await ended(production.migrate());
    const ready: number[] = [];
    const upToDate: number[] = [];
    for (let turn = 0; turn < STARTS; turn += 1) {
      const startedAt = performance.now();
      await ended(production.migrate());
      upToDate.push((performance.now() - startedAt) / 1000);
      const both = [production.startBot(), production.startWeb()];
      ready.push(await production.untilReady(both));
      for (const { child } of both) child.kill('SIGTERM');
      await Promise.all(both.map(ended));
    }
    return { ready, upToDate };
  } finally {
    await production.close();
  }
}

/** @throws Error with its output if it did not end in good order */
async function ended({ name, exited, output }: Started): Promise<void> {
  const code = await exited;
  if (code !== 0) throw new Error(`${name} ended with ${code}:\n${output()}`);
}
