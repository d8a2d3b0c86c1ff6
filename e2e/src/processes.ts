import { readdir, readFile, readlink } from 'node:fs/promises';

export interface FoundProcess {
  pid: number;
  command: string;
}

/**
 * The processes that belong to an instance: those that were given its directory, work in it or name it. Linux only.
 *
 * @param directory of the instance
 */
export async function processesOf(directory: string): Promise<FoundProcess[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  const found = await Promise.all(
    pids.map(async (pid) => {
      const [command, environment, cwd] = await Promise.all([
        readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''),
        readFile(`/proc/${pid}/environ`, 'utf8').catch(() => ''),
        readlink(`/proc/${pid}/cwd`).catch(() => ''),
      ]);
      const isOurs = [command, environment, cwd].some((text) => text.includes(directory));
      return isOurs ? [{ pid: Number(pid), command: command.replaceAll('\0', ' ').trim() }] : [];
    }),
  );
  return found.flat();
}
