import { setTimeout as delay } from 'node:timers/promises';
import { Snowflake } from '@bailiff/core';
import { guildsInHand } from '@bailiff/engine/guilds/gateway-shards';
import { distrustGuild, guildLeft } from '@bailiff/engine/guilds/mirror';
import type { Database } from '@bailiff/prisma';
import { type Client, GatewayDispatchEvents as Event } from 'discord.js';
import { z } from 'zod';
import type { ByHand } from './by-hand.ts';
import type { GatewaySessions } from './gateway-sessions.ts';
import { introduce, readyShard } from './lean-client.ts';
import type { Logger } from './log.ts';
import type { Mirror } from './mirror.ts';
import type { LeftGuild } from './mirrored-guild.ts';
import type { Seeing } from './seen-bans.ts';
import { shardOf } from './shards.ts';
import type { TicketChannels } from './ticket-channels.ts';

const IDLE_WITHIN_MS = 3_000;

/**
 * What a process that goes on with another one's shards needs to know (decisions: Handing shards over). Discord then
 * replays what happened between the two, so nothing is compared anew and no event is lost.
 */
export const Handover = z.object({
  /** The id under which the process has its shards. Releases before this one have none. */
  holderId: z.string().optional(),
  user: z.object({ id: Snowflake, username: z.string() }),
  applicationId: Snowflake,
  sessions: z.array(
    z.object({
      shardId: z.int(),
      shardCount: z.int(),
      sessionId: z.string(),
      sequence: z.int(),
      resumeURL: z.string(),
    }),
  ),
  /** Guilds that the other process had begun to compare. */
  comparing: z.array(Snowflake),
  /** Guilds of which it could not write an event, nor that they are not trusted. Releases before this one have none. */
  untrusted: z.array(Snowflake).optional(),
  /** Those of them that have removed the bot. Releases before this one have none. */
  removedBot: z.array(Snowflake).optional(),
  /** Guilds that have an outage. Releases before this one have none. */
  unavailable: z.array(Snowflake).optional(),
  /** Guilds of which it may not have closed a ticket whose channel was deleted. Releases before this one have none. */
  ticketsWaitIn: z.array(Snowflake).optional(),
  /** Whether its mirror knows who is timed out. That of releases before this one does not. */
  mirrorsTimeouts: z.boolean().optional(),
});
export type Handover = z.infer<typeof Handover>;

/** What is handed over of some shards. */
export type LeftShards = Omit<Handover, 'holderId'>;

/**
 * Closes the connections to the gateway so that another process can go on, once all their events so far are in the
 * mirror.
 */
export async function handShardsOver(
  { user, application }: Client,
  gateway: GatewaySessions,
  mirror: Mirror,
  ticketChannels: Pick<TicketChannels, 'waitingIn'>,
): Promise<LeftShards> {
  if (user === null || application === null) throw new Error('The bot is not connected to Discord yet.');
  const left = await mirror.handOver(() => gateway.release());
  return {
    user: { id: user.id, username: user.username },
    applicationId: application.id,
    ...left,
    ticketsWaitIn: ticketChannels.waitingIn(),
    mirrorsTimeouts: true,
  };
}

/** Resolves once what was seen so far is recorded, or cannot be within a part of the time that a process has to end. */
export async function whenIdle(seeing: readonly Seeing[]): Promise<void> {
  const late = delay(IDLE_WITHIN_MS, undefined, { ref: false });
  await Promise.race([Promise.all(seeing.map((each) => each.idle())), late]);
}

/** The part of a handover that is about these shards; null if it has the session of none. */
export function handoverOf(handover: Handover | null, shardIds: readonly number[]): Handover | null {
  if (handover === null) return null;
  const sessions = handover.sessions.filter(({ shardId }) => shardIds.includes(shardId));
  return sessions.length === 0 ? null : { ...handover, sessions };
}

interface Successor {
  readonly client: Client;
  readonly db: Database;
  readonly mirror: Mirror;
  readonly byHand: ByHand;
  readonly ticketChannels: Pick<TicketChannels, 'goOnWith'>;
  readonly log: Logger;
}

/** Knows all that the process before knew, once this resolves. The client may then connect, and resumes. */
export async function takeOver(
  { client, db, mirror, byHand, ticketChannels, log }: Successor,
  handover: Handover,
): Promise<void> {
  const { user, applicationId, sessions, comparing, untrusted = [], ticketsWaitIn = [] } = handover;
  const { removedBot = [], unavailable: outages, mirrorsTimeouts = false } = handover;
  introduce(client, { user, applicationId });
  for (const { shardId, shardCount } of sessions) {
    const goOnWith = (id: string, left: LeftGuild) => {
      mirror.goOnWith(id, shardId, left);
      byHand.goOnWith(id);
      if (ticketsWaitIn.includes(id)) ticketChannels.goOnWith(id);
    };
    const guilds = await guildsInHand(db, shardId, shardCount);
    for (const guild of guilds) {
      if (removedBot.includes(guild.id)) {
        await guildLeft(db, guild.id);
        continue;
      }
      introduce(client, { guild, shardId });
      const unavailable = outages?.includes(guild.id) ?? guild.problem === 'outage';
      const problem = unavailable ? 'outage' : guild.problem;
      if (untrusted.includes(guild.id)) await distrustGuild(db, guild.id, problem);
      const needsComparison = guild.needs_comparison || comparing.includes(guild.id);
      goOnWith(guild.id, { needsComparison, needsMembers: !mirrorsTimeouts, problem, unavailable });
    }
    // Guilds whose GUILD_CREATE could not be written. Discord does not send it again; a comparison reads what it said.
    const known = new Set(guilds.map(({ id }) => id));
    const unwritten = comparing.filter(
      (id) => !known.has(id) && !removedBot.includes(id) && shardOf(id, shardCount) === shardId,
    );
    for (const id of unwritten) {
      goOnWith(id, { needsComparison: true, problem: null, unavailable: outages?.includes(id) ?? false });
    }
    log.info({ shard_id: shardId, guilds: guilds.length }, 'goes on with the session of another process');
  }
  const resuming = new Set(sessions.map(({ shardId }) => shardId));
  client.ws.on(Event.Resumed, (_data, shardId) => {
    if (resuming.delete(shardId)) readyShard(client, shardId);
  });
}
