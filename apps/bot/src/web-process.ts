import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { EX_CONFIG } from '@bailiff/core';
import type { Logger } from './log.ts';
import { webEnvironment } from './web-environment.ts';

const ENTRY = fileURLToPath(new URL('../../web/src/server.ts', import.meta.url));

export interface WebProcess {
  /** Lets it answer: the database is up to date. Until then it only loads what it needs. */
  begin(): void;
  /** Resolves once it answers, or once it is stopped. Without Discord too: then it says that the bot is away. */
  untilReady(): Promise<void>;
  /** Asks it to finish its calls and end. Kills it after `withinMs`. */
  stop(withinMs: number): Promise<void>;
}

export interface WebProcessSettings {
  readonly env: NodeJS.ProcessEnv;
  readonly log: Logger;
  /** Exit code of the web process for a wrong configuration. Starting it again would not help. */
  readonly onMisconfigured: () => void;
  /** The program to run. Default: the dashboard. */
  readonly entry?: string;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** A web process that was ready is missed while it is away, and its next start is likely to succeed. */
const LONGEST_PAUSE_OF_READY_MS = 2_000;
/** After this running time, a crash counts as the first one again. */
const STABLE_MS = 60_000;
/** A web process that was ready and ran this long is started again nearly at once: it is no loop of starts. */
const SERVED_AFTER_MS = 6_000;
const PAUSE_AFTER_SERVING_MS = 100;

/**
 * Starts the web process, which waits for `begin`, and keeps it running. When it ends, starts it again after a pause that
 * doubles each time.
 */
export function startWebProcess(settings: WebProcessSettings): WebProcess {
  const { log } = settings;
  const stopping = new AbortController();
  const { signal } = stopping;
  const answers = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => answers.resolve());
  let child: ChildProcess | undefined;
  let exited: Promise<number | null> = Promise.resolve(null);
  let wasReady = false;
  let mayAnswer = false;

  const start = () => {
    const args = mayAnswer ? [] : ['--standby'];
    const started = spawn(process.execPath, [settings.entry ?? ENTRY, ...args], {
      env: webEnvironment(settings.env),
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    child = started;
    wasReady = false;
    // It sends this once it listens.
    started.once('message', () => {
      wasReady = true;
      answers.resolve();
    });
    exited = new Promise((resolve) => {
      started.once('error', (error) => {
        log.error({ err: error }, 'web process could not be started');
        resolve(null);
      });
      started.once('exit', (code) => resolve(code));
    });
  };

  const keepRunning = async () => {
    for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      const startedAt = performance.now();
      start();
      const code = await exited;
      if (signal.aborted) return;
      if (code === EX_CONFIG) return settings.onMisconfigured();
      const ranMs = performance.now() - startedAt;
      if (ranMs > STABLE_MS) pauseMs = FIRST_PAUSE_MS;
      if (wasReady && ranMs > SERVED_AFTER_MS) pauseMs = PAUSE_AFTER_SERVING_MS;
      else if (wasReady) pauseMs = Math.min(pauseMs, LONGEST_PAUSE_OF_READY_MS);
      log.error({ exit_code: code, pause_ms: pauseMs }, 'web process ended; starting it again');
      await delay(pauseMs, undefined, { signal }).catch(() => {});
    }
  };
  const running = keepRunning();

  return {
    begin: () => {
      mayAnswer = true;
      // One that has just ended starts again without waiting.
      child?.send({ type: 'begin' }, () => {});
    },
    untilReady: () => answers.promise,
    stop: async (withinMs) => {
      stopping.abort();
      child?.kill('SIGTERM');
      const timer = setTimeout(() => child?.kill('SIGKILL'), withinMs);
      await exited;
      clearTimeout(timer);
      await running;
    },
  };
}
