import type { AppealableKind, AppealSettings } from '@bailiff/core';
import { APPEALABLE } from '@bailiff/core';
import type { Database } from '@bailiff/prisma';
import { type DashboardCall, recordChange, requireFreshSession } from '#src/calls/dashboard-call.ts';
import { inTransaction } from '#src/database/transaction.ts';
import { lockOwnedGuild, ownedGuild } from '#src/guilds/guilds.ts';

const NOTHING: AppealSettings = {
  kinds: [],
  introduction: '',
  questions: [],
  cooldown_days: 0,
  votes_needed: 0,
  channel_id: null,
};

/** What a guild has set about appeals. The caller decides who may see it. */
export async function appealSettings({ prisma }: Database, guildId: string): Promise<AppealSettings> {
  const row = await prisma.appealSettings.findUnique({ where: { guildId } });
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
 * Sets what people may appeal in a guild that the user owns, and what they are asked.
 *
 * @throws ApiError as `ownedGuild`; UNAUTHORIZED SIGN_IN_AGAIN for another channel if the session is too old
 */
export async function updateAppealSettings(
  db: Database,
  call: DashboardCall,
  guildId: string,
  wanted: AppealSettings,
): Promise<AppealSettings> {
  await ownedGuild(db, guildId, call.userId, { needsMirror: true });
  return inTransaction(db, async (tx) => {
    await lockOwnedGuild(tx, guildId, call.userId);
    const before = await tx.prisma.appealSettings.findFirst({
      where: { guildId },
      select: { channelId: true },
    });
    const row = {
      kinds: [...wanted.kinds],
      introduction: wanted.introduction,
      questions: [...wanted.questions],
      cooldownDays: wanted.cooldown_days,
      votesNeeded: wanted.votes_needed,
      channelId: wanted.channel_id,
    };
    await tx.prisma.appealSettings.upsert({ where: { guildId }, create: { guildId, ...row }, update: row });
    await recordChange(tx, call, {
      guildId,
      operation: 'appeals.settings',
      target: { type: 'guild', id: guildId },
      details: wanted,
    });
    // Whoever reads the channel then reads of every appeal.
    if (wanted.channel_id !== null && wanted.channel_id !== before?.channelId) await requireFreshSession(tx);
    return wanted;
  });
}
