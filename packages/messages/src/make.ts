import { createTranslator } from 'use-intl/core';
import type { Locale } from './locales.ts';
import type { Messages, Namespace } from './translated.ts';

/** Formats the messages of one namespace in one language: `t('forGood')`, `t('minutes', { count: 5 })`. */
export type Translator<Name extends Namespace> = ReturnType<typeof createTranslator<Messages, Name>>;

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
