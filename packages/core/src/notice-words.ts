/** What a guild's own words in a notice can name, in braces. */
export const NOTICE_PLACEHOLDERS = ['server', 'reason', 'until', 'appeal'] as const;
export type NoticePlaceholder = (typeof NOTICE_PLACEHOLDERS)[number];

export const MOST_NOTICE_WORDS = 1_000;

/** A placeholder in words. Braces with anything else in them are not words. */
const IN_BRACES = /\{([^{}]*)\}/g;

function isPlaceholder(name: string): name is NoticePlaceholder {
  return NOTICE_PLACEHOLDERS.some((each) => each === name);
}

/** The first placeholder in these words that there is not, as it is written; null if there is none. */
export function unknownPlaceholder(words: string): string | null {
  for (const [written, name = ''] of words.matchAll(IN_BRACES)) if (!isPlaceholder(name)) return written;
  return null;
}

/** The words with their placeholders filled in, once: what is filled in is not looked through again. */
export function fillNotice(words: string, values: Readonly<Record<NoticePlaceholder, string>>): string {
  return words.replace(IN_BRACES, (written, name: string) => (isPlaceholder(name) ? values[name] : written));
}
