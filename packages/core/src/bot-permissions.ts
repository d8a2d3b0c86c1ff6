import { entryOf, OPERATION_NAMES } from './operations/index.ts';
import { type DiscordPermission, permissionBits } from './permissions.ts';

/**
 * Permissions that the bot needs besides those of its operations: to see channels, to write to the log channel, and to
 * show the files of reported messages.
 */
const ALWAYS: readonly DiscordPermission[] = ['ViewChannel', 'SendMessages', 'EmbedLinks', 'AttachFiles'];

/** The permission bits in the bot's invitation: those above and those that its operations need. */
export const BOT_PERMISSIONS: bigint = permissionBits([
  ...ALWAYS,
  ...OPERATION_NAMES.flatMap((name) => entryOf(name).botPermissions ?? []),
]);
