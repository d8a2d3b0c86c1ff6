import { createTranslator } from 'use-intl/core';
import type { Locale } from './locales.ts';
import type { Messages, Namespace } from './translated.ts';

/** What says the messages of a namespace, in a language; the keys and arguments are those of the English messages. */
export function makeTranslator<Name extends Namespace>(
  locale: Locale,
  messages: Pick<Messages, Name>,
  namespace: Name,
) {
  return createTranslator<Messages, Name>({
    locale,
    messages: messages as Messages,
    namespace,
    onError: (error) => {
      throw error;
    },
  });
}
