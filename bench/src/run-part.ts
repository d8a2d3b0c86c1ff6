import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { removeWithServers } from '@bailiff/prisma/embedded';
import { endProcessesNaming, run } from '../../apps/supervisor/src/processes.mjs';
import { makeDirectory } from './directory.ts';
import type { Part, Samples } from './figure.ts';

const PROGRAM = join(import.meta.dirname, 'part.ts');
const LAST_LINES = 30;

/** What became of a part: the samples of its figures, or why there are none. */
export type PartOutcome =
  | { readonly samples: Readonly<Record<string, Samples>>; readonly notes: readonly string[] }
  | { readonly error: string };

/**
 * Measures a part in a process of its own, so that nothing it does can end the run. Whatever it leaves behind is ended
 * and removed.
 */
export async function runPart(name: string, { deadlineSeconds }: Part): Promise<PartOutcome> {
  const directory = await makeDirectory();
  const file = join(directory, 'samples.json');
  try {
    const { code, output } = await run(process.execPath, [PROGRAM, name, file], {
      env: { ...process.env, TMPDIR: directory },
      timeoutMs: deadlineSeconds * 1000,
    });
    const lines = output.trim().split('\n').filter(Boolean).slice(-LAST_LINES);
    if (code !== 0) return { error: `exit code ${code}: ${lines.join('\n')}` };
    const samples = JSON.parse(await readFile(file, 'utf8')) as Readonly<Record<string, Samples>>;
    return { samples, notes: lines };
  } finally {
    await endProcessesNaming(directory);
    await removeWithServers(directory);
  }
}
