import { closeTicketOfChannel, ticketsWithoutChannel } from '@bailiff/engine/tickets/gone-channels';
import { translator } from '@bailiff/messages';
import type { Database } from '@bailiff/prisma';
import { type Client, GatewayDispatchEvents as Event } from 'discord.js';
import type { DiscordApi } from './discord-api.ts';
import type { Logger } from './log.ts';
import { isUnknownChannel } from './mirror-reads.ts';
import { guildLocale } from './performers/guild-locale.ts';
import { retryUntilAborted } from './retry.ts';
import { Slots } from './slots.ts';

interface Deps {
  readonly db: Database;
  readonly api: DiscordApi;
  readonly log: Logger;
}

const LOOK_TIMEOUT_MS = 10_000;
/** A start describes thousands of guilds at once, and the pool of connections is for everybody. */
const AT_ONCE = 2;
/** Beyond that, guilds are looked through when they are described anew. */
const MOST_WAITING = 20_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

export interface TicketChannels {
  /** The guilds of which tickets may still have to be closed. */
  waitingIn(): string[];
  /** Closes the tickets of a guild whose channel is gone, because another process may not have done it. */
  goOnWith(guildId: string): void;
}

/**
 * Closes tickets whose channel somebody deleted in Discord: at once, and for channels that were deleted while the bot was
 * away, when their guild is described anew. While the database or Discord does not answer, it goes on trying.
 */
export function followTicketChannels({ ws }: Client, deps: Deps, signal: AbortSignal): TicketChannels {
  const { log } = deps;
  const slots = new Slots(AT_ONCE);
  const waiting = new Set<{ readonly guildId: string }>();
  const inBackground = (guildId: string, work: () => Promise<void>) => {
    if (waiting.size >= MOST_WAITING) {
      log.warn({ guild_id: guildId }, 'too many guilds wait until tickets without a channel are closed');
      return;
    }
    const one = { guildId };
    waiting.add(one);
    const inTurn = async () => {
      signal.throwIfAborted();
      await work();
    };
    const ended = retryUntilAborted(() => slots.run(inTurn), {
      signal,
      firstPauseMs: FIRST_PAUSE_MS,
      longestPauseMs: LONGEST_PAUSE_MS,
      onFailure: (err, pause_ms) => {
        if (!signal.aborted)
          log.warn({ err, guild_id: guildId, pause_ms }, 'a ticket was not closed; trying again');
      },
    });
    // What was cut short still waits, for another process.
    void ended.finally(() => {
      if (!signal.aborted) waiting.delete(one);
    });
  };
  ws.on(Event.ChannelDelete, ({ id, guild_id: guildId }: { id: string; guild_id?: string }) => {
    if (guildId !== undefined) inBackground(guildId, () => close(deps, guildId, id));
  });
  ws.on(Event.GuildCreate, ({ id: guildId, channels, unavailable }: Described) => {
    if (unavailable === true || channels === undefined) return;
    const ids = channels.map(({ id }) => id);
    inBackground(guildId, () => closeDeleted(deps, guildId, ids, signal));
  });
  return {
    waitingIn: () => [...new Set([...waiting].map(({ guildId }) => guildId))],
    goOnWith: (guildId) => inBackground(guildId, () => closeDeleted(deps, guildId, [], signal)),
  };
}

interface Described {
  readonly id: string;
  readonly unavailable?: boolean;
  readonly channels?: readonly { readonly id: string }[];
}

/** A list of channels may lack one for another reason, so each is looked for before its ticket is closed. */
async function closeDeleted(
  deps: Deps,
  guildId: string,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  for await (const channelId of ticketsWithoutChannel(deps.db, guildId, ids)) {
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(LOOK_TIMEOUT_MS)]);
    if (await isUnknownChannel(deps.api, channelId, inTime)) await close(deps, guildId, channelId);
  }
}

async function close({ db, log }: Deps, guildId: string, channelId: string): Promise<void> {
  const t = translator(await guildLocale({ db }, guildId), 'notices');
  if (await closeTicketOfChannel(db, guildId, channelId, t('tickets.channelDeleted'))) {
    log.info({ guild_id: guildId, channel_id: channelId }, 'a ticket ended with its channel');
  }
}
