import { MOST_FEEDBACK_CHARACTERS } from '@bailiff/core';
import { explainRating, rateTicket } from '@bailiff/engine/tickets/feedback';
import { DEFAULT_LOCALE, localeOf, translator } from '@bailiff/messages';
import { ButtonStyle, ComponentType, type Interaction, TextInputStyle } from 'discord.js';
import { closingText, FEEDBACK_BUTTONS } from '#src/ticket-feedback.ts';
import { answerInPlace } from './answered-in-place.ts';
import type { Answering } from './answering.ts';
import { textField } from './forms.ts';

const CUSTOM_ID = /^ticket:(?:rate|words):(tkt_[0-9a-f]{32}):(\d{12,15})(?::([1-5]))?$/;
const WORDS_ID = 'words';

/**
 * Answers the buttons and the form of the question how the help with a ticket was. They are in direct messages, where
 * Discord names no guild.
 */
export async function answerFeedback(deps: Answering, interaction: Interaction): Promise<void> {
  const isButton = interaction.isButton();
  if (!isButton && !(interaction.isModalSubmit() && interaction.isFromMessage())) return;
  const [, ticketId, closedMs, rating] = CUSTOM_ID.exec(interaction.customId) ?? [];
  if (ticketId === undefined) return;
  const closing = { ticketId, closedAt: new Date(Number(closedMs)) };
  const t = translator(localeOf(interaction.locale) ?? DEFAULT_LOCALE, 'chat');
  const wordsId = `${FEEDBACK_BUTTONS.words}${closingText(closing)}`;
  const { pool } = deps.engine.db;
  const { id: userId } = interaction.user;
  if (isButton && rating === undefined) {
    const words = textField(WORDS_ID, t('tickets.feedbackWords'), {
      style: TextInputStyle.Paragraph,
      max_length: MOST_FEEDBACK_CHARACTERS,
    });
    await interaction.showModal({
      custom_id: wordsId,
      title: t('tickets.feedbackTitle'),
      components: [words],
    });
    return;
  }
  await answerInPlace(deps, interaction, 'tickets.rate', async () => {
    const number = isButton
      ? await rateTicket(pool, closing, userId, Number(rating))
      : await explainRating(pool, closing, userId, interaction.fields.getTextInputValue(WORDS_ID).trim());
    if (number === null) return { refused: t('tickets.feedbackOver') };
    const content = t(isButton ? 'tickets.rated' : 'tickets.explained', {
      number: String(number),
      rating: rating ?? '',
    });
    const button = {
      type: ComponentType.Button as const,
      style: ButtonStyle.Secondary as const,
      label: t('tickets.feedbackAdd'),
      custom_id: wordsId,
    };
    const components = isButton ? [{ type: ComponentType.ActionRow as const, components: [button] }] : [];
    return { shown: { content, components } };
  });
}
