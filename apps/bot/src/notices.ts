import {
  claimNotice,
  type Notice,
  type NoticeFailure,
  type NoticeTo,
  settleNotice,
  waitingNotices,
} from '@bailiff/engine';
import type { Database } from '@bailiff/prisma';
import { type APIDMChannel, RESTJSONErrorCodes as Code, escapeMarkdown, Routes } from 'discord.js';
import { type DiscordApi, DiscordFailure } from './discord-api.ts';
import { sendNoticesByTheMinute } from './jobs.ts';
import type { Logger } from './log.ts';

/** Of one night: 25 to 40 new conversations at once get a bot quarantined (hazards H30). */
const NOTICES_PER_NIGHT = 10;
const NAMES_SHOWN = 10;

export interface NoticeDeps {
  readonly db: Database;
  readonly api: DiscordApi;
  readonly log: Logger;
  /** Origin of the dashboard, without a trailing slash. */
  readonly publicUrl: string;
}

/** Sees to the messages of this night; who has waited longest is first, and the others wait for the next. */
export async function scheduleNotices({ db }: Pick<NoticeDeps, 'db'>): Promise<void> {
  await sendNoticesByTheMinute(db.pool, await waitingNotices(db, NOTICES_PER_NIGHT));
}

/** Tells an issuer which of their tokens in a guild must be rotated, once (spec §6). The banner does not depend on it. */
export async function sendNotice(deps: NoticeDeps, to: NoticeTo, signal: AbortSignal): Promise<void> {
  const notice = await claimNotice(deps.db, to);
  if (notice === null) return;
  const failure = await deliver(deps, notice, signal);
  await settleNotice(deps.db, notice, failure);
  deps.log.info({ guild_id: to.guildId, user_id: to.userId, failure }, 'message about rotation');
}

async function deliver(
  { api, publicUrl }: NoticeDeps,
  notice: Notice,
  signal: AbortSignal,
): Promise<NoticeFailure | null> {
  let wasOpened = false;
  try {
    const channel = (await api.send('POST', Routes.userChannels(), {
      signal,
      body: { recipient_id: notice.userId },
    })) as APIDMChannel;
    wasOpened = true;
    await api.send('POST', Routes.channelMessages(channel.id), {
      signal,
      body: { content: textOf(notice, publicUrl), allowed_mentions: { parse: [] } },
    });
    return null;
  } catch (error) {
    if (!(error instanceof DiscordFailure)) throw error;
    return failureOf(error, wasOpened);
  }
}

/** Who takes no messages from the bot, or does not exist any more. */
const CLOSED: readonly (number | undefined)[] = [
  Code.CannotSendMessagesToThisUser,
  Code.CannotSendMessagesToThisUserDueToHavingNoMutualGuilds,
  Code.InvalidRecipients,
  Code.UnknownUser,
];

function failureOf({ kind, code }: DiscordFailure, wasOpened: boolean): NoticeFailure {
  if (kind === 'refused' && CLOSED.includes(code)) return 'closed';
  // Opening a conversation tells nobody anything, so it may be tried again whatever became of it.
  return kind === 'unclear' && wasOpened ? 'unknown' : 'not_sent';
}

function textOf({ guildId, guildName, tokens }: Notice, publicUrl: string): string {
  const shown = tokens.slice(0, NAMES_SHOWN).map(({ name }) => `- ${escapeMarkdown(name)}`);
  const more = tokens.length - shown.length;
  return [
    `Tokens of yours in **${escapeMarkdown(guildName)}** have had the same secret for 180 days:`,
    ...shown,
    ...(more > 0 ? [`- and ${more} more`] : []),
    `They go on working. Please rotate them: ${publicUrl}/guilds/${guildId}/tokens`,
  ].join('\n');
}
