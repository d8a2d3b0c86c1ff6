import { expect, test } from 'vitest';
import { FIRST_STEPS, isSetUp } from '#src/first-steps.ts';

const ALL = FIRST_STEPS.map(({ name }) => name);

test('a server is set up without a token, and not without any other of the first steps', () => {
  expect(isSetUp(ALL)).toBe(true);
  for (const left of ALL)
    expect([left, isSetUp(ALL.filter((name) => name !== left))]).toEqual([left, left === 'token']);
});
