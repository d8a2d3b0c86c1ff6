import { instanceDirectory, startInstance } from '@bailiff/supervisor/instance';
import { RUN_VARIABLE, type SharedRun } from './run.ts';

/** Starts one instance for all end-to-end tests; a test that breaks something starts its own. */
export default async function setup(): Promise<() => Promise<void>> {
  const home = await instanceDirectory();
  const instance = await startInstance({ directory: home.path });
  const shared: SharedRun = { ...instance.run, directory: home.path };
  process.env[RUN_VARIABLE] = JSON.stringify(shared);
  return async () => {
    await instance.stop();
    await home.remove();
  };
}
