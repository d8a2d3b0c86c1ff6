import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

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

interface PlaywrightSuite {
  readonly title: string;
  readonly suites?: readonly PlaywrightSuite[];
  readonly specs?: readonly {
    readonly title: string;
    readonly file: string;
    readonly tests: readonly {
      readonly status: string;
      readonly annotations: readonly { readonly type: string; readonly description?: string }[];
    }[];
  }[];
}

/** The part of Playwright's JSON report that is read here; its outermost suites are the files. */
interface PlaywrightReport {
  readonly config?: { readonly rootDir: string };
  readonly suites?: readonly PlaywrightSuite[];
}

/** @returns nothing for a report that was not written, as when the runner could not start */
export async function readPlaywrightReport(path: string, root: string): Promise<TestResult[]> {
  const text = await readFile(path, 'utf8').catch(() => '{}');
  const { config, suites = [] } = JSON.parse(text) as PlaywrightReport;
  const folder = relative(root, config?.rootDir ?? root);
  return suites.flatMap((suite) => testsOf(suite, folder, []));
}

function testsOf(
  { suites = [], specs = [] }: PlaywrightSuite,
  folder: string,
  groups: readonly string[],
): TestResult[] {
  const own = specs.flatMap(({ title, file, tests }) =>
    tests.map(({ status, annotations }) => ({
      file: join(folder, file),
      name: [...groups, title].join(' '),
      // Playwright says unexpected and flaky of tests that failed; no test is tried again.
      state:
        status === 'expected'
          ? ('passed' as const)
          : status === 'skipped'
            ? ('skipped' as const)
            : ('failed' as const),
      verifies: annotations.flatMap(({ type, description }) =>
        type === 'verifies' && description !== undefined ? [description] : [],
      ),
    })),
  );
  return [...own, ...suites.flatMap((suite) => testsOf(suite, folder, [...groups, suite.title]))];
}
