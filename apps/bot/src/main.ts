import { ConfigurationError, EX_CONFIG, parseDatabaseAddress } from '@bailiff/core';
import { collectGarbage } from '@bailiff/engine/collect-garbage';
import { isDatabaseUnavailable } from '@bailiff/engine/database/database-errors';
import { withSecretFiles } from '@bailiff/engine/secret-files';
import { startBot } from './bot.ts';
import { readConfig } from './config.ts';
import { DiscordRefusal } from './discord.ts';
import { createLog } from './log.ts';
import { standBy, whenAsked } from './parent.ts';
import { ShardsLost } from './shard-lease.ts';

/** Exit code for "try again later": the supervisor starts the bot again after a pause (sysexits.h). */
const EX_TEMPFAIL = 75;
/** How long a clean shutdown may take. */
const STOP_TIMEOUT_MS = 10_000;
/**
 * Pause before the exit after a failed start. Without a supervisor that waits, nothing else would slow down a loop of
 * starts.
 */
const FAILED_START_PAUSE_MS = 2_000;

function giveUp(message: string, exitCode: number): never {
  process.stderr.write(`${message}\n`);
  process.exit(exitCode);
}

function exitCodeOf(reason: DiscordRefusal | ShardsLost): number {
  return reason instanceof ShardsLost || reason.startAnew ? EX_TEMPFAIL : EX_CONFIG;
}

function readConfigOrGiveUp() {
  try {
    return withSecretFiles(process.env, readConfig);
  } catch (error) {
    if (error instanceof ConfigurationError) giveUp(error.message, EX_CONFIG);
    throw error;
  }
}

const config = readConfigOrGiveUp();
const log = createLog(
  config.logLevel,
  [
    config.discordToken,
    process.env.SECRETS_KEY ?? '',
    process.env.SECRETS_KEY_PREVIOUS ?? '',
    process.env.NEXTAUTH_SECRET ?? '',
    process.env.DISCORD_CLIENT_SECRET ?? '',
    parseDatabaseAddress(config.databaseUrl)?.url.password ?? '',
  ].filter((secret) => secret.length > 3),
);

process.on('uncaughtException', (error) => {
  log.fatal({ err: error }, 'uncaught');
  process.exit(1);
});

// graphile-worker does not await the statement that takes a finished job out of the queue. If the database goes away at
// that moment, the job stays locked for four hours; then it is harmless, as every job is that is done again. The queues
// of game servers are freed by `recover`. Anything else that nobody awaited ends the process.
process.on('unhandledRejection', (error) => {
  if (!isDatabaseUnavailable(error)) throw error;
  log.error({ err: error }, 'the database was lost during a statement that nobody awaits');
});

const ending = new AbortController();
const starting = startBot({
  config,
  env: process.env,
  log,
  signal: ending.signal,
  ...(process.argv.includes('--standby') ? { standBy: (signal) => standBy(process, signal) } : {}),
  onFatal: (reason) =>
    void (reason === 'web'
      ? end('the web process cannot work', EX_CONFIG)
      : end(reason.message, exitCodeOf(reason))),
});

async function end(reason: string, exitCode: number): Promise<void> {
  if (ending.signal.aborted) return;
  ending.abort();
  if (exitCode !== 0) process.stderr.write(`${reason}\n`);
  log.info({ reason }, 'stopping');
  setTimeout(() => {
    log.error('did not stop in time');
    process.exit(exitCode === 0 ? 1 : exitCode);
  }, STOP_TIMEOUT_MS).unref();
  await starting.then(
    (bot) => bot.stop(),
    () => {},
  );
  log.info('stopped');
  process.exit(exitCode);
}

whenAsked(process, { starting, log });
process.on('SIGTERM', () => void end('SIGTERM', 0));
process.on('SIGINT', () => void end('SIGINT', 0));
// The parent process has ended.
process.on('disconnect', () => void end('the parent process ended', 0));

try {
  const bot = await starting;
  const ready = bot.ready.then(() => {
    log.info('ready');
    process.send?.({ type: 'ready' });
  });
  await Promise.all([ready, bot.settled]);
  log.info('settled');
  collectGarbage();
} catch (error) {
  if (error instanceof DiscordRefusal) void end(error.message, exitCodeOf(error));
  else if (!ending.signal.aborted) {
    log.fatal({ err: error }, 'could not start');
    setTimeout(() => process.exit(EX_TEMPFAIL), FAILED_START_PAUSE_MS);
  }
}
