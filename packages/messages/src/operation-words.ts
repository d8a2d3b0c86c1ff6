import { type ChatOperation, entryOf, type MenuOperation, type OperationName } from '@bailiff/core';
import { CATALOGUES, translator } from './catalogues.ts';
import type { Locale } from './locales.ts';
import type { OperationWords, OptionWords } from './required-words.ts';

/** The name and the description of an operation's slash command. */
export function commandWords(locale: Locale, operation: ChatOperation): OptionWords {
  return wordsOf(locale, operation).command;
}

/** The words of an option of an operation's slash command; undefined if the field has no option. */
export function optionWords(
  locale: Locale,
  operation: ChatOperation,
  field: string,
): OptionWords | undefined {
  const command: OptionWords & { readonly options?: Readonly<Record<string, OptionWords>> } = wordsOf(
    locale,
    operation,
  ).command;
  return command.options?.[field];
}

/** The name of an operation in the menu of a person or a message. */
export function menuWords<On extends 'user' | 'message'>(
  locale: Locale,
  operation: MenuOperation<On>,
  on: On,
): string {
  return (wordsOf(locale, operation).menus as Readonly<Record<On, string>>)[on];
}

/** Chat's message for NOT_FOUND; null for an operation that never answers it. */
export function sayMissing(locale: Locale, operation: OperationName, number: string): string | null {
  const { chat, notFound } = entryOf(operation);
  if (chat === undefined || notFound === null) return null;
  // The operation is known only at run time; this message takes the most arguments.
  return translator(locale, 'operations')(`${operation}.missing` as 'cases.get.missing', { number });
}

/** The words of an operation. The compiler checks that the files have them. */
function wordsOf<N extends OperationName>(locale: Locale, operation: N): { [O in N]: OperationWords<O> }[N] {
  let words: unknown = CATALOGUES[locale].operations;
  for (const key of operation.split('.')) words = (words as Readonly<Record<string, unknown>>)[key];
  return words as { [O in N]: OperationWords<O> }[N];
}
