import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { WARNING } from './console.ts';

const MAX_BYTES = 10 * 1024 * 1024;

/**
 * A log file. When it is full, it is renamed to `<name>.1` and replaces the earlier one. Lines that cannot be written,
 * as on a full disk, are lost and counted: a log must not end the service that it is about.
 */
export class LogFile {
  readonly path: string;
  #descriptor: number | undefined;
  #bytes = 0;
  #rotateAt = MAX_BYTES;
  #lostLines = 0;
  #lostBecause = '';

  constructor(path: string) {
    this.path = path;
  }

  write(line: string): void {
    try {
      if (this.#bytes > this.#rotateAt) this.#rotate();
      if (this.#lostLines > 0) this.#append(this.#lossLine());
      this.#lostLines = 0;
      this.#append(line);
    } catch (error) {
      this.#lostLines += 1;
      this.#lostBecause = error instanceof Error ? error.message : String(error);
      this.#close();
    }
  }

  #append(line: string): void {
    this.#descriptor ??= this.#open();
    const bytes = Buffer.from(`${line}\n`);
    let written = 0;
    try {
      while (written < bytes.length) written += writeSync(this.#descriptor, bytes, written);
    } catch (error) {
      // What a full disk took of the line is removed, or the next line would be one with it.
      if (written > 0) ftruncateSync(this.#descriptor, fstatSync(this.#descriptor).size - written);
      throw error;
    }
    this.#bytes += written;
  }

  #open(): number {
    mkdirSync(dirname(this.path), { recursive: true });
    const descriptor = openSync(this.path, 'a', 0o600);
    this.#bytes = fstatSync(descriptor).size;
    return descriptor;
  }

  #close(): void {
    const descriptor = this.#descriptor;
    this.#descriptor = undefined;
    if (descriptor !== undefined) closeSync(descriptor);
  }

  #lossLine(): string {
    return JSON.stringify({
      level: WARNING,
      time: Date.now(),
      process: 'supervisor',
      lost_lines: this.#lostLines,
      reason: this.#lostBecause,
      msg: 'lines of this log could not be written and are lost',
    });
  }

  #rotate(): void {
    this.#close();
    this.#bytes = 0;
    // If it cannot be put aside, it grows until the next attempt, or each attempt would cost a line.
    this.#rotateAt += MAX_BYTES;
    // Somebody may have moved or removed the file. Then there is nothing to keep.
    if (existsSync(this.path)) {
      rmSync(`${this.path}.1`, { force: true });
      renameSync(this.path, `${this.path}.1`);
    }
    this.#rotateAt = MAX_BYTES;
  }
}
