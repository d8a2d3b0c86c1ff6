import type { RunFile } from '@bailiff/supervisor/run-file';

/** How the workers of the test runner are told about the shared instance. */
export const RUN_VARIABLE = 'BAILIFF_E2E_RUN';

export interface SharedRun extends RunFile {
  readonly directory: string;
}

/** The runner reads the files of tests, to know what there is, before it starts the instance. No test runs there. */
const NOT_STARTED: SharedRun = {
  directory: '',
  web: 'http://not-started.invalid',
  dashboard: 'http://not-started.invalid',
  sandbox: null,
  application: null,
  pids: { supervisor: 0, bot: 0, sandbox: null },
  guild_id: '',
  people: {},
  channels: {},
  servers: [],
};

/** The instance that all end-to-end tests share. */
export const run = readRun();

function readRun(): SharedRun {
  const text = process.env[RUN_VARIABLE];
  if (text !== undefined) return JSON.parse(text) as SharedRun;
  if (process.env.TEST_WORKER_INDEX === undefined) return NOT_STARTED;
  throw new Error('The shared instance is not there: run "npm run test:e2e".');
}
