import type { Network } from '@bailiff/core';
import type { Keyring } from '@bailiff/engine';
import type { Database } from '@bailiff/prisma';
import type { DiscordApi } from '../discord-api.ts';
import type { Logger } from '../log.ts';

/** What performers work with. */
export interface PerformerDeps {
  readonly db: Database;
  readonly api: DiscordApi;
  /** The bot's own user id. */
  readonly botUserId: string;
  readonly log: Logger;
  /** Opens the passwords of game servers. */
  readonly keyring: Keyring;
  readonly rconAllowedNetworks: readonly Network[];
}
