import { join } from 'node:path';
import type pg from 'pg';
import { median } from './figure.ts';
import { type Hop, openHop, timesOf } from './hop.ts';
import { type SeededToken, seedGuilds } from './seed.ts';
import { endAll, freePort, readsOf, startProgram, startWeb, type Web } from './web.ts';

/** So many that no guild's own pace is part of the figures. */
const GUILDS = 30;
const ROUNDS = 9;
/** How many of each in a round, one after the other. */
const CALLS = 30;
const CALLERS = 20;
/** What each of the callers does in a round: less than a guild's pace and a budget allow at once. */
const BANS_EACH = 5;
const HOPS_EACH = 25;

/** One round: the three alternate, so that they meet the same machine. */
export interface SubmitRound {
  /** Milliseconds, p50. */
  readonly banMs: number;
  /** An empty job that is added, run, and whose end is announced, on the same database server. */
  readonly hopMs: number;
  /** The same request to a server whose handler does nothing. */
  readonly httpMs: number;
  /** With {@link CALLERS} at a time, each in a guild of its own. */
  readonly bansPerSecond: number;
  readonly hopsPerSecond: number;
}

/**
 * What a ban costs over the API, from the request to the answer, with a fake Discord that answers at once; what the
 * queue and a round trip of HTTP cost alone.
 */
export async function measureSubmit(): Promise<SubmitRound[]> {
  const web = await startWeb();
  const bot = await startProgram(join(import.meta.dirname, 'instant-bot.ts'), {
    DATABASE_URL: web.databaseUrl,
  });
  const port = String(await freePort());
  const empty = await startProgram(join(import.meta.dirname, 'empty-server.ts'), { PORT: port });
  const queue = await openHop(web.databaseUrl);
  try {
    const ban = await banner(web);
    const work = { ban, queue, request: () => ban.send(`http://127.0.0.1:${port}`, 0), pool: web.pool };
    await round(work); // warms everything up
    const rounds: SubmitRound[] = [];
    for (let each = 0; each < ROUNDS; each += 1) rounds.push(await round(work));
    return rounds;
  } finally {
    await queue.close();
    await endAll([bot, empty]);
    await web.stop();
  }
}

interface Work {
  readonly ban: Banner;
  readonly queue: Hop;
  readonly request: () => Promise<unknown>;
  readonly pool: pg.Pool;
}

async function round({ ban, queue, request, pool }: Work): Promise<SubmitRound> {
  // A budget is six bans, and one more each minute.
  const refill = () => pool.query('DELETE FROM budgets');
  await refill();
  const bans = await timesOf(CALLS, (call) => ban.once(call % GUILDS));
  const hops = await timesOf(CALLS, () => queue.hop());
  const requests = await timesOf(CALLS, request);
  await refill();
  return {
    banMs: median(bans),
    hopMs: median(hops),
    httpMs: median(requests),
    bansPerSecond: await perSecond(BANS_EACH, (caller) => ban.once(caller)),
    hopsPerSecond: await perSecond(HOPS_EACH, () => queue.hop()),
  };
}

async function perSecond(each: number, work: (caller: number) => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: CALLERS }, (_, caller) => timesOf(each, () => work(caller))));
  return (CALLERS * each * 1000) / (performance.now() - startedAt);
}

interface Banner {
  /** Bans somebody who was not banned yet. */
  once(guild: number): Promise<void>;
  /** Sends the same request elsewhere. */
  send(origin: string, guild: number): Promise<unknown>;
}

async function banner(web: Web): Promise<Banner> {
  const tokens = await seedGuilds(web.pool, GUILDS);
  await letBan(web.pool);
  const requests = readsOf(tokens, '/bans');
  let last = 500_000_000_000_000_000n;
  const send = (origin: string, guild: number): Promise<Response> => {
    const { guildId } = tokens[guild] as SeededToken;
    const userId = String(last);
    return fetch(`${origin}${requests[guild]?.path}`, {
      method: 'POST',
      headers: { ...requests[guild]?.headers, 'content-type': 'application/json' },
      body: JSON.stringify({
        user_id: userId,
        reason: 'bench',
        _confirmation: `BAN USER ${userId} IN GUILD ${guildId} PERMANENT`,
      }),
    });
  };
  return {
    send: async (origin, guild) => {
      await (await send(origin, guild)).text();
    },
    once: async (guild) => {
      last += 1n;
      const answer = await send(web.origin, guild);
      const body = await answer.text();
      if (answer.status !== 201) throw new Error(`The ban was answered ${answer.status}: ${body}`);
    },
  };
}

/** Makes the bot an administrator of each guild, and opens a window for each token. */
async function letBan(pool: pg.Pool): Promise<void> {
  await pool.query(
    `INSERT INTO members (guild_id, user_id, username, display_name, role_ids)
     SELECT id, '100000000000000000', 'bailiff', 'Bailiff', ARRAY[(id::bigint + 50000000000000000)::text] FROM guilds`,
  );
  await pool.query('UPDATE roles SET permissions = 8');
  await pool.query(
    `INSERT INTO windows (token_id, guild_id, opened_by, expires_at)
     SELECT id, guild_id, issuer_id, now() + interval '1 hour' FROM tokens`,
  );
}
