import { guildSettings } from '@bailiff/engine/guilds/guild-settings';
import { translator } from '@bailiff/messages';
import type { Database } from '@bailiff/prisma';
import { Routes } from 'discord.js';
import { type DiscordApi, DiscordFailure } from './discord-api.ts';
import type { Logger } from './log.ts';
import { requireChannelOf } from './log-channel.ts';

/** Posts in a guild's log channel that manual actions are not recorded, and what to do about it. */
export async function sendUnreadableNotice(
  { db, api, log }: { db: Database; api: DiscordApi; log: Logger },
  guildId: string,
  signal: AbortSignal,
): Promise<void> {
  const { logChannelId, language } = await guildSettings(db, guildId);
  if (logChannelId === null) return;
  const content = translator(language, 'notices')('log.handUnseen');
  try {
    await requireChannelOf(api, guildId, logChannelId, signal);
    const body = { content, allowed_mentions: { parse: [] } };
    await api.send('POST', Routes.channelMessages(logChannelId), { signal, body });
  } catch (error) {
    if (!(error instanceof DiscordFailure)) throw error;
    log.warn({ err: error, guild_id: guildId }, 'the guild could not be told');
  }
}
