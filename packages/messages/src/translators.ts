import type { Locale } from './locales.ts';
import { makeTranslator, type Translator } from './make.ts';
import type { Catalogues, Messages, Namespace } from './translated.ts';

/**
 * A function that returns the translator of a namespace in a language, cached by its arguments.
 *
 * A translator throws an IntlError if a message cannot be formatted, for example because an argument is missing.
 */
export function translators<Known extends Namespace>(catalogues: Catalogues<Known>) {
  const made = new Map<string, unknown>();
  return <Name extends Known>(locale: Locale, namespace: Name): Translator<Name> => {
    const key = `${locale}.${namespace}`;
    const known = made.get(key) as Translator<Name> | undefined;
    if (known !== undefined) return known;
    // The compiler has compared the keys with the English ones; a test compares the arguments.
    const translate = makeTranslator(locale, catalogues[locale] as unknown as Messages, namespace);
    made.set(key, translate);
    return translate;
  };
}
