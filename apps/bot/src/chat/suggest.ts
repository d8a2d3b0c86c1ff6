import { commandableServers, type Engine } from '@bailiff/engine';
import type { ApplicationCommandOptionChoiceData, AutocompleteInteraction } from 'discord.js';
import type { Logger } from '../log.ts';

/** Discord takes no more. */
const MOST_CHOICES = 25;

/** Suggests what fits what is being typed; nothing, where that cannot be told. */
export async function suggest(
  engine: Engine,
  interaction: AutocompleteInteraction<'cached' | 'raw'>,
  log: Logger,
): Promise<void> {
  const { name, value } = interaction.options.getFocused(true);
  if (name !== 'server') return interaction.respond([]);
  // Somebody who may not run commands sees no servers; whoever sends the command anyway is told why.
  const choices = await serverChoices(engine, interaction, value).catch((error: unknown) => {
    log.debug({ err: error }, 'nothing to suggest');
    return [];
  });
  await interaction.respond(choices);
}

async function serverChoices(
  engine: Engine,
  { guildId, user }: AutocompleteInteraction<'cached' | 'raw'>,
  typed: string,
): Promise<ApplicationCommandOptionChoiceData[]> {
  const servers = await commandableServers(engine, { guildId, userId: user.id });
  return servers
    .filter(({ name }) => name.toLowerCase().includes(typed.trim().toLowerCase()))
    .slice(0, MOST_CHOICES)
    .map(({ id, name }) => ({ name: name.slice(0, 100), value: id }));
}
