import { resolve } from 'node:path';

/** The folder of the checkout. */
export const ROOT = resolve(import.meta.dirname, '..', '..', '..');

/** The folder of an installation's data, in the checkout unless the environment names one. Empty counts as not set. */
export function directoryIn({ BAILIFF_DIR }: NodeJS.ProcessEnv): string {
  return resolve(ROOT, BAILIFF_DIR || '.bailiff');
}

/** A file that the operator names. npm runs a script in the checkout, and says from where it was called. */
export function namedFile(path: string): string {
  return resolve(process.env.INIT_CWD ?? '.', path);
}
