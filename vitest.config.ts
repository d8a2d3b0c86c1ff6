import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // Tests wait for sockets and processes a third of their time.
    maxWorkers: 4,
    projects: [
      {
        test: {
          name: 'packages',
          include: ['{apps,packages}/*/test/**/*.test.{ts,tsx}', '{prisma,scripts}/test/**/*.test.ts'],
          globalSetup: ['prisma/src/testing-setup.ts'],
          setupFiles: ['packages/core/src/testing-vitest.ts'],
          // The files of a worker share what they load: discord.js, Prisma Client and Discord's description, compiled.
          pool: 'threads',
          isolate: false,
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
