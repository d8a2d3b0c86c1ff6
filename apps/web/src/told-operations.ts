import { CATALOGUES } from '@bailiff/messages/dashboard';

/** Names of everything that audit rows tell of: the operations of the table, and what else changes something. */
export const TOLD_OPERATIONS: readonly string[] = namesIn(CATALOGUES.en.audit.did);

function namesIn(words: object, prefix = ''): string[] {
  return Object.entries(words).flatMap(([name, word]) =>
    typeof word === 'string' ? [`${prefix}${name}`] : namesIn(word, `${prefix}${name}.`),
  );
}
