import { existsSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that last longest, beginning with the longest. Most of them mostly wait for limits and for processes. */
const LONGEST = [
  'apps/bot/test/process.test.ts',
  'packages/engine/test/token-model.test.ts',
  'apps/bot/test/long-actions.test.ts',
  'apps/bot/test/gateway-frames.test.ts',
  'apps/bot/test/identify-pace.test.ts',
  'apps/bot/test/comparing.test.ts',
  'apps/web/test/public-api/wire.test.ts',
  'apps/bot/test/outage.test.ts',
  'apps/bot/test/by-hand.test.ts',
  'packages/engine/test/plans.test.ts',
  'apps/bot/test/rotation.test.ts',
  'apps/bot/test/chat-faults.test.ts',
  'apps/bot/test/escalation.test.ts',
  'prisma/test/embedded-postgres.test.ts',
  'apps/web/test/public-api/sweep.test.ts',
  'apps/bot/test/chat-purge.test.ts',
  'apps/bot/test/target-notices.test.ts',
  'apps/bot/test/tickets.test.ts',
  'packages/engine/test/faults-revocation.test.ts',
];
/** So many others come between two of them: while some files wait, others can compute. */
const BETWEEN = 2;
for (const path of LONGEST) {
  if (!existsSync(path)) throw new Error(`${path} is not there: correct its name in vitest.config.ts.`);
}

/** Begins with the longest files, so that none of them runs alone at the end, and mixes others in. */
class LongestEarly extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const longest = LONGEST.flatMap((path) => sorted.filter(({ moduleId }) => moduleId.endsWith(`/${path}`)));
    const others = sorted.filter((file) => !longest.includes(file));
    return [...longest.flatMap((file) => [file, ...others.splice(0, BETWEEN)]), ...others];
  }
}

export default defineConfig({
  test: {
    // Three for each core of a small machine: tests wait for sockets, processes and limits much of their time. With more,
    // answers on a busy machine come later than callers wait.
    maxWorkers: 6,
    sequence: { sequencer: LongestEarly },
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
          // These only end what hangs: a busy machine may take several times as long as a quiet one.
          testTimeout: 900_000,
          hookTimeout: 900_000,
          expect: { poll: { timeout: 60_000 } },
        },
      },
    ],
  },
});
