import { type InputOf, MOST_SUBJECT_CHARACTERS } from '@bailiff/core';
import { type Locale, translator } from '@bailiff/messages';
import type { Database } from '@bailiff/prisma';
import {
  type APIModalInteractionResponseCallbackData,
  type ButtonInteraction,
  ComponentType,
  type ModalSubmitInteraction,
  TextInputStyle,
} from 'discord.js';
import { OPEN_TICKET_BUTTON } from '#src/performers/ticket-panel.ts';
import { optionName } from './command-texts.ts';
import { inputFrom } from './read-input.ts';

const FORM_ID = 'ticket:form';
const SUBJECT_ID = 'subject';

/** The form that the button of a ticket panel opens. */
export function ticketForm(locale: Locale): APIModalInteractionResponseCallbackData {
  const t = translator(locale, 'chat');
  return {
    custom_id: FORM_ID,
    title: t('tickets.formTitle'),
    components: [
      {
        type: ComponentType.Label,
        label: t('tickets.formSubject'),
        component: {
          type: ComponentType.TextInput,
          custom_id: SUBJECT_ID,
          style: TextInputStyle.Short,
          required: true,
          max_length: MOST_SUBJECT_CHARACTERS,
        },
      },
    ],
  };
}

export function isTicketButton({ customId }: ButtonInteraction): boolean {
  return customId.startsWith(OPEN_TICKET_BUTTON);
}

export function isTicketForm({ customId }: ModalSubmitInteraction): boolean {
  return customId === FORM_ID;
}

/** The input of `tickets.open` from the form. Throws an InputProblem. */
export function readTicketForm({ fields }: ModalSubmitInteraction, locale: Locale): InputOf<'tickets.open'> {
  const subject = fields.getTextInputValue(SUBJECT_ID);
  return inputFrom('tickets.open', { subject }, locale, (field) => optionName(locale, 'tickets.open', field));
}

/** The open ticket of this channel, or null. */
export async function ticketOfChannel(
  { prisma }: Database,
  guildId: string,
  channelId: string,
): Promise<string | null> {
  const ticket = await prisma.ticket.findFirst({
    where: { guildId, channelId, status: { not: 'closed' } },
    select: { id: true },
  });
  return ticket?.id ?? null;
}
