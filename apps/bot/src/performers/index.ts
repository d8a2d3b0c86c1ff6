import type { Performers } from '@bailiff/engine';
import { addBan, liftBan } from './bans.ts';
import type { PerformerDeps } from './deps.ts';
import { addMute, liftMute } from './mutes.ts';
import { purgeMessages } from './purge.ts';
import { runRcon } from './rcon.ts';
import { postTicketPanel } from './ticket-panel.ts';
import { closeTicketChannel, openTicketChannel } from './tickets.ts';

export type { PerformerDeps } from './deps.ts';

/** A performer for every operation that reaches Discord or a game server. */
export function createPerformers(deps: PerformerDeps): Performers {
  return {
    'bans.add': addBan(deps),
    'bans.lift': liftBan(deps),
    'mutes.add': addMute(deps),
    'mutes.lift': liftMute(deps),
    'messages.purge': purgeMessages(deps),
    'servers.rcon': runRcon(deps),
    'tickets.open': openTicketChannel(deps),
    'tickets.close': closeTicketChannel(deps),
    'tickets.panel': postTicketPanel(deps),
  };
}
