import { ConfigurationError, EX_CONFIG } from '@bailiff/core';
import { collectGarbage } from '@bailiff/engine/collect-garbage';
import { isDatabaseUnavailable } from '@bailiff/engine/database/database-errors';
import { withSecretFiles } from '@bailiff/engine/secret-files';
import type { Bot, BotSettings } from './bot.ts';
import { readConfig } from './config.ts';
import { logOf } from './log.ts';
import { startWebProcess } from './web-process.ts';

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

function readConfigOrGiveUp() {
  try {
    return withSecretFiles(process.env, readConfig);
  } catch (error) {
    if (error instanceof ConfigurationError) giveUp(error.message, EX_CONFIG);
    throw error;
  }
}

const config = readConfigOrGiveUp();
const log = logOf(config, process.env);

process.on('uncaughtException', (error) => {
  log.fatal({ err: error }, 'uncaught');
  process.exit(1);
});

// graphile-worker does not await the statement that takes a finished job out of the queue. If the database goes away at
// that moment, the job stays locked for minutes or hours; then it is harmless, as every job is that is done again. The
// queues of game servers are freed by `recover`. Anything else that nobody awaited ends the process.
process.on('unhandledRejection', (error) => {
  if (!isDatabaseUnavailable(error)) throw error;
  log.error({ err: error }, 'the database was lost during a statement that nobody awaits');
});

const ending = new AbortController();
let starting: Promise<Bot> | undefined;
// From the first moment on: as process 1 of a container it would not hear these signals otherwise.
process.on('SIGTERM', () => void end('SIGTERM', 0));
process.on('SIGINT', () => void end('SIGINT', 0));
const web = config.startsWeb
  ? startWebProcess({
      env: process.env,
      log,
      onMisconfigured: () => void end('the web process cannot work', EX_CONFIG),
    })
  : undefined;
// Loading both is most of a start, so what is only the bot's is loaded beside the web process.
const [{ startBot }, { DiscordRefusal }, { standBy, whenAsked }] = await Promise.all([
  import('./bot.ts'),
  import('./discord.ts'),
  import('./parent.ts'),
]);

function exitCodeOf(reason: Parameters<BotSettings['onFatal']>[0]): number {
  return reason instanceof DiscordRefusal && !reason.startAnew ? EX_CONFIG : EX_TEMPFAIL;
}

starting = startBot({
  config,
  log,
  ...(web === undefined ? {} : { web }),
  signal: ending.signal,
  ...(process.argv.includes('--standby') ? { standBy: (signal) => standBy(process, signal) } : {}),
  onFatal: (reason) => void end(reason.message, exitCodeOf(reason)),
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
  // A web process that nothing has begun ends with this one.
  await starting?.then(
    (bot) => bot.stop(),
    () => {},
  );
  log.info('stopped');
  process.exit(exitCode);
}

whenAsked(process, { starting, log });
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
