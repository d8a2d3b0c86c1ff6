import { newRequestId } from '@bailiff/engine/calls/request-id';
import type { Engine } from '@bailiff/engine/engine';
import { commandableServers } from '@bailiff/engine/servers/servers';
import { DEFAULT_LOCALE, localeOf } from '@bailiff/messages';
import {
  type ApplicationCommandOptionChoiceData,
  type AutocompleteInteraction,
  RESTJSONErrorCodes as Code,
  DiscordAPIError,
  ApplicationCommandOptionType as OptionType,
} from 'discord.js';
import type { Logger } from '#src/log.ts';
import type { ChatCommand } from './commands.ts';
import type { Suggestion } from './fields.ts';
import { identityChoices } from './identities.ts';
import { massChoices } from './many.ts';
import { noteChoices } from './notes.ts';
import { categoryChoices, closedTicketChoices } from './opening-tickets.ts';
import { presetChoices } from './presets.ts';
import { sanctionedChoices } from './sanctioned.ts';
import { runningChoices } from './stopping.ts';

/** Discord's limit. */
const MOST_CHOICES = 25;

type Typing = AutocompleteInteraction<'cached' | 'raw'>;

/** Sends suggestions for what is being typed. Sends none if they cannot be found, or not in the time Discord gives. */
export async function suggest(
  engine: Engine,
  interaction: Typing,
  command: ChatCommand | undefined,
  log: Logger,
): Promise<void> {
  // A person who may not perform the command gets no suggestions. If they send it anyway, they are told why it is
  // refused.
  const choices = await choicesFor(engine, interaction, command).catch((error: unknown) => {
    log.debug({ err: error }, 'nothing to suggest');
    return [];
  });
  await interaction.respond(choices).catch((error: unknown) => {
    if (!(error instanceof DiscordAPIError && error.code === Code.UnknownInteraction)) throw error;
    // What is typed next asks anew.
    log.debug({ err: error }, 'a suggestion came too late');
  });
}

async function choicesFor(
  engine: Engine,
  interaction: Typing,
  command: ChatCommand | undefined,
): Promise<readonly ApplicationCommandOptionChoiceData[]> {
  const { name, value } = interaction.options.getFocused(true);
  const suggestion = command?.suggestions.get(name);
  return command === undefined || suggestion === undefined
    ? []
    : CHOICES[suggestion](engine, interaction, command, value);
}

type Choices = (
  engine: Engine,
  interaction: Typing,
  command: ChatCommand,
  typed: string,
) => Promise<ApplicationCommandOptionChoiceData[]>;

const CHOICES: Readonly<Record<Suggestion, Choices>> = {
  servers: (engine, interaction, _command, typed) => serverChoices(engine, interaction, typed),
  presets: (engine, { guildId, user, locale }, { operation }, typed) =>
    presetChoices(engine, operation, typed, {
      guildId,
      userId: user.id,
      locale: localeOf(locale) ?? DEFAULT_LOCALE,
    }),
  sanctioned: (engine, { guildId, user }, { operation }, typed) =>
    sanctionedChoices(engine, operation, typed, { guildId, userId: user.id }),
  running: (engine, { guildId, user, locale }, _command, typed) =>
    runningChoices(engine, typed, { guildId, userId: user.id, locale: localeOf(locale) ?? DEFAULT_LOCALE }),
  masses: (engine, { guildId, user, locale }, { operation }, typed) =>
    massChoices(engine, operation, typed, {
      guildId,
      userId: user.id,
      locale: localeOf(locale) ?? DEFAULT_LOCALE,
    }),
  closedTickets: (engine, { guildId, user }, _command, typed) =>
    closedTicketChoices(engine, typed, { guildId, userId: user.id }),
  ticketCategories: (engine, { guildId }, _command, typed) => categoryChoices(engine, guildId, typed),
  // The notes on the person whom the command names.
  notes: ofPerson(noteChoices),
  identities: ofPerson(identityChoices),
};

/** Suggestions about the person whom the command names already. */
function ofPerson(choices: typeof noteChoices): Choices {
  return async (engine, { guildId, user, options }, command, typed) => {
    const person = command.options.find(({ type }) => type === OptionType.User);
    const about = person === undefined ? undefined : options.get(person.name)?.value;
    const asking = { guildId, userId: user.id, requestId: newRequestId() };
    return typeof about === 'string' ? choices(engine, about, typed, asking) : [];
  };
}

async function serverChoices(
  engine: Engine,
  { guildId, user }: Typing,
  typed: string,
): Promise<ApplicationCommandOptionChoiceData[]> {
  const servers = await commandableServers(engine, { guildId, userId: user.id });
  return servers
    .filter(({ name }) => name.toLowerCase().includes(typed.trim().toLowerCase()))
    .slice(0, MOST_CHOICES)
    .map(({ id, name }) => ({ name: name.slice(0, 100), value: id }));
}
