import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { EX_CONFIG } from '@bailiff/core/configuration-error';
import { complain, consoleLine } from './console.ts';
import { LogFile } from './log-file.ts';
import { endGroup } from './processes.mjs';
import { RestartPause } from './restart-pause.ts';
import { reasonOf } from './start-error.ts';

const LAST_WORDS_MS = 500;
const LAST_LINES = 10;

export interface ServiceOptions {
  name: string;
  /** The TypeScript file to run. */
  entry: string;
  env: NodeJS.ProcessEnv;
  logPath: string;
  /** How long the service may take to stop before it is killed. */
  stopTimeoutMs: number;
  /** Called for each message that it sends. The first one means that it is ready. */
  onMessage?: (message: unknown) => void;
  /** Called when the service ended for a reason that a restart cannot fix. */
  onFatal: (exitCode: number) => void;
  onRestart?: () => void;
  /** Called when the process has ended, for whatever reason, after the last message that it has sent. */
  onEnd?: () => void;
}

type Run = Parameters<RestartPause['after']>[0];
const NEVER_RAN: Run = { ranMs: 0, wasReady: false };

/**
 * A process that is restarted whenever it ends, after a pause.
 *
 * Each start is its own process group, so that Ctrl-C reaches only us and no child of a service outlives it.
 */
export class Service {
  readonly #options: ServiceOptions;
  readonly #log: LogFile;
  /**
   * Process groups that may still have processes: the running one, and that of a crashed run until it has been ended.
   */
  readonly #groups = new Set<number>();
  #child: ChildProcess | undefined;
  #exited: Promise<void> = Promise.resolve();
  readonly #pause = new RestartPause();
  #restart: NodeJS.Timeout | undefined;
  #stopping = false;
  readonly #lastLines: string[] = [];

  constructor(options: ServiceOptions) {
    this.#options = options;
    this.#log = new LogFile(options.logPath);
  }

  get name(): string {
    return this.#options.name;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get logPath(): string {
    return this.#log.path;
  }

  /** The last lines of its output, for the error message when it does not become ready. */
  lastLines(): string {
    return this.#lastLines.join('\n');
  }

  /** @param args of this run alone; when it is started again it has none */
  start(args: readonly string[] = []): void {
    const startedAt = performance.now();
    const child = this.#spawn(args);
    this.#child = child;
    if (child === undefined) return;
    if (child.pid !== undefined) this.#groups.add(child.pid);
    this.#copyOutput(child.stdout, 'stdout');
    this.#copyOutput(child.stderr, 'stderr');
    let wasReady = false;
    child.on('message', (message) => {
      wasReady = true;
      this.#options.onMessage?.(message);
    });
    this.#exited = new Promise<void>((resolve) => {
      child.once('error', (error) => {
        resolve();
        this.#couldNotStart(error, child.pid === undefined);
      });
      child.once('exit', () => resolve());
    });
    child.once('exit', async (code, signal) => {
      const run = { ranMs: performance.now() - startedAt, wasReady };
      // Reads the rest of its output and messages first, with a time limit: a child that is still running may hold the
      // pipes open.
      await Promise.race([once(child, 'close'), delay(LAST_WORDS_MS)]);
      this.#options.onEnd?.();
      this.#onExit(code, signal, run);
    });
  }

  /** The process; undefined if Node throws instead of telling it, as without free memory. */
  #spawn(args: readonly string[]): ChildProcess | undefined {
    try {
      return spawn(process.execPath, [this.#options.entry, ...args], {
        env: this.#options.env,
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      });
    } catch (error) {
      this.#couldNotStart(error, true);
      return undefined;
    }
  }

  #couldNotStart(error: unknown, wantsAnother: boolean): void {
    complain(`${this.#options.name} could not be started: ${reasonOf(error)}`);
    // Such a process does not exit. The machine may have a place for it later.
    if (wantsAnother && !this.#stopping) this.#startLater(this.#pause.after(NEVER_RAN));
  }

  /** Whether the message, and a copy of the connection with it, is on its way to the process. */
  send(message: object, connection?: Socket): boolean {
    const child = this.#child;
    if (child === undefined || !child.connected) return false;
    child.send(message, connection, { keepOpen: true }, () => {});
    return true;
  }

  /**
   * Stops the service and everything it started: SIGTERM, then SIGKILL for processes that are left after the deadline.
   *
   * @param asked what the process is told instead of SIGTERM
   */
  async stop(asked?: { readonly message: object; readonly timeoutMs: number }): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#restart);
    const child = this.#child;
    if (child !== undefined && child.exitCode === null && child.signalCode === null) {
      if (asked === undefined || !this.send(asked.message)) child.kill('SIGTERM');
      // A process stopped by SIGSTOP would never handle the SIGTERM.
      child.kill('SIGCONT');
      const timer = setTimeout(() => this.kill(), asked?.timeoutMs ?? this.#options.stopTimeoutMs);
      await this.#exited;
      clearTimeout(timer);
    }
    await this.#clearGroups();
  }

  /** Kills the service and everything it started, without waiting. */
  kill(): void {
    for (const group of this.#groups) {
      try {
        process.kill(-group, 'SIGKILL');
      } catch {
        // The group has no processes any more.
      }
    }
  }

  #onExit(code: number | null, signal: NodeJS.Signals | null, run: Run): void {
    if (this.#stopping) return;
    if (code === EX_CONFIG) {
      this.#stopping = true;
      this.#options.onFatal(EX_CONFIG);
      return;
    }
    const pauseMs = this.#pause.after(run);
    const how = signal === null ? `with exit code ${code}` : `by ${signal}`;
    complain(
      `The ${this.#options.name} ended ${how}. It starts again in ${pauseMs / 1000} s. Log: ${this.#log.path}`,
    );
    this.#startLater(pauseMs);
  }

  #startLater(pauseMs: number): void {
    this.#restart = setTimeout(() => this.#startAgain(), pauseMs);
  }

  #startAgain(): void {
    // SIGTERM lets children of the crashed run release their ports and finish their work.
    void this.#clearGroups(this.#options.stopTimeoutMs);
    this.start();
    this.#options.onRestart?.();
  }

  async #clearGroups(graceMs?: number): Promise<void> {
    await Promise.all(
      [...this.#groups].map(async (group) => {
        await endGroup(group, graceMs);
        this.#groups.delete(group);
      }),
    );
  }

  /** @param stream of a process that was started; without a free file for it, Node gives none */
  #copyOutput(stream: Readable | null | undefined, name: 'stdout' | 'stderr'): void {
    if (stream === null || stream === undefined) return;
    createInterface({ input: stream }).on('line', (line) => {
      this.#log.write(line);
      this.#lastLines.push(line);
      if (this.#lastLines.length > LAST_LINES) this.#lastLines.shift();
      const shown = consoleLine(this.#options.name, line, name);
      if (shown !== undefined) complain(shown);
    });
  }
}
