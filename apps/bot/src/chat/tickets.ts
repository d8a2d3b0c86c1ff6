import { createHash } from 'node:crypto';
import {
  type InputOf,
  MOST_SUBJECT_CHARACTERS,
  MOST_TICKET_ANSWER_CHARACTERS,
  type TicketCategory,
} from '@bailiff/core';
import { type Locale, translator } from '@bailiff/messages';
import type { Database } from '@bailiff/prisma';
import {
  type APIModalInteractionResponseCallbackData,
  type ButtonInteraction,
  type ModalSubmitInteraction,
  TextInputStyle,
} from 'discord.js';
import { OPEN_TICKET_BUTTON } from '#src/performers/ticket-panel.ts';
import { optionName } from './command-texts.ts';
import { textField } from './forms.ts';
import { inputFrom } from './read-input.ts';
import { oneLine } from './text.ts';

const FORM_ID = /^ticket:form(?::([0-9a-f]{8}):(.*))?$/s;
const SUBJECT_ID = 'subject';
/** Discord's limit for the name of a field. */
const MOST_LABEL = 45;

/** The form that opens a ticket: its subject, and the questions of its category. */
export function ticketForm(
  locale: Locale,
  category: TicketCategory | null,
  subject: string,
): APIModalInteractionResponseCallbackData {
  const t = translator(locale, 'chat');
  const asked = category === null ? '' : `:${markOf(category)}:${category.name}`;
  const questions = category?.questions ?? [];
  return {
    custom_id: `ticket:form${asked}`,
    title: oneLine(category?.name ?? t('tickets.formTitle'), MOST_LABEL),
    components: [
      textField(SUBJECT_ID, t('tickets.formSubject'), {
        max_length: MOST_SUBJECT_CHARACTERS,
        ...(subject === '' ? {} : { value: subject }),
      }),
      ...questions.map((question, index) => {
        const isShort = question.length <= MOST_LABEL;
        const label = isShort ? question : t('tickets.formQuestion', { number: String(index + 1) });
        const field = textField(answerId(index), label, {
          style: TextInputStyle.Paragraph,
          max_length: MOST_TICKET_ANSWER_CHARACTERS,
        });
        return isShort ? field : { ...field, description: question };
      }),
    ],
  };
}

const answerId = (index: number) => `answer_${index}`;

/** Tells whether the questions of a form are still those of the category. */
function markOf({ questions }: TicketCategory): string {
  return createHash('sha256').update(JSON.stringify(questions)).digest('hex').slice(0, 8);
}

export function isTicketButton({ customId }: ButtonInteraction): boolean {
  return customId.startsWith(OPEN_TICKET_BUTTON);
}

export function isTicketForm({ customId }: ModalSubmitInteraction): boolean {
  return FORM_ID.test(customId);
}

/**
 * The input of `tickets.open` from the form. Null if what it asked has changed since. Throws an InputProblem.
 */
export function readTicketForm(
  { customId, fields }: ModalSubmitInteraction,
  categories: readonly TicketCategory[],
  locale: Locale,
): InputOf<'tickets.open'> | null {
  const [, mark, name] = FORM_ID.exec(customId) ?? [];
  const subject = fields.getTextInputValue(SUBJECT_ID);
  if (name === undefined) return ticketInput({ subject }, locale);
  const category = categories.find((each) => each.name === name);
  if (category === undefined || markOf(category) !== mark) return null;
  const answers = category.questions.map((_, index) => fields.getTextInputValue(answerId(index)));
  return ticketInput({ subject, ticket_category: name, answers }, locale);
}

/** The input of `tickets.open` as typed. Throws an InputProblem. */
export function ticketInput(
  typed: Readonly<Record<string, unknown>>,
  locale: Locale,
): InputOf<'tickets.open'> {
  return inputFrom('tickets.open', typed, locale, (field) => optionName(locale, 'tickets.open', field));
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
