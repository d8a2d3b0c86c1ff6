// Bailiff as a user starts it: `npm start`, in a directory and on ports of its own, so that it can run beside another.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { SECRET_VARIABLES } from '@bailiff/engine/secret-files';
import { removeWithServers } from '@bailiff/prisma/embedded';
import { directoryIn, ROOT } from './root.ts';
import { type RunFile, readRunFile } from './run-file.ts';

const READY_LINE = /^Bailiff is ready/;
/** Only end what hangs: a busy machine may be slow. */
const START_TIMEOUT_MS = 300_000;
const WAIT_TIMEOUT_MS = 300_000;
const POLL_MS = 50;

/** Variables of the operator's environment or `.env` that say nothing to an instance for tests, the demo and benchmarks. */
const EMPTY = [
  ...SECRET_VARIABLES,
  // Named in a file, a real database or bot would be what is tried out.
  ...SECRET_VARIABLES.map((variable) => `${variable}_FILE`),
  'AUDIT_READ_RETENTION_DAYS',
  'BOT_SHARDS',
  'DASHBOARD_URL',
  'DEFAULT_TIER',
  'DISCORD_API_URL',
  'DISCORD_CLIENT_ID',
  'DISCORD_PRO_SKU_ID',
  'HOST',
  'MCP_PACKAGE',
  'METRICS_HOST',
  'METRICS_PORT',
  'METRICS_WEB_PORT',
  'OAUTH_CLIENTS',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_TRACES_SAMPLER_ARG',
  'PUBLIC_API_THROUGH_NEXT',
  'PUBLIC_URL',
  'RCON_ALLOWED_NETWORKS',
  'REAUTH_WINDOW_MINUTES',
  'SANDBOX',
  'TRUSTED_PROXIES',
  'WEB',
] as const;

/** The environment of an instance that must have nothing of what this installation is configured with. */
export const OWN_ENVIRONMENT: Readonly<Record<string, string>> = {
  ...Object.fromEntries(EMPTY.map((variable) => [variable, ''])),
  PORT: '0',
  SANDBOX_PORT: '0',
};

export interface InstanceOptions {
  /** Default: a new temporary directory, removed when the instance stops. */
  directory?: string;
  env?: NodeJS.ProcessEnv;
  /** The command of `scripts`. Default: `start.mjs`. */
  command?: string;
}

export interface Instance {
  /** The content of run.json when the instance became ready. */
  readonly run: RunFile;
  /** Settles when the instance has printed a matching line, within five minutes unless told otherwise. */
  untilPrinted(line: RegExp, withinMs?: number): Promise<void>;
  /** The first content of run.json that matches. */
  untilRun(fits: (run: RunFile) => boolean): Promise<RunFile>;
  /** Settles when /readyz answers 200. */
  untilReady(): Promise<void>;
  /** Stops the instance with a signal, as a user does, and waits. @returns its exit code */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Starts an instance and waits until it is ready. @throws Error with its output if it does not become ready */
export async function startInstance(options: InstanceOptions = {}): Promise<Instance> {
  const home = options.directory === undefined ? await instanceDirectory() : undefined;
  const directory = home?.path ?? options.directory ?? '';
  const output = new Output(spawnStart(directory, options.env, options.command));
  const { child } = output;
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    if (!output.hasExited) {
      child.kill(signal);
      await output.exited;
    }
    await home?.remove();
    return child.exitCode;
  };
  try {
    await output.untilPrinted(READY_LINE, START_TIMEOUT_MS);
    const run = await readRunFile(directory);
    if (run === undefined) throw new Error(`It wrote no run.json in ${directory}.`);
    const untilRun = (fits: (run: RunFile) => boolean) =>
      until(`run.json in ${directory}`, async () => {
        const content = await readRunFile(directory);
        return content !== undefined && fits(content) ? content : undefined;
      });
    const untilReady = async () => {
      await until(`${run.web}/readyz`, async () => {
        const answer = await fetch(`${run.web}/readyz`).catch(() => undefined);
        return answer?.ok === true ? true : undefined;
      });
    };
    return {
      run,
      untilPrinted: (line, withinMs = WAIT_TIMEOUT_MS) => output.untilPrinted(line, withinMs),
      untilRun,
      untilReady,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Starts an instance that is expected to end by itself, and returns its exit code and output. */
export async function runToEnd({ directory, env }: { directory: string; env: NodeJS.ProcessEnv }): Promise<{
  code: number | null;
  output: string;
}> {
  const output = new Output(spawnStart(directory, env));
  const timer = setTimeout(() => output.child.kill('SIGTERM'), WAIT_TIMEOUT_MS);
  await output.exited;
  clearTimeout(timer);
  return { code: output.child.exitCode, output: output.text };
}

/** Runs `use` with the running instance of this checkout, or with one that is started for it and stopped afterwards. */
export async function withInstance<Result>(use: (run: RunFile) => Promise<Result>): Promise<Result> {
  const running = await readRunFile(directoryIn(process.env));
  if (running !== undefined) return use(running);
  process.stdout.write('No instance is running here: starting one for this.\n');
  const instance = await startInstance();
  try {
    return await use(instance.run);
  } finally {
    await instance.stop();
  }
}

/** A temporary directory for an instance. */
export async function instanceDirectory(): Promise<{ path: string; remove: () => Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'bailiff-instance-'));
  // If we are root, PostgreSQL runs as another user, who needs access to this directory.
  await chmod(path, 0o755);
  return { path, remove: () => removeWithServers(path) };
}

function spawnStart(directory: string, env: NodeJS.ProcessEnv = {}, command = 'start.mjs'): ChildProcess {
  // The child watches the IPC channel and ends when we end, even after a crash.
  return spawn(process.execPath, [join(ROOT, 'scripts', command)], {
    cwd: ROOT,
    env: { ...process.env, ...OWN_ENVIRONMENT, BAILIFF_DIR: directory, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
}

/** The output of a process so far, and a way to wait for a line. */
class Output {
  readonly child: ChildProcess;
  readonly exited: Promise<unknown>;
  readonly #lines: string[] = [];
  readonly #waiting = new Set<() => void>();

  constructor(child: ChildProcess) {
    this.child = child;
    this.exited = once(child, 'close');
    this.exited.finally(() => this.#wake()).catch(() => {});
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on('line', (line) => {
        this.#lines.push(line);
        this.#wake();
      });
    }
  }

  get text(): string {
    return this.#lines.join('\n');
  }

  get hasExited(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** @throws Error with what it printed when the line does not come in time or the process ends without it */
  async untilPrinted(line: RegExp, timeoutMs: number): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    while (!this.#lines.some((printed) => line.test(printed))) {
      if (this.hasExited || performance.now() > deadline) {
        const what = this.hasExited
          ? `ended with exit code ${this.child.exitCode}`
          : `took over ${timeoutMs / 1000} s`;
        throw new Error(`The instance ${what} before it printed ${line}. It printed:\n${this.text}`);
      }
      await new Promise<void>((done) => {
        const wake = () => {
          clearTimeout(timer);
          this.#waiting.delete(wake);
          done();
        };
        const timer = setTimeout(wake, deadline - performance.now() + 1);
        this.#waiting.add(wake);
      });
    }
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }
}

async function until<Value>(what: string, look: () => Promise<Value | undefined>): Promise<Value> {
  const deadline = performance.now() + WAIT_TIMEOUT_MS;
  for (;;) {
    const value = await look();
    if (value !== undefined) return value;
    if (performance.now() > deadline)
      throw new Error(`${what} was not as expected within ${WAIT_TIMEOUT_MS / 1000} s.`);
    await delay(POLL_MS);
  }
}
