import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';

/** What became of one test, whichever runner ran it. */
export interface TestResult {
  /** Relative to the checkout. */
  readonly file: string;
  /** With the names of the groups it is in. */
  readonly name: string;
  readonly state: 'passed' | 'failed' | 'skipped';
  /** Ids it passed to `verifies`. */
  readonly verifies: readonly string[];
}

/** The part of Vitest's JSON report that is read here. */
interface VitestReport {
  readonly testResults?: readonly {
    readonly name: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly meta?: { readonly verifies?: readonly string[] };
    }[];
  }[];
}

/** @returns nothing for a report that was not written, as when the runner could not start */
export async function readVitestReport(path: string, root: string): Promise<TestResult[]> {
  const text = await readFile(path, 'utf8').catch(() => '{}');
  const { testResults = [] } = JSON.parse(text) as VitestReport;
  return testResults.flatMap(({ name: file, assertionResults }) =>
    assertionResults.map(({ fullName, status, meta }) => ({
      file: relative(root, file),
      name: fullName.trim(),
      // Vitest says skipped, pending, todo and disabled of tests that did not run.
      state: status === 'passed' || status === 'failed' ? status : 'skipped',
      verifies: meta?.verifies ?? [],
    })),
  );
}
