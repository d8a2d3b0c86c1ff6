import { commandableServers, type Engine, readForPerson } from '@bailiff/engine';
import type { Place } from './fields.ts';
import { InputProblem } from './read-input.ts';
import { ticketOfChannel } from './tickets.ts';

/** Who is there, and under which request what they ask is recorded. */
export interface Somebody {
  readonly guildId: string;
  readonly channelId: string;
  readonly userId: string;
  readonly requestId: string;
}

/** What is known where a command is given; `names` is told the name of each thing that is found, by its id. */
export function placeOf(engine: Engine, somebody: Somebody, names: Map<string, string>): Place {
  const { guildId, channelId, userId, requestId } = somebody;
  return {
    channelId,
    ticketId: () => ticketOfChannel(engine.db, guildId, channelId),
    strikeId: async (number) => {
      const found = await readForPerson(engine, {
        operation: 'cases.get',
        guildId,
        input: { number },
        userId,
        requestId,
      });
      if (found.kind !== 'strike') throw new InputProblem(`case: #${number} is a ${found.kind}, no strike.`);
      names.set(found.id, `#${number}`);
      return found.id;
    },
    serverId: async (named) => {
      const servers = await commandableServers(engine, { guildId, userId });
      const found = servers.find(
        ({ id, name }) => id === named || name.toLowerCase() === named.trim().toLowerCase(),
      );
      if (found === undefined) throw new InputProblem(noServer(named, servers));
      names.set(found.id, found.name);
      return found.id;
    },
  };
}

function noServer(named: string, servers: readonly { name: string }[]): string {
  if (servers.length === 0) return 'This guild has no game server. Its owner adds one in the dashboard.';
  const known = servers.map(({ name }) => name).join(', ');
  return `server: there is none called "${named.slice(0, 100)}". There are: ${known}.`;
}
