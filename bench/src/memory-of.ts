import { readFile } from 'node:fs/promises';

/** Megabytes that processes hold. */
export interface Held {
  /** What each of the groups has for itself, and its share of what its processes share with one another. */
  readonly own: readonly number[];
  /** The files that they have mapped and not changed, such as their programs: each once, whoever uses it. */
  readonly programs: number;
  readonly all: number;
}

/**
 * What the machine would have back if these groups of processes ended and nobody else ran their programs. The share of
 * `smaps_rollup` is too small beside other programs of the same Node, such as a benchmark.
 */
export async function memoryOf(groups: readonly (readonly number[])[]): Promise<Held> {
  const files = new Map<string, number>();
  const own: number[] = [];
  for (const pids of groups) {
    let kilobytes = 0;
    for (const mapping of (await Promise.all(pids.map(mappingsOf))).flat()) {
      if (mapping.file === undefined) {
        kilobytes += mapping.proportional;
        continue;
      }
      kilobytes += mapping.anonymous;
      const clean = mapping.resident - mapping.anonymous;
      files.set(mapping.file, Math.max(files.get(mapping.file) ?? 0, clean));
    }
    own.push(kilobytes / 1024);
  }
  const programs = [...files.values()].reduce((sum, each) => sum + each, 0) / 1024;
  return { own, programs, all: own.reduce((sum, each) => sum + each, programs) };
}

interface Mapping {
  /** The file and the part of it; undefined for memory without a file, shared or not. */
  readonly file: string | undefined;
  /** Kilobytes. */
  readonly resident: number;
  readonly proportional: number;
  readonly anonymous: number;
}

/** The mappings of a process (proc(5)); none once it has ended. @throws Error if this user may not see them */
async function mappingsOf(pid: number): Promise<Mapping[]> {
  const text = await readFile(`/proc/${pid}/smaps`, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ESRCH') return '';
    throw error;
  });
  return text
    .split(/^(?=[\da-f]+-[\da-f]+ )/m)
    .filter(Boolean)
    .map((block) => {
      const [, offset = '', path = ''] = /^\S+ \S+ (\S+) \S+ \S+ *(.*)$/m.exec(block) ?? [];
      const isFile = path.startsWith('/') && !/^\/(dev\/|SYSV|memfd:)/.test(path);
      const kilobytes = (name: string) =>
        Number(new RegExp(`^${name}: +(\\d+) kB$`, 'm').exec(block)?.[1] ?? 0);
      return {
        file: isFile ? `${path} ${offset}` : undefined,
        resident: kilobytes('Rss'),
        proportional: kilobytes('Pss'),
        anonymous: kilobytes('Anonymous'),
      };
    });
}
