import { authorizePerson } from '@bailiff/engine/calls/authorize';
import { findCase } from '@bailiff/engine/cases/cases';
import type { Engine } from '@bailiff/engine/engine';
import { type TriedLink, tryLinkCode } from '@bailiff/engine/servers/link-codes';
import { commandableServers } from '@bailiff/engine/servers/servers';
import { type Locale, sayCase, translator } from '@bailiff/messages';
import type { CommandContext } from './fields.ts';
import { withPreset } from './presets.ts';
import { InputProblem, type Units } from './read-input.ts';
import { sanctionedId } from './sanctioned.ts';
import { beginning } from './text.ts';
import { ticketOfChannel } from './tickets.ts';

/** The person and channel of a command. */
export interface CommandOrigin {
  readonly guildId: string;
  readonly channelId: string;
  readonly userId: string;
  readonly locale: Locale;
  readonly units: Units;
}

/** The context of a command. Adds the name of each thing that is found to `names`, by its id. */
export function commandContext(
  engine: Engine,
  origin: CommandOrigin,
  names: Map<string, string>,
): CommandContext {
  const { guildId, channelId, userId, locale, units } = origin;
  const t = translator(locale, 'chat');
  let link: Promise<TriedLink> | null = null;
  return {
    channelId,
    locale,
    units,
    ticketId: () => ticketOfChannel(engine.db, guildId, channelId),
    caseId: async (kind, number, option) => {
      const found = await findCase(engine.db, guildId, number);
      if (found === null) {
        const missing = translator(locale, 'operations')('cases.get.missing', { number: String(number) });
        throw new InputProblem(missing);
      }
      await authorizePerson(engine, { operation: 'cases.get', guildId, userId, caseId: found.id });
      if (kind !== null && found.kind !== kind) {
        const told = { option, number: String(number), kind: sayCase(locale, found) };
        throw new InputProblem(t(`options.notOfKind.${kind}`, told));
      }
      names.set(found.id, `#${number}`);
      return found.id;
    },
    sanctionedId: async (operation, typed, option) => {
      const id = await sanctionedId(engine, operation, typed, { guildId, userId, locale, option });
      names.set(id, `<@${id}>`);
      return id;
    },
    serverId: async (named, option) => {
      const servers = await commandableServers(engine, { guildId, userId });
      const found = servers.find(
        ({ id, name }) => id === named || name.toLowerCase() === named.trim().toLowerCase(),
      );
      if (found === undefined) throw new InputProblem(noServer(locale, option, named, servers));
      names.set(found.id, found.name);
      return found.id;
    },
    // Two fields come from the code, which is tried once.
    link: (typed) => {
      link ??= tryLinkCode(engine, { guildId, userId, typed });
      return link;
    },
    withPreset: (operation, typed, isGiven) =>
      withPreset(engine, operation, typed, isGiven, { guildId, locale }),
  };
}

function noServer(
  locale: Locale,
  option: string,
  named: string,
  servers: readonly { name: string }[],
): string {
  const t = translator(locale, 'chat');
  if (servers.length === 0) return t('options.noServers');
  const known = servers.map(({ name }) => name).join(', ');
  return t('options.noSuchServer', { option, name: beginning(named, 100), known });
}
