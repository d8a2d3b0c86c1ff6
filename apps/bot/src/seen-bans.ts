import { setTimeout as delay } from 'node:timers/promises';
import { type ManualAction, recordManualAction } from '@bailiff/engine/cases/by-hand';
import type { Database } from '@bailiff/prisma';
import { type Client, GatewayDispatchEvents as Event } from 'discord.js';
import { guildRefusal } from './channel-access.ts';
import type { DiscordApi } from './discord-api.ts';
import type { Logger } from './log.ts';

interface SeenDeps {
  readonly db: Database;
  readonly api: DiscordApi;
  readonly log: Logger;
}

interface BanEvent {
  readonly guild_id: string;
  readonly user: { readonly id: string };
}

const RETRY_MS = 300;
const TIMEOUT_MS = 60_000;
/** Most events of one guild that wait. Of a raid's bans the others are left out. */
const MOST_WAITING = 200;

const WORDS = {
  'bans.add': 'Banned outside Bailiff; the bot may not read who did it',
  'bans.lift': 'Lifted outside Bailiff; the bot may not read who did it',
} as const;

/**
 * Records bans and their lifting by hand in guilds whose audit log the bot may not read. The gateway says what happened
 * there, and neither who did it nor why (decisions: By hand in Discord).
 */
export function followSeenBans(client: Client, deps: SeenDeps): { close(): Promise<void> } {
  const closed = new AbortController();
  const guilds = new Map<string, { waiting: number; last: Promise<void> }>();
  const on = (event: Event.GuildBanAdd | Event.GuildBanRemove, operation: keyof typeof WORDS) =>
    client.ws.on(event, ({ guild_id: guildId, user }: BanEvent) => {
      const at = new Date();
      const guild = guilds.get(guildId) ?? { waiting: 0, last: Promise.resolve() };
      guilds.set(guildId, guild);
      if (guild.waiting >= MOST_WAITING) return;
      guild.waiting += 1;
      guild.last = guild.last
        .then(() => record(deps, client, { guildId, userId: user.id, operation, at }, closed.signal))
        .catch((error: unknown) => {
          if (!closed.signal.aborted)
            deps.log.warn({ err: error, guild_id: guildId }, 'a ban was not recorded');
        })
        .finally(() => {
          guild.waiting -= 1;
          if (guild.waiting === 0) guilds.delete(guildId);
        });
    });
  on(Event.GuildBanAdd, 'bans.add');
  on(Event.GuildBanRemove, 'bans.lift');
  return {
    close: async () => {
      closed.abort();
      await Promise.all([...guilds.values()].map(({ last }) => last));
    },
  };
}

type Seen = Pick<ManualAction, 'guildId' | 'userId' | 'at'> & { readonly operation: keyof typeof WORDS };

async function record(
  { db, api, log }: SeenDeps,
  client: Client,
  seen: Seen,
  closed: AbortSignal,
): Promise<void> {
  const botUserId = client.user?.id;
  if (botUserId === undefined || closed.aborted) return;
  const { guildId, userId, operation, at } = seen;
  const signal = AbortSignal.any([closed, AbortSignal.timeout(TIMEOUT_MS)]);
  // Where the bot may read the log, its entry says who did it.
  if ((await guildRefusal({ db, api, botUserId }, guildId, signal, 'ViewAuditLog')) === null) return;
  const entryId = `${operation}:${userId}:${at.getTime()}`;
  const manual = {
    ...seen,
    entryId,
    by: botUserId,
    isAnonymous: true,
    reason: WORDS[operation],
    until: null,
  } as const;
  for (;;) {
    const outcome = await recordManualAction(db, manual, botUserId);
    if (outcome === 'recorded') log.info({ guild_id: guildId, operation, user_id: userId }, 'a ban was seen');
    if (outcome !== 'contested') return;
    await delay(RETRY_MS, undefined, { signal });
  }
}
