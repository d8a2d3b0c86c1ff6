import type { Translator } from '@bailiff/messages';

/** What an operation of an audit row does, in words; its name where no words are known. */
export function wordsOfOperation(t: Translator<'audit'>, operation: string): string {
  // One of many keys, all of whose messages take nothing.
  const key = `did.${operation}` as 'did.bans.add';
  return t.has(key) ? t(key) : operation;
}
