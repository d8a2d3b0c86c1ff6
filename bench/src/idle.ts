import { setTimeout as delay } from 'node:timers/promises';
import {
  childrenOf,
  endedChildrenSeconds,
  type InstanceProcesses,
  processesOf,
  processorSeconds,
} from './processes.ts';
import { inProduct } from './product.ts';

/** What a start sets off is over by then: comparisons, the jobs that it catches up with. */
const SETTLE_MS = 20_000;
/** Together a minute: what happens once a minute is in one of them. */
const SPELL_MS = 20_000;
const SPELLS = 3;

/** Per cent of one core, for each spell. */
export interface IdleCosts {
  readonly cpu: readonly number[];
  readonly bot: readonly number[];
  readonly web: readonly number[];
  readonly database: readonly number[];
  readonly others: readonly number[];
}

/** The processor time of the product while nobody uses it. */
export function measureIdle(): Promise<IdleCosts> {
  return inProduct(async ({ run }, directory) => {
    await delay(SETTLE_MS);
    const processes = await processesOf(directory, run);
    const spells: Record<keyof Omit<IdleCosts, 'cpu'>, number>[] = [];
    for (let spell = 0; spell < SPELLS; spell += 1) {
      const before = await usedBy(processes);
      await delay(SPELL_MS);
      const after = await usedBy(processes);
      const share = (name: keyof typeof before) => ((after[name] - before[name]) / (SPELL_MS / 1000)) * 100;
      spells.push({
        bot: share('bot'),
        web: share('web'),
        database: share('database'),
        others: share('others'),
      });
    }
    return {
      cpu: spells.map(({ bot, web, database, others }) => bot + web + database + others),
      bot: spells.map(({ bot }) => bot),
      web: spells.map(({ web }) => web),
      database: spells.map(({ database }) => database),
      others: spells.map(({ others }) => others),
    };
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
