import {
  type APIApplicationCommandBasicOption,
  ChannelType,
  type ChatInputCommandInteraction,
  ApplicationCommandOptionType as OptionType,
} from 'discord.js';
import { z } from 'zod';
import { parseDuration } from './durations.ts';
import { InputProblem } from './read-input.ts';

/** Where a command was given, and what is known there of what people type. */
export interface Place {
  readonly channelId: string;
  /** The ticket whose channel it is, or null. */
  ticketId(): Promise<string | null>;
  /** The strike of a case; throws an InputProblem where the case is none. */
  strikeId(caseNumber: number): Promise<string>;
  /** The game server that is chosen or named; throws an InputProblem where there is none. */
  serverId(named: string): Promise<string>;
}

type Options = ChatInputCommandInteraction['options'];

/** A field of an operation's input, as chat asks for it. */
export interface ChatField {
  readonly field: string;
  /** Null of a field that follows from where the command is given. */
  readonly option: APIApplicationCommandBasicOption | null;
  /** The field as typed; undefined where it was not. Throws an InputProblem. */
  read(options: Options, place: Place): unknown;
}

interface Named {
  readonly field: string;
  readonly description: string;
  readonly required: boolean;
}

/** What JSON Schema says of a field. */
type Schema = Exclude<z.core.JSONSchema._JSONSchema, boolean>;

/** Items that a list has in chat, where a page is one answer. */
const PAGE = 10;

/** The fields of an operation's input, in its order. */
export function fieldsOf(input: z.ZodObject): ChatField[] {
  const { properties = {}, required = [] } = z.toJSONSchema(input, { io: 'input' });
  return Object.entries(properties).flatMap(([field, schema]) => {
    if (typeof schema === 'boolean') throw new Error(`The field ${field} has no schema`);
    // Chat has no next page: who needs more asks for less at once, or looks in the dashboard.
    if (field === 'cursor') return [];
    const described = (schema.description ?? field.replaceAll('_', ' ')).slice(0, 100);
    const named = { field, description: described, required: required.includes(field) };
    return fieldByName(named, schema) ?? fieldByType(named, schema);
  });
}

function fieldByName(named: Named, schema: Schema): ChatField | null {
  const { field } = named;
  if (/^user_?id$/i.test(field)) return userField(named, schema);
  if (/^ticket_?id$/i.test(field)) return { field, option: null, read: (_, place) => ticketHere(place) };
  if (field === 'limit') return { field, option: null, read: () => PAGE };
  if (field === 'channel_id') return channelField(named);
  if (field === 'strikeId') return strikeField(named);
  if (field === 'serverId') return serverField(named);
  const unit = /_(minutes|seconds)$/.exec(field)?.[1] as keyof typeof SECONDS_PER | undefined;
  return unit === undefined ? null : durationField(named, unit);
}

function fieldByType({ field, description, required }: Named, schema: Schema): ChatField {
  const named = { name: field, description, required };
  if (schema.type === 'boolean') {
    const option = { ...named, type: OptionType.Boolean } as const;
    return { field, option, read: (options) => options.getBoolean(field) ?? undefined };
  }
  if (schema.type === 'integer') {
    const { minimum: min_value = 0, maximum: max_value = Number.MAX_SAFE_INTEGER } = schema;
    const option = { ...named, type: OptionType.Integer, min_value, max_value } as const;
    return { field, option, read: (options) => options.getInteger(field) ?? undefined };
  }
  const read: ChatField['read'] = (options) => options.getString(field) ?? undefined;
  const choices = schema.enum?.map((value) => ({ name: String(value), value: String(value) }));
  if (choices !== undefined) return { field, option: { ...named, type: OptionType.String, choices }, read };
  const option = { ...named, type: OptionType.String, max_length: schema.maxLength ?? 512 } as const;
  return { field, option, read };
}

function userField({ field, required }: Named, schema: Schema): ChatField {
  const description = schema.description ?? 'Who';
  const option = { name: 'user', type: OptionType.User, description, required } as const;
  return { field, option, read: (options) => options.getUser(option.name)?.id };
}

function channelField({ field }: Named): ChatField {
  const option = {
    name: 'channel',
    type: OptionType.Channel,
    description: 'Where; this channel, if you say nothing',
    channel_types: [ChannelType.GuildText],
    required: false,
  } satisfies APIApplicationCommandBasicOption;
  return { field, option, read: (options, place) => options.getChannel(option.name)?.id ?? place.channelId };
}

function strikeField({ field }: Named): ChatField {
  const option = {
    name: 'case',
    type: OptionType.Integer,
    description: 'Number of its case, such as 12',
    min_value: 1,
    max_value: 2_147_483_647,
    required: true,
  } as const;
  return { field, option, read: (options, place) => place.strikeId(options.getInteger(option.name, true)) };
}

function serverField({ field }: Named): ChatField {
  const option = {
    name: 'server',
    type: OptionType.String,
    description: 'The game server',
    autocomplete: true,
    required: true,
  } as const;
  return { field, option, read: (options, place) => place.serverId(options.getString(option.name, true)) };
}

async function ticketHere(place: Place): Promise<string> {
  const id = await place.ticketId();
  if (id === null) throw new InputProblem('This is not the channel of a ticket. Give the command in one.');
  return id;
}

const SECONDS_PER = { minutes: 60, seconds: 1 } as const;

function durationField({ field, description, required }: Named, unit: keyof typeof SECONDS_PER): ChatField {
  const name = field.replace(/_(minutes|seconds)$/, '');
  const what = description.replace(/,? in (minutes|seconds).*$/, '');
  const how = !required && unit === 'minutes' ? '30m, 2d, 1w or permanent' : '30m, 2d or 1w';
  const option = {
    name,
    type: OptionType.String,
    description: `${what}, such as ${how}`,
    required,
  } as const;
  return { field, option, read: (options) => inUnits(options.getString(name), name, SECONDS_PER[unit]) };
}

/** A length of time as typed, in whole units; undefined of `permanent` and of nothing. Throws an InputProblem. */
export function inUnits(text: string | null, name: string, secondsPerUnit: number): number | undefined {
  if (text === null || text.trim() === '') return undefined;
  const seconds = parseDuration(text);
  if (seconds === undefined) {
    throw new InputProblem(
      `${name}: "${text.slice(0, 40)}" is no length of time. Write it as 30m, 2d or 1w.`,
    );
  }
  return seconds === null ? undefined : Math.ceil(seconds / secondsPerUnit);
}
