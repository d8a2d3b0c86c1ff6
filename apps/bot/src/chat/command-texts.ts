import type { OperationName } from '@bailiff/core';
import {
  CATALOGUES,
  DEFAULT_LOCALE,
  DISCORD_LOCALES,
  LOCALES,
  type Locale,
  type Translated,
} from '@bailiff/messages';
import type { LocalizationMap } from 'discord.js';

type Texts = Translated<'commands'>;
export type OptionKey = keyof Texts['options'];

interface OperationTexts {
  readonly name: string;
  readonly description: string;
  /** Descriptions of options that are not what they always are. */
  readonly options: Readonly<Partial<Record<OptionKey, string>>>;
}

/** What names something to Discord: in English, and in each of its locales whose language we speak. */
interface Naming {
  readonly name: string;
  readonly name_localizations: LocalizationMap;
}

interface Description {
  readonly description: string;
  readonly description_localizations: LocalizationMap;
}

export function namingOf(pick: (texts: Texts) => string): Naming {
  return { name: pick(CATALOGUES[DEFAULT_LOCALE].commands), name_localizations: localizations(pick) };
}

export function descriptionOf(pick: (texts: Texts) => string): Description {
  return {
    description: pick(CATALOGUES[DEFAULT_LOCALE].commands),
    description_localizations: localizations(pick),
  };
}

function localizations(pick: (texts: Texts) => string): LocalizationMap {
  const others = LOCALES.filter((locale) => locale !== DEFAULT_LOCALE);
  return Object.fromEntries(
    others.flatMap((locale) =>
      DISCORD_LOCALES[locale].map((tag) => [tag, pick(CATALOGUES[locale].commands)] as const),
    ),
  );
}

/** The command of an operation, as Discord shows it. */
export function commandTexts(operation: OperationName): Naming & Description {
  return {
    ...namingOf((texts) => textsOf(texts, operation).name),
    ...descriptionOf((texts) => textsOf(texts, operation).description),
  };
}

/** An option of an operation's command, as Discord shows it. */
export function optionTexts(operation: OperationName, key: OptionKey): Naming & Description {
  return {
    ...namingOf((texts) => texts.options[key].name),
    ...descriptionOf((texts) => textsOf(texts, operation).options[key] ?? texts.options[key].description),
  };
}

/** What people know an option as, in their language. */
export function optionName(locale: Locale, key: OptionKey): string {
  return CATALOGUES[locale].commands.options[key].name;
}

/** @throws Error where a field of an operation that has a command has no words. */
export function optionKey(name: string): OptionKey {
  const key = name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  if (Object.hasOwn(CATALOGUES[DEFAULT_LOCALE].commands.options, key)) return key as OptionKey;
  throw new Error(`The messages "commands" have no words for the option ${name}.`);
}

function textsOf(texts: Texts, operation: OperationName): OperationTexts {
  const [area = '', verb = ''] = operation.split('.');
  const found = (texts as unknown as Record<string, Record<string, OperationTexts> | undefined>)[area]?.[
    verb
  ];
  if (found === undefined) throw new Error(`The messages "commands" have no words for ${operation}.`);
  return found;
}
