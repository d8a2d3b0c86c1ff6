import { expect, test } from 'vitest';
import { readRequirements, verifies } from '#src/testing.ts';

test('what a test verifies is noted with it, in the order of the calls', ({ task }) => {
  verifies('ops.documented', 'G4');
  verifies('H21');
  const noted = task.meta.verifies;
  // This test shows none of them.
  task.meta.verifies = [];
  expect(noted).toEqual(['ops.documented', 'G4', 'H21']);
});

test('an id that nobody has written down stops the test with a sentence that says what to do', ({ task }) => {
  expect(() => verifies('ops.documented', 'ops.documentd')).toThrow(
    'There is no requirement "ops.documentd": correct the id, or add it to e2e/requirements.json or docs/hazards.md.',
  );
  expect(task.meta.verifies).toBeUndefined();
});

test('every guarantee and every hazard of docs/hazards.md can be shown, and no id stands twice', () => {
  const requirements = readRequirements();
  const count = (surface: string) => requirements.filter((entry) => entry.surface === surface).length;
  expect(count('guarantees')).toBe(18);
  expect(count('hazards')).toBe(30);
  expect(new Set(requirements.map(({ id }) => id)).size).toBe(requirements.length);
});
