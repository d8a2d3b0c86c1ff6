import { expect, test } from 'vitest';
import { coverageOf, explainMissing, summaryOf } from '../verify/coverage.ts';
import type { TestResult } from '../verify/test-results.ts';

const REQUIREMENTS = [
  { id: 'bans.add', surface: 'rest', behaviour: '' },
  { id: 'bans.lift', surface: 'rest', behaviour: '' },
  { id: 'token.mint', surface: 'dashboard', behaviour: '' },
];

const result = (state: TestResult['state'], ...verifies: string[]): TestResult => ({
  file: 'a.test.ts',
  name: 'bans are lifted',
  state,
  verifies,
});

test('a requirement counts once per surface, however many passing tests name it', () => {
  const coverage = coverageOf(REQUIREMENTS, [
    result('passed', 'bans.add', 'token.mint'),
    result('passed', 'bans.add'),
  ]);
  expect(summaryOf(coverage)).toBe('2 of 3 requirements verified (rest 1/2, dashboard 1/1)');
  expect(coverage.missing).toMatchObject([{ id: 'bans.lift' }]);
});

test.each(['failed', 'skipped'] as const)('a test that %s shows nothing', (state) => {
  const results = [result(state, 'bans.lift')];
  const coverage = coverageOf(REQUIREMENTS, results);
  expect(coverage.missing).toHaveLength(3);
  expect(explainMissing(coverage, results)).toEqual([
    'bans.add is not verified: no test that ran names it.',
    `bans.lift is not verified: ${state}: a.test.ts, bans are lifted.`,
    'token.mint is not verified: no test that ran names it.',
  ]);
});

test('a requirement that one test fails and another shows is verified', () => {
  const coverage = coverageOf(REQUIREMENTS, [result('failed', 'bans.add'), result('passed', 'bans.add')]);
  expect(coverage.missing.map(({ id }) => id)).toEqual(['bans.lift', 'token.mint']);
});
