import { setTimeout as delay } from 'node:timers/promises';
import { type ManualAction, recordManualAction } from '@bailiff/engine/cases/by-hand';
import type { Database } from '@bailiff/prisma';
import { type Client, GatewayDispatchEvents as Event } from 'discord.js';
import { guildRefusal } from './channel-access.ts';
import type { DiscordApi } from './discord-api.ts';
import { GuildQueues } from './guild-queues.ts';
import type { Logger } from './log.ts';
import { ownReason } from './own-reasons.ts';

export interface SeenDeps {
  readonly db: Database;
  readonly api: DiscordApi;
  readonly log: Logger;
}

/** What an event of the gateway shows: that somebody did it, and neither who nor why. */
export type Seen = Pick<ManualAction, 'guildId' | 'operation' | 'userId' | 'at' | 'until'>;

/** Records what events show while the bot runs. */
export interface Seeing {
  /** Resolves once what has arrived so far is recorded. */
  idle(): Promise<void>;
  /** Stops recording. */
  close(): Promise<void>;
}

interface BanEvent {
  readonly guild_id: string;
  readonly user: { readonly id: string };
}

const RETRY_MS = 300;
const TIMEOUT_MS = 60_000;

const REASONS = {
  'bans.add': 'bannedUnseen',
  'bans.lift': 'liftedUnseen',
  'mutes.add': 'mutedUnseen',
  'mutes.lift': 'liftedUnseen',
} as const satisfies Record<Seen['operation'], string>;

/**
 * Records bans and their lifting by hand in guilds whose audit log the bot may not read. The gateway says what happened
 * there, and neither who did it nor why (decisions: By hand in Discord).
 */
export function followSeenBans(client: Client, deps: SeenDeps): Seeing {
  const queues = new GuildQueues(deps.log, 'a ban was not recorded', (guildId, closed) =>
    isLogHidden(deps, client, guildId, closed),
  );
  const on = (event: Event.GuildBanAdd | Event.GuildBanRemove, operation: 'bans.add' | 'bans.lift') =>
    client.ws.on(event, ({ guild_id: guildId, user }: BanEvent) => {
      const seen = { guildId, userId: user.id, operation, at: new Date(), until: null };
      queues.add(guildId, (closed) => recordSeen(deps, client, seen, {}, closed));
    });
  on(Event.GuildBanAdd, 'bans.add');
  on(Event.GuildBanRemove, 'bans.lift');
  return queues;
}

/** Whether the bot may not read a guild's audit log. Where it may, the log's entries say who did what. */
export async function isLogHidden(
  { db, api }: SeenDeps,
  client: Client,
  guildId: string,
  closed: AbortSignal,
): Promise<boolean> {
  const botUserId = client.user?.id;
  if (botUserId === undefined) return false;
  const signal = AbortSignal.any([closed, AbortSignal.timeout(TIMEOUT_MS)]);
  return (await guildRefusal({ db, api, botUserId }, guildId, signal, 'ViewAuditLog')) !== null;
}

/**
 * Records what the gateway showed, once no action of Bailiff on the same user is running, unless the guild's audit log
 * says who did it.
 *
 * @param check.stands whether it is still so at Discord; default: nobody asks
 * @param check.compare what the record says of it, in the transaction that would record it
 */
export async function recordSeen(
  deps: SeenDeps,
  client: Client,
  seen: Seen,
  check: {
    readonly stands?: (signal: AbortSignal) => Promise<boolean>;
    readonly compare?: Parameters<typeof recordManualAction>[3];
  },
  closed: AbortSignal,
): Promise<void> {
  const { db, log } = deps;
  const botUserId = client.user?.id;
  if (botUserId === undefined) return;
  const { guildId, userId, operation, at } = seen;
  const signal = AbortSignal.any([closed, AbortSignal.timeout(TIMEOUT_MS)]);
  if (!(await isLogHidden(deps, client, guildId, signal))) return;
  const entryId = `${operation}:${userId}:${at.getTime()}`;
  const reason = await ownReason({ db }, guildId, REASONS[operation]);
  const manual = { ...seen, entryId, by: botUserId, isAnonymous: true, reason } as const;
  for (;;) {
    if ((await check.stands?.(signal)) === false) return;
    const outcome = await recordManualAction(db, manual, botUserId, check.compare);
    if (outcome === 'recorded')
      log.info({ guild_id: guildId, operation, user_id: userId }, 'something done by hand was seen');
    if (outcome !== 'contested') return;
    await delay(RETRY_MS, undefined, { signal });
  }
}
