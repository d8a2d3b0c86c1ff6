import { setTimeout as delay } from 'node:timers/promises';
import { ApiError, callOf } from '@bailiff/core';
import { median } from './figure.ts';
import { inWorld, secondsUntil, type World } from './world.ts';

const CALLS_PER_SECOND = 50;
/** How long calls arrive, before, while and after the session is resumed. */
const CALLS_SECONDS = 10;
const GUILDS_WITH_TOKENS = 20;

/** What a gateway that comes and goes costs those who call. */
export interface SessionCosts {
  /** Calls that were refused while a session was resumed twice. */
  readonly refused: number;
  /** Milliseconds of such a call. */
  readonly callMs: number;
  /** Seconds from a new session until all guilds are trusted, and until those with tokens in use are. */
  readonly allSeconds: number;
  readonly tokensSeconds: number;
}

export interface LargeGuildCosts {
  readonly seconds: number;
  /** Heap above idle while its members are read. */
  readonly heapMb: number;
}

const ALL_TRUSTED = 'SELECT bool_and(mirror_fresh) AS is FROM live_guilds';

/** Strikes at a steady pace, by the owners of many guilds. Returns how each ended: its milliseconds, or null. */
async function strike({ db, act }: World, seconds: number): Promise<(number | null)[]> {
  const { rows } = await db.pool.query<{ id: string; owner_id: string; user_id: string }>(
    `SELECT DISTINCT ON (g.id) g.id, g.owner_id, m.user_id FROM guilds g JOIN members m ON m.guild_id = g.id
     WHERE m.user_id <> g.owner_id AND NOT m.bot ORDER BY g.id, m.user_id LIMIT $1`,
    [CALLS_PER_SECOND],
  );
  const calls: Promise<number | null>[] = [];
  for (let index = 0; index < seconds * CALLS_PER_SECOND; index += 1) {
    const guild = rows[index % rows.length];
    if (guild === undefined) throw new Error('There are no guilds.');
    const startedAt = performance.now();
    const input = { user_id: guild.user_id, reason: 'bench', severity: 'minor' } as const;
    const call = act(callOf('strikes.add', input), { guildId: guild.id, userId: guild.owner_id });
    calls.push(
      call.then(
        () => performance.now() - startedAt,
        (error: unknown) => {
          if (error instanceof ApiError) return null;
          throw error;
        },
      ),
    );
    await delay(1000 / CALLS_PER_SECOND);
  }
  return Promise.all(calls);
}

/** Begins a new session. With calls, the one before is resumed twice while they arrive. */
export function measureSessions(guilds: number, withCalls: boolean): Promise<SessionCosts> {
  return inWorld(guilds, 1_000, async (world) => {
    const { db, settled, tell } = world;
    const gateway = (action: object) => tell('gateway', action);
    await settled;
    await db.pool.query(
      `INSERT INTO tokens (guild_id, issuer_id, name, kind, secret_hash, secret_last_four, capabilities, last_used_at)
       SELECT id, owner_id, 'bench', 'rest', decode(md5(id), 'hex'), 'xxxx', '{bans.write}', now()
       FROM guilds ORDER BY id DESC LIMIT $1`,
      [GUILDS_WITH_TOKENS],
    );
    const resumed = async () => {
      const calling = strike(world, CALLS_SECONDS);
      await delay((CALLS_SECONDS * 1000) / 4);
      await gateway({ action: 'resume' });
      await delay((CALLS_SECONDS * 1000) / 4);
      await gateway({ action: 'drop' });
      return calling;
    };
    const ended = withCalls ? await resumed() : [];
    const sessionOf = 'SELECT coalesce(max(mirrored_at), now()) AS at FROM guilds';
    const before = (await db.pool.query<{ at: Date }>(sessionOf)).rows[0]?.at;
    await gateway({ action: 'invalidate' });
    await secondsUntil(world, 'SELECT bool_or(mirrored_at IS NULL) AS is FROM guilds');
    const [allSeconds, tokensSeconds] = await Promise.all([
      secondsUntil(world, ALL_TRUSTED),
      secondsUntil(
        world,
        `SELECT bool_and(mirror_fresh AND mirrored_at > $1) AS is FROM live_guilds g
         WHERE EXISTS (SELECT FROM tokens t WHERE t.guild_id = g.id)`,
        [before],
      ),
    ]);
    const done = ended.filter((ms) => ms !== null);
    return { refused: ended.length - done.length, callMs: median(done), allSeconds, tokensSeconds };
  });
}

/** Reads the members of one guild. */
export function measureLargeGuild(members: number): Promise<LargeGuildCosts> {
  return inWorld(1, members, async (world) => {
    const seconds = await secondsUntil(
      world,
      `SELECT count(*) = 3 AND bool_and(mirror_fresh) AS is FROM live_guilds`,
    );
    const { peakMb, idleMb } = await world.settled;
    return { seconds, heapMb: Math.max(0, peakMb - idleMb) };
  });
}
