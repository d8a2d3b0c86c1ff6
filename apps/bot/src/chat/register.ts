import { setTimeout as delay } from 'node:timers/promises';
import { type APIApplicationCommand, Routes } from 'discord.js';
import type { DiscordApi } from '../discord-api.ts';
import type { Logger } from '../log.ts';
import { CHAT_COMMANDS, type ChatCommand } from './commands.ts';

const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 60_000;
const TIMEOUT_MS = 10_000;

/** Makes Discord's list of our commands what it should be; says nothing to Discord when it is so already. */
export async function registerCommands(
  api: DiscordApi,
  applicationId: string,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  const route = Routes.applicationCommands(applicationId);
  for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    try {
      const registered = await api.get<APIApplicationCommand[]>(route, { signal: inTime });
      if (isSame(registered)) return;
      await api.send('PUT', route, {
        signal: inTime,
        body: CHAT_COMMANDS.map(({ definition }) => definition),
      });
      log.info({ commands: CHAT_COMMANDS.map(({ definition }) => definition.name) }, 'commands registered');
      return;
    } catch (error) {
      if (signal.aborted) return;
      log.warn({ err: error, pause_ms: pauseMs }, 'commands could not be registered');
      await delay(pauseMs, undefined, { signal }).catch(() => {});
    }
  }
}

function isSame(registered: readonly APIApplicationCommand[]): boolean {
  const theirs = registered.map((command) => comparable(command)).sort();
  const ours = CHAT_COMMANDS.map(({ definition }) => comparable(definition)).sort();
  return JSON.stringify(theirs) === JSON.stringify(ours);
}

/** What we decide of a command, in one order; Discord adds ids, versions and defaults. */
function comparable(command: APIApplicationCommand | ChatCommand['definition']): string {
  const { name, description, default_member_permissions: shownTo, contexts } = command;
  const options = (command.options ?? []).map((option) => ({
    type: option.type,
    name: option.name,
    description: option.description,
    required: option.required ?? false,
    longest: 'max_length' in option ? (option.max_length ?? null) : null,
  }));
  return JSON.stringify([name, description, shownTo ?? null, contexts ?? null, options]);
}
