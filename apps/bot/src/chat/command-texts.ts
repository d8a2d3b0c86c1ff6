import type { ChatOperation } from '@bailiff/core';
import {
  commandWords,
  DEFAULT_LOCALE,
  DISCORD_LOCALES,
  LOCALES,
  type Locale,
  optionWords,
} from '@bailiff/messages';
import type { LocalizationMap } from 'discord.js';

/** The names of something for Discord: in English, and in each of Discord's locales with a supported language. */
interface Naming {
  readonly name: string;
  readonly name_localizations: LocalizationMap;
}

interface Description {
  readonly description: string;
  readonly description_localizations: LocalizationMap;
}

export function namingOf(nameIn: (locale: Locale) => string): Naming {
  return { name: nameIn(DEFAULT_LOCALE), name_localizations: localizations(nameIn) };
}

export function descriptionOf(descriptionIn: (locale: Locale) => string): Description {
  return {
    description: descriptionIn(DEFAULT_LOCALE),
    description_localizations: localizations(descriptionIn),
  };
}

function localizations(textIn: (locale: Locale) => string): LocalizationMap {
  const others = LOCALES.filter((locale) => locale !== DEFAULT_LOCALE);
  return Object.fromEntries(
    others.flatMap((locale) => DISCORD_LOCALES[locale].map((tag) => [tag, textIn(locale)] as const)),
  );
}

/** The command of an operation, as Discord shows it. */
export function commandTexts(operation: ChatOperation): Naming & Description {
  return {
    ...namingOf((locale) => commandWords(locale, operation).name),
    ...descriptionOf((locale) => commandWords(locale, operation).description),
  };
}

/** An option of an operation's command, as Discord shows it. */
export function optionTexts(operation: ChatOperation, field: string): Naming & Description {
  return {
    ...namingOf((locale) => optionName(locale, operation, field)),
    ...descriptionOf((locale) => optionWords(locale, operation, field)?.description ?? field),
  };
}

/** The name of a field in a person's language. If its command has no option for the field, the field's own name. */
export function optionName(locale: Locale, operation: ChatOperation, field: string): string {
  return optionWords(locale, operation, field)?.name ?? field;
}
