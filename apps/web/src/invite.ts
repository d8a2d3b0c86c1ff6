import { BOT_PERMISSIONS } from '@bailiff/core';

/** The address at which an owner adds the bot to a guild. */
export function inviteUrl(config: { discordApiUrl: string; discordClientId: string }): string {
  const url = new URL(`${config.discordApiUrl}/oauth2/authorize`);
  url.searchParams.set('client_id', config.discordClientId);
  url.searchParams.set('scope', 'bot applications.commands');
  url.searchParams.set('permissions', String(BOT_PERMISSIONS));
  return url.href;
}
