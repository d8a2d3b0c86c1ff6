// A disk of the database's own, small enough to be filled.
import { execFile } from 'node:child_process';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The first WAL files and the tables need half of it. */
const SIZE = '400m';
const PIECES = [1 << 20, 1 << 12, 1];

export class SmallDisk {
  #directory: string | undefined;

  /** Whether there is one. Only root may mount it. */
  get isMounted(): boolean {
    return this.#directory !== undefined;
  }

  async mount(directory: string): Promise<void> {
    const mounted = run('mount', ['-t', 'tmpfs', '-o', `size=${SIZE},mode=0755`, 'tmpfs', directory]);
    await mounted.then(
      () => {
        this.#directory = directory;
      },
      () => {},
    );
  }

  /** Leaves not one byte. */
  async fill(): Promise<void> {
    const file = await open(this.#filler, 'w');
    try {
      for (const size of PIECES) {
        const piece = Buffer.alloc(size);
        for (;;) {
          const { bytesWritten } = await file.write(piece).catch(() => ({ bytesWritten: 0 }));
          if (bytesWritten < size) break;
        }
      }
    } finally {
      await file.close();
    }
  }

  async empty(): Promise<void> {
    await rm(this.#filler, { force: true });
  }

  /** @param drop removes what is on it. */
  async unmount(drop: () => Promise<void>): Promise<void> {
    if (this.#directory === undefined) return drop();
    // What is mounted cannot be removed, and what uses it keeps it until it ends.
    await run('umount', ['--lazy', this.#directory]);
    await drop();
  }

  get #filler(): string {
    return join(this.#directory ?? '', 'filler');
  }
}
