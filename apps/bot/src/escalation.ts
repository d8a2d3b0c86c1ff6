import type { Transaction } from '@bailiff/engine/database/transaction';
import type { Engine } from '@bailiff/engine/engine';
import { carryOutEscalation, type FailedEscalation } from '@bailiff/engine/worker/escalation-actions';
import { type Locale, sayError, translator } from '@bailiff/messages';
import { tellGuild } from './guild-notice.ts';
import type { PerformerDeps } from './performers/deps.ts';

/** Carries out the escalation of a strike. If it fails, the guild is told once. */
export async function escalateStrike(
  engine: Engine,
  { botUserId, log }: Pick<PerformerDeps, 'botUserId' | 'log'>,
  strikeId: string,
): Promise<void> {
  await carryOutEscalation(engine, strikeId, botUserId, async (tx, failed) => {
    log.warn({ strike_id: strikeId, code: failed.error?.code }, 'what a strike leads to did not happen');
    await notifyGuild(tx, strikeId, failed);
  });
}

function notifyGuild(tx: Transaction, strikeId: string, failed: FailedEscalation): Promise<void> {
  const say = (language: Locale) =>
    translator(language, 'escalation')(`logNotDone.${failed.sanction}`, {
      number: String(failed.strikeNumber),
      user: `<@${failed.userId}>`,
      problem: failed.error === null ? '' : sayError(translator(language, 'errors'), failed.error),
    });
  return tellGuild(tx, { guildId: failed.guildId, about: strikeId }, say);
}
