import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { expectedSentinel, type OperationName } from '@bailiff/core';
import { freePort } from '@bailiff/core/testing';
import type { SeededGuild } from '@bailiff/engine/testing';
import { type Exchange, send as sendRequest } from '@bailiff/sandbox/visitor';
import { untilInTime } from '#src/api.ts';

const ROOT = resolve(import.meta.dirname, '..', '..', '..');

const LOG_LEVEL = process.env.TEST_LOG_LEVEL;

interface WebProcessSettings {
  readonly port: number;
  readonly logLevel: string;
  /** Variables besides those that it needs. */
  readonly environment?: NodeJS.ProcessEnv;
  readonly args?: readonly string[];
}

/** The web process as the bot starts it, and no bot. */
export interface WebProcess {
  readonly url: string;
  readonly child: ChildProcess;
  /** The lines of its log so far, where {@link startWebProcess} was asked to keep them, and what else it printed. */
  readonly printed: readonly string[];
  /** Settles when it has ended, or at once for a signal that stops it. */
  kill(signal: NodeJS.Signals): Promise<void>;
}

/** The program, started. `args` are its own. */
export function spawnWebProcess(
  databaseUrl: string,
  { port, logLevel, environment = {}, args = [] }: WebProcessSettings,
): ChildProcess {
  return spawn(process.execPath, [join(ROOT, 'apps', 'web', 'src', 'server.ts'), ...args], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      DATABASE_URL: databaseUrl,
      PORT: String(port),
      DISCORD_CLIENT_ID: '100000000000000000',
      DISCORD_CLIENT_SECRET: 'unused',
      NEXTAUTH_SECRET: randomBytes(32).toString('base64'),
      LOG_LEVEL: LOG_LEVEL ?? logLevel,
      // So that the test can be as many clients as it needs, each at an address of its own.
      TRUSTED_PROXIES: '127.0.0.0/8',
      NEXT_TELEMETRY_DISABLED: '1',
      ...environment,
    },
    stdio: ['ignore', LOG_LEVEL === undefined ? 'pipe' : 'inherit', 'pipe', 'ipc'],
  });
}

/**
 * @param samePort of a process that has ended; default: a free one
 * @param logLevel of the lines that are kept in `printed`; none by default
 * @param environment variables besides those that it needs
 * @throws Error with what it printed when it ends instead of getting ready
 */
export async function startWebProcess(
  databaseUrl: string,
  logLevel = 'silent',
  samePort?: number,
  environment: NodeJS.ProcessEnv = {},
): Promise<WebProcess> {
  const port = samePort ?? (await freePort());
  const child = spawnWebProcess(databaseUrl, { port, logLevel, environment });
  const printed: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    if (stream !== null) createInterface({ input: stream }).on('line', (line) => printed.push(line));
  }
  const exited = once(child, 'exit');
  const ended = exited.then(() => {
    throw new Error(`The web process ended instead of getting ready: ${printed.join('\n')}`);
  });
  ended.catch(() => {});
  await Promise.race([once(child, 'message'), ended]);
  return {
    url: `http://127.0.0.1:${port}`,
    child,
    printed,
    kill: async (signal) => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill(signal);
      if (signal !== 'SIGSTOP') await exited;
    },
  };
}

/** One destructive call, with its right sentinel. */
export interface Call {
  readonly method: 'POST' | 'DELETE';
  readonly path: string;
  readonly body: object;
  readonly key: string;
}

let made = 0;

/** @param input of the operation, what its path says included. */
function makeCall(
  guild: SeededGuild,
  operation: OperationName,
  input: object,
  call: Omit<Call, 'key'>,
): Call {
  made += 1;
  const { concrete } = expectedSentinel(operation, guild.id, input as never);
  return {
    ...call,
    path: `/guilds/${guild.id}${call.path}`,
    body: { ...call.body, _confirmation: concrete },
    key: `key-${made}`,
  };
}

/** A call that the database settles by itself. No bot is needed. */
export function strike(guild: SeededGuild): Call {
  const body = { user_id: guild.memberId, reason: 'spam', severity: 'minor' };
  return makeCall(guild, 'strikes.add', body, { method: 'POST', path: '/strikes', body });
}

export function strikeRemoval(guild: SeededGuild, strikeId: string): Call {
  const path = `/strikes/${strikeId}`;
  return makeCall(guild, 'strikes.remove', { strikeId }, { method: 'DELETE', path, body: {} });
}

/** A call that the bot performs. */
export function ban(guild: SeededGuild): Call {
  const body = { user_id: guild.strangerId, reason: 'spam' };
  return makeCall(guild, 'bans.add', body, { method: 'POST', path: '/bans', body });
}

/** Another address each time, in a network for documentation (RFC 5737) and its like. */
function someAddress(): string {
  made += 1;
  return `198.18.${(made >> 8) & 255}.${made & 255}`;
}

function headersOf(call: Call): Record<string, string> {
  return { 'idempotency-key': call.key, 'x-forwarded-for': someAddress() };
}

export function send(web: WebProcess, secret: string, call: Call): Promise<Exchange> {
  return sendRequest(`${web.url}/api/public/v1${call.path}`, {
    method: call.method,
    headers: { authorization: `Bearer ${secret}`, ...headersOf(call) },
    json: call.body,
  });
}

/** The same, and again with its key where a slow machine was too late for it: nothing has happened then. */
export function sendInTime(web: WebProcess, secret: string, call: Call): Promise<Exchange> {
  return untilInTime(() => send(web, secret, call), 'database');
}

/**
 * Sends a call and never reads what is answered.
 *
 * @param cutAt lets go when the answer begins, which is after its commit, or so many milliseconds after it was sent
 */
export async function sendAndLoseAnswer(
  web: WebProcess,
  secret: string,
  call: Call,
  cutAt: 'answer' | number,
): Promise<void> {
  const cut = Promise.withResolvers<void>();
  const sending = request(`${web.url}/api/public/v1${call.path}`, {
    method: call.method,
    headers: { ...headersOf(call), authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    agent: false,
  });
  const letGo = () => {
    sending.destroy();
    cut.resolve();
  };
  sending.on('error', () => cut.resolve());
  sending.on('response', letGo);
  sending.end(JSON.stringify(call.body), () => {
    if (cutAt !== 'answer') setTimeout(letGo, cutAt);
  });
  await cut.promise;
}
