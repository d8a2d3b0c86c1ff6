import { type Locale, translator } from '@bailiff/messages';
import type { APIEmbed } from 'discord.js';
import { DiscordFailure } from './discord-api.ts';
import { meaningOf } from './discord-errors.ts';

/**
 * Sends a message, and where Discord blocks its text, as it does for links to known scams, once more without what people
 * wrote.
 *
 * @param send is told whether to leave that out
 */
export async function unlessBlocked<T>(send: (isBlocked: boolean) => Promise<T>): Promise<T> {
  try {
    return await send(false);
  } catch (error) {
    if (!isBlocked(error)) throw error;
    return send(true);
  }
}

export function isBlocked(error: unknown): boolean {
  return error instanceof DiscordFailure && meaningOf(error) === 'TEXT_BLOCKED';
}

/** What stands in place of people's words: that Discord blocks them, and where in the dashboard they are. */
export function sayBlocked(locale: Locale, url: string): string {
  return translator(locale, 'notices')('textBlocked', { url });
}

/** How a post shows what people wrote: as it is, or left out. */
export type Words = (text: string) => string;

/** What it says with people's words, or where Discord blocks those, without them and with a sentence about that. */
export async function embedUnless(
  isBlocked: boolean,
  embedIn: (words: Words) => APIEmbed | Promise<APIEmbed>,
  sentence: string,
): Promise<APIEmbed> {
  if (!isBlocked) return embedIn((text) => text);
  const embed = await embedIn(() => '…');
  return { ...embed, description: [embed.description, sentence].filter(Boolean).join('\n') };
}
