import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { removeWithServers } from '@bailiff/prisma/embedded';
import { endProcessesNaming, run } from '../../apps/supervisor/src/processes.mjs';
import { makeDirectory } from './directory.ts';
import type { Part, Samples } from './figure.ts';
import { ROOT } from './web.ts';

const PROGRAM = join(import.meta.dirname, 'part.ts');
const LAST_LINES = 30;

/** What became of a part: the samples of its figures, or why there are none. */
export type PartOutcome =
  | { readonly samples: Readonly<Record<string, Samples>>; readonly notes: readonly string[] }
  | { readonly error: string };

/** Where a part is measured, and why it cannot be; null: it can. */
export interface PartPlace {
  readonly directory: string;
  readonly error: string | null;
}

/** Gives a part a directory of its own, with what it prepares there. */
export async function preparePart(name: string, part: Part): Promise<PartPlace> {
  const directory = await makeDirectory();
  const error = part.prepare === undefined ? null : (await inProcess(name, 'prepare', part, directory)).error;
  return { directory, error };
}

/** Measures a part in a process of its own, so that nothing it does can end the run. */
export async function runPart(
  name: string,
  part: Part,
  { directory, error }: PartPlace,
): Promise<PartOutcome> {
  if (error !== null) return { error };
  const ended = await inProcess(name, 'measure', part, directory);
  if (ended.error !== null) return { error: ended.error };
  const samples = JSON.parse(await readFile(join(directory, 'samples.json'), 'utf8'));
  return { samples, notes: ended.lines };
}

/** Ends and removes whatever a part has left behind. */
export async function clearPlace({ directory }: PartPlace): Promise<void> {
  await endProcessesNaming(directory);
  await removeWithServers(directory);
}

async function inProcess(
  name: string,
  what: 'prepare' | 'measure',
  { deadlineSeconds }: Part,
  directory: string,
): Promise<{ readonly lines: readonly string[]; readonly error: string | null }> {
  const { code, output } = await run(process.execPath, [PROGRAM, name, what, directory], {
    env: { ...process.env, TMPDIR: directory },
    timeoutMs: deadlineSeconds * 1000,
  });
  // Where the project lies is nobody's business.
  const lines = output.replaceAll(`${ROOT}/`, '').trim().split('\n').filter(Boolean).slice(-LAST_LINES);
  return { lines, error: code === 0 ? null : `exit code ${code}: ${lines.join('\n')}` };
}
