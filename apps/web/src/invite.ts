/** Discord's permission bits the bot uses, and what for. Nothing else is asked for when it is invited. */
const PERMISSIONS = [
  1n << 2n, // Ban Members: bans
  1n << 4n, // Manage Channels: the channels of tickets
  1n << 7n, // View Audit Log: to find out how an interrupted action ended
  1n << 10n, // View Channels
  1n << 11n, // Send Messages: the log channel, tickets
  1n << 13n, // Manage Messages: purge
  1n << 14n, // Embed Links: the log channel
  1n << 16n, // Read Message History: purge, transcripts
  1n << 40n, // Moderate Members: mutes
];

export const BOT_PERMISSIONS = PERMISSIONS.reduce((bits, bit) => bits | bit, 0n);

/** Where the owner of a guild adds the bot to it. */
export function inviteUrl(config: { discordApiUrl: string; discordClientId: string }): string {
  const url = new URL(`${config.discordApiUrl}/oauth2/authorize`);
  url.searchParams.set('client_id', config.discordClientId);
  url.searchParams.set('scope', 'bot applications.commands');
  url.searchParams.set('permissions', String(BOT_PERMISSIONS));
  return url.href;
}
