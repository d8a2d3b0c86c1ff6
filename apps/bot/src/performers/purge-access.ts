import type { InputOf } from '@bailiff/core';
import { forbidden, notFound } from '@bailiff/engine/calls/action-errors';
import type { ActionError } from '@bailiff/engine/calls/actions';
import { ChannelType, RESTJSONErrorCodes as Code } from 'discord.js';
import { type AccessDeps, requireAccess } from '#src/channel-access.ts';
import type { DiscordFailure } from '#src/discord-api.ts';
import { meaningOf, usualRefusal } from '#src/discord-errors.ts';
import { seesMessageContent } from '#src/message-content.ts';
import { missingPermissions } from './members.ts';

/** Channels that hold no messages themselves. */
const WITHOUT_MESSAGES: readonly ChannelType[] = [
  ChannelType.GuildCategory,
  ChannelType.GuildForum,
  ChannelType.GuildMedia,
];

const NEEDED = ['ViewChannel', 'ReadMessageHistory', 'ManageMessages'] as const;

/**
 * Why a purge cannot be done. Null if it can. Without this check Discord would show the bot no messages, and the answer
 * would be that there is nothing to delete.
 *
 * @throws DiscordFailure
 */
export async function purgeRefusal(
  deps: AccessDeps,
  { guildId, input }: { guildId: string; input: InputOf<'messages.purge'> },
  signal: AbortSignal,
): Promise<ActionError | null> {
  const place = { guildId, channelId: input.channel_id, signal };
  const [found, seesText] = await Promise.all([
    requireAccess(deps, place, ...NEEDED),
    input.contains === undefined || seesMessageContent(deps.api, signal),
  ]);
  if ('refusal' in found) return found.refusal;
  const { type } = found.access;
  if (WITHOUT_MESSAGES.includes(type)) return forbidden('CHANNEL_KIND');
  return seesText ? null : forbidden('MESSAGE_CONTENT_REQUIRED');
}

/** What a refusal of Discord means that came although the purge seemed possible. */
export function purgeFailure(failure: DiscordFailure, channelId: string): ActionError {
  if (failure.code === Code.UnknownChannel) return notFound('channel', channelId);
  return meaningOf(failure) === 'BOT_MISSING_PERMISSION'
    ? missingPermissions(NEEDED, { id: channelId, name: null })
    : usualRefusal(failure);
}
