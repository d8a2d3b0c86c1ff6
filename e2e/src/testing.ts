// What every end-to-end test imports: the runner, and citations that go into its report.
import { recordVerifications } from '@bailiff/core/testing';
import { test as base } from '@playwright/test';

export { verifies } from '@bailiff/core/testing';
export { expect } from '@playwright/test';

const endings: (() => Promise<unknown>)[] = [];

/** Does something when this worker has run its last file. What was asked for last comes first. */
export function whenWorkerEnds(end: () => Promise<unknown>): void {
  endings.push(end);
}

export const test = base.extend<object, { endings: null }>({
  endings: [
    // biome-ignore lint/correctness/noEmptyPattern: the runner reads from the pattern what a fixture needs
    async ({}, use) => {
      await use(null);
      for (const end of endings.splice(0).reverse()) await end();
    },
    { scope: 'worker', auto: true },
  ],
});

recordVerifications((ids) => {
  for (const description of ids) test.info().annotations.push({ type: 'verifies', description });
});
