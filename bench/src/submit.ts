import { join } from 'node:path';
import type pg from 'pg';
import { BANS_EACH, type Banner, banner, GUILDS, perSecond } from './banner.ts';
import { median } from './figure.ts';
import { type Hop, openHop, timesOf } from './hop.ts';
import { endAll, freePort, startProgram, startWeb } from './web.ts';

const ROUNDS = 9;
/** How many of each in a round, one after the other. */
const CALLS = 30;
const HOPS_EACH = 25;

/** One round: the three alternate, so that they meet the same machine. */
export interface SubmitRound {
  /** Milliseconds, p50. */
  readonly banMs: number;
  /** An empty job that is added, run, and whose end is announced, on the same database server. */
  readonly hopMs: number;
  /** The same request to a server whose handler does nothing. */
  readonly httpMs: number;
  /** With many callers at a time, each in a guild of its own. */
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
