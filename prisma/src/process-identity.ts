import { spawnSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';

/** Identifies a process, and distinguishes it from a later one with the same process id. */
export interface ProcessIdentity {
  pid: number;
  startedAt: string;
}

/** The start time of a process in the system's notation; undefined if there is no such process. */
export function processStart(pid: number): string | undefined {
  if (!isRunning(pid)) return undefined;
  if (process.platform !== 'linux') return processStatus(pid, 'lstart');
  try {
    // The program's name may hold spaces and brackets; the fields after it do not (proc_pid_stat(5), field 22).
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

export function isSameProcess({ pid, startedAt }: ProcessIdentity): boolean {
  return processStart(pid) === startedAt;
}

/** Whether a process is a PostgreSQL server over this data directory (a real path). */
export function isPostmasterOf(pid: number, dataDirectory: string): boolean {
  if (!isRunning(pid)) return false;
  if (process.platform !== 'linux') {
    const command = processStatus(pid, 'command') ?? '';
    return command.includes('postgres') && command.includes(dataDirectory);
  }
  try {
    const isPostgres = readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'postgres';
    return isPostgres && readlinkSync(`/proc/${pid}/cwd`) === dataDirectory;
  } catch {
    return false;
  }
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function processStatus(pid: number, field: string): string | undefined {
  const { status, stdout } = spawnSync('ps', ['-p', String(pid), '-o', `${field}=`], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}
