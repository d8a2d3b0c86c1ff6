import { directChannelOf } from '@bailiff/engine/cases/direct-channels';
import {
  claimTranscript,
  settleTranscript,
  sharedTranscript,
  transcriptJob,
} from '@bailiff/engine/tickets/shared-transcripts';
import { transcriptPage } from '@bailiff/engine/tickets/transcript-page';
import { translator } from '@bailiff/messages';
import { escapedName } from './chat/text.ts';
import { sendDirectMessage } from './direct-message.ts';
import type { PerformerDeps } from './performers/deps.ts';
import { guildLocale } from './performers/guild-locale.ts';
import { momentOf } from './ticket-announcements.ts';

/** How long a message waits for its turn, if the conversation has to be opened. It can be sent later. */
const TURN_MS = 300;

/** Sends the opener of a closed ticket what was written in it, once. If the message's turn does not come: later. */
export async function sendTranscript(
  deps: PerformerDeps,
  ticketId: string,
  signal: AbortSignal,
): Promise<void> {
  const { db } = deps;
  const claimed = await claimTranscript(db, ticketId);
  if (claimed === null) return;
  const { guild_id: guildId, number, opened_by: userId, closed_at: closedAt } = claimed;
  const channelId = await directChannelOf(db, userId);
  // Whoever waits for a turn in vain would only keep the one place for files from a report.
  const hasTurn = channelId !== null || (await deps.paces.hasLaterTurn());
  if (!hasTurn && (await transcriptJob.later(db.pool, ticketId)))
    return settleTranscript(db, ticketId, closedAt, null);
  const shared = await sharedTranscript(db, guildId, number);
  if (shared === null) return settleTranscript(db, ticketId, closedAt, null);
  const locale = await guildLocale(deps, guildId);
  const content = translator(locale, 'notices')('tickets.transcript', {
    number: String(number),
    guild: escapedName(shared.guildName),
  });
  const message = {
    id: momentOf(ticketId, closedAt),
    userId,
    channelId,
    content,
    files: [
      {
        name: `ticket-${number}.html`,
        data: Buffer.from(await transcriptPage(shared, locale)),
        contentType: 'text/html; charset=utf-8',
      },
    ],
    isUrgent: false,
  };
  const turn = AbortSignal.timeout(TURN_MS);
  const { state, isForLater } = await sendDirectMessage(deps, message, { turn, signal });
  const isLater = isForLater && (await transcriptJob.later(db.pool, ticketId));
  await settleTranscript(db, ticketId, closedAt, isLater ? null : state);
}
