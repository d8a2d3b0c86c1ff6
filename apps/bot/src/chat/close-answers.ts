import { answerCloseQuestion } from '@bailiff/engine/tickets/close-questions';
import { translator } from '@bailiff/messages';
import { type ButtonInteraction, MessageFlags } from 'discord.js';
import { CLOSE_BUTTONS } from '#src/closing-questions.ts';
import { guildLocale } from '#src/performers/guild-locale.ts';
import { type Answering, languageOf, type Where } from './answering.ts';

/** The answer of a button of the question whether a ticket is solved, and the ticket. Null for another button. */
export function closeAnswerOf({
  customId,
}: ButtonInteraction): { readonly ticketId: string; readonly isSolved: boolean } | null {
  const isSolved = customId.startsWith(CLOSE_BUTTONS.solved);
  if (!isSolved && !customId.startsWith(CLOSE_BUTTONS.unsolved)) return null;
  return { ticketId: customId.split(':')[2] ?? '', isSolved };
}

/** Notes the answer of the ticket's opener, and shows it in place of the question. */
export async function pressedCloseAnswer(
  { engine }: Answering,
  interaction: ButtonInteraction<Where>,
  { ticketId, isSolved }: NonNullable<ReturnType<typeof closeAnswerOf>>,
): Promise<void> {
  const { guildId, user } = interaction;
  const answered = await answerCloseQuestion(engine.db, { ticketId, guildId, userId: user.id }, isSolved);
  if (answered === null) {
    const content = translator(languageOf(interaction), 'chat')('tickets.notAsked');
    await interaction.reply({ content, flags: MessageFlags.Ephemeral });
    return;
  }
  const t = translator(await guildLocale({ db: engine.db }, guildId), 'notices');
  const content = t(isSolved ? 'tickets.isSolved' : 'tickets.isKept', { who: `<@${user.id}>` });
  await interaction.update({ content, components: [] });
}
