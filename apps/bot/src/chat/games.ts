import { chatEntryOf, entryOf, isFormOperation, type OperationName } from '@bailiff/core';
import type { Engine } from '@bailiff/engine/engine';
import { type GameTarget, gameTargets } from '@bailiff/engine/servers/game-targets';
import {
  type GameOutcome,
  type SanctionedCase,
  sanctionInGames,
} from '@bailiff/engine/servers/sanction-in-games';
import { CATALOGUES, DEFAULT_LOCALE, type Locale, sayError, translator } from '@bailiff/messages';
import {
  type APIApplicationCommandBasicOption,
  type APILabelComponent,
  ApplicationCommandOptionType,
  type ChatInputCommandInteraction,
  ComponentType,
  type ModalSubmitInteraction,
} from 'discord.js';
import { descriptionOf, namingOf } from './command-texts.ts';
import { oneLine, quoted } from './text.ts';

const OPTION_NAME = CATALOGUES[DEFAULT_LOCALE].commands.gameServers.name;

/** The option of the commands that can also be carried to game servers. */
export const GAMES_OPTION: APIApplicationCommandBasicOption = {
  ...namingOf((locale) => CATALOGUES[locale].commands.gameServers.name),
  ...descriptionOf((locale) => CATALOGUES[locale].commands.gameServers.description),
  type: ApplicationCommandOptionType.Boolean,
};

/** Whether a command asks for game servers too. */
export function wantsGames(options: ChatInputCommandInteraction['options']): boolean {
  return options.getBoolean(OPTION_NAME) ?? false;
}

const FIELD = 'game_servers';
/** Discord's limit for an option in a menu. */
const MOST_LABEL = 100;

/** The field of a form that asks whether to do it on game servers too. Null where nothing could be done. */
export async function gamesField(
  { db }: Pick<Engine, 'db'>,
  operation: OperationName,
  of: { readonly guildId: string; readonly userId: string; readonly locale: Locale },
): Promise<APILabelComponent | null> {
  const { inGames } = entryOf(operation);
  if (inGames === undefined || !isFormOperation(operation) || chatEntryOf(operation).form === undefined)
    return null;
  const targets = (await gameTargets(db.pool, of.guildId, of.userId))[inGames];
  if (targets.length === 0) return null;
  const say = translator(of.locale, 'games');
  const where = new Intl.ListFormat(of.locale).format(targets.map((target) => placeOf(of.locale, target)));
  return {
    type: ComponentType.Label,
    label: say('also'),
    component: {
      type: ComponentType.StringSelect,
      custom_id: FIELD,
      required: true,
      options: [
        { label: say('no'), value: 'no', default: true },
        { label: oneLine(say('yes', { where }), MOST_LABEL), value: 'yes' },
      ],
    },
  };
}

/** Whether a form asks for game servers too. */
export function choseGames({ fields }: ModalSubmitInteraction): boolean {
  return fields.fields.has(FIELD) && fields.getStringSelectValues(FIELD)[0] === 'yes';
}

function placeOf(locale: Locale, { serverName: server, inGameId: player }: GameTarget): string {
  return translator(locale, 'games')('where', { server, player });
}

/** Carries a sanction to the game servers. What became of it on each of them, as a text; first where it is not done. */
export async function gamesText(
  engine: Engine,
  locale: Locale,
  of: SanctionedCase,
  closing: AbortSignal,
): Promise<string> {
  const say = translator(locale, 'games');
  const outcomes = await sanctionInGames(engine, of, closing);
  if (outcomes.length === 0) return say('nowhere');
  const open = outcomes.filter(({ outcome }) => outcome !== 'done');
  const done = outcomes.filter(({ outcome }) => outcome === 'done');
  return [say('head'), ...[...open, ...done].map((outcome) => `- ${lineOf(locale, of, outcome)}`)].join('\n');
}

const MOST_NAME = 64;
const MOST_SAID = 150;

function lineOf(
  locale: Locale,
  { does }: SanctionedCase,
  { target, outcome, said, lasts, error }: GameOutcome,
): string {
  const say = translator(locale, 'games');
  const server = quoted(target.serverName, MOST_NAME);
  const player = quoted(target.inGameId, MOST_NAME);
  switch (outcome) {
    case 'done': {
      const answered = said === null || said === '' ? 'no' : 'yes';
      const done = say('done', { server, player, does, answered, said: quoted(said ?? '', MOST_SAID) });
      return lasts ? `${done} ${say('lasts')}` : done;
    }
    case 'failed': {
      const problem = error === null ? '' : sayError(translator(locale, 'errors'), error);
      return say('failed', { server, player, problem });
    }
    case 'unknown':
      return say('unknown', { server, player });
    case 'not_tried':
      return say('notTried', { server, player });
  }
}
