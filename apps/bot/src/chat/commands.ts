import { type Capability, entryOf, type OperationName, plainMessage } from '@bailiff/core';
import {
  type APIApplicationCommandBasicOption,
  ApplicationCommandType,
  ApplicationIntegrationType,
  type ChatInputCommandInteraction,
  InteractionContextType,
  ApplicationCommandOptionType as OptionType,
  PermissionFlagsBits,
  type RESTPostAPIChatInputApplicationCommandsJSONBody,
} from 'discord.js';
import { z } from 'zod';
import { parseDuration } from './durations.ts';

/** Operations that chat offers. Their commands are projected from the operation table. */
const CHAT_OPERATIONS = [
  'bans.add',
  'bans.lift',
  'mutes.add',
  'mutes.lift',
] as const satisfies OperationName[];

/** An operation as a slash command. */
export interface ChatCommand {
  readonly operation: OperationName;
  readonly definition: RESTPostAPIChatInputApplicationCommandsJSONBody;
  /** The operation's input as typed; throws an InputProblem that names the option at fault. */
  readInput(options: ChatInputCommandInteraction['options']): object;
}

/** What somebody typed does not fit; the message is for them. */
export class InputProblem extends Error {}

/** What Discord shows a command to before anybody changes that in the guild's settings (decisions: Capabilities). */
const SHOWN_TO: readonly [RegExp, bigint][] = [
  [/^bans\./, PermissionFlagsBits.BanMembers],
  [/^mutes\.|^strikes\./, PermissionFlagsBits.ModerateMembers],
  [/^messages\./, PermissionFlagsBits.ManageMessages],
];

export const CHAT_COMMANDS: readonly ChatCommand[] = CHAT_OPERATIONS.map(commandOf);

function commandOf(operation: OperationName): ChatCommand {
  const { chat, summary, input, capability } = entryOf(operation);
  if (chat === undefined) throw new Error(`${operation} has no chat command`);
  const fields = fieldsOf(input);
  return {
    operation,
    definition: {
      type: ApplicationCommandType.ChatInput,
      name: chat.command,
      description: summary.slice(0, 100),
      default_member_permissions: String(permissionFor(capability)),
      contexts: [InteractionContextType.Guild],
      integration_types: [ApplicationIntegrationType.GuildInstall],
      // Discord wants required options first.
      options: fields.map(({ option }) => option).sort((a, b) => Number(b.required) - Number(a.required)),
    },
    readInput: (options) => {
      const given = fields.flatMap(({ field, option, read }) => {
        const value = read(options, option.name);
        return value === undefined ? [] : [[field, value] as const];
      });
      const parsed = input.safeParse(Object.fromEntries(given), { error: plainMessage });
      if (parsed.success) return parsed.data;
      const [issue] = parsed.error.issues;
      const option = fields.find(({ field }) => field === issue?.path[0])?.option.name ?? 'input';
      throw new InputProblem(`${option}: ${issue?.message ?? 'does not fit'}`);
    },
  };
}

function permissionFor(capability: Capability | 'none' | 'of_action'): bigint {
  return SHOWN_TO.find(([names]) => names.test(capability))?.[1] ?? PermissionFlagsBits.Administrator;
}

interface ChatField {
  readonly field: string;
  readonly option: APIApplicationCommandBasicOption;
  read(options: ChatInputCommandInteraction['options'], name: string): unknown;
}

const SECONDS_PER = { minutes: 60, seconds: 1 } as const;

function fieldsOf(input: z.ZodObject): ChatField[] {
  const { properties = {}, required = [] } = z.toJSONSchema(input, { io: 'input' });
  return Object.entries(properties).map(([field, schema]) => {
    if (typeof schema === 'boolean') throw new Error(`The field ${field} has no schema`);
    const named = {
      description: (schema.description ?? field.replaceAll('_', ' ')).slice(0, 100),
      required: required.includes(field),
    };
    if (/^user_?id$/i.test(field)) {
      const option = {
        ...named,
        name: 'user',
        type: OptionType.User,
        description: schema.description ?? 'Who',
      } as const;
      return { field, option, read: (options, name) => options.getUser(name)?.id };
    }
    const unit = /_(minutes|seconds)$/.exec(field)?.[1] as keyof typeof SECONDS_PER | undefined;
    if (unit !== undefined) {
      const name = field.replace(/_(minutes|seconds)$/, '');
      const what = named.description.replace(/,? in (minutes|seconds).*$/, '');
      const how = !named.required && unit === 'minutes' ? '30m, 2d, 1w or permanent' : '30m, 2d or 1w';
      const option = {
        ...named,
        name,
        type: OptionType.String,
        description: `${what}, such as ${how}`,
      } as const;
      return { field, option, read: (options) => inUnits(options.getString(name), name, SECONDS_PER[unit]) };
    }
    const option = {
      ...named,
      name: field,
      type: OptionType.String,
      max_length: schema.maxLength ?? 512,
    } as const;
    return { field, option, read: (options, name) => options.getString(name) ?? undefined };
  });
}

function inUnits(text: string | null, name: string, secondsPerUnit: number): number | undefined {
  if (text === null) return undefined;
  const seconds = parseDuration(text);
  if (seconds === undefined) {
    throw new InputProblem(
      `${name}: "${text.slice(0, 40)}" is no length of time. Write it as 30m, 2d or 1w.`,
    );
  }
  return seconds === null ? undefined : Math.ceil(seconds / secondsPerUnit);
}
