import type { Translator } from '@bailiff/messages';

/** The longest answer. Discord accepts 2,000 characters. */
export const LONGEST_ANSWER = 1_900;

/** As many lines as fit into one answer, and the text after them. The lines left out are counted. */
export function fitting(t: Translator<'chat'>, lines: readonly string[], tail: readonly string[]): string {
  const room = LONGEST_ANSWER - tail.join('\n').length - 40;
  let used = 0;
  const kept = lines.filter((line) => {
    used += line.length + 1;
    return used <= room;
  });
  const left = lines.length - kept.length;
  return [...kept, ...(left === 0 ? [] : [t('andMore', { count: String(left) })]), ...tail].join('\n');
}
