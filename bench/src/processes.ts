import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunFile } from '@bailiff/supervisor/run-file';

/** The process ids of the parts of a running instance. */
export interface InstanceProcesses {
  readonly supervisor: number;
  readonly sandbox: number;
  readonly bot: number;
  readonly web: number;
  /** The first process of PostgreSQL. */
  readonly database: number;
}

/** What runs now; a process that is missing is 0. */
export async function processesOf(directory: string, { pids }: RunFile): Promise<InstanceProcesses> {
  const postmaster = await readFile(join(directory, 'postgres', 'data', 'postmaster.pid'), 'utf8').catch(
    () => '0',
  );
  return {
    supervisor: pids.supervisor,
    sandbox: pids.sandbox ?? 0,
    bot: pids.bot,
    web: (await childrenOf(pids.bot))[0] ?? 0,
    database: Number.parseInt(postmaster, 10),
  };
}

/** The processes that a process has started and that still run. */
export async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return text.split(' ').filter(Boolean).map(Number);
}

const TICKS_PER_SECOND = 100;

/** Seconds of processor time that a process has used; 0 once it has ended. */
export async function processorSeconds(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // After the name, which may hold anything, follow the state and ten other fields, then utime and stime (proc(5)).
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / TICKS_PER_SECOND;
}

/** The resident memory of a process, in megabytes. */
export async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}
