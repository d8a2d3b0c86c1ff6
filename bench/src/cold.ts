import { readFile, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { build, type Image } from '../../scripts/install/dockerfile.ts';
import { type Started, setProduction } from '../../scripts/install/production.ts';
import { ROOT } from './web.ts';

const STARTS = 3;

/** Seconds. */
export interface ColdStarts {
  /** From the start of bot and web process until `/readyz` answers 200. */
  readonly ready: readonly number[];
  /** Seeing that the database is up to date, which comes before them. */
  readonly upToDate: readonly number[];
}

const imageIn = (directory: string) => join(directory, 'image.json');

/** Carries out the Dockerfile in a directory. */
export async function buildImage(directory: string): Promise<void> {
  const env = {
    ...process.env,
    PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
    npm_config_prefer_offline: 'true',
    NEXT_TELEMETRY_DISABLED: '1',
    TURBO_TELEMETRY_DISABLED: '1',
  };
  const image = build(join(ROOT, 'Dockerfile'), { context: ROOT, directory, env, say: () => {} });
  await writeFile(imageIn(directory), JSON.stringify(image));
}

/** Starts of what the Dockerfile left in the directory. Nothing that an earlier start compiled is kept. */
export async function measureColdStarts(directory: string): Promise<ColdStarts> {
  const image = JSON.parse(await readFile(imageIn(directory), 'utf8')) as Image;
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
