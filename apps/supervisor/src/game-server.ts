import { setTimeout as delay } from 'node:timers/promises';
import { type Game, TEMPLATE_PRESETS } from '@bailiff/core/server-templates';
import { putServer } from '@bailiff/engine/servers/servers';
import { openDatabase } from '@bailiff/prisma';
import type { ReadyMessage } from '@bailiff/sandbox';
import { complain } from './console.ts';

/** Names of the sandbox's game servers in the sample guild. */
const NAMES: Readonly<Record<string, string>> = { survival: 'Survival' };
/** What is played on them, so that a kick, a ban and the list of players can be tried at once. */
const GAME: Game = 'minecraft';

/** A game server in run.json, with its id in Bailiff. */
export interface RegisteredServer {
  id: string;
  host: string;
  port: number;
}

/** How long the bot may take to learn about the sample guild. */
const GUILD_TIMEOUT_MS = 30_000;
const POLL_MS = 250;

/**
 * Registers the sandbox's game servers in the sample guild, so that commands reach them at once. Servers of an earlier
 * start get their new ports and keep their game. Passwords are sealed as usual. None are registered, with a message on the console, while
 * the bot does not know the sample guild.
 */
export async function registerGameServers(
  databaseUrl: string,
  { guildId, servers }: ReadyMessage,
  signal: AbortSignal,
): Promise<RegisteredServer[]> {
  const db = openDatabase(databaseUrl, { applicationName: 'bailiff-start', max: 1 });
  const giveUpAt = performance.now() + GUILD_TIMEOUT_MS;
  try {
    const registered: RegisteredServer[] = [];
    for (const { id, host, port, password } of servers) {
      const policy = { allow: [], deny: [] };
      const name = NAMES[id] ?? id;
      const templates = TEMPLATE_PRESETS[GAME];
      const put = () => putServer(db, guildId, { name, host, port, password, policy, game: GAME, templates });
      let server = await put();
      while (server === null && performance.now() < giveUpAt) {
        await delay(POLL_MS, undefined, { signal });
        server = await put();
      }
      if (server !== null) registered.push({ id: server.id, host, port });
      else
        complain(`The game server ${id} was not registered: the bot does not know the guild ${guildId} yet.`);
    }
    return registered;
  } finally {
    await db.close();
  }
}
