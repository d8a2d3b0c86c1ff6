import { ApiError, type InputOf } from '@bailiff/core';
import type { ActionError } from '@bailiff/engine/calls/actions';
import { newRequestId } from '@bailiff/engine/calls/request-id';
import { performWrite } from '@bailiff/engine/calls/write-call';
import { inTransaction } from '@bailiff/engine/database/transaction';
import type { Engine } from '@bailiff/engine/engine';
import {
  dropDueMeasure,
  dueMeasure,
  endOtherMeasures,
  type MeasureKey,
  type MeasureState,
  noteMeasureEndFailed,
  roleOfSubject,
} from '@bailiff/engine/guilds/measures';
import { type Locale, sayError, translator } from '@bailiff/messages';
import { tellGuild } from './guild-notice.ts';
import type { JobPayloads } from './jobs.ts';
import { ownReason } from './own-reasons.ts';
import type { PerformerDeps } from './performers/deps.ts';

interface EndingDeps {
  readonly engine: Engine;
  readonly deps: PerformerDeps;
}

/**
 * Ends a slowmode or a lock whose time is over, as an action of the system with the same checks, record and performer as
 * any other. If the guild must do something first, it is told, and the hourly job tries some of its kind again: when one
 * of them has ended, all others are tried. Throws if the queue should try again sooner.
 */
export async function endMeasure(
  { engine, deps }: EndingDeps,
  { guild_id: guildId, kind, subject_id: subjectId, follows }: JobPayloads['end_measure'],
): Promise<void> {
  const key = { guildId, kind, subjectId };
  const due = await dueMeasure(deps.db, key);
  if (due === null) return;
  try {
    await performWrite(engine, {
      ...endingOf(key, due.before, await ownReason(deps, guildId, OVER[kind])),
      guildId,
      actor: { source: 'system', userId: deps.botUserId },
      requestId: newRequestId(),
      address: null,
    });
    deps.log.info({ guild_id: guildId, kind, subject_id: subjectId }, 'a measure has ended');
    if (due.wasRefused && follows !== true) await endOtherMeasures(deps.db.pool, key);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // The channel is gone, and the measure with it; or somebody has given it another end meanwhile, and it stays.
    if (error.code === 'NOT_FOUND') return dropDueMeasure(deps.db, key);
    if (error.code !== 'FORBIDDEN') throw error;
    await tellNotEnded(deps, key, error);
  }
}

const OVER = { slowmode: 'slowmodeOver', role: 'roleOver', lock: 'lockOver' } as const;

function endingOf({ guildId, kind, subjectId }: MeasureKey, { seconds = 0 }: MeasureState, reason: string) {
  if (kind === 'slowmode') {
    const input: InputOf<'channels.slowmode'> = { channel_id: subjectId, slowmode_seconds: seconds, reason };
    return { operation: 'channels.slowmode', input } as const;
  }
  if (kind === 'role') {
    const { userId, roleId } = roleOfSubject(subjectId);
    return { operation: 'roles.end', input: { user_id: userId, role_id: roleId, reason } } as const;
  }
  return subjectId === guildId
    ? ({ operation: 'channels.reopen', input: { reason } } as const)
    : ({ operation: 'channels.unlock', input: { channelId: subjectId, reason } } as const);
}

/** Tells the moderators once that something stands whose time is over. */
async function tellNotEnded(
  { db, log }: PerformerDeps,
  key: MeasureKey,
  failure: Pick<ActionError, 'code' | 'message' | 'details'>,
): Promise<void> {
  const { guildId, kind, subjectId } = key;
  const isGuild = subjectId === guildId;
  const sentence = (language: Locale) => {
    const t = translator(language, 'notices');
    const problem = sayError(translator(language, 'errors'), failure as ActionError);
    if (kind === 'role') {
      const { userId, roleId } = roleOfSubject(subjectId);
      return t('log.roleNotEnded', { role: `<@&${roleId}>`, user: `<@${userId}>`, problem });
    }
    return t('log.notEnded', {
      what: isGuild ? 'lockdown' : kind,
      where: isGuild ? 'no' : 'yes',
      channel: `<#${subjectId}>`,
      problem,
    });
  };
  await inTransaction(db, async (tx) => {
    if (!(await noteMeasureEndFailed(tx, key))) return;
    log.warn({ guild_id: guildId, kind, code: failure.code }, 'a measure could not be ended in time');
    await tellGuild(tx, { guildId, about: `${kind}:${subjectId}` }, sentence);
  });
}
