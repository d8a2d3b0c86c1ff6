import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Measured } from './figure.ts';
import type { MachineLoad } from './machine.ts';

const FILE = resolve(import.meta.dirname, '..', 'results.json');

/** What one run measured of a part. */
export interface PartResult {
  /** When the run began: parts with the same time were measured in one run. */
  readonly run: string;
  readonly measuredAt: string;
  readonly seconds: number;
  readonly node: string;
  readonly cores: number;
  /** What others did on the machine before and after. */
  readonly before: MachineLoad;
  readonly after: MachineLoad;
  readonly isQuiet: boolean;
  /** What the part said beside its figures. */
  readonly notes?: readonly string[];
  /** Why there are no figures. */
  readonly error?: string;
  readonly figures: Readonly<Record<string, Measured>>;
}

export type Results = Readonly<Record<string, PartResult>>;

/** The results by part; none before the first run. */
export async function readResults(): Promise<Results> {
  const text = await readFile(FILE, 'utf8').catch(() => undefined);
  return text === undefined ? {} : (JSON.parse(text) as Results);
}

export async function writeResults(results: Results): Promise<void> {
  await writeFile(FILE, `${JSON.stringify(results, null, 2)}\n`);
}
