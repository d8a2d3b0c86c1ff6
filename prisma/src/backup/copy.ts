// COPY over a connection of pg, which has the messages of the protocol but no statement that uses them.
import { once } from 'node:events';
import { Readable } from 'node:stream';
import type pg from 'pg';
import type { Connection, Submittable } from 'pg';

/** What pg's connection has besides what its types say. */
type CopyConnection = Pick<Connection, 'stream'> & {
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(reason: string): void;
};

const CHUNK_BYTES = 64 * 1024;

/**
 * The rows that `COPY … TO STDOUT` sends, in pieces of whole rows. The server waits while nobody reads them, so memory
 * stays flat.
 */
export function copyOut(client: pg.Client, text: string): CopyOut {
  return client.query(new CopyOut(text));
}

/** A statement and the stream of its rows. pg calls the methods `handle…`. */
class CopyOut extends Readable implements Submittable {
  /** How many rows were sent so far. */
  rows = 0;
  readonly #text: string;
  #connection: Connection | undefined;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;

  constructor(text: string) {
    super();
    this.#text = text;
  }

  submit(connection: Connection): void {
    this.#connection = connection;
    connection.query(this.#text);
  }

  handleCopyData({ chunk }: { chunk: Buffer }): void {
    this.rows += 1;
    // The parser of the protocol uses its buffer again.
    this.#waiting.push(Buffer.from(chunk));
    this.#waitingBytes += chunk.length;
    if (this.#waitingBytes >= CHUNK_BYTES) this.#pass();
  }

  handleCommandComplete(): void {
    this.#pass();
  }

  handleReadyForQuery(): void {
    this.push(null);
  }

  handleError(error: Error): void {
    this.destroy(error);
  }

  override _read(): void {
    this.#connection?.stream.resume();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#connection?.stream.resume();
    done(error);
  }

  #pass(): void {
    const rows = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#waitingBytes = 0;
    if (rows.length > 0 && !this.push(rows)) this.#connection?.stream.pause();
  }
}

/**
 * Sends rows to `COPY … FROM STDIN`.
 *
 * @returns how many rows the server took
 * @throws what `rows` throws, or the server's error; it took none of them then
 */
export function copyIn(client: pg.Client, text: string, rows: AsyncIterable<Buffer>): Promise<number> {
  return client.query(new CopyIn(text, rows)).taken;
}

class CopyIn implements Submittable {
  readonly #text: string;
  readonly #rows: AsyncIterable<Buffer>;
  readonly #taken = Promise.withResolvers<number>();
  readonly #over = new AbortController();
  #cause: unknown;
  #count = 0;

  constructor(text: string, rows: AsyncIterable<Buffer>) {
    this.#text = text;
    this.#rows = rows;
  }

  get taken(): Promise<number> {
    return this.#taken.promise;
  }

  submit(connection: Connection): void {
    connection.query(this.#text);
  }

  handleCopyInResponse(connection: CopyConnection): void {
    this.#send(connection).catch((error: unknown) => {
      if (this.#over.signal.aborted) return;
      // What the server says next only repeats it.
      this.#cause = error;
      connection.sendCopyFail('the rows cannot be read');
    });
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.#count = Number(text.split(' ')[1]);
  }

  handleReadyForQuery(): void {
    this.#taken.resolve(this.#count);
  }

  handleError(error: Error): void {
    this.#over.abort();
    this.#taken.reject(this.#cause ?? error);
  }

  async #send(connection: CopyConnection): Promise<void> {
    const { signal } = this.#over;
    for await (const chunk of this.#rows) {
      if (signal.aborted) return;
      connection.sendCopyFromChunk(chunk);
      if (connection.stream.writableNeedDrain) await once(connection.stream, 'drain', { signal });
    }
    connection.endCopyFrom();
  }
}
