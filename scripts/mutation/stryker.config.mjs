// What scripts/mutation.mjs runs in packages/core and packages/engine, for the files and tests that it names.
const { MUTATED = '', TABLES, REPORT = '' } = process.env;

export default {
  mutate: MUTATED.split(','),
  ignoreStatic: TABLES === 'yes',
  testRunner: 'vitest',
  vitest: { configFile: '../../scripts/mutation/vitest.config.ts' },
  tsconfigFile: 'none',
  concurrency: 1,
  tempDirName: '../../.stryker-tmp',
  cleanTempDir: 'always',
  reporters: ['clear-text', 'json'],
  clearTextReporter: { allowColor: false, logTests: false, reportScoreTable: false },
  jsonReporter: { fileName: REPORT },
};
