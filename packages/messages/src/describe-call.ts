import type { SentenceFormatter } from '@bailiff/core';
import { entryOf, type InputOf, type OperationName, showUnseen } from '@bailiff/core';
import names from '#words/en/names.json' with { type: 'json' };
import * as operations from './languages/en-operations.ts';
import { lengthIn } from './lengths.ts';
import { DEFAULT_LOCALE, type Locale } from './locales.ts';
import { byKey, makeTranslator, type Translator } from './make.ts';
import type { Messages } from './translated.ts';

/** The translators for sentences of calls in a language, and for ids without a known name. */
export interface CallSpeech {
  readonly locale: Locale;
  readonly operations: Translator<'operations'>;
  readonly names: Translator<'names'>;
  /** How texts and names that people wrote are shown. */
  readonly show: (text: string) => string;
}

const ENGLISH = { operations, names };

let inEnglish: CallSpeech | undefined;

/** Only English, so that a program that needs no other language does not load them all. */
function englishSpeech(): CallSpeech {
  const messages = ENGLISH as unknown as Pick<Messages, 'operations' | 'names'>;
  inEnglish ??= {
    locale: DEFAULT_LOCALE,
    operations: makeTranslator<'operations'>(DEFAULT_LOCALE, messages, 'operations'),
    names: makeTranslator<'names'>(DEFAULT_LOCALE, messages, 'names'),
    show: visible,
  };
  return inEnglish;
}

/**
 * One plain sentence that says what a call does, for the owner who approves it: "Ban Ada (123…) in guild 456… permanently:
 * "spam"". `names` has the known names by id; ids are always shown. A call without its own sentence gets its
 * operation's name.
 */
export function describeCall<N extends OperationName>(
  name: N,
  guildId: string,
  input: InputOf<N>,
  names: Readonly<Record<string, string>> = {},
  speech: CallSpeech = englishSpeech(),
): string {
  const { sentence } = entryOf(name);
  const { locale, show } = speech;
  const words = byKey(speech.operations);
  if (sentence === undefined) return words(`${name}.name`, {});
  const label = (kind: Parameters<SentenceFormatter['name']>[0] | 'guild', id: string) => {
    const known = Object.hasOwn(names, id) ? names[id] : undefined;
    return known === undefined ? speech.names(kind, { id }) : `${show(known)} (${id})`;
  };
  const parts = sentence(input, {
    name: label,
    quote: (text) => (text === undefined ? '' : `"${show(text)}"`),
    length: (amount, unit) => lengthIn(locale, unit === 'minute' ? amount * 60 : amount),
  });
  return words(`${name}.sentence`, { guild: label('guild', guildId), ...parts });
}

/** A text that cannot disguise the sentence around it, nor end its quotation. */
export function visible(text: string): string {
  return showUnseen(text.replace(/["\\]/g, (character) => `\\${character}`));
}
