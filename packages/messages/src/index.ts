import type { InputOf, OperationName } from '@bailiff/core';
import { messages as de } from './de/index.ts';
import { describeCall } from './describe-call.ts';
import { messages as en } from './en/index.ts';
import { messages as es } from './es/index.ts';
import { messages as fr } from './fr/index.ts';
import type { Locale } from './locales.ts';
import { makeTranslator } from './make.ts';
import { messages as pt } from './pt/index.ts';
import type { Messages, Namespace, Translated } from './translated.ts';

export * from './locales.ts';
export { sayError, type ToldError } from './say-error.ts';
export { sayIssue } from './say-issue.ts';
export type { Messages, Namespace, Translated } from './translated.ts';

type Catalogue = { readonly [Name in Namespace]: Translated<Name> };

/** What Bailiff says, in every language, as ICU messages. The compiler holds each to the keys of the English one. */
export const CATALOGUES: Readonly<Record<Locale, Catalogue>> = { en, de, fr, es, pt };

/** Says the messages of one namespace in one language: `t('kindBan')`, `t('minutes', { count: 5 })`. */
export type Translator<Name extends Namespace> = ReturnType<typeof makeTranslator<Name>>;

const made = new Map<string, unknown>();

/**
 * What says the messages of a namespace in a language. The same for the same arguments.
 *
 * Its calls throw an IntlError for a message that cannot be formatted, such as one whose argument is missing.
 */
export function translator<Name extends Namespace>(locale: Locale, namespace: Name): Translator<Name> {
  const key = `${locale}.${namespace}`;
  const known = made.get(key) as Translator<Name> | undefined;
  if (known !== undefined) return known;
  // The keys and arguments are those of the English messages; a test compares them.
  const translate = makeTranslator(locale, CATALOGUES[locale] as Messages, namespace);
  made.set(key, translate);
  return translate;
}

/** {@link describeCall} in a language. */
export function describeCallIn<N extends OperationName>(
  locale: Locale,
  name: N,
  guildId: string,
  input: InputOf<N>,
  names: Readonly<Record<string, string>> = {},
): string {
  return describeCall(name, guildId, input, names, { locale, say: translator(locale, 'operations') });
}
