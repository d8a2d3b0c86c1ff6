// Runs Bailiff on one machine: the database, the sandbox and the bot, which starts the web process. Each is restarted
// when it ends, and none of their processes is left when this one ends.
import { join } from 'node:path';
import type { ReadyMessage } from '@bailiff/sandbox';
import type { ClusterSize } from './configuration.ts';
import { complain, say } from './console.ts';
import { KeptDatabase } from './database.ts';
import { nodeOptions } from './node-options.ts';
import { type Checked, Preparation, type Shown } from './preparation.ts';
import { readyMessage } from './ready-message.ts';
import { ROOT } from './root.ts';
import { type RunFile, removeRunFile, writeRunFile } from './run-file.ts';
import { keptSecrets } from './secrets.ts';
import { Service, type ServiceOptions } from './service.ts';
import { endedBy, reasonOf } from './start-error.ts';
import { StopRequests } from './stop-requests.ts';
import { within } from './until-ready.ts';

const SANDBOX_TIMEOUT_MS = 20_000;
const BOT_TIMEOUT_MS = 60_000;
const SHARED_LOGIN =
  'The bot and the web process share one database login, so whoever breaks into the web process can write anything, the ' +
  'audit log included. Set DATABASE_BOT_URL and DATABASE_WEB_URL (docs/operations.md#logins-of-the-database).';
const NOT_REPLACED =
  'SIGUSR2 replaces nothing here: only npm run start:cluster replaces its processes one after the other, once they run.';
/** A call is answered within 10 s, so this lets the bot finish the calls that it has begun. */
const BOT_STOP_TIMEOUT_MS = 15_000;
const SANDBOX_STOP_TIMEOUT_MS = 5_000;

/** The processes of the product itself, without database and sandbox. */
export interface Processes {
  readonly pids: Pick<RunFile['pids'], 'bot' | 'bots' | 'webs'>;
  stop(): Promise<void>;
  /** Without waiting. */
  kill(): void;
  /** Replaces them one after the other, where that is possible. */
  replaceAll?(): void;
}

export interface ProcessSettings {
  /** The environment of a bot. */
  readonly env: NodeJS.ProcessEnv;
  readonly host: string;
  readonly port: number;
  readonly begin: (
    name: string,
    entry: string,
    env: NodeJS.ProcessEnv,
    options: Partial<ServiceOptions> & { readonly args?: readonly string[] },
  ) => Service;
  /** Called when a process has taken the place of another one. */
  readonly onChange: () => void;
  readonly stop: StopRequests;
}

/** What was started, in order. It is stopped in reverse order. */
interface Started {
  preparation?: Preparation;
  database?: KeptDatabase;
  sandbox?: Service;
  processes?: Processes;
}

/** Starts the bot, which starts the web process. */
async function startBot({ env, begin, onChange, stop }: ProcessSettings, started: Started): Promise<void> {
  const ready = Promise.withResolvers<void>();
  const bot = begin('bot', 'apps/bot/src/main.ts', env, {
    stopTimeoutMs: BOT_STOP_TIMEOUT_MS,
    // The bot sends this once, when the web process answers and the bot is connected or waits for Discord.
    onMessage: () => ready.resolve(),
    onRestart: onChange,
  });
  started.processes = {
    get pids() {
      return { bot: bot.pid ?? 0 };
    },
    stop: () => bot.stop(),
    kill: () => bot.kill(),
  };
  await within(BOT_TIMEOUT_MS, ready.promise, bot, stop);
}

/**
 * Starts everything, runs until it is asked to stop, and then ends the process: with 0 if it was asked to stop, 78 if
 * the configuration is wrong, 1 if something did not start.
 *
 * @param startProcesses Default: the bot, which starts the web process.
 * @param cluster what it starts, if it is a cluster
 */
export async function supervise(startProcesses = startBot, cluster?: ClusterSize): Promise<never> {
  const startedAt = performance.now();
  const started: Started = {};
  const stop = new StopRequests(() => {
    started.processes?.kill();
    started.sandbox?.kill();
  });
  // Without a listener it ends this process, and leaves nobody who would stop the others in good order.
  process.on('SIGUSR2', () => {
    if (started.processes?.replaceAll === undefined) complain(NOT_REPLACED);
    else started.processes.replaceAll();
  });
  let directory: string | undefined;
  let exitCode = 0;
  try {
    const preparation = new Preparation();
    started.preparation = preparation;
    stop.signal.addEventListener('abort', () => void preparation.end());
    const checked = await preparation.check(cluster);
    directory = checked.settings.directory;
    await removeRunFile(directory);
    const { describe, names } = await start(checked, { preparation, started, stop, startProcesses });
    await writeRunFile(directory, describe()).catch((error: unknown) =>
      complain(`run.json could not be written: ${reasonOf(error)}`),
    );
    void preparation.end();
    say(
      readyMessage(describe(), names, { startedMs: performance.now() - startedAt, hasWeb: checked.hasWeb }),
    );
    await stop.asked;
    say('Stopping …');
  } catch (error) {
    if (!stop.isAsked) {
      const end = endedBy(error);
      exitCode = end.exitCode;
      complain(end.message);
    }
  }
  if (directory !== undefined) await removeRunFile(directory);
  await started.preparation?.end();
  await started.processes?.stop();
  await started.sandbox?.stop();
  await started.database?.stop();
  process.exit(stop.exitCode ?? exitCode);
}

interface Start {
  readonly preparation: Preparation;
  readonly started: Started;
  readonly stop: StopRequests;
  readonly startProcesses: typeof startBot;
}

interface Running {
  /** The content of run.json at the time it is called. */
  readonly describe: () => RunFile;
  readonly names: Shown['names'];
}

async function start(
  { settings, ports, publicUrl, dashboardUrl, env: given }: Checked,
  { preparation, started, stop, startProcesses }: Start,
): Promise<Running> {
  const {
    DATABASE_URL,
    DATABASE_BOT_URL: _bot,
    DATABASE_WEB_URL: _web,
    ...env
  }: NodeJS.ProcessEnv = {
    NODE_ENV: 'production',
    ...given,
    NODE_OPTIONS: nodeOptions(given.NODE_OPTIONS),
    HOST: settings.host,
    PORT: String(ports.web),
    PUBLIC_URL: publicUrl,
    DASHBOARD_URL: dashboardUrl,
    SANDBOX_PORT: String(ports.sandbox),
    BAILIFF_DIR: settings.directory,
  };
  const begin: ProcessSettings['begin'] = (name, entry, ownEnv, { args = [], ...options }) => {
    const service = new Service({
      name,
      entry: join(ROOT, entry),
      env: ownEnv,
      logPath: join(settings.directory, 'logs', `${name}.log`),
      stopTimeoutMs: SANDBOX_STOP_TIMEOUT_MS,
      onFatal: (exitCode) => stop.ask(exitCode),
      ...options,
    });
    service.start(args);
    return service;
  };

  // The sandbox needs nothing of the database, so both start at once.
  const starting = settings.usesSandbox ? startSandbox() : Promise.resolve(undefined);
  starting.catch(() => {});

  if (settings.databaseUrl === undefined) {
    Object.assign(env, { ...(await keptSecrets(settings.directory)), ...env });
    started.database = await KeptDatabase.start(settings.directory, stop.signal);
    stop.signal.throwIfAborted();
  }

  const ownerUrl = started.database?.url ?? DATABASE_URL ?? '';
  const processUrls = started.database?.processUrls ?? settings.processUrls;
  if (processUrls === undefined) complain(SHARED_LOGIN);
  // The processes have to be ready in time, and a migration may wait for a backup.
  await preparation.migrate({ ownerUrl, processUrls, isConfigured: settings.databaseUrl !== undefined });
  const sandbox = await starting;
  if (sandbox === undefined) void preparation.end();

  let shown: Shown = { servers: [], names: new Map() };
  const describe = (): RunFile => ({
    web: publicUrl,
    dashboard: dashboardUrl,
    sandbox: sandbox?.url ?? null,
    application:
      sandbox === undefined
        ? null
        : { id: sandbox.clientId, secret: sandbox.clientSecret, token: sandbox.botToken },
    guild_id: sandbox?.guildId ?? '',
    people: { ...sandbox?.people },
    channels: { ...sandbox?.channels },
    servers: [...shown.servers],
    pids: {
      supervisor: process.pid,
      bot: 0,
      ...started.processes?.pids,
      sandbox: started.sandbox?.pid ?? null,
    },
  });
  const botEnv = {
    ...env,
    DATABASE_URL: processUrls?.bot ?? ownerUrl,
    ...(processUrls === undefined ? {} : { DATABASE_WEB_URL: processUrls.web }),
    ...(sandbox === undefined ? {} : asDiscord(sandbox)),
  };
  let isReady = false;
  const onChange = () => {
    if (!isReady || stop.isAsked) return;
    writeRunFile(settings.directory, describe()).catch((error: unknown) =>
      complain(`run.json still names an earlier process: ${reasonOf(error)}`),
    );
  };
  const { host } = settings;
  await startProcesses({ env: botEnv, host, port: ports.web, begin, onChange, stop }, started);
  if (sandbox !== undefined) shown = await preparation.fillSample({ ownerUrl, sandbox });
  isReady = true;
  return { describe, names: shown.names };

  async function startSandbox(): Promise<ReadyMessage> {
    const ready = Promise.withResolvers<ReadyMessage>();
    // The sandbox plays Discord, which must not get Bailiff's secrets.
    const { NEXTAUTH_SECRET: _session, SECRETS_KEY: _key, SECRETS_KEY_PREVIOUS: _previous, ...ownEnv } = env;
    // Node would warn on the operator's terminal: what takes the types out of its page's scripts is experimental.
    ownEnv.NODE_OPTIONS = `${ownEnv.NODE_OPTIONS} --disable-warning=ExperimentalWarning`;
    const service = begin('sandbox', 'packages/sandbox/src/main.ts', ownEnv, {
      onMessage: (message) => ready.resolve(message as ReadyMessage),
    });
    started.sandbox = service;
    const addresses = await within(SANDBOX_TIMEOUT_MS, ready.promise, service, stop);
    // A restarted sandbox uses the same port.
    ownEnv.SANDBOX_RCON_PORT = String(addresses.servers[0]?.port ?? 0);
    return addresses;
  }
}

/** The environment in which the bot and the dashboard use the sandbox instead of Discord. */
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
