import { type SeenTimeout, timeoutsOffRecord } from '@bailiff/engine/cases/seen-timeouts';
import type { Queryable } from '@bailiff/prisma';
import { type Client, GatewayDispatchEvents as Event } from 'discord.js';
import { GuildQueues } from './guild-queues.ts';
import { CLOCK_TOLERANCE_MS } from './jobs.ts';
import { findMember } from './performers/members.ts';
import { isLogHidden, recordSeen, type Seeing, type Seen, type SeenDeps } from './seen-bans.ts';

interface MemberEvent {
  readonly guild_id: string;
  readonly user: { readonly id: string };
  /** Absent if Discord does not say. */
  readonly communication_disabled_until?: string | null;
}

/** Most members whose events wait to be compared with the record: a resume brings thousands at once. */
const MOST_ARRIVED = 5_000;

/**
 * Records timeouts and their removal by hand in guilds whose audit log the bot may not read, when they happen. A
 * member's event comes for every change and says only what stands, so it is compared with the record.
 */
export function followSeenTimeouts(client: Client, deps: SeenDeps): Seeing {
  const queues = new GuildQueues(deps.log, 'a timeout was not recorded', (guildId, closed) =>
    isLogHidden(deps, client, guildId, closed),
  );
  let arrived = new Map<string, SeenTimeout>();
  let leftOut = 0;
  let comparing: Promise<void> | null = null;
  const compare = async () => {
    while (arrived.size > 0) {
      const events = [...arrived.values()];
      arrived = new Map();
      if (leftOut > 0)
        deps.log.warn({ events: leftOut }, 'too many members changed to compare all with the record');
      leftOut = 0;
      const offRecord = await queues
        .untilDone(() => timeoutsOffRecord(deps.db.pool, events, CLOCK_TOLERANCE_MS))
        .catch((error: unknown) => {
          deps.log.warn(
            { err: error, events: events.length },
            'timeouts were not compared with what is on record',
          );
          return [];
        });
      for (const { seen } of offRecord) {
        queues.add(seen.guildId, (closed) =>
          recordSeen(
            deps,
            client,
            asSeen(seen),
            { stands: (signal) => stands(deps, seen, signal), compare: (tx) => compareWithRecord(tx, seen) },
            closed,
          ),
        );
      }
    }
  };
  client.ws.on(Event.GuildMemberUpdate, (data: MemberEvent) => {
    const { guild_id: guildId, user, communication_disabled_until: until } = data;
    if (until === undefined) return;
    if (arrived.size >= MOST_ARRIVED) {
      leftOut += 1;
      return;
    }
    const seen = { guildId, userId: user.id, until: until === null ? null : new Date(until), at: new Date() };
    arrived.set(`${guildId}:${user.id}`, seen);
    comparing ??= compare().finally(() => {
      comparing = null;
    });
  });
  return {
    idle: async () => {
      await comparing;
      await queues.idle();
    },
    close: async () => {
      await Promise.all([comparing, queues.close()]);
    },
  };
}

function asSeen({ guildId, userId, until, at }: SeenTimeout): Seen {
  const stands = until !== null && until > at;
  return {
    guildId,
    userId,
    at,
    operation: stands ? 'mutes.add' : 'mutes.lift',
    until: stands ? until : null,
  };
}

/** Whether a timeout is still what stands: the event may be older than something that Bailiff did itself meanwhile. */
async function stands({ api }: SeenDeps, seen: SeenTimeout, signal: AbortSignal): Promise<boolean> {
  const member = await findMember({ api }, seen.guildId, seen.userId, signal);
  return member !== null && isSame(member.communication_disabled_until ?? null, seen.until);
}

/** Whether a timeout is still off the record: it may be Bailiff's own, which was recorded meanwhile. */
async function compareWithRecord(
  tx: Queryable,
  seen: SeenTimeout,
): Promise<'news' | 'contested' | 'unchanged'> {
  const [offRecord] = await timeoutsOffRecord(tx, [seen], CLOCK_TOLERANCE_MS);
  if (offRecord === undefined) return 'unchanged';
  return offRecord.isRenewing ? 'contested' : 'news';
}

/** Whether two ends of a timeout are the same. One that is past is none. */
function isSame(standing: string | null, seen: Date | null): boolean {
  const ends = [Date.parse(standing ?? ''), seen?.getTime() ?? Number.NaN];
  const [a = 0, b = 0] = ends.map((ms) => (ms > Date.now() ? ms : 0));
  return Math.abs(a - b) < CLOCK_TOLERANCE_MS;
}
