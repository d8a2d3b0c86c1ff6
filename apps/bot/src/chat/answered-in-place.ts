import { newRequestId } from '@bailiff/engine/calls/request-id';
import { DEFAULT_LOCALE, localeOf } from '@bailiff/messages';
import {
  type ButtonInteraction,
  type InteractionEditReplyOptions,
  MessageFlags,
  type ModalMessageModalSubmitInteraction,
} from 'discord.js';
import { type Answering, NotAnswered } from './answering.ts';
import { acknowledge, deliver } from './deliver.ts';
import { explain, isOutcomeUnknown } from './explain.ts';

/** What a message says once its question is answered, or why nothing was changed. */
type Outcome =
  | { readonly shown: InteractionEditReplyOptions; readonly refused?: never }
  | { readonly refused: string; readonly shown?: never };

/**
 * Answers a button or form of a question, and shows the outcome in place of the question. What was refused or failed is
 * told to who acted, and the question stays, so that they can answer again.
 */
export async function answerInPlace(
  { engine, log, closing }: Pick<Answering, 'engine' | 'log' | 'closing'>,
  interaction: ButtonInteraction | ModalMessageModalSubmitInteraction,
  about: 'tickets.ask' | 'tickets.rate',
  work: () => Promise<Outcome>,
): Promise<void> {
  // What cannot be answered is not performed, as with a command.
  await acknowledge(interaction, () => interaction.deferUpdate());
  const requestId = newRequestId();
  let outcome: NotAnswered['about']['outcome'] = 'answered with a result';
  const { shown, refused } = await work().catch(async (error: unknown): Promise<Outcome> => {
    outcome = isOutcomeUnknown(error) ? 'perhaps performed' : 'not performed';
    const locale = localeOf(interaction.locale) ?? localeOf(interaction.guildLocale) ?? DEFAULT_LOCALE;
    return {
      refused: await explain(engine, error, { guildId: interaction.guildId, requestId, locale }, log),
    };
  });
  const delivering =
    shown === undefined
      ? interaction.followUp({ content: refused, flags: MessageFlags.Ephemeral })
      : deliver(interaction, shown, closing);
  await delivering.catch((cause: unknown) => {
    throw new NotAnswered({ operation: about, request_id: requestId, outcome }, cause);
  });
}
