import { escapeMarkdown } from 'discord.js';

/** Text that people wrote in one line of at most so many characters. */
export function oneLine(text: string, most: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= most) return line;
  // Not through the middle of a character.
  return `${line.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** The same in quotes, so that nothing in it is taken for formatting of ours. */
export function quoted(text: string, most: number): string {
  return `"${escapeMarkdown(oneLine(text, most))}"`;
}

/** A time as each reader's client shows it. */
export function moment(iso: string, style: 'R' | 'd' | 'f'): string {
  return `<t:${Math.floor(Date.parse(iso) / 1000)}:${style}>`;
}

/** Text for a block of code: no backtick in it ends the block, and no mention in it is one. */
export function defused(text: string): string {
  return text.replace(/[`@]/g, (character) => `${character}\u200b`);
}
