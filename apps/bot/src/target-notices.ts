import type { ActionRecord } from '@bailiff/engine/calls/actions';
import {
  claimCaseNotice,
  claimNoticeBefore,
  deliveredNotice,
  giveBackNotice,
  type NoticeOutcome,
  settleTargetNotice,
  type TargetNotice,
} from '@bailiff/engine/cases/case-notices';
import { DEFAULT_LOCALE, localeOf, sayToTarget, translator } from '@bailiff/messages';
import type { Database } from '@bailiff/prisma';
import { RESTJSONErrorCodes as Code, escapeMarkdown, Routes } from 'discord.js';
import { oneLine } from './chat/text.ts';
import { sendDirectMessage } from './direct-message.ts';
import { type DiscordApi, DiscordFailure } from './discord-api.ts';
import { notifyTargetLater } from './jobs.ts';
import type { Logger } from './log.ts';
import type { Paces } from './pacing.ts';

interface NoticeDeps {
  readonly db: Database;
  readonly api: DiscordApi;
  readonly paces: Paces;
  readonly log: Logger;
}

/** The longest that a ban waits for the message before it: for its turn, and for Discord to accept it. */
const BAN_TURN_MS = 100;
const BAN_MESSAGE_MS = 2_000;
/** A strike or mute is already done, so its message can wait for its turn in the database's queue. */
const TURN_MS = 300;
const MESSAGE_MS = 5_000;
const LONGEST_REASON = 1_000;

/**
 * Sends a user a message about the sanction that they are about to get, because the bot may not reach them afterwards.
 * Never throws if the message cannot be delivered, and never sends it twice (decisions: Notices).
 */
export async function announceSanction(
  deps: NoticeDeps,
  { id: actionId, guildId, requestId }: ActionRecord,
  sanction: Pick<TargetNotice, 'kind' | 'userId' | 'durationMinutes'> & { readonly reason: string },
  isMember: boolean,
): Promise<void> {
  try {
    const notice = await claimNoticeBefore(deps.db, { actionId, guildId, ...sanction });
    if (notice === null) return;
    const outcome = isMember ? await deliver(deps, notice, BAN_TURN_MS, BAN_MESSAGE_MS) : ABSENT;
    await settleTargetNotice(deps.db, notice, outcome);
  } catch (error) {
    // The database is unavailable. Nothing about the sanction is uncertain yet, and a message that cannot be recorded
    // must not make it so.
    deps.log.error(
      { err: error, action_id: actionId, request_id: requestId },
      'it is not known whether a sanction was announced',
    );
  }
}

const ABSENT: NoticeOutcome = { state: 'absent' };

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
  const outcome = await deliver(deps, notice, TURN_MS, MESSAGE_MS);
  if (outcome.state === 'not_sent' && (await notifyTargetLater(deps.db.pool, caseId))) {
    await giveBackNotice(deps.db, notice.actionId);
    return;
  }
  await settleTargetNotice(deps.db, notice, outcome, caseId);
}

async function deliver(
  { api, paces, log }: NoticeDeps,
  notice: TargetNotice,
  turnMs: number,
  messageMs: number,
): Promise<NoticeOutcome> {
  const message = { id: notice.actionId, userId: notice.userId, content: textOf(notice) };
  try {
    return await paces.paceDirectMessages(
      () => sendDirectMessage(api, message, AbortSignal.timeout(messageMs)),
      AbortSignal.timeout(turnMs),
    );
  } catch (error) {
    if (!(error instanceof DiscordFailure)) throw error;
    log.info({ action_id: notice.actionId }, 'no turn for a direct message');
    return { state: 'not_sent' };
  }
}

/** The text of the message: what happened, where, why, for how long, and how it ends. It does not say who did it. */
function textOf(notice: TargetNotice): string {
  const locale = localeOf(notice.language) ?? DEFAULT_LOCALE;
  const t = translator(locale, 'notices');
  const date = notice.expiresAt === null ? null : `<t:${Math.floor(notice.expiresAt.getTime() / 1000)}:f>`;
  const { what, ending } = sayToTarget(locale, escapeMarkdown(notice.guildName), { ...notice, date });
  const reason =
    notice.reason === null
      ? ''
      : t('target.reason', { reason: escapeMarkdown(oneLine(notice.reason, LONGEST_REASON)) });
  return [what, reason, ending].filter(Boolean).join('\n');
}
