// Vitest's setup file: the ids given to `verifies` go into the metadata of the test, and from there into the JSON
// report.
import { TestRunner, vi } from 'vitest';
import { recordVerifications } from './testing.ts';

declare module 'vitest' {
  interface TaskMeta {
    verifies?: string[];
  }
}

// A file that failed before it gave the time back must not stop that of the next one, which shares its process.
vi.useRealTimers();

recordVerifications((ids) => {
  const test = TestRunner.getCurrentTest();
  if (test === undefined) throw new Error('verifies() is for the body of a test, and none is running.');
  test.meta.verifies = [...(test.meta.verifies ?? []), ...ids];
});
