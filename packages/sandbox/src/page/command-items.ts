import { ApplicationCommandOptionType as Option } from 'discord-api-types/v10';
import { isObject, type JsonObject } from '#src/fields.ts';
import type { Command } from '#src/model.ts';
import type { CommandItem, MenuItem, OptionItem } from './wire.ts';

/** The slash commands with one entry for each subcommand, in the words of a client in this language. */
export function commandItems(commands: readonly Command[], locale: string): CommandItem[] {
  return commands
    .flatMap((command) => spelled({ ...command }, '', '', locale))
    .toSorted((one, other) => one.label.localeCompare(other.label, locale));
}

export function menuItems(commands: readonly Command[], locale: string): MenuItem[] {
  return commands.map((command) => ({
    name: command.name,
    label: translated({ ...command }, 'name', locale),
  }));
}

function spelled(given: JsonObject, before: string, labelBefore: string, locale: string): CommandItem[] {
  const options = Array.isArray(given.options) ? given.options.filter(isObject) : [];
  const nested = options.filter(({ type }) => type === Option.Subcommand || type === Option.SubcommandGroup);
  const words = `${before}${String(given.name)}`;
  const label = `${labelBefore}${translated(given, 'name', locale)}`;
  if (nested.length > 0) return nested.flatMap((option) => spelled(option, `${words} `, `${label} `, locale));
  const description = translated(given, 'description', locale);
  return [{ words, label, description, options: options.map((option) => optionItem(option, locale)) }];
}

function optionItem(option: JsonObject, locale: string): OptionItem {
  const choices = Array.isArray(option.choices) ? option.choices.filter(isObject) : [];
  return {
    name: String(option.name),
    label: translated(option, 'name', locale),
    description: translated(option, 'description', locale),
    type: Number(option.type),
    required: option.required === true,
    autocomplete: option.autocomplete === true,
    choices: choices.map((choice) => ({
      label: translated(choice, 'name', locale),
      value: String(choice.value),
    })),
  };
}

function translated(given: JsonObject, field: 'name' | 'description', locale: string): string {
  const translations = given[`${field}_localizations`];
  const own = isObject(translations) ? translations[locale] : undefined;
  return String(own ?? given[field] ?? '');
}
