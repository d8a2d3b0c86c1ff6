import { setTimeout as delay } from 'node:timers/promises';
import { openDatabase } from '@bailiff/prisma';
import { databaseUrl } from '@bailiff/supervisor/database-url';
import type { RunFile } from '@bailiff/supervisor/run-file';
import { type Held, memoryOf } from './memory-of.ts';
import { childrenOf, processesOf } from './processes.ts';
import { inProduct } from './product.ts';
import { keepWindowsOpen, seedUse, untilMirrored } from './soak/stage.ts';
import { startTraffic } from './soak/traffic.ts';

const GUILDS = 200;
const USED = 100;
/** What a start sets off is over by then, and its garbage is collected. */
const SETTLE_MS = 30_000;
const PER_SECOND = 12;
const LOOKS = 3;
const LOOK_MS = 5_000;

/** Megabytes. */
export interface MemoryCosts {
  readonly rest: readonly Held[];
  /** While it is used, in the second half of the time. */
  readonly used: readonly Held[];
  /** How many calls, commands and changes at Discord there were. */
  readonly done: number;
}

/** Who holds memory, in the order of {@link Held.own}. */
export const HOLDERS = ['supervisor', 'bot', 'web', 'database'] as const;

/** The memory of the whole product without the sandbox, at rest and while it is used for some seconds. */
export function measureMemory(seconds: number): Promise<MemoryCosts> {
  const env = { SANDBOX_GUILDS: String(GUILDS), TRUSTED_PROXIES: '127.0.0.0/8', LOG_LEVEL: 'warn' };
  return inProduct(
    async ({ run }, directory) => {
      const db = openDatabase(await databaseUrl(directory), { applicationName: 'bench', max: 2 });
      try {
        await untilMirrored(db, GUILDS);
        await delay(SETTLE_MS);
        const rest: Held[] = [];
        for (let look = 0; look < LOOKS; look += 1) {
          rest.push(await held(directory, run));
          await delay(LOOK_MS);
        }
        const guilds = await seedUse(db, run.guild_id, USED);
        const traffic = await startTraffic({ run, guilds }, PER_SECOND, () => false);
        const used: Held[] = [];
        const endsAt = performance.now() + seconds * 1000;
        while (performance.now() < endsAt) {
          await delay(LOOK_MS);
          await keepWindowsOpen(db);
          if (endsAt - performance.now() < (seconds * 1000) / 2) used.push(await held(directory, run));
        }
        await traffic.stop();
        refuseFailures(traffic.answers);
        return { rest, used, done: traffic.done() };
      } finally {
        await db.close();
      }
    },
    { env },
  );
}

async function held(directory: string, run: RunFile): Promise<Held> {
  const { supervisor, bot, web, database } = await processesOf(directory, run);
  return memoryOf([[supervisor], [bot], [web], [database, ...(await childrenOf(database))]]);
}

/** @throws Error if most of what was asked failed, because then something else was measured */
function refuseFailures(answers: ReadonlyMap<string, number>): void {
  const sum = (isOne: (name: string) => boolean) =>
    [...answers].filter(([name]) => isOne(name)).reduce((all, [, many]) => all + many, 0);
  const failed = sum((name) => /: (5|failed)/.test(name));
  if (failed * 10 > sum(() => true)) throw new Error(`Many calls failed: ${JSON.stringify([...answers])}`);
}
