import {
  APPEALABLE,
  ApiError,
  type AppealableKind,
  type AppealSettings,
  type AppealSettingsChanges,
  type Issue,
} from '@bailiff/core';
import type { WordedIssue } from '@bailiff/core/issue-words';
import type { Database } from '@bailiff/prisma';
import { type DashboardCall, recordChange, requireFreshSession } from '#src/calls/dashboard-call.ts';
import { given } from '#src/database/given.ts';
import type { Transaction } from '#src/database/transaction.ts';
import { changeAsOwner } from '#src/guilds/guilds.ts';

const NOTHING: AppealSettings = {
  kinds: [],
  introduction: '',
  questions: [],
  cooldown_days: 0,
  votes_needed: 0,
  channel_id: null,
};

/** What a guild has set about appeals. The caller decides who may see it. */
export async function appealSettings(
  { prisma }: Pick<Transaction, 'prisma'>,
  guildId: string,
): Promise<AppealSettings> {
  const row = await prisma.appealSettings.findFirst({ where: { guildId } });
  if (row === null) return NOTHING;
  return {
    kinds: APPEALABLE.filter((kind: AppealableKind) => row.kinds.includes(kind)),
    introduction: row.introduction,
    questions: row.questions,
    cooldown_days: row.cooldownDays,
    votes_needed: row.votesNeeded,
    channel_id: row.channelId,
  };
}

/**
 * Changes what people may appeal in a guild that the user owns, and what they are asked. Returns what is set then.
 *
 * @throws ApiError as `ownedGuild`; VALIDATION_FAILED if something could be appealed and nothing were asked;
 * UNAUTHORIZED SIGN_IN_AGAIN for another channel if the session is too old
 */
export async function updateAppealSettings(
  db: Database,
  call: DashboardCall,
  guildId: string,
  changes: AppealSettingsChanges,
): Promise<AppealSettings> {
  return changeAsOwner(db, call, guildId, async (tx) => {
    const before = await appealSettings(tx, guildId);
    const settings = { ...before, ...given(changes) };
    if (settings.kinds.length > 0 && settings.questions.length === 0) throw questionNeeded();
    const row = {
      kinds: settings.kinds,
      introduction: settings.introduction,
      questions: settings.questions,
      cooldownDays: settings.cooldown_days,
      votesNeeded: settings.votes_needed,
      channelId: settings.channel_id,
    };
    await tx.prisma.appealSettings.upsert({ where: { guildId }, create: { guildId, ...row }, update: row });
    await recordChange(tx, call, {
      guildId,
      operation: 'appeals.settings',
      details: changes,
    });
    // Whoever reads the channel then reads of every appeal.
    if (settings.channel_id !== null && settings.channel_id !== before.channel_id)
      await requireFreshSession(tx);
    return settings;
  });
}

function questionNeeded(): ApiError {
  const message = 'must have at least one question';
  const issue = { path: 'questions', message, say: { key: 'questionNeeded' } } satisfies WordedIssue & Issue;
  return new ApiError('VALIDATION_FAILED', `questions: ${message}.`, {
    status: 422,
    details: { issues: [issue] },
  });
}
