import { resolve } from 'node:path';

/** The folder of the checkout. */
export const ROOT = resolve(import.meta.dirname, '..', '..', '..');

/** The folder of an installation's data, in the checkout unless the environment names one. Empty counts as not set. */
export function directoryIn({ BAILIFF_DIR }: NodeJS.ProcessEnv): string {
  return resolve(ROOT, BAILIFF_DIR || '.bailiff');
}
