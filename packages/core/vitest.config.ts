import { defineConfig } from 'vitest/config';

const { MUTATED = '*', CORE = import.meta.dirname } = process.env;

/**
 * What `npm run test:mutation` runs: of a file in `src`, the test that bears its name. It runs in a copy of this folder;
 * what the tests themselves need comes from the original.
 */
export default defineConfig({
  resolve: { alias: { '@bailiff/core/testing': `${CORE}/src/testing.ts` } },
  test: {
    include: [`test/${MUTATED}.test.ts`],
    setupFiles: [`${CORE}/src/testing-vitest.ts`],
    testTimeout: 30_000,
  },
});
