import type { OperationName } from '@bailiff/core';
import { newRequestId } from '@bailiff/engine/calls/request-id';
import type { Engine } from '@bailiff/engine/engine';
import { commandableServers } from '@bailiff/engine/servers/servers';
import { DEFAULT_LOCALE, localeOf } from '@bailiff/messages';
import type { ApplicationCommandOptionChoiceData, AutocompleteInteraction } from 'discord.js';
import type { Logger } from '#src/log.ts';
import { noteChoices } from './notes.ts';
import { presetChoices } from './presets.ts';

/** Discord's limit. */
const MOST_CHOICES = 25;

type Typing = AutocompleteInteraction<'cached' | 'raw'>;

/** Sends suggestions for what is being typed. Sends none if they cannot be found. */
export async function suggest(
  engine: Engine,
  interaction: Typing,
  operation: OperationName | undefined,
  log: Logger,
): Promise<void> {
  // A person who may not perform the command gets no suggestions. If they send it anyway, they are told why it is
  // refused.
  const choices = await choicesFor(engine, interaction, operation).catch((error: unknown) => {
    log.debug({ err: error }, 'nothing to suggest');
    return [];
  });
  await interaction.respond(choices);
}

async function choicesFor(
  engine: Engine,
  interaction: Typing,
  operation: OperationName | undefined,
): Promise<ApplicationCommandOptionChoiceData[]> {
  const { guildId, user, options } = interaction;
  const { name, value } = options.getFocused(true);
  if (name === 'server') return serverChoices(engine, interaction, value);
  if (name === 'reason' && operation !== undefined) {
    const locale = localeOf(interaction.locale) ?? DEFAULT_LOCALE;
    return presetChoices(engine, operation, value, { guildId, userId: user.id, locale });
  }
  const about = options.get('user')?.value;
  if (name === 'note' && typeof about === 'string') {
    return noteChoices(engine, about, value, { guildId, userId: user.id, requestId: newRequestId() });
  }
  return [];
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
