import type { Engine } from '@bailiff/engine/engine';
import { guildSettings } from '@bailiff/engine/guilds/guild-settings';
import { carryOutEscalation, type FailedEscalation } from '@bailiff/engine/worker/escalation-actions';
import { sayError, translator } from '@bailiff/messages';
import { Routes } from 'discord.js';
import { DiscordFailure } from './discord-api.ts';
import { requireChannelOf } from './log-channel.ts';
import { depsIn, type PerformerDeps } from './performers/deps.ts';

/** Carries out the escalation of a strike. If it fails, the guild is told once. */
export async function escalateStrike(
  engine: Engine,
  deps: PerformerDeps,
  strikeId: string,
  signal: AbortSignal,
): Promise<void> {
  const failed = await carryOutEscalation(engine, strikeId, deps.botUserId);
  if (failed === null) return;
  deps.log.warn({ strike_id: strikeId, code: failed.error?.code }, 'what a strike leads to did not happen');
  await notifyGuild(deps, failed, signal);
}

async function notifyGuild(
  deps: PerformerDeps,
  failed: FailedEscalation,
  signal: AbortSignal,
): Promise<void> {
  const { logChannelId, language } = await guildSettings(deps.db, failed.guildId);
  if (logChannelId === null) return;
  const say = translator(language, 'escalation');
  const content = say(`logNotDone.${failed.sanction}`, {
    number: String(failed.strikeNumber),
    user: `<@${failed.userId}>`,
    problem: failed.error === null ? '' : sayError(translator(language, 'errors'), failed.error),
  });
  const { api } = depsIn(deps, failed.guildId);
  try {
    await requireChannelOf(api, failed.guildId, logChannelId, signal);
    const body = { content, allowed_mentions: { parse: [] } };
    await api.send('POST', Routes.channelMessages(logChannelId), { signal, body });
  } catch (error) {
    if (!(error instanceof DiscordFailure)) throw error;
    deps.log.warn({ err: error, guild_id: failed.guildId }, 'the guild could not be told');
  }
}
