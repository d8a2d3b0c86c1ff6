import type { Speaker } from '@bailiff/core';
import { entryOf, type InputOf, type OperationName } from '@bailiff/core';
import english from '#words/en/operations.json' with { type: 'json' };
import { lengthIn } from './lengths.ts';
import { DEFAULT_LOCALE, type Locale } from './locales.ts';
import { makeTranslator } from './make.ts';
import type { Messages } from './translated.ts';

/** Control and bidirectional characters, with which a text could disguise the sentence around it. */
const DISGUISES = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"\\]/gu;

/** Who says the sentences of calls: the messages `operations` in a language. */
export interface CallSpeech {
  readonly locale: Locale;
  readonly say: ReturnType<typeof makeTranslator<'operations'>>;
}

let inEnglish: CallSpeech | undefined;

/** English alone: who speaks no other language need not carry them all. */
function englishSpeech(): CallSpeech {
  inEnglish ??= {
    locale: DEFAULT_LOCALE,
    say: makeTranslator(DEFAULT_LOCALE, { operations: english as Messages['operations'] }, 'operations'),
  };
  return inEnglish;
}

/**
 * One plain sentence for what a call does, as the owner who approves it reads it: "Ban Ada (123…) in guild 456… for
 * good: "spam"". `names` gives names by id where they are known; ids are shown in any case. A call that has no sentence
 * of its own is told by its operation's summary.
 */
export function describeCall<N extends OperationName>(
  name: N,
  guildId: string,
  input: InputOf<N>,
  names: Readonly<Record<string, string>> = {},
  speech: CallSpeech = englishSpeech(),
): string {
  const { sentence, summary } = entryOf(name);
  if (sentence === undefined) return summary;
  const { locale, say } = speech;
  const label = (kind: Parameters<Speaker['name']>[0] | 'guild', id: string) => {
    const known = Object.hasOwn(names, id) ? names[id] : undefined;
    return known === undefined ? say(`unnamed.${kind}`, { id }) : `${visible(known)} (${id})`;
  };
  const parts = sentence(input, {
    name: label,
    quote: (text) => (text === undefined ? '' : `"${visible(text)}"`),
    length: (amount, unit) => lengthIn(locale, unit === 'minute' ? amount * 60 : amount),
  });
  return say(name as 'bans.add', { guild: label('guild', guildId), ...parts } as never);
}

function visible(text: string): string {
  return text.replace(DISGUISES, (character) => {
    if (character === '"' || character === '\\') return `\\${character}`;
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
