import type { ActionError } from '@bailiff/engine/calls/actions';
import { noteLogChannel } from '@bailiff/engine/cases/case-posts';
import { POSTING } from '@bailiff/engine/guilds/channel-choices';
import { guildSettings } from '@bailiff/engine/guilds/guild-settings';
import { tellChannelTest } from '@bailiff/engine/guilds/test-channel';
import { translator } from '@bailiff/messages';
import { Routes } from 'discord.js';
import { type AccessDeps, requireAccess } from './channel-access.ts';
import { DiscordFailure } from './discord-api.ts';
import { discordFailed, usualRefusal } from './discord-errors.ts';
import type { JobPayloads } from './jobs.ts';

/** Nobody waits for the answer any more. */
const TOO_LATE_MS = 8_000;

/** Posts a test in a channel of a guild, and tells its owner, who waits, how it went. */
export async function answerChannelTest(
  deps: AccessDeps,
  { guild_id: guildId, channel_id: channelId, request_id: requestId, asked_at }: JobPayloads['test_channel'],
  signal: AbortSignal,
): Promise<void> {
  if (Date.now() - Date.parse(asked_at) > TOO_LATE_MS) return;
  const { language } = await guildSettings(deps.db, guildId);
  const description = translator(language, 'notices')('log.test');
  const error = await post(deps, { guildId, channelId, description, signal });
  // The dashboard says no longer that the log channel is broken.
  if (error === null) await noteLogChannel(deps.db, guildId, channelId, null);
  await tellChannelTest(deps.db.pool, requestId, error);
}

async function post(
  deps: AccessDeps,
  to: { guildId: string; channelId: string; description: string; signal: AbortSignal },
): Promise<ActionError | null> {
  const { channelId, description, signal } = to;
  try {
    const allowed = await requireAccess(deps, to, ...POSTING);
    if ('refusal' in allowed) return allowed.refusal;
    const body = { embeds: [{ description }] };
    await deps.api.send('POST', Routes.channelMessages(channelId), { signal, body });
    return null;
  } catch (error) {
    if (!(error instanceof DiscordFailure)) throw error;
    if (error.kind !== 'unclear') return usualRefusal(error);
    return { ...discordFailed(`${error.message}.`), details: { upstream: 'discord', outcome: 'unknown' } };
  }
}
