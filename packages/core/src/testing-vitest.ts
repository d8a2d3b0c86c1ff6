// Vitest's setup file: the ids given to `verifies` go into the metadata of the test, and from there into the JSON
// report.
import { TestRunner } from 'vitest';
import { recordVerifications } from './testing.ts';

declare module 'vitest' {
  interface TaskMeta {
    verifies?: string[];
  }
}

recordVerifications((ids) => {
  const test = TestRunner.getCurrentTest();
  if (test === undefined) throw new Error('verifies() is for the body of a test, and none is running.');
  test.meta.verifies = [...(test.meta.verifies ?? []), ...ids];
});
