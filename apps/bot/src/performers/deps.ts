import type { Network } from '@bailiff/core';
import type { Keyring } from '@bailiff/engine/servers/sealing';
import type { Database } from '@bailiff/prisma';
import type { DiscordApi } from '#src/discord-api.ts';
import type { Logger } from '#src/log.ts';
import type { BotMeter } from '#src/metrics/bot-meter.ts';
import { type Paces, pacedApi } from '#src/pacing.ts';

/** What performers need. */
export interface PerformerDeps {
  readonly db: Database;
  readonly api: DiscordApi;
  readonly paces: Paces;
  /** The bot's own user id. */
  readonly botUserId: string;
  readonly log: Logger;
  /** Where people read about themselves, and appeal. */
  readonly dashboardUrl: string;
  /** Opens the passwords of game servers. */
  readonly keyring: Keyring;
  readonly rconAllowedNetworks: readonly Network[];
  /** Absent if no metrics are kept. */
  readonly meter?: BotMeter | undefined;
}

/** What work on one guild needs. Its requests to Discord wait for that guild's turn. */
export function depsIn(deps: PerformerDeps, guildId: string): PerformerDeps {
  return { ...deps, api: pacedApi(deps.api, deps.paces, guildId) };
}
