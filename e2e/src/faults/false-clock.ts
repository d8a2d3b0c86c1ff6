// Clocks of processes that jump while they run, by libfaketime (apt-get install faketime).
import { chmod, glob, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const CLOCKS = ['bot and web', 'PostgreSQL'] as const;
type Clock = (typeof CLOCKS)[number];

const LIBRARY = '/usr/lib/*/faketime/libfaketimeMT.so.1';

export interface FalseClocks {
  /** The environment of a process that follows the clock. */
  of(clock: Clock): NodeJS.ProcessEnv;
  /** From the next second on the clock is so many seconds ahead. Time that only measures how long things take goes on. */
  jump(clock: Clock, seconds: number): Promise<void>;
  close(): Promise<void>;
}

/** Undefined where libfaketime is not installed. */
export async function falseClocks(): Promise<FalseClocks | undefined> {
  let library: string | undefined;
  for await (const path of glob(LIBRARY)) library = path;
  if (library === undefined) return undefined;
  const directory = await mkdtemp(join(tmpdir(), 'bailiff-clocks-'));
  // PostgreSQL has a user of its own.
  await chmod(directory, 0o755);
  const fileOf = (clock: Clock) => join(directory, String(CLOCKS.indexOf(clock)));
  const jump = (clock: Clock, seconds: number) =>
    writeFile(fileOf(clock), `${seconds < 0 ? '' : '+'}${seconds}`, { mode: 0o644 });
  for (const clock of CLOCKS) await jump(clock, 0);
  return {
    of: (clock) => ({
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: fileOf(clock),
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      FAKETIME_CACHE_DURATION: '1',
    }),
    jump,
    close: () => rm(directory, { recursive: true, force: true }),
  };
}
