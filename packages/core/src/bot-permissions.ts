import { entryOf, OPERATION_NAMES } from './operations/index.ts';
import { type DiscordPermission, permissionBits } from './permissions.ts';

/** What the bot needs whatever it does: to see channels, and to write into the log channel and to people. */
const ALWAYS: readonly DiscordPermission[] = ['ViewChannel', 'SendMessages', 'EmbedLinks'];

/** Discord's permission bits that the bot is invited with: what its operations need, and nothing else. */
export const BOT_PERMISSIONS: bigint = permissionBits([
  ...ALWAYS,
  ...OPERATION_NAMES.flatMap((name) => entryOf(name).botPermissions ?? []),
]);
