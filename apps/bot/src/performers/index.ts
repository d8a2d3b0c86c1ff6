import type { BotOperation, LongOperation } from '@bailiff/core';
import type { LongPerformer } from '@bailiff/engine/worker/long-actions';
import type { Performer, Performers } from '@bailiff/engine/worker/perform-action';
import { addBan, liftBan, softBan } from './bans.ts';
import { depsIn, type PerformerDeps } from './deps.ts';
import { sanctionInGame } from './game-sanctions.ts';
import { kickMember } from './kicks.ts';
import { changeBan, changeMute } from './lengths.ts';
import { lockChannel, lockGuild, unlockChannel, unlockGuild } from './locks.ts';
import { banMany, muteMany, unbanMany, unmuteMany } from './many.ts';
import { addMute, liftMute } from './mutes.ts';
import { previewBans, previewMutes } from './people-preview.ts';
import { purgeMessages } from './purge.ts';
import { runRcon } from './rcon.ts';
import { endRole, giveRole } from './roles.ts';
import { setSlowmode } from './slowmode.ts';
import { closeTicketChannel } from './ticket-closing.ts';
import { postTicketPanel } from './ticket-panel.ts';
import { reopenTicketChannel } from './ticket-reopening.ts';
import { openTicketChannel } from './tickets.ts';
import { sayingIfTimedOut } from './timed-out-bot.ts';

export type { PerformerDeps } from './deps.ts';

/** A performer for every operation that reaches Discord or a game server, at the pace of the action's guild. */
export function createPerformers(deps: PerformerDeps): Performers {
  const inPace = <N extends BotOperation>(make: (deps: PerformerDeps) => Performer<N>): Performer<N> => ({
    perform: async (action, signal) => {
      const ended = await make(depsIn(deps, action.guildId)).perform(action, signal);
      return sayingIfTimedOut(deps, action.guildId, ended, signal);
    },
    verify: (action, signal, isLast) => make(depsIn(deps, action.guildId)).verify(action, signal, isLast),
  });
  const longInPace = <N extends LongOperation>(
    make: (deps: PerformerDeps) => LongPerformer<N>,
  ): LongPerformer<N> => ({
    work: async (action, run) => {
      const ended = await make(depsIn(deps, action.guildId)).work(action, run);
      if (ended === 'unfinished') return ended;
      return sayingIfTimedOut(deps, action.guildId, ended, run.signal);
    },
    verify: (action, signal) => make(depsIn(deps, action.guildId)).verify(action, signal),
  });
  return {
    'bans.add': inPace(addBan),
    'bans.soft': inPace(softBan),
    'bans.change': inPace(changeBan),
    'bans.lift': inPace(liftBan),
    'mutes.add': inPace(addMute),
    'mutes.change': inPace(changeMute),
    'mutes.lift': inPace(liftMute),
    'bans.preview': longInPace(previewBans),
    'bans.many': longInPace(banMany),
    'bans.undo': longInPace(unbanMany),
    'mutes.preview': longInPace(previewMutes),
    'mutes.many': longInPace(muteMany),
    'mutes.undo': longInPace(unmuteMany),
    'members.kick': inPace(kickMember),
    'messages.purge': longInPace(purgeMessages),
    'roles.give': inPace(giveRole),
    'roles.end': inPace(endRole),
    'channels.slowmode': inPace(setSlowmode),
    'channels.lock': inPace(lockChannel),
    'channels.unlock': inPace(unlockChannel),
    'channels.lockdown': inPace(lockGuild),
    'channels.reopen': inPace(unlockGuild),
    'servers.rcon': inPace(runRcon),
    'servers.sanction': inPace(sanctionInGame),
    'tickets.open': inPace(openTicketChannel),
    'tickets.close': longInPace(closeTicketChannel),
    'tickets.reopen': inPace(reopenTicketChannel),
    'tickets.panel': inPace(postTicketPanel),
  };
}
