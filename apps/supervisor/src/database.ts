import { join } from 'node:path';
import type { ProcessUrls } from '@bailiff/prisma';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@bailiff/prisma/embedded';
import { complain } from './console.ts';
import { RestartPause } from './restart-pause.ts';
import { StartError } from './start-error.ts';

/** The embedded PostgreSQL of an installation. It is restarted on the same port when it ends. */
export class KeptDatabase {
  readonly #directory: string;
  readonly #pause = new RestartPause();
  #server: EmbeddedPostgres;
  #restart: NodeJS.Timeout | undefined;
  #stopping = false;

  /** @throws StartError with the server's own explanation */
  static async start(directory: string): Promise<KeptDatabase> {
    const postgres = join(directory, 'postgres');
    try {
      return new KeptDatabase(postgres, await startEmbeddedPostgres({ directory: postgres }));
    } catch (error) {
      throw new StartError(error instanceof Error ? error.message : String(error));
    }
  }

  private constructor(directory: string, server: EmbeddedPostgres) {
    this.#directory = directory;
    this.#server = server;
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
    this.#stopping = true;
    clearTimeout(this.#restart);
    await this.#server.stop();
  }

  #watch(): void {
    const startedAt = Date.now();
    void this.#server.exited.then(() => {
      if (this.#stopping) return;
      const pauseMs = this.#pause.after({ ranMs: Date.now() - startedAt, wasReady: true });
      complain(
        `PostgreSQL ended unexpectedly. It starts again in ${pauseMs / 1000} s. Log: ${join(this.#directory, 'postgres.log')}`,
      );
      this.#restart = setTimeout(() => void this.#startAgain(), pauseMs);
    });
  }

  async #startAgain(): Promise<void> {
    const { port } = this.#server;
    await this.#server.stop();
    try {
      const server = await startEmbeddedPostgres({ directory: this.#directory, port });
      this.#server = server;
      if (this.#stopping) return void (await server.stop());
      this.#watch();
    } catch (error) {
      const pauseMs = this.#pause.after({ ranMs: 0, wasReady: false });
      complain(
        `PostgreSQL did not start (next try in ${pauseMs / 1000} s): ${error instanceof Error ? error.message : error}`,
      );
      if (!this.#stopping) this.#restart = setTimeout(() => void this.#startAgain(), pauseMs);
    }
  }
}
