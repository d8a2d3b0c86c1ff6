// The file of a backup: gzip of UTF-8 text. Its lines are
//
//   {"bailiff_backup": 1, "release": …}          the header
//   {"table": "guilds", "columns": ["id", …]}    for each table, those before it that its rows refer to
//   …                                            its rows in PostgreSQL's text format of COPY
//   \.
//   {"rows": 2}
//   {"end": true, "rows": 12, "sha256": "…"}     of everything above this line
//
// The queue's waiting jobs are the last table, `JOBS`. A change of this format gets another number.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { writeInSteps } from '../whole-file.ts';

export const FORMAT = 1;
/** The name under which a backup has the queue's waiting jobs. No table of ours is called so. */
export const JOBS = 'graphile_worker.jobs';

export interface BackupHeader {
  readonly bailiff_backup: number;
  /** Version of the product that made it. */
  readonly release: string;
  /** The migrations that were applied, oldest first. */
  readonly migrations: readonly string[];
  /** The days that have a partition of audited reads, as in the partitions' names: `20261122`. */
  readonly audit_days: readonly string[];
  /** ISO 8601: nothing later is in it. */
  readonly taken_at: string;
  /** Whether a real Discord was behind the database. The sandbox must not get it then. */
  readonly served_discord: boolean;
}

/** A table, and the columns of its rows in their order. */
export interface BackupTable {
  readonly table: string;
  readonly columns: readonly string[];
}

/** The error for a file that cannot be used. Its message is for the operator. */
export class BackupError extends Error {}

const END_OF_ROWS = Buffer.from('\\.\n');
/** No row has it: COPY writes a backslash twice. */
const END_AFTER_ROW = Buffer.from('\n\\.\n');
const LONGEST_LINE_BYTES = 1024 * 1024;

export function lineOf(content: object): Buffer {
  return Buffer.from(`${JSON.stringify(content)}\n`);
}

/**
 * Writes the file beside its place and moves it there when it is whole. It is for this user only.
 *
 * @param content without the line that ends it
 * @param rows how many there were, once `content` has ended
 * @param signal ends it, as an error would
 * @throws Error if there is such a file, or another command writes it at the same time
 */
export async function writeBackupFile(
  path: string,
  content: AsyncIterable<Buffer>,
  rows: () => number,
  signal?: AbortSignal,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeInSteps(path, (file) => {
    // A stream of the file would close it.
    const append = async (pieces: AsyncIterable<Buffer>) => {
      for await (const piece of pieces) await file.appendFile(piece);
    };
    return pipeline(Readable.from(withEnd(content, rows)), createGzip(), append, stoppedBy(signal));
  });
}

/** Node takes no `undefined` for a signal. */
const stoppedBy = (signal: AbortSignal | undefined) => (signal === undefined ? {} : { signal });

async function* withEnd(content: AsyncIterable<Buffer>, rows: () => number): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  for await (const chunk of content) {
    hash.update(chunk);
    yield chunk;
  }
  yield lineOf({ end: true, rows: rows(), sha256: hash.digest('hex') });
}

/** The rows of a table in the file, with its last line. */
export async function* framed(table: BackupTable, rows: AsyncIterable<Buffer> & { rows: number }) {
  yield lineOf(table);
  yield* rows;
  yield END_OF_ROWS;
  yield lineOf({ rows: rows.rows });
}

/** What is done with each table of a file. It must read all rows. @returns how many there were, if it knows */
export type TableReader = (table: BackupTable, rows: AsyncIterable<Buffer>) => Promise<number | undefined>;

/**
 * Reads a file from its beginning to its end.
 *
 * @param signal ends it, as an error would
 * @returns how many rows it has
 * @throws BackupError if it is no backup, made by a later release, cut or damaged
 */
export async function readBackupFile(
  path: string,
  onHeader: (header: BackupHeader) => Promise<void>,
  onTable: TableReader,
  signal?: AbortSignal,
): Promise<number> {
  const stream = createGunzip();
  // Its error comes out of the stream, too.
  pipeline(createReadStream(path), stream, stoppedBy(signal)).catch(() => {});
  const reader = new LineReader(path, stream);
  try {
    const header = await reader.object();
    if (typeof header.bailiff_backup !== 'number') throw new BackupError(`${path} is no backup of Bailiff.`);
    if (!isHeader(header)) {
      throw new BackupError(
        `${path} has format ${header.bailiff_backup}, which a later release made: update Bailiff first.`,
      );
    }
    await onHeader(header);
    let total = 0;
    for (;;) {
      const before = reader.sha256();
      const line = await reader.object();
      if (line.end === true) {
        if (line.sha256 !== before || line.rows !== total) throw damaged(path, 'its checksum is another one');
        await reader.expectEnd();
        return total;
      }
      if (!isTable(line)) throw damaged(path, 'a line is not as it was written');
      const taken = await onTable(line, reader.rows());
      const { rows } = await reader.object();
      if (typeof rows !== 'number' || (taken !== undefined && taken !== rows)) {
        throw damaged(path, `${line.table} has ${taken} rows instead of ${rows}`);
      }
      total += rows;
    }
  } finally {
    stream.destroy();
  }
}

/** The checksum covers the rest, so its format is enough. */
function isHeader(line: Record<string, unknown>): line is Record<string, unknown> & BackupHeader {
  return line.bailiff_backup === FORMAT;
}

function isTable(line: Record<string, unknown>): line is Record<string, unknown> & BackupTable {
  return typeof line.table === 'string' && Array.isArray(line.columns);
}

function damaged(path: string, how: string): BackupError {
  return new BackupError(`${path} is cut or damaged (${how}): use another backup.`);
}

/** The lines of a backup. */
export class LineReader {
  readonly #path: string;
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #hash = createHash('sha256');
  #rest: Buffer = Buffer.alloc(0);

  /**
   * @param path for messages
   * @param chunks of what is in the file
   */
  constructor(path: string, chunks: AsyncIterable<Buffer>) {
    this.#path = path;
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** The checksum of what was read so far. */
  sha256(): string {
    return this.#hash.copy().digest('hex');
  }

  /** The next line. @throws BackupError if it is no JSON object */
  async object(): Promise<Record<string, unknown>> {
    while (!this.#rest.includes('\n')) {
      if (this.#rest.length > LONGEST_LINE_BYTES) throw damaged(this.#path, 'a line is too long');
      await this.#expectMore();
    }
    const text = this.#take(this.#rest.indexOf('\n') + 1).toString();
    try {
      const content: unknown = JSON.parse(text);
      if (typeof content === 'object' && content !== null) return { ...content };
    } catch {
      // Reported below.
    }
    throw damaged(this.#path, 'a line is not as it was written');
  }

  /**
   * The rows up to the line that ends them, which is left out. A row of evidence is larger than many chunks, so it comes
   * in pieces: to wait for its end would mean to search and copy it again with each chunk.
   */
  async *rows(): AsyncGenerator<Buffer> {
    while (this.#rest.length < END_OF_ROWS.length) await this.#expectMore();
    if (!this.#rest.subarray(0, END_OF_ROWS.length).equals(END_OF_ROWS)) {
      for (;;) {
        const newline = this.#rest.indexOf(END_AFTER_ROW);
        if (newline !== -1) {
          yield this.#take(newline + 1);
          break;
        }
        // The last bytes stay, because they may be the beginning of the end.
        const sure = this.#rest.length - END_AFTER_ROW.length + 1;
        if (sure > 0) yield this.#take(sure);
        await this.#expectMore();
      }
    }
    this.#take(END_OF_ROWS.length);
  }

  async expectEnd(): Promise<void> {
    if (this.#rest.length > 0 || (await this.#more())) throw damaged(this.#path, 'something follows its end');
  }

  #take(length: number): Buffer {
    const taken = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    this.#hash.update(taken);
    return taken;
  }

  async #expectMore(): Promise<void> {
    if (!(await this.#more())) throw damaged(this.#path, 'its end is missing');
  }

  async #more(): Promise<boolean> {
    try {
      const { done, value } = await this.#chunks.next();
      if (done === true) return false;
      this.#rest = this.#rest.length === 0 ? value : Buffer.concat([this.#rest, value]);
      return true;
    } catch (error) {
      const { code = '', message } = error as NodeJS.ErrnoException;
      throw code.startsWith('Z_') ? damaged(this.#path, message) : error;
    }
  }
}
