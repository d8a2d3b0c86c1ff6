import { entryOf, type OperationName } from '@bailiff/core';
import { CATALOGUES, type Locale, translator } from '@bailiff/messages';
import {
  type APIApplicationCommandBasicOption,
  ChannelType,
  type ChatInputCommandInteraction,
  ApplicationCommandOptionType as OptionType,
} from 'discord.js';
import { z } from 'zod';
import { namingOf, type OptionKey, optionKey, optionName, optionTexts } from './command-texts.ts';
import { parseDuration } from './durations.ts';
import { InputProblem } from './read-input.ts';

/** Where a command was given, by whom, and what is known there of what people type. */
export interface Place {
  readonly channelId: string;
  /** The language of who gave it. */
  readonly locale: Locale;
  /** The ticket whose channel it is, or null. */
  ticketId(): Promise<string | null>;
  /** The strike of a case; throws an InputProblem where the case is none. */
  strikeId(caseNumber: number): Promise<string>;
  /** The game server that is chosen or named; throws an InputProblem where there is none. */
  serverId(named: string): Promise<string>;
  /** What was typed, and what the preset brings along that was picked as its reason; throws an InputProblem. */
  withPreset(operation: OperationName, typed: Typed, isGiven: (field: string) => boolean): Promise<Typed>;
}

/** Fields of an input, as typed. */
export type Typed = Readonly<Record<string, unknown>>;

type Options = ChatInputCommandInteraction['options'];

/** A field of an operation's input, as chat asks for it. */
export interface ChatField {
  readonly field: string;
  /** Its words; null of a field that follows from where the command is given. */
  readonly key: OptionKey | null;
  readonly option: APIApplicationCommandBasicOption | null;
  /** The field as typed; undefined where it was not. Throws an InputProblem. */
  read(options: Options, place: Place): unknown;
}

/** What is the same of every option of the command. */
interface Named {
  readonly field: string;
  readonly key: OptionKey;
  readonly base: ReturnType<typeof optionTexts> & { readonly required: boolean };
}

/** What JSON Schema says of a field. */
type Schema = Exclude<z.core.JSONSchema._JSONSchema, boolean>;

/** Items that a list has in chat, where a page is one answer. */
const PAGE = 10;

/** The fields of an operation's input, in its order. */
export function fieldsOf(operation: OperationName): ChatField[] {
  const { properties = {}, required = [] } = z.toJSONSchema(entryOf(operation).input, { io: 'input' });
  return Object.entries(properties).flatMap(([field, schema]) => {
    if (typeof schema === 'boolean') throw new Error(`The field ${field} has no schema`);
    // Chat has no next page: who needs more asks for less at once, or looks in the dashboard.
    if (field === 'cursor') return [];
    if (field === 'limit') return { field, key: null, option: null, read: () => PAGE };
    if (/^ticket_?id$/i.test(field)) {
      return { field, key: null, option: null, read: (_: Options, place: Place) => ticketHere(place) };
    }
    const key = keyOf(field);
    const base = { ...optionTexts(operation, key), required: required.includes(field) };
    const named = { field, key, base };
    return fieldByName(named) ?? fieldByType(named, schema);
  });
}

/** The words of a field: people name things by other means than ids and units. */
function keyOf(field: string): OptionKey {
  if (field === 'strikeId') return 'case';
  return optionKey(field.replace(/_?id$/i, (id) => (field === 'in_game_id' ? id : '')).replace(UNIT, ''));
}

const UNIT = /_(minutes|seconds)$/;

function fieldByName(named: Named): ChatField | null {
  const { field, base, key } = named;
  if (key === 'user') return userField(named);
  if (key === 'channel') return channelField(named);
  if (key === 'case') return strikeField(named);
  if (key === 'server') return serverField(named);
  if (key === 'note') return suggestedField(named);
  const unit = UNIT.exec(field)?.[1] as keyof typeof SECONDS_PER | undefined;
  if (unit === undefined) return null;
  const option = { ...base, type: OptionType.String } as const;
  return {
    field,
    key,
    option,
    read: (options, { locale }) => inUnits(options.getString(base.name), key, SECONDS_PER[unit], locale),
  };
}

/** Picked from what is suggested, by its id. */
function suggestedField({ field, key, base }: Named): ChatField {
  const option = { ...base, type: OptionType.String, autocomplete: true } as const;
  return { field, key, option, read: (options) => options.getString(base.name) ?? undefined };
}

function fieldByType({ field, key, base }: Named, schema: Schema): ChatField {
  const { name } = base;
  if (schema.type === 'boolean') {
    const option = { ...base, type: OptionType.Boolean } as const;
    return { field, key, option, read: (options) => options.getBoolean(name) ?? undefined };
  }
  if (schema.type === 'integer') {
    const { minimum: min_value = 0, maximum: max_value = Number.MAX_SAFE_INTEGER } = schema;
    const option = { ...base, type: OptionType.Integer, min_value, max_value } as const;
    return { field, key, option, read: (options) => options.getInteger(name) ?? undefined };
  }
  const read: ChatField['read'] = (options) => options.getString(name) ?? undefined;
  const choices = schema.enum?.map((value) => ({ ...choiceNaming(String(value)), value: String(value) }));
  if (choices !== undefined)
    return { field, key, option: { ...base, type: OptionType.String, choices }, read };
  const option = { ...base, type: OptionType.String, max_length: schema.maxLength ?? 512 } as const;
  return { field, key, option, read };
}

function choiceNaming(value: string) {
  if (!Object.hasOwn(CATALOGUES.en.commands.choices, value)) {
    throw new Error(`The messages "commands" have no words for the choice ${value}.`);
  }
  return namingOf(({ choices }) => choices[value as keyof typeof choices]);
}

function userField({ field, key, base }: Named): ChatField {
  const option = { ...base, type: OptionType.User } as const;
  return { field, key, option, read: (options) => options.getUser(base.name)?.id };
}

/** Left out, it is where the command was given. */
function channelField({ field, key, base }: Named): ChatField {
  const option = {
    ...base,
    type: OptionType.Channel,
    channel_types: [ChannelType.GuildText],
    required: false,
  } satisfies APIApplicationCommandBasicOption;
  return {
    field,
    key,
    option,
    read: (options, place) => options.getChannel(base.name)?.id ?? place.channelId,
  };
}

function strikeField({ field, key, base }: Named): ChatField {
  const option = { ...base, type: OptionType.Integer, min_value: 1, max_value: 2_147_483_647 } as const;
  return {
    field,
    key,
    option,
    read: (options, place) => place.strikeId(options.getInteger(base.name, true)),
  };
}

function serverField({ field, key, base }: Named): ChatField {
  const option = { ...base, type: OptionType.String, autocomplete: true } as const;
  return { field, key, option, read: (options, place) => place.serverId(options.getString(base.name, true)) };
}

async function ticketHere(place: Place): Promise<string> {
  const id = await place.ticketId();
  if (id === null) throw new InputProblem(translator(place.locale, 'chat')('tickets.notHere'));
  return id;
}

const SECONDS_PER = { minutes: 60, seconds: 1 } as const;

/** A length of time as typed, in whole units; undefined of `permanent` and of nothing. Throws an InputProblem. */
export function inUnits(
  text: string | null,
  key: OptionKey,
  secondsPerUnit: number,
  locale: Locale,
): number | undefined {
  if (text === null || text.trim() === '') return undefined;
  const seconds = parseDuration(text);
  if (seconds === undefined) {
    const t = translator(locale, 'errors');
    const problem = t('issues.noLength', { text: text.slice(0, 40) });
    throw new InputProblem(t('issues.at', { option: optionName(locale, key), problem }));
  }
  return seconds === null ? undefined : Math.ceil(seconds / secondsPerUnit);
}
