import { type APIApplication, ApplicationFlags, Routes } from 'discord.js';
import type { DiscordApi } from './discord-api.ts';

const WITH_CONTENT = ApplicationFlags.GatewayMessageContent | ApplicationFlags.GatewayMessageContentLimited;

/** Whether the Message Content Intent is switched on. */
export function hasMessageContent(application: APIApplication): boolean {
  const { flags = 0 } = application;
  return (flags & WITH_CONTENT) !== 0;
}

/**
 * Whether Discord shows the bot the text of messages: whether the Message Content Intent is switched on in the Developer
 * Portal. It can be switched at any time, so it is asked each time.
 *
 * @throws DiscordFailure
 */
export async function seesMessageContent(api: DiscordApi, signal: AbortSignal): Promise<boolean> {
  return hasMessageContent(await api.get<APIApplication>(Routes.currentApplication(), { signal }));
}
