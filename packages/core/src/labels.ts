import { entryOf, type InputOf, type OperationName } from './operations/index.ts';

/** Control and bidirectional characters, with which a text could disguise the sentence around it. */
const DISGUISES = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"\\]/gu;

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
): string {
  const { sentence, summary } = entryOf(name);
  const label = (kind: string, id: string) => {
    const known = Object.hasOwn(names, id) ? names[id] : undefined;
    return known === undefined ? `${kind} ${id}` : `${visible(known)} (${id})`;
  };
  if (sentence === undefined) return summary;
  return sentence(input, {
    guild: label('guild', guildId),
    name: label,
    quote: (text) => `"${visible(text)}"`,
  });
}

function visible(text: string): string {
  return text.replace(DISGUISES, (character) => {
    if (character === '"' || character === '\\') return `\\${character}`;
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
