import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { SoakStage } from './stage.ts';

/** In turn. The first bot and the first web process live through the whole soak, so that what they hold can be compared. */
const VICTIMS = ['web-2', 'PostgreSQL', 'bot-2'] as const;
type Victim = (typeof VICTIMS)[number];
/** So long after a kill calls may fail at least: the process must be missed first. */
const LEAST_MS = 8_000;
/** The bot's shards identify one after the other, five seconds apart. */
const MOST_MS = 60_000;
const LOOK_MS = 500;

export interface Killed {
  readonly seconds: number;
  readonly victim: string;
  /** Until all processes ran again and all guilds were followed. Undefined: not yet. */
  backAfterSeconds?: number;
}

export interface Kills {
  readonly killed: readonly Killed[];
  isDisturbed(): boolean;
  /** Resolves when the latest kill is over. */
  settled(): Promise<void>;
  next(): Promise<void>;
}

export function killsOf(stage: SoakStage, startedAt: number): Kills {
  const killed: Killed[] = [];
  let disturbed = Promise.resolve();
  let isDisturbed = false;
  return {
    killed,
    isDisturbed: () => isDisturbed,
    settled: () => disturbed,
    next: async () => {
      await disturbed;
      const victim = VICTIMS[killed.length % VICTIMS.length] ?? 'web-2';
      const pid = await pidOf(stage, victim);
      isDisturbed = true;
      const at = performance.now();
      process.kill(pid, 'SIGKILL');
      const kill: Killed = { seconds: (at - startedAt) / 1000, victim };
      killed.push(kill);
      disturbed = untilBack(stage, victim, pid).then((isBack) => {
        if (isBack) kill.backAfterSeconds = (performance.now() - at) / 1000;
        isDisturbed = false;
      });
    },
  };
}

/** False if it takes too long. */
async function untilBack(stage: SoakStage, victim: Victim, killedPid: number): Promise<boolean> {
  const startedAt = performance.now();
  const passed = () => performance.now() - startedAt;
  while (passed() < MOST_MS) {
    const pid = await pidOf(stage, victim).catch(() => killedPid);
    const isReady = await fetch(`${stage.run.web}/readyz`, { signal: AbortSignal.timeout(LOOK_MS * 4) }).then(
      ({ ok }) => ok,
      () => false,
    );
    const followed = pid !== killedPid && isReady ? await stage.followed().catch(() => 0) : 0;
    if (followed >= stage.all && passed() > LEAST_MS) return true;
    await delay(LOOK_MS);
  }
  return false;
}

async function pidOf(stage: SoakStage, victim: Victim): Promise<number> {
  if (victim === 'PostgreSQL') {
    const file = join(stage.directory, 'postgres', 'data', 'postmaster.pid');
    return Number.parseInt(await readFile(file, 'utf8'), 10);
  }
  const { bots, webs } = await stage.pids();
  const pid = (victim === 'bot-2' ? bots : webs)?.[1];
  // 0 would be our own group of processes.
  if (pid === undefined || pid === 0) throw new Error(`${victim} is not running.`);
  return pid;
}
