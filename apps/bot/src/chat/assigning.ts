import { callOf } from '@bailiff/core';
import { authorizePerson } from '@bailiff/engine/calls/authorize';
import { ticketHandlers } from '@bailiff/engine/tickets/tickets';
import { translator } from '@bailiff/messages';
import {
  type ButtonInteraction,
  ComponentType,
  MessageFlags,
  type StringSelectMenuInteraction,
} from 'discord.js';
import { ASSIGN_TICKET_BUTTON } from '#src/performers/ticket-welcome.ts';
import { type Answering, fulfil, languageOf, unlessRefused, type Where } from './answering.ts';
import { replyTo } from './answers.ts';
import { acknowledge } from './deliver.ts';
import { write } from './perform.ts';
import { oneLine } from './text.ts';

const ASSIGN = 'tickets.assign';
/** What the custom id of the menu of people begins with. The id of the ticket follows. */
const MENU = 'ticket:assignee:';
/** Discord's limit for the options of a select menu. */
const MOST_PEOPLE = 25;
const LONGEST_NAME = 100;

/** The ticket of a button that hands it over. Null for another button. */
export function ticketOfAssignButton({ customId }: ButtonInteraction): string | null {
  return customId.startsWith(ASSIGN_TICKET_BUTTON) ? customId.slice(ASSIGN_TICKET_BUTTON.length) : null;
}

/** The ticket of a menu of people who can get it. Null for another menu. */
export function ticketOfAssigneeMenu({ customId }: StringSelectMenuInteraction): string | null {
  return customId.startsWith(MENU) ? customId.slice(MENU.length) : null;
}

/** Shows who may work on tickets, other than who has this one. */
export async function pressedAssign(
  deps: Answering,
  interaction: ButtonInteraction<Where>,
  ticketId: string,
): Promise<void> {
  const { guildId, user } = interaction;
  const t = translator(languageOf(interaction), 'chat');
  const people = await unlessRefused(deps, interaction, ASSIGN, async () => {
    await authorizePerson(deps.engine, { operation: ASSIGN, guildId, userId: user.id });
    const { prisma, pool } = deps.engine.db;
    const ticket = await prisma.ticket.findFirst({ where: { id: ticketId, guildId } });
    return ticketHandlers(pool, guildId, { except: ticket?.claimedBy ?? null, most: MOST_PEOPLE + 1 });
  });
  if (people === null) return;
  if (people.length === 0) {
    await interaction.reply({ content: t('tickets.assigneeGone'), flags: MessageFlags.Ephemeral });
    return;
  }
  const options = people
    .slice(0, MOST_PEOPLE)
    .map(({ user_id, name }) => ({ label: oneLine(name ?? user_id, LONGEST_NAME), value: user_id }));
  const menu = { type: ComponentType.StringSelect, custom_id: `${MENU}${ticketId}`, options } as const;
  const more = people.length > MOST_PEOPLE ? ` ${t('tickets.assigneesMore')}` : '';
  await interaction.reply({
    content: `${t('tickets.chooseAssignee')}${more}`,
    components: [{ type: ComponentType.ActionRow, components: [menu] }],
    flags: MessageFlags.Ephemeral,
  });
}

/** Gives the ticket to whom the menu names. */
export async function choseAssignee(
  deps: Answering,
  interaction: StringSelectMenuInteraction<Where>,
  ticketId: string,
): Promise<void> {
  await acknowledge(interaction, () => interaction.deferUpdate());
  const { guildId } = interaction;
  await fulfil(deps, interaction, ASSIGN, async (requestId) => {
    const input = { ticketId, user_id: interaction.values[0] ?? '' };
    const { body } = await write(deps, interaction, callOf(ASSIGN, input), requestId);
    return replyTo(ASSIGN, input, body, { guildId, locale: languageOf(interaction), names: {} });
  });
}
