import {
  CHAT_FIELDS,
  type ChatOperation,
  entryOf,
  type FieldKind,
  MOST_TYPED_LINK_CODE,
  type OperationName,
  parseDuration,
} from '@bailiff/core';
import type { TriedLink } from '@bailiff/engine/servers/link-codes';
import { CATALOGUES, type Locale, type Translated, translator } from '@bailiff/messages';
import {
  type APIApplicationCommandBasicOption,
  ChannelType,
  type ChatInputCommandInteraction,
  ApplicationCommandOptionType as OptionType,
} from 'discord.js';
import { z } from 'zod';
import { namingOf, optionName, optionTexts } from './command-texts.ts';
import { BareLength, InputProblem, type Units } from './read-input.ts';
import { beginning } from './text.ts';

/** The channel and person of a command, and lookups for what people type there. */
export interface CommandContext {
  readonly channelId: string;
  /** The language of the person who gave the command. */
  readonly locale: Locale;
  /** What lengths without a unit mean, as far as the person was asked. */
  readonly units: Units;
  /** The ticket of this channel, or null. */
  ticketId(): Promise<string | null>;
  /** The id of a case. Throws an InputProblem that names the option if it is of another kind than `kind`, if that is given. */
  caseId(kind: NumberedKind | null, caseNumber: number, option: string): Promise<string>;
  /** The person whom the command can release. Throws an InputProblem that names the option if it is not one. */
  sanctionedId(operation: OperationName, typed: string, option: string): Promise<string>;
  /** The game server that was chosen or named. Throws an InputProblem that names the option if there is none. */
  serverId(named: string, option: string): Promise<string>;
  /** What a member asked to link with this code. Throws a refusal for every other text. */
  link(code: string): Promise<TriedLink>;
  /** What was typed, completed with the fields of the preset that was picked as its reason. Throws an InputProblem. */
  withPreset(operation: OperationName, typed: Typed, isGiven: (field: string) => boolean): Promise<Typed>;
}

/** Kinds of cases that a command names by their number. */
export type NumberedKind = 'strike' | 'warning';

/** Fields of an input, as typed. */
export type Typed = Readonly<Record<string, unknown>>;

type Options = ChatInputCommandInteraction['options'];

/** What can be suggested for an option. */
export type Suggestion =
  | 'closedTickets'
  | 'identities'
  | 'masses'
  | 'notes'
  | 'presets'
  | 'running'
  | 'sanctioned'
  | 'servers'
  | 'ticketCategories';

/** A field of an operation's input, as chat asks for it. */
export interface ChatField {
  readonly field: string;
  /** Null if the field's value depends only on where the command is given. */
  readonly option: APIApplicationCommandBasicOption | null;
  /** What is suggested while people type it; absent if nothing is. */
  readonly suggests?: Suggestion;
  /** The field as typed, or undefined if it was left out. Throws an InputProblem. */
  read(options: Options, context: CommandContext): unknown;
}

/** Properties of every option of a command. */
interface Named {
  readonly operation: ChatOperation;
  readonly field: string;
  readonly base: ReturnType<typeof optionTexts> & { readonly required: boolean };
}

type Choice = keyof Translated<'commands'>['choices'];

/** The JSON Schema of a field. */
type Schema = Exclude<z.core.JSONSchema._JSONSchema, boolean>;

/** Items in a list in chat, where a page is one answer. */
export const PAGE_ITEMS = 10;

/** The fields of an operation's input, in its order. */
export function fieldsOf(operation: ChatOperation): ChatField[] {
  const { properties = {}, required = [] } = z.toJSONSchema(entryOf(operation).input, { io: 'input' });
  return Object.entries(properties).flatMap(([field, schema]) => {
    if (typeof schema === 'boolean') throw new Error(`The field ${field} has no schema`);
    // The compiler checks that every field of an operation with a command has a kind.
    const kind = CHAT_FIELDS[field as keyof typeof CHAT_FIELDS];
    if (kind === 'never') return [];
    if (kind === 'page_size') return { field, option: null, read: () => PAGE_ITEMS };
    if (kind === 'ticket_of_channel')
      return { field, option: null, read: (_, context) => ticketHere(context) };
    if (kind === 'linked_user') return { field, option: null, read: linkedUser(operation) };
    const base = { ...optionTexts(operation, field), required: required.includes(field) };
    return ASK[kind]({ operation, field, base }, schema);
  });
}

/** The option of each kind of field. */
const ASK: Readonly<
  Record<
    Exclude<FieldKind, 'linked_user' | 'never' | 'page_size' | 'ticket_of_channel'>,
    (named: Named, schema: Schema) => ChatField
  >
> = {
  user: userField,
  sanctioned_user: sanctionedField,
  channel: channelField,
  role: roleField,
  case_number: (named) => caseField(named, null),
  strike_number: (named) => caseField(named, 'strike'),
  warning_number: (named) => caseField(named, 'warning'),
  server: serverField,
  note: (named) => pickedField(named, 'notes'),
  identity: (named) => pickedField(named, 'identities'),
  link_code: linkField,
  running_action: (named) => pickedField(named, 'running'),
  mass_action: (named) => pickedField(named, 'masses'),
  closed_ticket: (named) => pickedField(named, 'closedTickets'),
  ticket_category: (named) => pickedField(named, 'ticketCategories'),
  people: peopleField,
  since: sinceField,
  minutes: (named) => lengthField(named, 60),
  seconds: (named) => lengthField(named, 1),
  as_typed: fieldByType,
};

/** The code of a member, which names what they asked for. */
function linkField({ field, base }: Named): ChatField {
  const option = { ...base, type: OptionType.String, max_length: MOST_TYPED_LINK_CODE } as const;
  return {
    field,
    option,
    read: async (options, context) => (await context.link(options.getString(base.name, true))).link_id,
  };
}

/** Who asked for the code. */
function linkedUser(operation: ChatOperation): ChatField['read'] {
  const { name } = optionTexts(operation, 'link_id');
  return async (options, context) => (await context.link(options.getString(name, true))).user_id;
}

/** A duration such as `2d`, converted to units of the given number of seconds. */
function lengthField({ operation, field, base }: Named, unitSeconds: number): ChatField {
  const option = { ...base, type: OptionType.String } as const;
  return {
    field,
    option,
    read: (options, context) => {
      const option = optionName(context.locale, operation, field);
      return inUnits(options.getString(base.name), option, unitSeconds, context);
    },
  };
}

/** Discord's limit: about 300 ids. */
const MOST_TYPED = 6_000;

function peopleField({ field, base }: Named): ChatField {
  const option = { ...base, type: OptionType.String, max_length: MOST_TYPED } as const;
  return { field, option, read: (options) => options.getString(base.name) ?? undefined };
}

/** A moment, or how long ago it was. */
function sinceField({ field, base }: Named): ChatField {
  const option = { ...base, type: OptionType.String, max_length: 40 } as const;
  return {
    field,
    option,
    read: (options) => {
      const typed = options.getString(base.name)?.trim();
      const seconds = typed === undefined ? undefined : parseDuration(typed);
      if (typeof seconds !== 'number') return typed;
      // A date has limits, and the operation refuses times long before them.
      return new Date(Math.max(0, Date.now() - seconds * 1000)).toISOString();
    },
  };
}

/** Picked from the suggestions, by its id. */
function pickedField({ field, base }: Named, suggests: Suggestion): ChatField {
  const option = { ...base, type: OptionType.String, autocomplete: true } as const;
  return { field, option, suggests, read: (options) => options.getString(base.name) ?? undefined };
}

function fieldByType({ field, base }: Named, schema: Schema): ChatField {
  const { name } = base;
  if (schema.type === 'boolean') {
    const option = { ...base, type: OptionType.Boolean } as const;
    return { field, option, read: (options) => options.getBoolean(name) ?? undefined };
  }
  if (schema.type === 'integer') {
    const { minimum: min_value = 0, maximum: max_value = Number.MAX_SAFE_INTEGER } = schema;
    const option = { ...base, type: OptionType.Integer, min_value, max_value } as const;
    return { field, option, read: (options) => options.getInteger(name) ?? undefined };
  }
  const read: ChatField['read'] = (options) => options.getString(name) ?? undefined;
  const choices = schema.enum?.map((value) => ({ ...choiceNaming(String(value)), value: String(value) }));
  if (choices !== undefined) return { field, option: { ...base, type: OptionType.String, choices }, read };
  const option = { ...base, type: OptionType.String, max_length: schema.maxLength ?? 512 } as const;
  return { field, option, read };
}

function choiceNaming(value: string) {
  // The compiler checks that every value of such a field has texts.
  return namingOf((locale) => CATALOGUES[locale].commands.choices[value as Choice]);
}

function userField({ field, base }: Named): ChatField {
  const option = { ...base, type: OptionType.User } as const;
  return { field, option, read: (options) => options.getUser(base.name)?.id };
}

function roleField({ field, base }: Named): ChatField {
  const option = { ...base, type: OptionType.Role } as const;
  return { field, option, read: (options) => options.getRole(base.name)?.id };
}

function sanctionedField({ operation, field, base }: Named): ChatField {
  const option = { ...base, type: OptionType.String, autocomplete: true } as const;
  return {
    field,
    option,
    suggests: 'sanctioned',
    read: (options, context) =>
      context.sanctionedId(
        operation,
        options.getString(base.name, true),
        optionName(context.locale, operation, field),
      ),
  };
}

/** Channels with messages, and those to which only the bot writes. */
const WITH_MESSAGES = [
  ChannelType.GuildText,
  ChannelType.GuildAnnouncement,
  ChannelType.GuildVoice,
  ChannelType.GuildStageVoice,
  ChannelType.PublicThread,
  ChannelType.PrivateThread,
  ChannelType.AnnouncementThread,
] as const;
const FOR_POSTS = [ChannelType.GuildText, ChannelType.GuildAnnouncement] as const;
// Not media channels: Discord's description of its API has no such type for an option, and a refusal of one command
// would leave all of them unregistered. The public API takes their ids.
const WITH_SETTINGS = [
  ...FOR_POSTS,
  ChannelType.GuildVoice,
  ChannelType.GuildStageVoice,
  ChannelType.GuildForum,
] as const;

/** The kinds of channels that an operation is about. */
const KINDS: { readonly [N in ChatOperation]?: readonly GuildChannelType[] } = {
  'messages.purge': WITH_MESSAGES,
  // Discord has none for announcements.
  'channels.slowmode': WITH_SETTINGS.filter((kind) => kind !== ChannelType.GuildAnnouncement),
  'channels.lock': WITH_SETTINGS,
  'channels.unlock': WITH_SETTINGS,
};
type GuildChannelType = (typeof WITH_MESSAGES | typeof WITH_SETTINGS)[number];

/** Default: the channel where the command was given. */
function channelField({ operation, field, base }: Named): ChatField {
  const option = {
    ...base,
    type: OptionType.Channel,
    channel_types: [...(KINDS[operation] ?? FOR_POSTS)],
    required: false,
  } satisfies APIApplicationCommandBasicOption;
  return {
    field,
    option,
    read: (options, context) => options.getChannel(base.name)?.id ?? context.channelId,
  };
}

function caseField({ operation, field, base }: Named, kind: NumberedKind | null): ChatField {
  const option = { ...base, type: OptionType.Integer, min_value: 1, max_value: 2_147_483_647 } as const;
  return {
    field,
    option,
    read: (options, context) =>
      context.caseId(kind, options.getInteger(base.name, true), optionName(context.locale, operation, field)),
  };
}

function serverField({ operation, field, base }: Named): ChatField {
  const option = { ...base, type: OptionType.String, autocomplete: true } as const;
  return {
    field,
    option,
    suggests: 'servers',
    read: (options, context) =>
      context.serverId(options.getString(base.name, true), optionName(context.locale, operation, field)),
  };
}

async function ticketHere(context: CommandContext): Promise<string> {
  const id = await context.ticketId();
  if (id === null) throw new InputProblem(translator(context.locale, 'chat')('tickets.notHere'));
  return id;
}

/** The longest number that can be a length. */
const MOST_DIGITS = 6;

/**
 * A duration as typed, in whole units. Undefined for `permanent` and if it was left out.
 *
 * @throws InputProblem that names the option; BareLength if it has no unit, and none was chosen
 */
export function inUnits(
  text: string | null,
  option: string,
  secondsPerUnit: number,
  { locale, units }: Pick<CommandContext, 'locale' | 'units'>,
): number | undefined {
  const typed = text?.trim() ?? '';
  if (typed === '') return undefined;
  const read = parseDuration(typed);
  const unit = units.get(option);
  const seconds = read === 'bare' && unit !== undefined ? Number(typed.normalize('NFKC')) * unit : read;
  if (seconds === undefined || seconds === 'bare') {
    const t = translator(locale, 'errors');
    const bare = secondsPerUnit === 1 ? 'issues.bareShortLength' : 'issues.bareLength';
    const problem = t(seconds === 'bare' ? bare : 'issues.noLength', { text: beginning(typed, 40) });
    const message = t('issues.at', { option, problem });
    if (seconds === 'bare' && typed.length <= MOST_DIGITS)
      throw new BareLength(message, { option, amount: Number(typed.normalize('NFKC')), secondsPerUnit });
    throw new InputProblem(message);
  }
  return seconds === null ? undefined : Math.ceil(seconds / secondsPerUnit);
}
