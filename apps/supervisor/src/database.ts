import { copyFile, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProcessUrls } from '@bailiff/prisma';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@bailiff/prisma/embedded';
import { complain } from './console.ts';
import { RestartPause } from './restart-pause.ts';
import { StartError } from './start-error.ts';

const LARGEST_LOG_BYTES = 10 * 1024 * 1024;
const LOOK_AT_LOG_MS = 60 * 60_000;
const logIn = (directory: string) => join(directory, 'postgres.log');

function tellOfRecovery(directory: string): (seconds: number) => void {
  return (seconds) =>
    complain(
      `PostgreSQL has been recovering for ${seconds} s. Let it: it would begin anew. Log: ${logIn(directory)}`,
    );
}

/** The embedded PostgreSQL of an installation. It is restarted on the same port when it ends. */
export class KeptDatabase {
  readonly #directory: string;
  readonly #pause = new RestartPause();
  #server: EmbeddedPostgres;
  #restart: NodeJS.Timeout | undefined;
  /** The restart that is under way, or the last one. */
  #starting: Promise<void> = Promise.resolve();
  readonly #stopping = new AbortController();
  readonly #looks: NodeJS.Timeout;

  /**
   * @param signal ends a server that is not ready yet
   * @throws StartError with the server's own explanation
   */
  static async start(directory: string, signal?: AbortSignal): Promise<KeptDatabase> {
    const postgres = join(directory, 'postgres');
    const options = { directory: postgres, signal, onRecovering: tellOfRecovery(postgres) };
    try {
      return new KeptDatabase(postgres, await startEmbeddedPostgres(options));
    } catch (error) {
      throw new StartError(error instanceof Error ? error.message : String(error));
    }
  }

  private constructor(directory: string, server: EmbeddedPostgres) {
    this.#directory = directory;
    this.#server = server;
    this.#looks = setInterval(() => void this.boundLog(), LOOK_AT_LOG_MS);
    this.#watch();
  }

  /** The owner's address. */
  get url(): string {
    return this.#server.url;
  }

  get processUrls(): ProcessUrls {
    return this.#server.processUrls;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    clearInterval(this.#looks);
    clearTimeout(this.#restart);
    // A server that still recovers would outlive this process, and the next start could not tell whose it is.
    await this.#starting;
    await this.#server.stop();
  }

  /** Puts a log aside that has become large. The server has it open, and would go on writing into one that was renamed. */
  async boundLog(): Promise<void> {
    const log = logIn(this.#directory);
    try {
      if ((await stat(log)).size <= LARGEST_LOG_BYTES) return;
      await copyFile(log, `${log}.1`);
      await truncate(log);
    } catch (error) {
      complain(`The log ${log} could not be put aside: ${error instanceof Error ? error.message : error}`);
    }
  }

  #watch(): void {
    const startedAt = performance.now();
    void this.#server.exited.then(() => {
      if (this.#stopping.signal.aborted) return;
      const pauseMs = this.#pause.after({ ranMs: performance.now() - startedAt, wasReady: true });
      complain(
        `PostgreSQL ended unexpectedly. It starts again in ${pauseMs / 1000} s. Log: ${logIn(this.#directory)}`,
      );
      this.#startAgainAfter(pauseMs);
    });
  }

  #startAgainAfter(pauseMs: number): void {
    this.#restart = setTimeout(() => {
      this.#starting = this.#startAgain();
    }, pauseMs);
  }

  async #startAgain(): Promise<void> {
    const { port } = this.#server;
    const { signal } = this.#stopping;
    try {
      await this.#server.stop();
      const onRecovering = tellOfRecovery(this.#directory);
      this.#server = await startEmbeddedPostgres({ directory: this.#directory, port, signal, onRecovering });
      this.#watch();
    } catch (error) {
      if (signal.aborted) return;
      const pauseMs = this.#pause.after({ ranMs: 0, wasReady: false });
      complain(
        `PostgreSQL did not start (next try in ${pauseMs / 1000} s): ${error instanceof Error ? error.message : error}`,
      );
      this.#startAgainAfter(pauseMs);
    }
  }
}
