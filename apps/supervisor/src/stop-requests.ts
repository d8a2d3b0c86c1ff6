import { onStopRequest } from './processes.mjs';

/** npm and the terminal both pass on the same Ctrl-C, so only a later one means "stop immediately". */
const SECOND_REQUEST_AFTER_MS = 1_000;

/** Requests to stop everything: a signal, a closed terminal, or a service that cannot continue. */
export class StopRequests {
  readonly #controller = new AbortController();
  readonly #asked = Promise.withResolvers<void>();
  #askedAt = 0;
  #exitCode: number | undefined;

  /** @param onSecondRequest called when the stop is asked for a second time */
  constructor(onSecondRequest: () => void) {
    const ask = () => {
      if (!this.isAsked) this.ask(0);
      else if (performance.now() - this.#askedAt > SECOND_REQUEST_AFTER_MS) onSecondRequest();
    };
    onStopRequest(ask);
    // The process that started this one has ended.
    process.on('disconnect', ask);
    process.channel?.unref();
    if (process.send !== undefined && !process.connected) ask();
  }

  /** Aborts when the stop is asked for. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get isAsked(): boolean {
    return this.signal.aborted;
  }

  get exitCode(): number | undefined {
    return this.#exitCode;
  }

  /** Settles when the stop is asked for. */
  get asked(): Promise<void> {
    return this.#asked.promise;
  }

  ask(exitCode: number): void {
    if (this.isAsked) return;
    this.#askedAt = performance.now();
    this.#exitCode = exitCode;
    this.#controller.abort();
    this.#asked.resolve();
  }
}
