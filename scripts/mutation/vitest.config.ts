import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';

const { TESTS = '*' } = process.env;

/** Stryker works on a copy of the package. In core, the setup and the tests must share the copy of `testing.ts`. */
const IN_CORE = 'src/testing-vitest.ts';

export default defineConfig({
  test: {
    include: TESTS.split(',').map((name) => `test/${name}.test.ts`),
    setupFiles: [
      existsSync(IN_CORE) ? IN_CORE : resolve(import.meta.dirname, '../../packages/core', IN_CORE),
    ],
    testTimeout: 30_000,
  },
});
