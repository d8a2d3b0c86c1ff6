import { cpus, loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

const LOOK_MS = 500;
/** A machine on which others use less than this share of its processors counts as quiet. */
const QUIET = 0.1;

/** What others do on the machine, while nothing of the benchmark runs. */
export interface MachineLoad {
  /** The load average of the last minute. The parts before this one are in it. */
  readonly load: number;
  /** The share of all processors that was in use for a moment, 0 to 1. */
  readonly busy: number;
}

export async function machineLoad(): Promise<MachineLoad> {
  const before = processorTimes();
  await delay(LOOK_MS);
  const after = processorTimes();
  const total = after.total - before.total;
  const busy = total === 0 ? 0 : 1 - (after.idle - before.idle) / total;
  return { load: Number((loadavg()[0] ?? 0).toFixed(2)), busy: Number(busy.toFixed(3)) };
}

export function isQuiet(...looks: readonly MachineLoad[]): boolean {
  return looks.every(({ busy }) => busy < QUIET);
}

function processorTimes(): { idle: number; total: number } {
  const times = cpus().map((cpu) => cpu.times);
  const idle = times.reduce((sum, each) => sum + each.idle, 0);
  const all = times.map(({ user, nice, sys, irq, idle: rest }) => user + nice + sys + irq + rest);
  return { idle, total: all.reduce((sum, each) => sum + each, 0) };
}
