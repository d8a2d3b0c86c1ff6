// Computes how much of the specification the tests of a run have verified.
import type { Requirement } from '@bailiff/core/testing';
import type { TestResult } from './test-results.ts';

export interface Coverage {
  readonly surfaces: readonly { surface: string; verified: number; total: number }[];
  /** Requirements that no passing test has named. */
  readonly missing: readonly Requirement[];
}

/** A requirement is verified when a test that names it has passed in this run. */
export function coverageOf(requirements: readonly Requirement[], results: readonly TestResult[]): Coverage {
  const verified = new Set(
    results.filter(({ state }) => state === 'passed').flatMap((test) => test.verifies),
  );
  const surfaces = [...new Set(requirements.map(({ surface }) => surface))];
  return {
    surfaces: surfaces.map((surface) => {
      const entries = requirements.filter((requirement) => requirement.surface === surface);
      return {
        surface,
        verified: entries.filter(({ id }) => verified.has(id)).length,
        total: entries.length,
      };
    }),
    missing: requirements.filter(({ id }) => !verified.has(id)),
  };
}

/** `380 of 380 requirements verified (core 90/90, …)`. */
export function summaryOf({ surfaces }: Coverage): string {
  const sum = (key: 'verified' | 'total') => surfaces.reduce((total, entry) => total + entry[key], 0);
  const parts = surfaces.map(({ surface, verified, total }) => `${surface} ${verified}/${total}`);
  return `${sum('verified')} of ${sum('total')} requirements verified (${parts.join(', ')})`;
}

/** A line for each missing requirement, with the tests that name it and did not pass. */
export function explainMissing({ missing }: Coverage, results: readonly TestResult[]): string[] {
  return missing.map(({ id }) => {
    const naming = results.filter(({ verifies }) => verifies.includes(id));
    const tests = naming.map(({ file, name, state }) => `${state}: ${file}, ${name}`);
    return `${id} is not verified: ${tests.length === 0 ? 'no test that ran names it' : tests.join('; ')}.`;
  });
}
