import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

/** The result of a test, from either test runner. */
export interface TestResult {
  /** Relative to the checkout. */
  readonly file: string;
  /** The name of the test, with those of its groups. */
  readonly name: string;
  readonly state: 'passed' | 'failed' | 'skipped';
  /** Ids it passed to `verifies`. */
  readonly verifies: readonly string[];
}

/** The fields of Vitest's JSON report that are used. */
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
      // Vitest reports tests that did not run as skipped, pending, todo or disabled.
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
