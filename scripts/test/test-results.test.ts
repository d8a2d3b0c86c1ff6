// What npm test reads from the reports of its test runners, and how it judges a run.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readPlaywrightReport, readVitestReport, type TestResult } from '../verify/test-results.ts';
import { judge } from '../verify.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'bailiff-reports-'));
});
afterAll(() => rm(directory, { recursive: true }));

async function written(report: object): Promise<string> {
  const path = join(directory, 'report.json');
  await writeFile(path, JSON.stringify(report));
  return path;
}

test('of the unit tests only those that ran and passed count as passed', async () => {
  const statuses = ['passed', 'failed', 'skipped', 'pending', 'todo', 'disabled'];
  const report = await written({
    testResults: [
      {
        name: '/checkout/apps/web/test/a.test.ts',
        assertionResults: statuses.map((status) => ({
          fullName: ` ${status}`,
          status,
          meta: { verifies: ['bans.add'] },
        })),
      },
    ],
  });
  const results = await readVitestReport(report, '/checkout');
  expect(results.map(({ name, state }) => [name, state])).toEqual([
    ['passed', 'passed'],
    ['failed', 'failed'],
    ...['skipped', 'pending', 'todo', 'disabled'].map((name) => [name, 'skipped']),
  ]);
  expect(results[0]).toEqual({
    file: 'apps/web/test/a.test.ts',
    name: 'passed',
    state: 'passed',
    verifies: ['bans.add'],
  });
});

test('of the journeys one that passed only at another try has failed, and groups are part of the name', async () => {
  const spec = (status: string) => ({
    title: status,
    file: 'a.test.ts',
    tests: [{ status, annotations: [{ type: 'verifies', description: 'bans.add' }, { type: 'slow' }] }],
  });
  const report = await written({
    config: { rootDir: '/checkout/e2e/test' },
    suites: [
      {
        title: 'a.test.ts',
        specs: [spec('expected')],
        suites: [{ title: 'in chat', specs: ['unexpected', 'flaky', 'skipped'].map(spec) }],
      },
    ],
  });
  expect(await readPlaywrightReport(report, '/checkout')).toEqual(
    [
      ['expected', 'passed'],
      ['in chat unexpected', 'failed'],
      ['in chat flaky', 'failed'],
      ['in chat skipped', 'skipped'],
    ].map(([name, state]) => ({ file: 'e2e/test/a.test.ts', name, state, verifies: ['bans.add'] })),
  );
});

test('a runner that could not start has written nothing', async () => {
  const path = join(directory, 'none.json');
  expect([await readVitestReport(path, '/'), await readPlaywrightReport(path, '/')]).toEqual([[], []]);
});

test('a run fails with its runner, also if no test of it has failed', () => {
  const of = (...states: TestResult['state'][]): TestResult[] =>
    states.map((state) => ({ file: 'a.test.ts', name: state, state, verifies: [] }));
  const results: TestResult[] = [];
  const judged = (code: number, tests: TestResult[]) => judge(code, '', tests, results).failed;
  expect(judged(0, of('passed', 'skipped'))).toBe(0);
  expect(judged(1, of('passed', 'skipped'))).toBe(1);
  expect(judged(1, of('passed', 'failed', 'failed'))).toBe(2);
  // What the report says counts, even if the runner forgot to.
  expect(judged(0, of('failed'))).toBe(1);
  expect(judged(124, [])).toBe(1);
  expect(results).toHaveLength(8);
  expect(judge(0, '', of('passed', 'skipped'), []).summary).toBe('1 tests passed, 1 skipped');
});
