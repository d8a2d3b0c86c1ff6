import { createTranslator } from 'use-intl/core';
import type { Locale } from './locales.ts';
import type { Messages, Namespace } from './translated.ts';

/** Formats the messages of one namespace in one language: `t('permanent')`, `t('minutes', { count: 5 })`. */
export type Translator<Name extends Namespace> = ReturnType<typeof createTranslator<Messages, Name>>;

/** Formats messages whose keys are put together at run time. */
export interface KeyTranslator {
  (key: string, values: Readonly<Record<string, string>>): string;
  has(key: string): boolean;
}

/**
 * The same translator for keys that are put together at run time. The compiler cannot know the arguments of such a
 * message, so this is the one place that takes a translator for another type. Key and arguments come from a table of
 * core, and the tests of the words format every message with them.
 */
export function byKey(translator: { readonly has: unknown }): KeyTranslator {
  return translator as KeyTranslator;
}

/** A translator for a namespace in a language. Its keys and arguments are those of the English messages. */
export function makeTranslator<Name extends Namespace>(
  locale: Locale,
  messages: Pick<Messages, Name>,
  namespace: Name,
): Translator<Name> {
  return createTranslator<Messages, Name>({
    locale,
    messages: messages as Messages,
    namespace,
    onError: (error) => {
      throw error;
    },
  });
}
