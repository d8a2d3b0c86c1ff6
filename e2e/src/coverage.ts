// How much of the specification the tests show: each entry of requirements.json that a test cites with verifies().
import { glob, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

interface Requirement {
  id: string;
  source: string;
  surface: string;
  behaviour: string;
}

interface Citation {
  id: string;
  file: string;
}

export interface Coverage {
  /** Per surface: how many requirements it has and how many a test cites. */
  surfaces: { surface: string; verified: number; total: number }[];
  /** Citations of ids that the manifest does not have. */
  unknown: Citation[];
}

const END_TO_END = join(dirname(fileURLToPath(import.meta.url)), '..');
const ROOT = join(END_TO_END, '..');
const TEST_FILES = [
  'apps/*/test/**/*.test.{ts,tsx}',
  'packages/*/test/**/*.test.ts',
  'prisma/test/**/*.test.ts',
  'e2e/test/**/*.test.ts',
];

/** The string literals in each call of `verifies` in a test's source. */
export function citedIds(source: string): string[] {
  return [...source.matchAll(/\bverifies\(([^)]*)\)/g)].flatMap(([, list = '']) =>
    [...list.matchAll(/'([^']+)'|"([^"]+)"|`([^`]+)`/g)].map(
      ([, single, double, backtick]) => single ?? double ?? backtick ?? '',
    ),
  );
}

export function coverageOf(requirements: readonly Requirement[], citations: readonly Citation[]): Coverage {
  const cited = new Set(citations.map(({ id }) => id));
  const known = new Set(requirements.map(({ id }) => id));
  const surfaces = [...new Set(requirements.map(({ surface }) => surface))].sort();
  return {
    surfaces: surfaces.map((surface) => {
      const entries = requirements.filter((requirement) => requirement.surface === surface);
      return { surface, verified: entries.filter(({ id }) => cited.has(id)).length, total: entries.length };
    }),
    unknown: citations.filter(({ id }) => !known.has(id)),
  };
}

export async function readRequirements(): Promise<Requirement[]> {
  return JSON.parse(await readFile(join(END_TO_END, 'requirements.json'), 'utf8')) as Requirement[];
}

export async function findCitations(): Promise<Citation[]> {
  const citations: Citation[] = [];
  for await (const path of glob(TEST_FILES, { cwd: ROOT })) {
    const source = await readFile(join(ROOT, path), 'utf8');
    for (const id of citedIds(source)) citations.push({ id, file: relative(ROOT, join(ROOT, path)) });
  }
  return citations;
}

if (import.meta.main) {
  const { surfaces, unknown } = coverageOf(await readRequirements(), await findCitations());
  for (const { id, file } of unknown) {
    process.stdout.write(`${file} cites "${id}", which e2e/requirements.json does not have.\n`);
  }
  const parts = surfaces.map(({ surface, verified, total }) => `${surface} ${verified}/${total}`);
  const verified = surfaces.reduce((sum, entry) => sum + entry.verified, 0);
  const total = surfaces.reduce((sum, entry) => sum + entry.total, 0);
  process.stdout.write(`${verified} of ${total} requirements verified (${parts.join(', ')})\n`);
  if (unknown.length > 0) process.exitCode = 1;
}
