import { ApiError, callOf, type TicketCategory } from '@bailiff/core';
import { forbidden } from '@bailiff/engine/calls/action-errors';
import type { ActionError } from '@bailiff/engine/calls/actions';
import { authorizePerson } from '@bailiff/engine/calls/authorize';
import { ticketSettings } from '@bailiff/engine/tickets/ticket-settings';
import { reopenableTickets } from '@bailiff/engine/tickets/tickets';
import { translator } from '@bailiff/messages';
import {
  type ApplicationCommandOptionChoiceData,
  type ButtonInteraction,
  type ChatInputCommandInteraction,
  ComponentType,
  MessageFlags,
  type ModalSubmitInteraction,
  type StringSelectMenuInteraction,
} from 'discord.js';
import { tooManyTickets } from '#src/performers/ticket-limits.ts';
import { type Answering, answer, languageOf, openForm, unlessRefused, type Where } from './answering.ts';
import { optionTexts } from './command-texts.ts';
import { perform } from './perform.ts';
import { oneLine } from './text.ts';
import { readTicketForm, ticketForm, ticketInput } from './tickets.ts';

const OPEN = 'tickets.open';
/** What the custom id of the menu of categories begins with. The id of the subject that was typed follows. */
const MENU = 'ticket:category:';

/** Discord's limits for suggestions. */
const MOST_CHOICES = 25;
const MOST_LABEL = 100;

/** Whoever can be asked for more before a ticket is opened. */
type Opening =
  | ChatInputCommandInteraction<Where>
  | ButtonInteraction<Where>
  | StringSelectMenuInteraction<Where>;

/** `/ticket open`: opens a ticket, or asks for its category or for answers to the questions of its category. */
export async function commandedTicket(
  deps: Answering,
  interaction: ChatInputCommandInteraction<Where>,
): Promise<void> {
  const { options } = interaction;
  const locale = languageOf(interaction);
  const categories = await categoriesFor(deps, interaction);
  if (categories === null) return;
  const subject = options.getString(optionTexts(OPEN, 'subject').name, true);
  const named = options.getString(optionTexts(OPEN, 'ticket_category').name) ?? undefined;
  const category = chosen(categories, named);
  if (category === undefined && named === undefined && categories.length > 0) {
    return askCategory(deps, interaction, categories, subject);
  }
  if (category !== undefined && category.questions.length > 0) {
    return askQuestions(deps, interaction, category, subject);
  }
  await answer(deps, interaction, OPEN, async (requestId) => {
    const input = ticketInput({ subject, ticket_category: category?.name ?? named }, locale);
    return perform(deps, interaction, callOf(OPEN, input), requestId);
  });
}

/** The button of a panel: asks for the category if there are several, else opens the form. */
export async function pressedTicket(deps: Answering, interaction: ButtonInteraction<Where>): Promise<void> {
  const categories = await categoriesFor(deps, interaction);
  if (categories === null) return;
  if (categories.length > 1) await askCategory(deps, interaction, categories, '');
  else await askQuestions(deps, interaction, categories[0] ?? null, '');
}

/** The id of the subject that goes with a menu of categories; empty if none was typed. Null for another menu. */
export function subjectOfMenu({ customId }: StringSelectMenuInteraction): string | null {
  return customId.startsWith(MENU) ? customId.slice(MENU.length) : null;
}

/** Opens the form of the category that was chosen. */
export async function choseCategory(
  deps: Answering,
  interaction: StringSelectMenuInteraction<Where>,
  subjectId: string,
): Promise<void> {
  const categories = await categoriesFor(deps, interaction);
  if (categories === null) return;
  const subject = deps.subjects.read(subjectId, interaction.user.id) ?? '';
  const category = chosen(categories, interaction.values[0] ?? '');
  await askQuestions(deps, interaction, category, subject);
}

/** Opens the ticket of a form. */
export async function sentTicket(deps: Answering, interaction: ModalSubmitInteraction<Where>): Promise<void> {
  await answer(deps, interaction, OPEN, async (requestId) => {
    const { categories } = await ticketSettings(deps.engine.db.pool, interaction.guildId);
    const input = readTicketForm(interaction, categories, languageOf(interaction));
    if (input === null) throw refusalOf(forbidden('TICKET_CATEGORY'));
    return perform(deps, interaction, callOf(OPEN, input), requestId);
  });
}

/** The guild's categories that fit what is being typed. */
export async function categoryChoices(
  { db }: Answering['engine'],
  guildId: string,
  typed: string,
): Promise<ApplicationCommandOptionChoiceData[]> {
  const { categories } = await ticketSettings(db.pool, guildId);
  return categories
    .filter(({ name }) => name.toLowerCase().includes(typed.trim().toLowerCase()))
    .map(({ name }) => ({ name, value: name }));
}

/** Closed tickets that this person may open again and that match what is being typed. */
export async function closedTicketChoices(
  engine: Answering['engine'],
  typed: string,
  { guildId, userId }: { readonly guildId: string; readonly userId: string },
): Promise<ApplicationCommandOptionChoiceData[]> {
  await authorizePerson(engine, { operation: 'tickets.reopen', guildId, userId });
  const tickets = await reopenableTickets(engine.db.pool, guildId, {
    typed: typed.trim(),
    most: MOST_CHOICES,
  });
  return tickets.map(({ id, number, subject }) => ({
    name: oneLine(`#${number} ${subject}`, MOST_LABEL),
    value: id,
  }));
}

/** Null if they could not be read, which the person is told. */
function categoriesFor(deps: Answering, interaction: Opening): Promise<readonly TicketCategory[] | null> {
  return unlessRefused(deps, interaction, OPEN, async () => {
    return (await ticketSettings(deps.engine.db.pool, interaction.guildId)).categories;
  });
}

/** The category of this name, if there is none also in another case; without a name, the only one. */
function chosen(categories: readonly TicketCategory[], name: string | undefined): TicketCategory | undefined {
  if (name === undefined) return categories.length === 1 ? categories[0] : undefined;
  const isNamed = (each: TicketCategory) => each.name.toLowerCase() === name.toLowerCase();
  return categories.find((each) => each.name === name) ?? categories.find(isNamed);
}

/** A menu of the categories, as they are now: what a panel shows may be older. */
async function askCategory(
  { subjects }: Answering,
  interaction: Opening,
  categories: readonly TicketCategory[],
  subject: string,
): Promise<void> {
  const t = translator(languageOf(interaction), 'chat');
  const subjectId =
    subject === '' ? '' : subjects.ask(interaction.user.id, interaction.createdTimestamp, subject);
  const options = categories.map(({ name, description }) => ({
    label: name,
    value: name,
    ...(description === '' ? {} : { description }),
  }));
  const menu = { type: ComponentType.StringSelect, custom_id: `${MENU}${subjectId}`, options } as const;
  await interaction.reply({
    content: t('tickets.chooseCategory'),
    components: [{ type: ComponentType.ActionRow, components: [menu] }],
    flags: MessageFlags.Ephemeral,
  });
}

/** Opens the form, unless the ticket would be refused anyway. Without a category it asks for the subject alone. */
async function askQuestions(
  deps: Answering,
  interaction: Opening,
  category: TicketCategory | null | undefined,
  subject: string,
): Promise<void> {
  const { guildId, user } = interaction;
  await openForm(deps, interaction, OPEN, async () => {
    const opener = { guildId, userId: user.id, actionId: '' };
    const refusal =
      category === undefined
        ? forbidden('TICKET_CATEGORY')
        : await tooManyTickets(deps.engine.db.pool, opener);
    if (refusal !== null) throw refusalOf(refusal);
    return ticketForm(languageOf(interaction), category ?? null, subject);
  });
}

function refusalOf({ code, message, details }: ActionError<'FORBIDDEN'>): ApiError {
  return new ApiError(code, message, details === undefined ? {} : { details });
}
