import {
  CHAT_OPERATION_NAMES,
  type ChatOperation,
  chatEntryOf,
  entryOf,
  type InputOf,
  type MenuOperation,
  permissionBits,
} from '@bailiff/core';
import { CATALOGUES, menuWords, type Translated } from '@bailiff/messages';
import {
  type APIApplicationCommandBasicOption,
  ApplicationCommandType,
  ApplicationIntegrationType,
  type ChatInputCommandInteraction,
  InteractionContextType,
  ApplicationCommandOptionType as OptionType,
  type RESTPostAPIApplicationCommandsJSONBody,
} from 'discord.js';
import { commandTexts, descriptionOf, namingOf, optionName } from './command-texts.ts';
import { EVIDENCE_OPTIONS } from './evidence.ts';
import { type CommandContext, fieldsOf, type Suggestion } from './fields.ts';
import { GAMES_OPTION } from './games.ts';
import { MESSAGE_MENUS, USER_MENUS } from './menus.ts';
import { fieldsWithPresets } from './presets.ts';
import { inputFrom } from './read-input.ts';

/** Commands with the same first word. For Discord they are one command with subcommands. */
type Group = keyof Translated<'commands'>['groups'];

type Definition = RESTPostAPIApplicationCommandsJSONBody;

/** An operation as a slash command. */
export interface ChatCommand {
  readonly operation: ChatOperation;
  /** What people type: the command and, in a group, the subcommand. */
  readonly words: string;
  /** What Discord shows for it in each language. */
  readonly texts: ReturnType<typeof commandTexts>;
  readonly options: readonly APIApplicationCommandBasicOption[];
  /** What is suggested while people type an option, by its name. */
  readonly suggestions: ReadonlyMap<string, Suggestion>;
  /** Permissions that a member must have for Discord to show the command. Null: everybody sees it. */
  readonly shownTo: bigint | null;
  /** The operation's input as typed. Throws an InputProblem that names the wrong option. */
  readInput(
    options: ChatInputCommandInteraction['options'],
    context: CommandContext,
  ): Promise<InputOf<ChatOperation>>;
}

/** The commands in chat: every operation to which the table gives a command. */
export const CHAT_COMMANDS: readonly ChatCommand[] = CHAT_OPERATION_NAMES.map((operation) =>
  commandOf(operation, chatEntryOf(operation).command),
);

/** The commands and menus as sent to Discord. */
export const COMMAND_DEFINITIONS: readonly Definition[] = [
  ...[...Map.groupBy(CHAT_COMMANDS, ({ words }) => words.split(' ')[0] ?? '')].map(([name, commands]) =>
    definitionOf(name, commands),
  ),
  ...USER_MENUS.map((operation) => menuOf(ApplicationCommandType.User, 'user', operation)),
  ...MESSAGE_MENUS.map((operation) => menuOf(ApplicationCommandType.Message, 'message', operation)),
];

function commandOf(operation: ChatOperation, words: string): ChatCommand {
  const fields = fieldsWithPresets(operation, fieldsOf(operation));
  const options = fields.flatMap(({ option }) => option ?? []);
  return {
    operation,
    words,
    texts: commandTexts(operation),
    // Discord requires required options to come first.
    options: [
      ...options.sort((a, b) => Number(b.required) - Number(a.required)),
      ...(entryOf(operation).inGames === undefined ? [] : [GAMES_OPTION]),
      ...(chatEntryOf(operation).takesEvidence === true ? EVIDENCE_OPTIONS : []),
    ],
    suggestions: new Map(
      fields.flatMap(({ option, suggests }) =>
        option === null || suggests === undefined ? [] : [[option.name, suggests]],
      ),
    ),
    shownTo: shownTo(operation),
    readInput: async (given, context) => {
      const typed = await Promise.all(
        fields.map(async ({ field, read }) => [field, await read(given, context)] as const),
      );
      const nameOf = (field: string) => optionName(context.locale, operation, field);
      const isGiven = (field: string) =>
        fields.some(({ field: each, option }) => each === field && given.get(option?.name ?? '') !== null);
      const filled = await context.withPreset(operation, Object.fromEntries(typed), isGiven);
      return inputFrom(operation, filled, context.locale, nameOf);
    },
  };
}

function everywhere(permissions: bigint | null) {
  return {
    default_member_permissions: permissions === null ? null : String(permissions),
    contexts: [InteractionContextType.Guild],
    integration_types: [ApplicationIntegrationType.GuildInstall],
  };
}

function menuOf<On extends 'user' | 'message'>(
  type: ApplicationCommandType.User | ApplicationCommandType.Message,
  on: On,
  operation: MenuOperation<On>,
): Definition {
  return {
    ...namingOf((locale) => menuWords(locale, operation, on)),
    ...everywhere(shownTo(operation)),
    type,
  };
}

function definitionOf(name: string, commands: readonly ChatCommand[]): Definition {
  const common = { ...everywhere(shownToAny(commands)), type: ApplicationCommandType.ChatInput as const };
  const [only] = commands;
  if (only?.words === name) return { ...only.texts, ...common, options: [...only.options] };
  // The compiler checks that every command group has texts for its first word.
  const group = name as Group;
  return {
    ...namingOf((locale) => CATALOGUES[locale].commands.groups[group].name),
    ...descriptionOf((locale) => CATALOGUES[locale].commands.groups[group].description),
    ...common,
    options: commands.map(({ texts, options }) => ({
      ...texts,
      type: OptionType.Subcommand,
      options: [...options],
    })),
  };
}

/** Discord shows a group as a whole: to everybody, if one of its commands is for everybody. */
function shownToAny(commands: readonly ChatCommand[]): bigint | null {
  if (commands.some((command) => command.shownTo === null)) return null;
  return commands.reduce((bits, command) => bits | (command.shownTo ?? 0n), 0n);
}

/**
 * The members to whom Discord shows a command by default, before anybody changes that in the guild's settings
 * (decisions: Capabilities).
 */
function shownTo(operation: ChatOperation): bigint | null {
  const { shownTo: permission } = chatEntryOf(operation);
  return permission === 'everyone' ? null : permissionBits([permission]);
}
