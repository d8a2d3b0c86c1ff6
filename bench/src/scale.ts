import { cpus } from 'node:os';
import { join } from 'node:path';
import { BANS_EACH, type Banner, banner, perSecond } from './banner.ts';
import { load } from './load.ts';
import { processorSeconds } from './processes.ts';
import { seedGuilds, seedRecords } from './seed.ts';
import { forgetSpending, killAll, readsOf, startProgram, startWeb, startWebOn, type Web } from './web.ts';

const GUILDS = 200;
const STRIKES_EACH = 50;
const CONNECTIONS = 100;
const SECONDS = 3;
const ROUNDS = 3;
/** A Discord that takes so many milliseconds, and how often all callers ban in a round then. */
const DISCORDS = { atOnce: { ms: 0, waves: 3 }, slow: { ms: 100, waves: 1 } };
type Discord = (typeof DISCORDS)[keyof typeof DISCORDS];

/** What was done a second, and what it took. */
export interface Pace {
  readonly perSecond: number;
  /** Processor time of the processes that did it, each, in per cent of one core. */
  readonly each: number;
  /** The processors of the machine that were in use, in per cent of all. */
  readonly machine: number;
}

/** What one process did, and what two did right after it. */
export interface ScaleRound {
  readonly one: Pace;
  readonly two: Pace;
}

/** Reads over one web process and over two, with as many connections. */
export async function measureTwoWebs(): Promise<ScaleRound[]> {
  const first = await startWeb();
  const second = await startWebOn(first.databaseUrl);
  try {
    const tokens = await seedGuilds(first.pool, GUILDS);
    const guildIds = tokens.map(({ guildId }) => guildId);
    await seedRecords(first.pool, guildIds, STRIKES_EACH);
    const requests = readsOf(tokens, '/strikes?limit=10');
    const over = async (webs: readonly Web[]) => {
      await forgetSpending(first.pool);
      const connections = CONNECTIONS / webs.length;
      return paceOf(
        webs.map(({ pid }) => pid),
        async () => {
          const loads = await Promise.all(
            webs.map(({ origin }) => load({ origin, requests }, SECONDS, connections)),
          );
          return loads.reduce((sum, each) => sum + each.requestsPerSecond, 0);
        },
      );
    };
    await over([first, second]); // a warm-up
    return await inTurn(
      () => over([first]),
      () => over([first, second]),
    );
  } finally {
    await second.stop();
    await first.stop();
  }
}

/** Bans through one bot and through two, with a Discord that answers at once and with a slow one. */
export async function measureTwoBots(): Promise<Record<keyof typeof DISCORDS, ScaleRound[]>> {
  const web = await startWeb();
  try {
    const work = await banner(web);
    return {
      atOnce: await throughBots(web, work, DISCORDS.atOnce),
      slow: await throughBots(web, work, DISCORDS.slow),
    };
  } finally {
    await web.stop();
  }
}

async function throughBots(web: Web, { once }: Banner, { ms, waves }: Discord): Promise<ScaleRound[]> {
  const env = { DATABASE_URL: web.databaseUrl, DISCORD_MS: String(ms) };
  const startBot = () => startProgram(join(import.meta.dirname, 'instant-bot.ts'), env);
  const through = (bots: readonly { readonly pid?: number | undefined }[]) =>
    paceOf(
      bots.map(({ pid = 0 }) => pid),
      async () => {
        let sum = 0;
        for (let wave = 0; wave < waves; wave += 1) {
          // A budget is six bans, and one more each minute.
          await web.pool.query('DELETE FROM budgets');
          sum += await perSecond(BANS_EACH, (caller) => once(caller));
        }
        return sum / waves;
      },
    );
  const first = await startBot();
  try {
    await through([first]); // a warm-up
    return await inTurn(
      () => through([first]),
      async () => {
        const second = await startBot();
        try {
          return await through([first, second]);
        } finally {
          await killAll([second]); // which has nothing under way any more
        }
      },
    );
  } finally {
    await killAll([first]);
  }
}

async function inTurn(one: () => Promise<Pace>, two: () => Promise<Pace>): Promise<ScaleRound[]> {
  const rounds: ScaleRound[] = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push({ one: await one(), two: await two() });
  return rounds;
}

async function paceOf(pids: readonly number[], work: () => Promise<number>): Promise<Pace> {
  const before = { own: await secondsOf(pids), machine: machineTimes(), at: performance.now() };
  const done = await work();
  const seconds = (performance.now() - before.at) / 1000;
  const machine = machineTimes();
  return {
    perSecond: done,
    each: (((await secondsOf(pids)) - before.own) / pids.length / seconds) * 100,
    machine: ((machine.used - before.machine.used) / (machine.all - before.machine.all)) * 100,
  };
}

async function secondsOf(pids: readonly number[]): Promise<number> {
  return (await Promise.all(pids.map(processorSeconds))).reduce((sum, each) => sum + each, 0);
}

function machineTimes(): { readonly used: number; readonly all: number } {
  const sum = (of: (times: ReturnType<typeof cpus>[number]['times']) => number) =>
    cpus().reduce((all, { times }) => all + of(times), 0);
  const idle = sum((times) => times.idle);
  const used = sum(({ user, nice, sys, irq }) => user + nice + sys + irq);
  return { used, all: used + idle };
}
