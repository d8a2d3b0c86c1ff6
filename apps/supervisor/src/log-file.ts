import { closeSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

const MAX_BYTES = 10 * 1024 * 1024;

/** A log file. When it is full, it is renamed to `<name>.1` and replaces the earlier one. */
export class LogFile {
  readonly path: string;
  #descriptor: number;
  #bytes: number;

  constructor(path: string) {
    this.path = path;
    mkdirSync(dirname(path), { recursive: true });
    this.#descriptor = openSync(path, 'a', 0o600);
    this.#bytes = statSync(path).size;
  }

  write(line: string): void {
    if (this.#bytes > MAX_BYTES) this.#rotate();
    this.#bytes += writeSync(this.#descriptor, `${line}\n`);
  }

  #rotate(): void {
    closeSync(this.#descriptor);
    rmSync(`${this.path}.1`, { force: true });
    renameSync(this.path, `${this.path}.1`);
    this.#descriptor = openSync(this.path, 'a', 0o600);
    this.#bytes = 0;
  }
}
