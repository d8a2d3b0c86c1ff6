import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeWholeFile } from '@bailiff/prisma/whole-file';

/** The sandbox's sample guild. */
export interface SampleGuild {
  guild_id: string;
  /** User ids by role in the sample guild: owner, moderator, member … */
  people: Record<string, string>;
  /** Channel ids by name. */
  channels: Record<string, string>;
  /** Game servers with their ids in Bailiff. */
  servers: { id: string; host: string; port: number }[];
}

/**
 * The content of `run.json`: the addresses of a running instance, for scripts and tests. The file is absent while no
 * instance is ready.
 */
export interface RunFile extends SampleGuild {
  /** The origin of the API. */
  web: string;
  /** The origin of the dashboard: the same, unless it is configured. */
  dashboard: string;
  /** Null if the instance uses the real Discord; then the sample guild's fields are empty. */
  sandbox: string | null;
  /** The sandbox's application, with which further processes connect to it. Null with the real Discord. */
  application: { id: string; secret: string; token: string } | null;
  /** With several bots and web processes, `bot` is the first of `bots`. */
  pids: { supervisor: number; bot: number; sandbox: number | null; bots?: number[]; webs?: number[] };
}

export async function writeRunFile(directory: string, content: RunFile): Promise<void> {
  await writeWholeFile(pathIn(directory), `${JSON.stringify(content, null, 2)}\n`);
}

/** The running instance, or undefined if there is none. A file whose supervisor has ended does not count. */
export async function readRunFile(directory: string): Promise<RunFile | undefined> {
  const text = await readFile(pathIn(directory), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const content = JSON.parse(text) as RunFile;
  return isAlive(content.pids.supervisor) ? content : undefined;
}

/** Removes the file, unless it is that of another instance that runs. */
export async function removeRunFile(directory: string): Promise<void> {
  const running = await readRunFile(directory).catch(() => undefined);
  if (running !== undefined && running.pids.supervisor !== process.pid) return;
  await rm(pathIn(directory), { force: true });
}

function pathIn(directory: string): string {
  return join(directory, 'run.json');
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
