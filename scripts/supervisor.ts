// Runs Bailiff on one machine: the database, the sandbox and the bot, which starts the web process. Each is kept running
// for as long as this process lives, and nothing of them is left when it ends.
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ReadyMessage, SandboxState } from '@bailiff/sandbox';
import { ROOT, StageError } from './prepare.mjs';
import { checkConfiguration } from './supervisor/configuration.ts';
import { complain, say } from './supervisor/console.ts';
import { KeptDatabase } from './supervisor/database.ts';
import { type RegisteredServer, registerGameServers } from './supervisor/game-server.ts';
import { type RunFile, removeRunFile, writeRunFile } from './supervisor/run-file.ts';
import { keptSecrets } from './supervisor/secrets.ts';
import { Service, type ServiceOptions } from './supervisor/service.ts';
import { ConfigurationError, readSettings, type Settings } from './supervisor/settings.ts';
import { StopRequests } from './supervisor/stop-requests.ts';
import { table } from './supervisor/table.ts';

const SANDBOX_TIMEOUT_MS = 20_000;
const BOT_TIMEOUT_MS = 60_000;
/** Discord admits one shard after the other. */
const SHARD_TIMEOUT_MS = 6_000;
const NAMES_TIMEOUT_MS = 2_000;
/** A call is answered within 10 s of its arrival; the bot may finish what it has begun. */
const BOT_STOP_TIMEOUT_MS = 15_000;
const SANDBOX_STOP_TIMEOUT_MS = 5_000;

/** What was started, in that order; it is stopped in the reverse one. */
interface Started {
  database?: KeptDatabase;
  sandbox?: Service;
  bot?: Service;
}

/**
 * Starts everything and stays until asked to stop. Ends the process: with 0 when it was asked to, 78 when the
 * configuration is wrong, 1 when something did not start.
 */
export async function supervise(): Promise<never> {
  const startedAt = Date.now();
  const started: Started = {};
  const stop = new StopRequests(() => {
    started.bot?.kill();
    started.sandbox?.kill();
  });
  let directory: string | undefined;
  let exitCode = 0;
  try {
    const environmentFile = join(ROOT, '.env');
    if (existsSync(environmentFile)) process.loadEnvFile(environmentFile);
    const settings = await readSettings(process.env);
    directory = settings.directory;
    await mkdir(directory, { recursive: true, mode: 0o755 });
    await removeRunFile(directory);
    const describe = await start(settings, started, stop);
    await writeRunFile(directory, describe());
    say(table(describe(), await namesOf(describe()), Date.now() - startedAt));
    await stop.asked;
    say('Stopping …');
  } catch (error) {
    if (!stop.isAsked) {
      exitCode = error instanceof ConfigurationError ? error.exitCode : 1;
      complain(error instanceof StageError ? error.message : ((error as Error).stack ?? String(error)));
    }
  }
  if (directory !== undefined) await removeRunFile(directory);
  await started.bot?.stop();
  await started.sandbox?.stop();
  await started.database?.stop();
  process.exit(stop.exitCode ?? exitCode);
}

/** @returns what run.json says of it, whenever it is asked */
async function start(settings: Settings, started: Started, stop: StopRequests): Promise<() => RunFile> {
  const everything = environmentOfServices(settings);
  const { shards } = checkConfiguration(everything, settings);
  const { DATABASE_URL, ...env } = everything;
  const begin = (
    name: string,
    entry: string,
    ownEnv: NodeJS.ProcessEnv,
    options: Partial<ServiceOptions>,
  ) => {
    const service = new Service({
      name,
      entry: join(ROOT, entry),
      env: ownEnv,
      logPath: join(settings.directory, 'logs', `${name}.log`),
      stopTimeoutMs: SANDBOX_STOP_TIMEOUT_MS,
      onFatal: (exitCode) => stop.ask(exitCode),
      ...options,
    });
    service.start();
    return service;
  };

  if (settings.databaseUrl === undefined) {
    Object.assign(env, { ...(await keptSecrets(settings.directory)), ...withoutEmpty(env) });
    started.database = await KeptDatabase.start(settings.directory);
    stop.signal.throwIfAborted();
  }

  let sandbox: ReadyMessage | undefined;
  if (settings.usesSandbox) {
    const ready = Promise.withResolvers<ReadyMessage>();
    // The sandbox stands for somebody else's servers: no secret of ours is its business.
    const { NEXTAUTH_SECRET: _session, SECRETS_KEY: _key, SECRETS_KEY_PREVIOUS: _previous, ...ownEnv } = env;
    started.sandbox = begin('sandbox', 'packages/sandbox/src/main.ts', ownEnv, {
      onMessage: (message) => ready.resolve(message as ReadyMessage),
    });
    sandbox = await within(SANDBOX_TIMEOUT_MS, ready.promise, started.sandbox, stop);
    // Started again, it is where the first one was.
    ownEnv.SANDBOX_RCON_PORT = String(sandbox.servers[0]?.port ?? 0);
  }

  let servers: RegisteredServer[] = [];
  const describe = (): RunFile => ({
    web: settings.publicUrl,
    sandbox: sandbox?.url ?? null,
    guild_id: sandbox?.guildId ?? '',
    people: { ...sandbox?.people },
    channels: { ...sandbox?.channels },
    servers,
    pids: {
      supervisor: process.pid,
      bot: started.bot?.pid ?? 0,
      sandbox: started.sandbox?.pid ?? null,
    },
  });
  const databaseUrl = started.database?.url ?? DATABASE_URL ?? '';
  const botEnv = {
    ...env,
    DATABASE_URL: databaseUrl,
    ...(sandbox === undefined ? {} : asDiscord(sandbox)),
  };
  let isReady = false;
  const botReady = Promise.withResolvers<void>();
  started.bot = begin('bot', 'apps/bot/src/main.ts', botEnv, {
    stopTimeoutMs: BOT_STOP_TIMEOUT_MS,
    // Said once: connected to Discord, compared with it, and the web process answers.
    onMessage: () => botReady.resolve(),
    onRestart: () => {
      if (isReady && !stop.isAsked) void writeRunFile(settings.directory, describe());
    },
  });
  const patienceMs = BOT_TIMEOUT_MS + SHARD_TIMEOUT_MS * ((shards?.ids.length ?? 1) - 1);
  await within(patienceMs, botReady.promise, started.bot, stop);
  if (sandbox !== undefined) servers = await registerGameServers(databaseUrl, sandbox);
  isReady = true;
  return describe;
}

/** Names of the sandbox's people by their ids; empty when it does not tell. */
async function namesOf({ sandbox, guild_id }: RunFile): Promise<Map<string, string>> {
  if (sandbox === null) return new Map();
  try {
    const response = await fetch(`${sandbox}/sandbox/state`, {
      signal: AbortSignal.timeout(NAMES_TIMEOUT_MS),
    });
    const { guilds } = (await response.json()) as SandboxState;
    const members = guilds.find(({ id }) => id === guild_id)?.members ?? [];
    return new Map(members.map(({ user_id, display_name }) => [user_id, display_name]));
  } catch {
    return new Map();
  }
}

/** The whole environment, with the addresses settled. An empty variable counts as one that is not there. */
function environmentOfServices(settings: Settings): NodeJS.ProcessEnv {
  return {
    NODE_ENV: 'production',
    ...withoutEmpty(process.env),
    HOST: settings.host,
    PORT: String(settings.port),
    PUBLIC_URL: settings.publicUrl,
    SANDBOX_PORT: String(settings.sandboxPort),
    BAILIFF_DIR: settings.directory,
  };
}

function withoutEmpty(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
}

/** The environment in which the bot and the dashboard take the sandbox for Discord. */
function asDiscord(sandbox: ReadyMessage): NodeJS.ProcessEnv {
  return {
    DISCORD_API_URL: sandbox.apiUrl,
    DISCORD_TOKEN: sandbox.botToken,
    DISCORD_CLIENT_ID: sandbox.clientId,
    DISCORD_CLIENT_SECRET: sandbox.clientSecret,
    // The sandbox's game server is on this machine.
    RCON_ALLOWED_NETWORKS: '127.0.0.0/8',
  };
}

/** @throws StageError when the service is not ready in time */
async function within<Result>(
  timeoutMs: number,
  ready: Promise<Result>,
  service: Service,
  stop: StopRequests,
): Promise<Result> {
  const timer = new AbortController();
  const signal = AbortSignal.any([timer.signal, stop.signal]);
  const late = delay(timeoutMs, undefined, { signal }).then(
    () => {
      throw new StageError(
        `The ${service.name} was not ready within ${timeoutMs / 1000} s. The end of ${service.logPath}:\n${service.lastLines()}`,
      );
    },
    () => new Promise<never>(() => {}),
  );
  const interrupted = stop.asked.then(() => {
    throw new StageError('Stopped while starting.');
  });
  interrupted.catch(() => {});
  try {
    return await Promise.race([ready, late, interrupted]);
  } finally {
    timer.abort();
  }
}
