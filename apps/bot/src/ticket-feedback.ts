import { directChannelOf } from '@bailiff/engine/cases/direct-channels';
import { type Closing, claimQuestion, feedbackJob, settleQuestion } from '@bailiff/engine/tickets/feedback';
import { translator } from '@bailiff/messages';
import { ButtonStyle, ComponentType } from 'discord.js';
import { escapedName } from './chat/text.ts';
import { sendDirectMessage } from './direct-message.ts';
import type { PerformerDeps } from './performers/deps.ts';
import { guildLocale } from './performers/guild-locale.ts';
import { momentOf } from './ticket-announcements.ts';

/** What the custom ids of the buttons begin with. The closing follows, and of a rating the number. */
export const FEEDBACK_BUTTONS = { rate: 'ticket:rate:', words: 'ticket:words:' } as const;

export const RATINGS = [1, 2, 3, 4, 5] as const;

/** A closing in a custom id. */
export function closingText({ ticketId, closedAt }: Closing): string {
  return `${ticketId}:${closedAt.getTime()}`;
}

/** How long a message waits for its turn, if the conversation has to be opened. It can be sent later. */
const TURN_MS = 300;

/** Asks the opener of a closed ticket how the help was, once for each closing. It does not say who helped. */
export async function askFeedback(deps: PerformerDeps, ticketId: string, signal: AbortSignal): Promise<void> {
  const { db } = deps;
  const claimed = await claimQuestion(db, ticketId);
  if (claimed === null) return;
  const { guild_id: guildId, guild_name, number, opened_by: userId, closed_at: closedAt } = claimed;
  const closing = { ticketId, closedAt };
  const content = translator(await guildLocale(deps, guildId), 'notices')('tickets.feedback', {
    number: String(number),
    guild: escapedName(guild_name),
  });
  const buttons = RATINGS.map((rating) => ({
    type: ComponentType.Button as const,
    style: ButtonStyle.Secondary as const,
    label: String(rating),
    custom_id: `${FEEDBACK_BUTTONS.rate}${closingText(closing)}:${rating}`,
  }));
  const message = {
    // Not that of the transcript, which Discord would take for the same message.
    id: momentOf(ticketId, new Date(closedAt.getTime() + 1)),
    userId,
    channelId: await directChannelOf(db, userId),
    content,
    components: [{ type: ComponentType.ActionRow as const, components: buttons }],
    isUrgent: false,
  };
  const turn = AbortSignal.timeout(TURN_MS);
  const { state, isForLater } = await sendDirectMessage(deps, message, { turn, signal });
  const isLater = isForLater && (await feedbackJob.later(db.pool, ticketId));
  await settleQuestion(db, closing, isLater ? null : state);
}
