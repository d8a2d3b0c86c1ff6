import { showUnseen } from '@bailiff/core';
import { escapeMarkdown } from 'discord.js';

/** The beginning of a text that is longer than a number of characters. Discord takes nothing with half a character. */
export function beginning(text: string, most: number): string {
  return text.slice(0, most).replace(/[\ud800-\udbff]$/, '');
}

/** Text that people wrote, on one line and shortened to a number of characters. */
export function oneLine(text: string, most: number): string {
  const line = showUnseen(text.replace(/\s+/g, ' ').trim());
  return line.length <= most ? line : `${beginning(line, most - 1)}…`;
}

/**
 * The same, escaped so that none of it is taken for formatting, or for a link that shows another address. The escapes
 * count towards the length, as they do at Discord: it refuses a whole message for one text that is too long.
 */
export function escapedLine(text: string, most: number): string {
  let room = most;
  for (;;) {
    const line = withoutMaskedLinks(withoutFormatting(oneLine(text, room)));
    if (line.length <= most) return line;
    // A character brings one backslash at most.
    room = Math.max(1, room - Math.ceil((line.length - most) / 2));
  }
}

/** Each backtick is escaped here: of four in a row, discord.js leaves one. */
function withoutFormatting(text: string): string {
  return escapeMarkdown(text, { codeBlock: false, inlineCode: false }).replaceAll('`', '\\`');
}

/** Text in which no link shows as another text. */
export function withoutMaskedLinks(text: string): string {
  return text.replaceAll('](', ']\\(');
}

/** A name, of which Discord allows 100 characters, escaped in the same way. */
export function escapedName(name: string): string {
  return escapedLine(name, 200);
}

/** The same in quotes. */
export function quoted(text: string, most: number): string {
  return `"${escapedLine(text, most)}"`;
}

/** A time as each reader's client shows it. */
export function moment(iso: string, style: 'R' | 'd' | 'f'): string {
  return `<t:${Math.floor(Date.parse(iso) / 1000)}:${style}>`;
}

/** Text for a code block, changed so that no backtick ends the block and no mention works. */
export function defused(text: string): string {
  return showUnseen(text, '\n\t').replace(/[`@]/g, (character) => `${character}\u200b`);
}
