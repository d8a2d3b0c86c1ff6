import { answerCloseQuestion } from '@bailiff/engine/tickets/close-questions';
import { translator } from '@bailiff/messages';
import type { ButtonInteraction } from 'discord.js';
import { CLOSE_BUTTONS } from '#src/closing-questions.ts';
import { guildLocale } from '#src/performers/guild-locale.ts';
import { answerInPlace } from './answered-in-place.ts';
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
  deps: Answering,
  interaction: ButtonInteraction<Where>,
  { ticketId, isSolved }: NonNullable<ReturnType<typeof closeAnswerOf>>,
): Promise<void> {
  const { guildId, user } = interaction;
  const { db } = deps.engine;
  await answerInPlace(deps, interaction, 'tickets.ask', async () => {
    const answered = await answerCloseQuestion(db, { ticketId, guildId, userId: user.id }, isSolved);
    if (answered === null) {
      return { refused: translator(languageOf(interaction), 'chat')('tickets.notAsked') };
    }
    const t = translator(await guildLocale({ db }, guildId), 'notices');
    const content = t(isSolved ? 'tickets.isSolved' : 'tickets.isKept', { who: `<@${user.id}>` });
    return { shown: { content, components: [] } };
  });
}
