import { newRequestId } from '@bailiff/engine/calls/request-id';
import { directChannelOf } from '@bailiff/engine/cases/direct-channels';
import {
  claimNotice,
  type Notice,
  type NoticeFailure,
  type NoticeTo,
  settleNotice,
  waitingNotices,
} from '@bailiff/engine/tokens/rotation';
import { DEFAULT_LOCALE, localeOf, translator } from '@bailiff/messages';
import type { Database } from '@bailiff/prisma';
import { escapedName } from './chat/text.ts';
import { type DirectMessageState, sendDirectMessage } from './direct-message.ts';
import type { DiscordApi } from './discord-api.ts';
import { sendNoticesByTheMinute } from './jobs.ts';
import type { Logger } from './log.ts';
import type { BotMeter } from './metrics/bot-meter.ts';
import type { Paces } from './pacing.ts';

/** Most messages in one night: 25 to 40 new conversations at once get a bot quarantined (hazards H30). */
const NOTICES_PER_NIGHT = 10;
const NAMES_SHOWN = 10;

export interface NoticeDeps {
  readonly db: Database;
  readonly api: DiscordApi;
  readonly paces: Paces;
  readonly log: Logger;
  /** Absent if no metrics are kept. */
  readonly meter?: BotMeter | undefined;
  /** Origin of the dashboard, without a trailing slash. */
  readonly dashboardUrl: string;
}

/** Queues this night's messages. Those who have waited longest come first; the others wait for the next night. */
export async function scheduleNotices({ db }: Pick<NoticeDeps, 'db'>): Promise<void> {
  await sendNoticesByTheMinute(db.pool, await waitingNotices(db, NOTICES_PER_NIGHT));
}

/**
 * Sends an issuer one message about their tokens in a guild that must be rotated (spec §6). The banner does not depend
 * on it.
 */
export async function sendNotice(deps: NoticeDeps, to: NoticeTo, signal: AbortSignal): Promise<void> {
  const notice = await claimNotice(deps.db, to);
  if (notice === null) return;
  const failure = await deliver(deps, notice, signal);
  await settleNotice(deps.db, notice, failure);
  deps.log.info({ guild_id: to.guildId, user_id: to.userId, failure }, 'message about rotation');
}

async function deliver(deps: NoticeDeps, notice: Notice, signal: AbortSignal): Promise<NoticeFailure | null> {
  const { userId } = notice;
  const content = textOf(notice, deps.dashboardUrl);
  const channelId = await directChannelOf(deps.db, userId);
  const message = { id: newRequestId(), userId, channelId, content, isUrgent: false };
  const { state } = await sendDirectMessage(deps, message, { turn: signal, signal });
  return FAILURES[state];
}

const FAILURES = {
  told: null,
  closed: 'closed',
  absent: 'closed',
  not_sent: 'not_sent',
  unknown: 'unknown',
} as const satisfies Record<DirectMessageState, NoticeFailure | null>;

function textOf({ guildId, guildName, language, tokens }: Notice, dashboardUrl: string): string {
  const t = translator(localeOf(language) ?? DEFAULT_LOCALE, 'notices');
  const shown = tokens.slice(0, NAMES_SHOWN).map(({ name }) => `- ${escapedName(name)}`);
  const more = tokens.length - shown.length;
  return [
    t('rotation.head', { guild: escapedName(guildName) }),
    ...shown,
    ...(more > 0 ? [`- ${t('rotation.more', { count: String(more) })}`] : []),
    t('rotation.ask', { url: `${dashboardUrl}/guilds/${guildId}/tokens` }),
  ].join('\n');
}
