import type { InputOf, OperationName } from '@bailiff/core';
import { describeCall } from './describe-call.ts';
import * as de from './languages/de.ts';
import * as en from './languages/en.ts';
import * as es from './languages/es.ts';
import * as fr from './languages/fr.ts';
import * as pt from './languages/pt.ts';
import type { Locale } from './locales.ts';
import type { Whole, WrongIn } from './translated.ts';
import { translators } from './translators.ts';

export * from './locales.ts';
export { sayError, type ToldError } from './say-error.ts';
export { sayIssue } from './say-issue.ts';
export type { Messages, Namespace, Translated } from './translated.ts';
export type { Translator } from './translators.ts';

const LANGUAGES = { en, de, fr, es, pt };

type Shared = keyof typeof en;

/** What the bot says, in every language, as ICU messages; the dashboard's pages have more (`./dashboard.ts`). */
export const CATALOGUES: Whole<WrongIn<typeof LANGUAGES, Shared>, Shared> = LANGUAGES;

/** {@link translators} of what the bot says. */
export const translator = translators(CATALOGUES);

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
