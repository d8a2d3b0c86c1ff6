import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '@bailiff/core';
import { newRequestId } from '@bailiff/engine/calls/request-id';
import { performForPerson } from '@bailiff/engine/calls/write-call';
import { createWaiters } from '@bailiff/engine/database/waiters';
import { migrate, openDatabase } from '@bailiff/prisma';
import { startEmbeddedPostgres } from '@bailiff/prisma/embedded';
import type { ReadyMessage } from '@bailiff/sandbox';
import { send } from '@bailiff/sandbox/visitor';
import { median } from './figure.ts';
import type { HeapOfBot } from './trust-bot.ts';
import { endAll } from './web.ts';

const CALLS_PER_SECOND = 50;
/** How long calls arrive, before, while and after the session is resumed. */
const CALLS_SECONDS = 10;
const GUILDS_WITH_TOKENS = 20;
const LONGEST_WAIT_MS = 300_000;

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

interface World {
  readonly sandbox: ReadyMessage;
  readonly db: ReturnType<typeof openDatabase>;
  /** Resolves once the bot has compared all guilds. */
  readonly settled: Promise<HeapOfBot>;
}

/** Runs `measure` beside a sandbox with a large world, and a bot in a process of its own. */
async function inWorld<T>(
  guilds: number,
  members: number,
  measure: (world: World) => Promise<T>,
): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'bailiff-bench-'));
  const server = await startEmbeddedPostgres({ directory: join(directory, 'postgres') });
  await migrate(server.url);
  const sandboxProcess = fork(
    resolve(import.meta.dirname, '../../packages/sandbox/src/main.ts'),
    ['--guilds', String(guilds), '--members', String(members)],
    { env: { ...process.env, SANDBOX_PORT: '0' } },
  );
  const [sandbox] = (await once(sandboxProcess, 'message')) as [ReadyMessage];
  const bot = fork(join(import.meta.dirname, 'trust-bot.ts'), {
    execArgv: ['--expose-gc'],
    env: {
      ...process.env,
      DATABASE_URL: server.url,
      API_URL: sandbox.apiUrl,
      DISCORD_TOKEN: sandbox.botToken,
    },
  });
  const ended = once(bot, 'exit').then(([code]) => {
    throw new Error(`The bot ended with ${code}.`);
  });
  ended.catch(() => {});
  const settled = Promise.race([once(bot, 'message').then(([heap]) => heap as HeapOfBot), ended]);
  settled.catch(() => {});
  const db = openDatabase(server.url, { applicationName: 'bailiff bench', max: 20 });
  try {
    return await measure({ sandbox, db, settled });
  } finally {
    await endAll([bot, sandboxProcess]);
    await db.close();
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

/** Seconds until a query gives true. */
async function secondsUntil({ db }: World, query: string, values: unknown[] = []): Promise<number> {
  const startedAt = performance.now();
  while (performance.now() - startedAt < LONGEST_WAIT_MS) {
    const { rows } = await db.pool.query<{ is: boolean }>(query, values);
    if (rows[0]?.is === true) return (performance.now() - startedAt) / 1000;
    await delay(100);
  }
  throw new Error(`Waited ${LONGEST_WAIT_MS} ms for ${query}.`);
}

const ALL_TRUSTED = 'SELECT bool_and(mirror_fresh) AS is FROM live_guilds';

/** Strikes at a steady pace, by the owners of many guilds. Returns how each ended: its milliseconds, or null. */
async function strike({ db }: World, seconds: number): Promise<(number | null)[]> {
  const engine = {
    db,
    waiters: createWaiters(),
    publicUrl: 'http://127.0.0.1',
    dashboardUrl: 'http://127.0.0.1',
  };
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
    const call = performForPerson(engine, {
      operation: 'strikes.add',
      guildId: guild.id,
      input: { user_id: guild.user_id, reason: 'bench', severity: 'minor' },
      actor: { source: 'dashboard', userId: guild.owner_id },
      requestId: newRequestId(),
      address: null,
    });
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

/** Resumes a session twice while calls arrive, and then begins a new one. */
export function measureSessions(guilds: number): Promise<SessionCosts> {
  return inWorld(guilds, 1_000, async (world) => {
    const { db, sandbox, settled } = world;
    const gateway = (action: object) =>
      send(`${sandbox.url}/sandbox/gateway`, { method: 'POST', json: action });
    await settled;
    await db.pool.query(
      `INSERT INTO tokens (guild_id, issuer_id, name, kind, secret_hash, secret_last_four, capabilities, last_used_at)
       SELECT id, owner_id, 'bench', 'rest', decode(md5(id), 'hex'), 'xxxx', '{bans.write}', now()
       FROM guilds ORDER BY id DESC LIMIT $1`,
      [GUILDS_WITH_TOKENS],
    );
    const calling = strike(world, CALLS_SECONDS);
    await delay((CALLS_SECONDS * 1000) / 4);
    await gateway({ action: 'resume' });
    await delay((CALLS_SECONDS * 1000) / 4);
    await gateway({ action: 'drop' });
    const ended = await calling;
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
