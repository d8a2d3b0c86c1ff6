import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { documentWith } from './document.ts';
import { PARTS } from './parts.ts';
import { reportOf } from './report.ts';
import type { Results } from './results.ts';

const ROOT = resolve(import.meta.dirname, '..', '..');
const DOCUMENT = resolve(ROOT, 'docs', 'performance.md');
const REPORT = resolve(ROOT, 'bench', 'report.html');

/** Writes the results into the tables of docs/performance.md. */
export async function writeDocument(results: Results): Promise<void> {
  await writeFile(DOCUMENT, documentWith(await readFile(DOCUMENT, 'utf8'), PARTS, results));
}

/** Writes bench/report.html, which needs nothing else to be read. */
export async function writeReport(results: Results): Promise<void> {
  await writeFile(REPORT, reportOf(PARTS, results));
}
