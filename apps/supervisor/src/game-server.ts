import { putServer } from '@bailiff/engine/servers/servers';
import { openDatabase } from '@bailiff/prisma';
import type { ReadyMessage } from '@bailiff/sandbox';
import { StartError } from './start-error.ts';

/** Names of the sandbox's game servers in the sample guild. */
const NAMES: Readonly<Record<string, string>> = { survival: 'Survival' };

/** A game server in run.json, with its id in Bailiff. */
export interface RegisteredServer {
  id: string;
  host: string;
  port: number;
}

/**
 * Registers the sandbox's game servers in the sample guild, so that commands reach them at once. Servers of an earlier
 * start get their new ports. Passwords are sealed as usual.
 *
 * @throws StartError when the bot does not know the sample guild
 */
export async function registerGameServers(
  databaseUrl: string,
  { guildId, servers }: ReadyMessage,
): Promise<RegisteredServer[]> {
  const db = openDatabase(databaseUrl, { applicationName: 'bailiff-start', max: 1 });
  try {
    const registered: RegisteredServer[] = [];
    for (const { id, host, port, password } of servers) {
      const policy = { allow: [], deny: [] };
      const server = await putServer(db, guildId, { name: NAMES[id] ?? id, host, port, password, policy });
      if (server === null) throw new StartError(`The bot is ready, but does not know the guild ${guildId}.`);
      registered.push({ id: server.id, host, port });
    }
    return registered;
  } finally {
    await db.close();
  }
}
