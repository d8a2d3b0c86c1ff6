import { startInstance } from '@bailiff/supervisor/instance';
import type { RunFile } from '@bailiff/supervisor/run-file';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The instance that all end-to-end tests share. */
    run: RunFile;
  }
}

/** One instance for all end-to-end tests; a test that breaks something starts its own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const instance = await startInstance();
  project.provide('run', instance.run);
  return async () => {
    await instance.stop();
  };
}
