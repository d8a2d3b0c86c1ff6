import { instanceDirectory, startInstance } from '@bailiff/supervisor/instance';
import type { RunFile } from '@bailiff/supervisor/run-file';
import { whenWorkerEnds } from './testing.ts';

export interface SharedRun extends RunFile {
  readonly directory: string;
}

/** The runner itself reads the files of tests too, to know what there is. No test runs there. */
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

/**
 * The instance that the files of a worker share, one file after the other. The worker starts it with the first file that
 * imports this; a test that breaks something starts its own.
 */
export const run = process.env.TEST_WORKER_INDEX === undefined ? NOT_STARTED : await start();

async function start(): Promise<SharedRun> {
  const home = await instanceDirectory();
  whenWorkerEnds(() => home.remove());
  const instance = await startInstance({ directory: home.path }).catch(async (error: unknown) => {
    await home.remove();
    throw error;
  });
  whenWorkerEnds(() => instance.stop());
  return { ...instance.run, directory: home.path };
}
