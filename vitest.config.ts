import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      {
        test: {
          name: 'packages',
          include: ['{apps,packages}/*/test/**/*.test.{ts,tsx}', '{prisma,scripts}/test/**/*.test.ts'],
          globalSetup: ['prisma/src/testing-setup.ts'],
          setupFiles: ['packages/core/src/testing-vitest.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        // Against the product as `npm start` runs it; needs the build.
        test: {
          name: 'e2e',
          include: ['e2e/test/**/*.test.ts'],
          globalSetup: ['e2e/src/shared-instance.ts'],
          setupFiles: ['packages/core/src/testing-vitest.ts'],
          testTimeout: 90_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
