import { fillNotice } from '@bailiff/core';
import type { ActionRecord } from '@bailiff/engine/calls/actions';
import {
  claimCaseNotice,
  claimNoticeBefore,
  deliveredNotice,
  settleTargetNotice,
  type TargetNotice,
} from '@bailiff/engine/cases/case-notices';
import { DEFAULT_LOCALE, localeOf, sayToTarget, translator } from '@bailiff/messages';
import type { Database } from '@bailiff/prisma';
import { type APIEmbed, RESTJSONErrorCodes as Code, Routes } from 'discord.js';
import { beginning, escapedLine, escapedName, oneLine, withoutMaskedLinks } from './chat/text.ts';
import { type DirectMessage, sendDirectMessage } from './direct-message.ts';
import { type DiscordApi, DiscordFailure } from './discord-api.ts';
import { meaningOf } from './discord-errors.ts';
import { postCaseLater, putOffNotice } from './jobs.ts';
import type { Logger } from './log.ts';
import type { BotMeter } from './metrics/bot-meter.ts';
import { type Paces, pacedApi } from './pacing.ts';
import { findMember } from './performers/members.ts';

interface NoticeDeps {
  readonly db: Database;
  readonly api: DiscordApi;
  readonly paces: Paces;
  readonly log: Logger;
  /** Where people appeal. */
  readonly dashboardUrl: string;
  /** Absent if no metrics are kept. */
  readonly meter?: BotMeter | undefined;
}

/** The longest that a ban waits for the message before it. */
const BEFORE: Haste = { isUrgent: true, turnMs: 1_000, messageMs: 2_000 };
/** A strike or mute is already done, so its message can wait for its turn in the database's queue. */
const AFTERWARDS: Haste = { isUrgent: false, turnMs: 300, messageMs: 5_000 };
const LONGEST_REASON = 1_000;
const LONGEST_GUILD_NAME = 100;
/** The longest description of an embed that Discord takes. */
const LONGEST_DESCRIPTION = 4_096;
/** Stands for a placeholder of the guild's own words that has no value. */
const NOTHING = '—';

/**
 * Sends a member a message about the sanction that they are about to get, because the bot may not reach them afterwards.
 * Never throws if the message cannot be delivered, and never sends it twice (decisions: Notices).
 *
 * @param signal when it fires, nobody waits for the message any longer
 * @returns a promise that never rejects, and resolves when the result of the message is recorded
 */
export async function announceSanction(
  deps: NoticeDeps,
  { guildId, requestId }: ActionRecord,
  sanction: Pick<TargetNotice, 'actionId' | 'kind' | 'userId' | 'durationMinutes'> & {
    readonly reason: string;
  },
  signal: AbortSignal,
): Promise<{ readonly recorded: Promise<void> }> {
  // The database is unavailable. Nothing about the sanction is uncertain yet, and a message that cannot be recorded must
  // not make it so.
  const unrecorded = (error: unknown) =>
    deps.log.error(
      { err: error, action_id: sanction.actionId, request_id: requestId },
      'it is not known whether a sanction was announced',
    );
  try {
    const notice = await claimNoticeBefore(deps.db, { guildId, ...sanction });
    if (notice === null) return { recorded: Promise.resolve() };
    const outcome = await deliver(deps, notice, BEFORE, signal);
    return { recorded: settleTargetNotice(deps.db, notice, outcome).catch(unrecorded) };
  } catch (error) {
    unrecorded(error);
    return { recorded: Promise.resolve() };
  }
}

/** Deletes the message about a ban that certainly did not happen. Throws if the queue should try again. */
export async function withdrawAnnouncement(
  { db, api }: NoticeDeps,
  actionId: string,
  signal: AbortSignal,
): Promise<void> {
  const delivered = await deliveredNotice(db, actionId);
  if (delivered === null) return;
  const { guildId, channelId, messageId } = delivered;
  await api
    .send('DELETE', Routes.channelMessage(channelId, messageId), { signal })
    .catch((error: unknown) => {
      if (!(error instanceof DiscordFailure && error.code === Code.UnknownMessage)) throw error;
    });
  await settleTargetNotice(db, { actionId, guildId }, { state: 'withdrawn', channelId, messageId });
}

/** Sends the target of an opened case a message, once. If its turn does not come, it is tried again later. */
export async function notifyTarget(deps: NoticeDeps, caseId: string): Promise<void> {
  const notice = await claimCaseNotice(deps.db, caseId);
  if (notice === null) return;
  const outcome = await deliver(deps, notice, AFTERWARDS);
  if (outcome.isForLater && (await putOffNotice(deps.db.pool, caseId))) return;
  await settleTargetNotice(deps.db, notice, outcome, caseId);
  // Its post in the log channel says who was not told.
  if (outcome.state !== 'told') await postCaseLater(deps.db.pool, caseId);
}

interface Haste {
  /** Whether the message cannot be sent later. */
  readonly isUrgent: boolean;
  /** How long it waits for its turn, if the conversation has to be opened. */
  readonly turnMs: number;
  readonly messageMs: number;
}

async function deliver(
  deps: NoticeDeps,
  notice: TargetNotice,
  { isUrgent, turnMs, messageMs }: Haste,
  until: AbortSignal = AbortSignal.timeout(messageMs),
): Promise<DirectMessage> {
  const { actionId: id, userId, channelId } = notice;
  // Whoever waits for a turn in vain would only keep a place from other jobs.
  if (!isUrgent && channelId === null && !(await deps.paces.hasLaterTurn()))
    return { state: 'not_sent', isForLater: true };
  const signal = AbortSignal.any([AbortSignal.timeout(messageMs), until]);
  // A ban has looked already. A strike takes any id, also that of a member of another guild only.
  const kept = isUrgent ? null : await keptFrom(deps, notice, signal);
  if (kept !== null) return kept;
  const turn = AbortSignal.any([AbortSignal.timeout(turnMs), until]);
  const message = { id, userId, channelId, ...messageOf(notice, deps.dashboardUrl), isUrgent };
  const outcome = await sendDirectMessage(deps, message, { turn, signal });
  if (outcome.state === 'not_sent') deps.log.info({ action_id: id }, 'a direct message was not sent');
  return outcome;
}

/** The result if the message must not be sent: Discord says that they are not a member of the guild, or does not say. */
async function keptFrom(
  { api, paces }: NoticeDeps,
  { guildId, userId }: TargetNotice,
  signal: AbortSignal,
): Promise<DirectMessage | null> {
  try {
    const member = await findMember({ api: pacedApi(api, paces, guildId) }, guildId, userId, signal);
    return member === null ? { state: 'absent', isForLater: false } : null;
  } catch (error) {
    if (!(error instanceof DiscordFailure)) throw error;
    // A guild that has removed the bot meanwhile would be asked about each of its people again and again.
    return { state: 'not_sent', isForLater: meaningOf(error) === 'temporary' };
  }
}

/**
 * The message: what happened, where, why, for how long, how it ends, and where to appeal it. It does not say who did it.
 * What the guild itself adds stands apart, under its name, so that it never passes for Bailiff's own lines. Where Discord
 * blocks the reason or those words, both are left out.
 */
function messageOf(
  notice: TargetNotice,
  dashboardUrl: string,
): {
  readonly content: string;
  readonly embeds: readonly APIEmbed[];
  readonly withoutWords: { readonly content: string } | undefined;
} {
  const locale = localeOf(notice.language) ?? DEFAULT_LOCALE;
  const t = translator(locale, 'notices');
  const date = notice.expiresAt === null ? null : `<t:${Math.floor(notice.expiresAt.getTime() / 1000)}:f>`;
  const guild = escapedName(notice.guildName);
  const { what, ending } = sayToTarget(locale, guild, { ...notice, date });
  const reason = notice.reason === null ? null : escapedLine(notice.reason, LONGEST_REASON);
  // Of a ban there is no case yet, so the address has the id of its action.
  const url = notice.isAppealable ? `${dashboardUrl}/appeal/${notice.actionId}` : null;
  const contentWith = (why: string) =>
    [what, why, ending, url === null ? '' : t('target.appeal', { url })].filter(Boolean).join('\n');
  const own = fillNotice(notice.ownWords, {
    server: guild,
    reason: reason ?? NOTHING,
    until: date ?? NOTHING,
    appeal: url ?? NOTHING,
  });
  const from = t('target.from', { guild: oneLine(notice.guildName, LONGEST_GUILD_NAME) });
  const embed = {
    author: { name: from },
    description: beginning(withoutMaskedLinks(own), LONGEST_DESCRIPTION),
    color: notice.colour,
  };
  return {
    content: contentWith(reason === null ? '' : t('target.reason', { reason })),
    embeds: own === '' ? [] : [embed],
    withoutWords:
      reason === null && own === '' ? undefined : { content: contentWith(t('target.wordsBlocked')) },
  };
}
