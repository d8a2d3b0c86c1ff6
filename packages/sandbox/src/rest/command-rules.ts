import { ApplicationCommandType, Locale } from 'discord-api-types/v10';
import { invalidForm } from '#src/errors.ts';
import { type Fields, isObject, type JsonObject } from '#src/fields.ts';
import { fieldsOf } from './route.ts';

/** Discord's rules for the names and descriptions of commands, options and choices, in each language. */

const CHAT_NAME = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;
const LONGEST_NAME = 32;
const LONGEST_DESCRIPTION = 100;
const MOST_CHOICES = 25;
const LONGEST_CHOICE = 100;
const LONGEST_COMMAND = 8000;
const LOCALES: readonly string[] = Object.values(Locale);

type Localizations = Record<string, string>;

export function readName(fields: Fields, type: ApplicationCommandType, at = ''): string {
  const name = fields.requiredString('name', { min: 1, max: LONGEST_NAME });
  requireLegalName(name, type, `${at}name`);
  return name;
}

function requireLegalName(name: string, type: ApplicationCommandType, at: string): void {
  const isOfChat = type === ApplicationCommandType.ChatInput;
  const legal = isOfChat
    ? CHAT_NAME.test(name) && name === name.toLowerCase()
    : name.length >= 1 && name.length <= LONGEST_NAME;
  if (legal) return;
  throw invalidForm(
    at,
    'APPLICATION_COMMAND_INVALID_NAME',
    'Command name is invalid: 1 to 32 lower-case letters, digits, - and _ only.',
  );
}

export function readNames(fields: Fields, type: ApplicationCommandType, at = ''): Localizations | null {
  return readLocalizations(fields, 'name_localizations', at, (text, where) =>
    requireLegalName(text, type, where),
  );
}

export function readDescriptions(fields: Fields, at = ''): Localizations | null {
  return readLocalizations(fields, 'description_localizations', at, (text, where) =>
    requireLength(text, LONGEST_DESCRIPTION, where),
  );
}

function requireLength(text: string, max: number, at: string): void {
  if (text.length >= 1 && text.length <= max) return;
  throw invalidForm(at, 'BASE_TYPE_BAD_LENGTH', `Must be between 1 and ${max} in length.`);
}

function readLocalizations(
  fields: Fields,
  name: string,
  at: string,
  check: (text: string, where: string) => void,
): Localizations | null {
  const given = fields.object(name);
  if (!given) return null;
  const texts = Object.entries(given).filter((pair): pair is [string, string] => {
    const [locale, text] = pair;
    if (text === null) return false;
    if (!LOCALES.includes(locale)) {
      throw invalidForm(`${at}${name}`, 'DICT_TYPE_INVALID_KEY', `${locale} is not a locale of Discord's.`);
    }
    if (typeof text !== 'string') {
      throw invalidForm(`${at}${name}.${locale}`, 'STRING_TYPE_CONVERT', 'Could not interpret as string.');
    }
    check(text, `${at}${name}.${locale}`);
    return true;
  });
  return Object.fromEntries(texts);
}

/** Options of a command, with those of its subcommands. */
export function checkOptions(options: readonly JsonObject[], at: string): void {
  if (options.length > 25) throw invalidForm(at, 'BASE_TYPE_BAD_LENGTH', 'Must be 25 or fewer in length.');
  let optionalSeen = false;
  const named = options.map((option, index) => {
    const where = `${at}.${index}.`;
    const fields = fieldsOf(option);
    const name = readName(fields, ApplicationCommandType.ChatInput, where);
    const name_localizations = readNames(fields, ApplicationCommandType.ChatInput, where);
    fields.requiredString('description', { min: 1, max: LONGEST_DESCRIPTION });
    readDescriptions(fields, where);
    checkChoices(fields.objects('choices') ?? [], `${where}choices`);
    const nested = fields.objects('options');
    if (nested) checkOptions(nested, `${where}options`);
    const isValue = (fields.integer('type', { min: 1, max: 11 }) ?? 0) > 2;
    if (isValue && option.required === true && optionalSeen) {
      throw invalidForm(
        `${at}.${index}`,
        'APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID',
        'Required options must be placed before non-required options',
      );
    }
    if (isValue && option.required !== true) optionalSeen = true;
    return { name, name_localizations };
  });
  refuseRepeatedNames(named, at, 'APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS');
}

function checkChoices(choices: readonly JsonObject[], at: string): void {
  if (choices.length > MOST_CHOICES) {
    throw invalidForm(at, 'BASE_TYPE_BAD_LENGTH', `Must be ${MOST_CHOICES} or fewer in length.`);
  }
  choices.forEach((choice, index) => {
    const fields = fieldsOf(choice);
    const where = `${at}.${index}.`;
    fields.requiredString('name', { min: 1, max: LONGEST_CHOICE });
    readLocalizations(fields, 'name_localizations', where, (text, field) =>
      requireLength(text, LONGEST_CHOICE, field),
    );
  });
}

/** Refuses a command whose names, descriptions and values are too long together, each in its longest language. */
export function refuseLongCommand(command: JsonObject, at: string): void {
  if (lengthOf(command) <= LONGEST_COMMAND) return;
  throw invalidForm(at, 'APPLICATION_COMMAND_TOO_LARGE', `Command exceeds maximum size (${LONGEST_COMMAND})`);
}

function lengthOf(part: JsonObject): number {
  const inner = [part.options, part.choices].flat().filter(isObject);
  return (
    longest(part.name, part.name_localizations) +
    longest(part.description, part.description_localizations) +
    (typeof part.value === 'string' ? part.value.length : 0) +
    inner.reduce((sum, each) => sum + lengthOf(each), 0)
  );
}

function longest(text: unknown, translations: unknown): number {
  const texts = [text, ...Object.values(isObject(translations) ? translations : {})];
  return Math.max(...texts.map((each) => (typeof each === 'string' ? each.length : 0)));
}

interface NamedPart {
  readonly name: string;
  readonly name_localizations?: Localizations | null;
}

/** Throws if two parts have the same name in any language. A part without a translation keeps its default name. */
export function refuseRepeatedNames(parts: readonly NamedPart[], at: string, code: string): void {
  for (const locale of [null, ...LOCALES]) {
    const names = parts.map(
      (part) => (locale === null ? undefined : part.name_localizations?.[locale]) ?? part.name,
    );
    const repeated = names.findIndex((name, index) => names.indexOf(name) !== index);
    if (repeated === -1) continue;
    const language = locale === null ? '' : ` in ${locale}`;
    throw invalidForm(`${at}.${repeated}`, code, `Names must be unique${language}: ${names[repeated]}`);
  }
}
