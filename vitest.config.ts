import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{apps,packages}/*/test/**/*.test.ts', 'prisma/test/**/*.test.ts', 'e2e/test/**/*.test.ts', 'bench/test/**/*.test.ts'],
    globalSetup: ['prisma/src/testing-setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
