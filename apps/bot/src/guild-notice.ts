import { guildSettings } from '@bailiff/engine/guilds/guild-settings';
import type { Locale } from '@bailiff/messages';
import type { Database } from '@bailiff/prisma';
import { Routes } from 'discord.js';
import { type DiscordApi, DiscordFailure } from './discord-api.ts';
import type { Logger } from './log.ts';
import { requireChannelOf } from './log-channel.ts';

/**
 * Posts a sentence to the moderators in a guild's log channel, if it has one. If Discord refuses, only the log says so.
 *
 * @param sentence in the guild's language
 */
export async function tellGuild(
  { db, api, log }: { readonly db: Database; readonly api: DiscordApi; readonly log: Logger },
  guildId: string,
  sentence: (language: Locale) => string,
  signal: AbortSignal,
): Promise<void> {
  const { logChannelId, language } = await guildSettings(db, guildId);
  if (logChannelId === null) return;
  try {
    await requireChannelOf(api, guildId, logChannelId, signal);
    const body = { content: sentence(language) };
    await api.send('POST', Routes.channelMessages(logChannelId), { signal, body });
  } catch (error) {
    if (!(error instanceof DiscordFailure)) throw error;
    log.warn({ err: error, guild_id: guildId }, 'the guild could not be told');
  }
}
