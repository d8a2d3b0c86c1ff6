import { type APIApplicationCommand, ApplicationCommandType, type LocalizationMap, Routes } from 'discord.js';
import type { DiscordApi } from '#src/discord-api.ts';
import type { Logger } from '#src/log.ts';
import { retryUntilAborted } from '#src/retry.ts';
import { COMMAND_DEFINITIONS } from './commands.ts';

const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 60_000;
const TIMEOUT_MS = 10_000;

/** Updates Discord's list of our commands. Sends nothing if the list is right already. */
export function registerCommands(
  api: DiscordApi,
  applicationId: string,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  const route = Routes.applicationCommands(applicationId);
  const register = async () => {
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const registered = await api.get<APIApplicationCommand[]>(route, {
      signal: inTime,
      query: { with_localizations: 'true' },
    });
    if (areOurs(registered)) return;
    await api.send('PUT', route, {
      signal: inTime,
      body: COMMAND_DEFINITIONS,
    });
    log.info({ commands: COMMAND_DEFINITIONS.map(({ name }) => name) }, 'commands registered');
  };
  return retryUntilAborted(register, {
    signal,
    firstPauseMs: FIRST_PAUSE_MS,
    longestPauseMs: LONGEST_PAUSE_MS,
    onFailure: (error, pauseMs) => {
      if (!signal.aborted) log.warn({ err: error, pause_ms: pauseMs }, 'commands could not be registered');
    },
  });
}

type Command = APIApplicationCommand | (typeof COMMAND_DEFINITIONS)[number];
type Option = NonNullable<APIApplicationCommand['options']>[number];

/** Whether the registered commands are those that this release has. */
export function areOurs(registered: readonly APIApplicationCommand[]): boolean {
  const theirs = registered.map((command) => comparable(command)).sort();
  const ours = COMMAND_DEFINITIONS.map((definition) => comparable(definition)).sort();
  return JSON.stringify(theirs) === JSON.stringify(ours);
}

/** The parts of a command that Bailiff sets, in a fixed order. Discord adds ids, versions and defaults. */
function comparable(command: Command): string {
  const { type = ApplicationCommandType.ChatInput, name, contexts = null } = command;
  const shownTo = command.default_member_permissions ?? null;
  const description = ('description' in command && command.description) || '';
  const given = ('options' in command && command.options) || [];
  const options = given.map((option) => comparableOption(option));
  return JSON.stringify([type, name, description, localized(command), shownTo, contexts, options]);
}

/** Names and descriptions in other languages, in a fixed order. */
function localized(named: Localized): object {
  const { name_localizations: names, description_localizations: descriptions } = named;
  return [names, descriptions].map((texts) => Object.entries(texts ?? {}).sort());
}

type Texts = { readonly [Tag in keyof LocalizationMap]?: string | null | undefined } | null | undefined;

interface Localized {
  readonly name_localizations?: Texts;
  readonly description_localizations?: Texts;
}

function comparableOption(option: Option): object {
  return {
    type: option.type,
    name: option.name,
    description: option.description,
    localized: localized(option),
    required: ('required' in option && option.required) ?? false,
    longest: 'max_length' in option ? (option.max_length ?? null) : null,
    least: 'min_value' in option ? (option.min_value ?? null) : null,
    most: 'max_value' in option ? (option.max_value ?? null) : null,
    choices:
      'choices' in option
        ? (option.choices ?? []).map((choice) => [choice.name, choice.value, localized(choice)])
        : [],
    suggests: ('autocomplete' in option && option.autocomplete) ?? false,
    channels: 'channel_types' in option ? (option.channel_types ?? null) : null,
    options: 'options' in option ? (option.options ?? []).map((each) => comparableOption(each)) : [],
  };
}
