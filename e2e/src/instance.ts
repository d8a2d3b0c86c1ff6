// Bailiff as a user starts it: `npm start`, in a directory and on ports of its own, so that it can run beside another.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { type RunFile, readRunFile } from '../../scripts/supervisor/run-file.ts';

const ROOT = resolve(import.meta.dirname, '..', '..');
const READY_LINE = /^Bailiff is ready/;
const START_TIMEOUT_MS = 100_000;

/** What an instance of a test must not take over from the developer's own environment or `.env`. */
const OWN_ENVIRONMENT = {
  DATABASE_URL: '',
  DISCORD_TOKEN: '',
  DISCORD_CLIENT_ID: '',
  DISCORD_CLIENT_SECRET: '',
  DISCORD_API_URL: '',
  PUBLIC_URL: '',
  HOST: '',
  NEXTAUTH_SECRET: '',
  SECRETS_KEY: '',
  TRUSTED_PROXIES: '',
  PORT: '0',
  SANDBOX_PORT: '0',
};

export interface InstanceOptions {
  /** Default: a new temporary one, removed at the end. */
  directory?: string;
  env?: NodeJS.ProcessEnv;
}

export interface Instance {
  run: RunFile;
  directory: string;
  process: ChildProcess;
  /** Everything it has printed. */
  output(): string;
  /** Ends it as a user does, and waits. @returns its exit code */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** @throws Error with what it printed when it does not become ready */
export async function startInstance({ directory, env = {} }: InstanceOptions = {}): Promise<Instance> {
  const home = directory ?? (await temporaryDirectory());
  // It watches the channel: when we die, however that happens, it ends as well.
  const child = spawn(process.execPath, [join(ROOT, 'scripts', 'start.mjs')], {
    cwd: ROOT,
    env: { ...process.env, ...OWN_ENVIRONMENT, BAILIFF_DIR: home, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const lines: string[] = [];
  const exited = once(child, 'exit');
  const instance = {
    directory: home,
    process: child,
    output: () => lines.join('\n'),
    stop: async (signal: NodeJS.Signals = 'SIGTERM') => {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill(signal);
        await exited;
      }
      if (directory === undefined) await rm(home, { recursive: true, force: true });
      return child.exitCode;
    },
  };
  const ready = new Promise<void>((done) => {
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line);
        if (READY_LINE.test(line)) done();
      });
    }
  });
  const timer = new AbortController();
  const late = new Promise<string>((done) => {
    const timeout = setTimeout(
      () => done(`was not ready within ${START_TIMEOUT_MS / 1000} s`),
      START_TIMEOUT_MS,
    );
    timer.signal.addEventListener('abort', () => clearTimeout(timeout));
  });
  const problem = await Promise.race([
    ready.then(() => undefined),
    exited.then(([code]) => `ended with exit code ${code}`),
    late,
  ]);
  timer.abort();
  const run = problem === undefined ? await readRunFile(home) : undefined;
  if (run === undefined) {
    await instance.stop();
    throw new Error(`The instance ${problem ?? 'wrote no run.json'}. It printed:\n${lines.join('\n')}`);
  }
  return { ...instance, run };
}

/** Uses the running instance of this checkout, or else one that is started for this and stopped afterwards. */
export async function withInstance<Result>(use: (run: RunFile) => Promise<Result>): Promise<Result> {
  const running = await readRunFile(resolve(ROOT, process.env.BAILIFF_DIR || '.bailiff'));
  if (running !== undefined) return use(running);
  process.stdout.write('No instance is running here: starting one for this.\n');
  const instance = await startInstance();
  try {
    return await use(instance.run);
  } finally {
    await instance.stop();
  }
}

async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'bailiff-instance-'));
  // As root, PostgreSQL runs as another user, who has to get through.
  await chmod(directory, 0o755);
  return directory;
}
