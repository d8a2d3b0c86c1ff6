// What docs/security.md and docs/compared.md claim, and the tests that they name for it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestResult } from './test-results.ts';

/** A row of a table. */
export interface Claim {
  readonly document: string;
  readonly row: string;
  /** The file of the test, and words of its name. Undefined for a row that names no test. */
  readonly test: { readonly file: string; readonly words: string } | undefined;
}

const DOCUMENTS = [
  { document: 'docs/security.md', isClaim: () => true },
  { document: 'docs/compared.md', isClaim: (row: string) => !row.endsWith('| no |') },
];

/** The rows of the tables of these documents, without their heads. */
export function readRows(root: string, document: string): string[] {
  return readFileSync(join(root, document), 'utf8').match(/^\| (?!Asset |What |---).*\|$/gm) ?? [];
}

export function readClaims(root: string): Claim[] {
  return DOCUMENTS.flatMap(({ document, isClaim }) =>
    readRows(root, document)
      .filter(isClaim)
      .map((row) => {
        const [, file, words] = / `([^`]+)`: (.+) \|$/.exec(row) ?? [];
        return { document, row, test: file && words ? { file, words } : undefined };
      }),
  );
}

/** A line for each claim whose test did not pass in this run. */
export function explainUnshown(claims: readonly Claim[], results: readonly TestResult[]): string[] {
  return claims.flatMap(({ document, row, test }) => {
    if (test === undefined) return [`${document} names no test: ${row}`];
    const named = results.filter(({ file, name }) => file === test.file && name.includes(test.words));
    if (named.length > 0 && named.every(({ state }) => state === 'passed')) return [];
    const states = named.map(({ state }) => state).join(', ') || 'no such test ran';
    return [`${document} is not shown by ${test.file}, ${test.words}: ${states}.`];
  });
}
