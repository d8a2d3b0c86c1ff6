import { defineConfig } from 'vitest/config';

/** What `npm run test:mutation` runs: of a file in `src`, the test that bears its name. */
export default defineConfig({
  test: {
    include: [`test/${process.env.MUTATED ?? '*'}.test.ts`],
    setupFiles: ['src/testing-vitest.ts'],
    testTimeout: 30_000,
  },
});
