import type { InputOf, OperationName } from '@bailiff/core';
import { translator } from './catalogues.ts';
import { describeCall, visible } from './describe-call.ts';
import type { Locale } from './locales.ts';

export { sayCase, sayToTarget, sayUndelivered, type ToldCase } from './case-words.ts';
export { CATALOGUES, translator } from './catalogues.ts';
export { lengthIn } from './lengths.ts';
export * from './locales.ts';
export type { Translator } from './make.ts';
export { commandWords, menuWords, optionWords, sayMissing } from './operation-words.ts';
export { sayError, sayServerProblem, type ToldError } from './say-error.ts';
export { sayIssue, sayIssueWords } from './say-issue.ts';
export type { Messages, Namespace, Translated } from './translated.ts';

/**
 * {@link describeCall} in a language.
 *
 * @param show how texts and names that people wrote are shown: default, with what nobody sees written out
 */
export function describeCallIn<N extends OperationName>(
  locale: Locale,
  name: N,
  guildId: string,
  input: InputOf<N>,
  names: Readonly<Record<string, string>> = {},
  show: (text: string) => string = visible,
): string {
  return describeCall(name, guildId, input, names, {
    locale,
    operations: translator(locale, 'operations'),
    names: translator(locale, 'names'),
    show,
  });
}
