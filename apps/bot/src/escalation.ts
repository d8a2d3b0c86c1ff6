import type { Engine } from '@bailiff/engine/engine';
import { carryOutEscalation, type FailedEscalation } from '@bailiff/engine/worker/escalation-actions';
import { type Locale, sayError, translator } from '@bailiff/messages';
import { tellGuild } from './guild-notice.ts';
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

function notifyGuild(deps: PerformerDeps, failed: FailedEscalation, signal: AbortSignal): Promise<void> {
  const say = (language: Locale) =>
    translator(language, 'escalation')(`logNotDone.${failed.sanction}`, {
      number: String(failed.strikeNumber),
      user: `<@${failed.userId}>`,
      problem: failed.error === null ? '' : sayError(translator(language, 'errors'), failed.error),
    });
  return tellGuild(depsIn(deps, failed.guildId), failed.guildId, say, signal);
}
