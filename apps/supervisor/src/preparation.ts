import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { ProcessUrls } from '@bailiff/prisma';
import type { ReadyMessage } from '@bailiff/sandbox';
import type { ClusterSize } from './configuration.ts';
import type { RegisteredServer } from './game-server.ts';
import type { Ports } from './ports.ts';
import type { Settings } from './settings.ts';
import { StartError } from './start-error.ts';

const ENTRY = join(import.meta.dirname, 'preparing.ts');
const END_TIMEOUT_MS = 5_000;

/** A configuration with which a start can go on. */
export interface Checked {
  readonly settings: Settings;
  readonly ports: Ports;
  /** Whether a web process runs here. */
  readonly hasWeb: boolean;
  /** The origin of the API. */
  readonly publicUrl: string;
  readonly dashboardUrl: string;
  /** The environment with what `.env` and the files of secrets add, without empty variables. */
  readonly env: NodeJS.ProcessEnv;
}

/** What brings the database up to date. */
export interface Migration {
  readonly ownerUrl: string;
  /** Undefined: the processes share the owner's login. */
  readonly processUrls: ProcessUrls | undefined;
  /** Whether the address comes from DATABASE_URL, and so may be wrong. */
  readonly isConfigured: boolean;
}

/** What is done in the sample guild once the bot knows it. */
export interface Sample {
  readonly ownerUrl: string;
  readonly sandbox: ReadyMessage;
}

/** What is shown of the sample guild. */
export interface Shown {
  readonly servers: readonly RegisteredServer[];
  /** Names of its people, by id. */
  readonly names: ReadonlyMap<string, string>;
}

/** What a preparation can be asked, one after the other. */
export interface Tasks {
  /** @param cluster Default: one bot, and the web process as its settings say. */
  check(cluster?: ClusterSize): Promise<Checked>;
  migrate(migration: Migration): Promise<void>;
  fillSample(sample: Sample): Promise<Shown>;
}

/** What the process of a preparation answers. */
export type Answer =
  | { readonly value: unknown }
  | { readonly failure: { readonly message: string; readonly exitCode: number } };

/**
 * What a start does only once, in a process that ends: the code that checks the configuration and migrates the database
 * is most of the product's, and the supervisor would keep it in memory as long as it runs.
 */
export class Preparation implements Tasks {
  readonly #child: ChildProcess;
  readonly #ended: Promise<never>;

  constructor() {
    // Ctrl-C reaches only the supervisor, which asks it to end.
    this.#child = fork(ENTRY, {
      detached: true,
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#ended = new Promise((_, reject) => {
      this.#child.once('error', reject);
      this.#child.once('exit', (code, signal) =>
        reject(new StartError(`The process that prepares the start ended with ${signal ?? code}.`)),
      );
    });
    this.#ended.catch(() => {});
  }

  /** @throws StartError with everything that is wrong */
  check(cluster?: ClusterSize): Promise<Checked> {
    return this.#ask('check', cluster);
  }

  migrate(migration: Migration): Promise<void> {
    return this.#ask('migrate', migration);
  }

  fillSample(sample: Sample): Promise<Shown> {
    return this.#ask('fillSample', sample);
  }

  /** Ends the process, also in the middle of a task. */
  async end(): Promise<void> {
    const child = this.#child;
    if (child.exitCode !== null || child.signalCode !== null) return;
    if (child.connected) child.disconnect();
    const timer = setTimeout(() => child.kill('SIGKILL'), END_TIMEOUT_MS);
    await this.#ended.catch(() => {});
    clearTimeout(timer);
  }

  async #ask<Name extends keyof Tasks>(
    name: Name,
    ...given: Parameters<Tasks[Name]>
  ): Promise<Awaited<ReturnType<Tasks[Name]>>> {
    const answered = once(this.#child, 'message');
    answered.catch(() => {});
    if (this.#child.connected) this.#child.send({ name, given });
    // Each task has deadlines of its own.
    const [answer] = (await Promise.race([answered, this.#ended])) as [Answer];
    if ('failure' in answer) throw new StartError(answer.failure.message, answer.failure.exitCode);
    return answer.value as Awaited<ReturnType<Tasks[Name]>>;
  }
}
