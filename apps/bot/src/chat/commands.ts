import { entryOf, OPERATION_NAMES, type Operation, type OperationName } from '@bailiff/core';
import {
  type APIApplicationCommandBasicOption,
  ApplicationCommandType,
  ApplicationIntegrationType,
  type ChatInputCommandInteraction,
  InteractionContextType,
  ApplicationCommandOptionType as OptionType,
  PermissionFlagsBits,
  type RESTPostAPIApplicationCommandsJSONBody,
} from 'discord.js';
import { fieldsOf, type Place } from './fields.ts';
import { MESSAGE_MENUS, USER_MENUS } from './menus.ts';
import { inputFrom } from './read-input.ts';

/** Commands that share a first word are one to Discord, with subcommands; this is what it says of itself. */
const GROUP_DESCRIPTIONS: Readonly<Record<string, string>> = {
  strike: 'Strikes of the members of this server',
  ticket: 'Talk to the moderators in a channel of your own',
};

type Definition = RESTPostAPIApplicationCommandsJSONBody;

/** An operation as a slash command. */
export interface ChatCommand {
  readonly operation: OperationName;
  /** What is typed: the command and, in a group, the subcommand. */
  readonly words: string;
  readonly description: string;
  readonly options: readonly APIApplicationCommandBasicOption[];
  /** Permissions a member must have for Discord to show the command; null: everybody sees it. */
  readonly shownTo: bigint | null;
  /** The operation's input as typed; throws an InputProblem that names the option at fault. */
  readInput(options: ChatInputCommandInteraction['options'], place: Place): Promise<object>;
}

/** What Discord shows a command to before anybody changes that in the guild's settings (decisions: Capabilities). */
const SHOWN_TO: readonly [RegExp, bigint][] = [
  [/^bans\./, PermissionFlagsBits.BanMembers],
  [/^mutes\.|^strikes\.|^of_case$/, PermissionFlagsBits.ModerateMembers],
  [/^messages\./, PermissionFlagsBits.ManageMessages],
];

/** What chat offers: every operation that the table gives a command. */
export const CHAT_COMMANDS: readonly ChatCommand[] = OPERATION_NAMES.flatMap((operation) => {
  const { chat } = entryOf(operation);
  return chat === undefined ? [] : [commandOf(operation, chat.command)];
});

/** The commands and menus as Discord is told of them. */
export const COMMAND_DEFINITIONS: readonly Definition[] = [
  ...[...Map.groupBy(CHAT_COMMANDS, ({ words }) => words.split(' ')[0] ?? '')].map(([name, commands]) =>
    definitionOf(name, commands),
  ),
  ...Object.entries(USER_MENUS).map(([name, operation]) =>
    menuOf(ApplicationCommandType.User, name, operation),
  ),
  ...Object.entries(MESSAGE_MENUS).map(([name, operation]) =>
    menuOf(ApplicationCommandType.Message, name, operation),
  ),
];

function commandOf(operation: OperationName, words: string): ChatCommand {
  const { summary, input } = entryOf(operation);
  const fields = fieldsOf(input);
  const options = fields.flatMap(({ option }) => option ?? []);
  const optionOf = (field: string) => fields.find((each) => each.field === field)?.option?.name ?? field;
  return {
    operation,
    words,
    description: summary.slice(0, 100),
    // Discord wants required options first.
    options: options.sort((a, b) => Number(b.required) - Number(a.required)),
    shownTo: shownTo(operation),
    readInput: async (given, place) => {
      const typed = await Promise.all(
        fields.map(async ({ field, read }) => [field, await read(given, place)] as const),
      );
      return inputFrom(operation, Object.fromEntries(typed), optionOf);
    },
  };
}

function everywhere(name: string, permissions: bigint | null) {
  return {
    name,
    default_member_permissions: permissions === null ? null : String(permissions),
    contexts: [InteractionContextType.Guild],
    integration_types: [ApplicationIntegrationType.GuildInstall],
  };
}

function menuOf(
  type: ApplicationCommandType.User | ApplicationCommandType.Message,
  name: string,
  operation: OperationName,
): Definition {
  return { ...everywhere(name, shownTo(operation)), type };
}

function definitionOf(name: string, commands: readonly ChatCommand[]): Definition {
  const common = {
    ...everywhere(name, shownToAny(commands)),
    type: ApplicationCommandType.ChatInput as const,
  };
  const [only] = commands;
  if (only?.words === name) return { ...common, description: only.description, options: [...only.options] };
  return {
    ...common,
    description: GROUP_DESCRIPTIONS[name] ?? name,
    options: commands.map(({ words, description, options }) => ({
      type: OptionType.Subcommand,
      name: words.slice(name.length + 1),
      description,
      options: [...options],
    })),
  };
}

/** Discord shows a group as a whole: to everybody, where one of its commands is for everybody. */
function shownToAny(commands: readonly ChatCommand[]): bigint | null {
  if (commands.some((command) => command.shownTo === null)) return null;
  return commands.reduce((bits, command) => bits | (command.shownTo ?? 0n), 0n);
}

function shownTo(operation: OperationName): bigint | null {
  const { capability }: Pick<Operation, 'capability'> = entryOf(operation);
  if (capability === 'none') return null;
  return SHOWN_TO.find(([names]) => names.test(capability))?.[1] ?? PermissionFlagsBits.Administrator;
}
