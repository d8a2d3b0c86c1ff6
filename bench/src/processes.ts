import { readdir, readFile } from 'node:fs/promises';
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

/**
 * Seconds of processor time that the threads of a process have used; 0 once it has ended. The kernel counts them in
 * nanoseconds here. The ticks of `/proc/PID/stat` are ten milliseconds, in which a process at rest needs a second or more.
 */
export async function processorSeconds(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const spent = threads.map(async (thread) => {
    const text = await readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').catch(() => '0');
    return Number(text.split(' ')[0]);
  });
  return (await Promise.all(spent)).reduce((sum, each) => sum + each, 0) / 1e9;
}

const TICKS_PER_SECOND = 100;

/** Seconds of processor time of the processes that this one has started and that have ended. */
export async function endedChildrenSeconds(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // After the name, which may hold anything, follow the state and twelve other fields, then cutime and cstime (proc(5)).
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13] ?? 0) + Number(fields[14] ?? 0)) / TICKS_PER_SECOND;
}

/** The resident memory of a process, in megabytes. */
export async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}
