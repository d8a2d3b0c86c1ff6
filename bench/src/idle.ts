import { setTimeout as delay } from 'node:timers/promises';
import {
  childrenOf,
  endedChildrenSeconds,
  type InstanceProcesses,
  processesOf,
  processorSeconds,
} from './processes.ts';
import { inProduct } from './product.ts';

/** What a start sets off is over by then: comparisons, the jobs that it catches up with, the collection of its garbage. */
const SETTLE_MS = 30_000;
/** What happens once a minute is in it once. */
const SPELL_MS = 60_000;

/** Per cent of one core. */
export interface IdleCosts {
  readonly cpu: number;
  readonly bot: number;
  readonly web: number;
  readonly database: number;
  readonly others: number;
}

/** The processor time of the product while nobody uses it. */
export function measureIdle(): Promise<IdleCosts> {
  return inProduct(async ({ run }, directory) => {
    await delay(SETTLE_MS);
    const processes = await processesOf(directory, run);
    const before = await usedBy(processes);
    await delay(SPELL_MS);
    const after = await usedBy(processes);
    const share = (name: keyof typeof before) => ((after[name] - before[name]) / (SPELL_MS / 1000)) * 100;
    const costs = {
      bot: share('bot'),
      web: share('web'),
      database: share('database'),
      others: share('others'),
    };
    return { cpu: Object.values(costs).reduce((sum, each) => sum + each, 0), ...costs };
  });
}

async function usedBy({ supervisor, sandbox, bot, web, database }: InstanceProcesses) {
  const sum = async (pids: readonly number[]) =>
    (await Promise.all(pids.map(processorSeconds))).reduce((all, each) => all + each, 0);
  return {
    bot: await sum([bot]),
    web: await sum([web]),
    // Its sessions may end, and workers of its own come and go.
    database:
      (await sum([database, ...(await childrenOf(database))])) + (await endedChildrenSeconds(database)),
    others: await sum([supervisor, sandbox]),
  };
}
