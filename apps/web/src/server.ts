// The web process: dashboard, dashboard API and public API on one port. The bot starts it, and it outlives the bot by a
// few seconds, so that callers of the API get answers while the bot restarts.
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ConfigurationError, EX_CONFIG } from '@bailiff/core';
import { collectGarbage } from '@bailiff/engine/collect-garbage';
import { withSecretFiles } from '@bailiff/engine/secret-files';
import next from 'next';
import { createAppServer, listenWhenFree } from './app-server.ts';
import { readConfig, type WebConfig } from './config.ts';
import { logOf } from './log.ts';
import { logConsole } from './page-log.ts';
import { OpenConnections } from './retire.ts';
import type { Runtime } from './runtime.ts';
import { startRuntime } from './start-runtime.ts';
import { untilTablesFit } from './until-tables-fit.ts';

/** How long the process continues without the bot that started it. */
const ORPHAN_MS = 20_000;
/** How long to wait for the port: longer than an orphaned web process lives. */
const PORT_PATIENCE_MS = 25_000;
/** The first pages after a start are shown by then. */
const STARTED_MS = 15_000;
const DRAIN_MS = 10_000;
/** With it the bot starts this process before the database is up to date, and says when it is. */
const STANDBY = '--standby';
/** How long a web process that is replaced answers on connections that it has: as long as a call may wait, and more. */
const RETIRE_MS = 70_000;

function configOrExit(): WebConfig {
  try {
    return withSecretFiles(process.env, readConfig);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(EX_CONFIG);
  }
}

/** What ends a process in good order. */
const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** Until the process listens there is nothing to finish. As process 1 of a container it would not hear them otherwise. */
function leaveWhenAsked(): () => void {
  const leave = () => process.exit(0);
  for (const signal of STOP_SIGNALS) process.once(signal, leave);
  return () => {
    for (const signal of STOP_SIGNALS) process.off(signal, leave);
  };
}

async function start(config: WebConfig): Promise<void> {
  const stay = leaveWhenAsked();
  // next-auth reads its own address only from the environment.
  process.env.NEXTAUTH_URL = `${config.dashboardUrl}/api/auth`;
  const log = logOf(config);
  process.once('exit', () => log.flush());
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'uncaught');
    process.exit(1);
  });
  // In development people read the console themselves.
  if (!config.development) logConsole(log);
  const app = next({
    dev: config.development,
    dir: dirname(dirname(fileURLToPath(import.meta.url))),
    // A quiet Next says nothing of what its pages throw (see logConsole).
    quiet: config.development,
  });
  const begun = process.argv.includes(STANDBY) ? untilBegun() : undefined;
  // Next loads while the database answers. What it cannot load is told after that.
  const loaded = app.prepare();
  loaded.catch(() => {});
  const runtime = await startRuntime(config, log);
  if (begun !== undefined) {
    log.debug('loaded; waiting until the bot says that the database is up to date');
    await begun;
  }
  await untilTablesFit(runtime.db, { log, onWait: leaveIfAlone });
  await loaded;
  const pages = app.getRequestHandler();
  const server = createAppServer(runtime, (message, response) => pages(message, response));
  const connections = new OpenConnections(server);
  void runtime.metrics?.serve().catch(() => {}); // it is over when the process stops
  const port = await listenWhenFree(server, {
    host: config.host,
    port: config.port,
    patienceMs: PORT_PATIENCE_MS,
  });

  let stopping = false;
  const stop = (): void => {
    if (stopping) return;
    stopping = true;
    void drain(runtime, server, connections).then(() => process.exit(0));
  };
  process.on('message', (message: { type?: unknown; id?: unknown }, socket?: Socket) => {
    if (message.type === 'connection') takeConnection(message.id, socket, connections);
    if (message.type !== 'retire') return;
    runtime.log.info('another web process takes over; answering what is left');
    runtime.endStreams();
    void within(RETIRE_MS, connections.retire()).then(stop);
  });
  stay();
  for (const signal of STOP_SIGNALS) process.once(signal, stop);
  const goOnAlone = () => {
    runtime.log.warn({ serve_for_ms: ORPHAN_MS }, 'the bot is gone; going on for a while without it');
    setTimeout(stop, ORPHAN_MS);
  };
  process.once('disconnect', goOnAlone);
  // It may have ended while this process was loading.
  if (isAlone()) goOnAlone();
  const { host, publicUrl, dashboardUrl } = config;
  runtime.log.info(
    { host, port, public_url: publicUrl, dashboard_url: dashboardUrl },
    'the web process is up',
  );
  process.send?.({ type: 'ready', url: publicUrl });
  setTimeout(collectGarbage, STARTED_MS).unref();
}

/**
 * Says that it takes a connection before it reads of it. If it ends before, another process gets the connection; after
 * that, the other one would read the rest of a request as if it were a whole one.
 *
 * @param socket missing if the connection has ended meanwhile
 */
function takeConnection(id: unknown, socket: Socket | undefined, connections: OpenConnections): void {
  process.send?.({ type: 'taken', id }, undefined, undefined, () => {
    if (socket !== undefined) connections.take(socket);
  });
}

/** Whether the process that started this one has ended. One that a person or an init system started is never alone. */
const isAlone = () => process.send !== undefined && !process.connected;

/** Nobody is left who would stop it, or have its calls. */
function leaveIfAlone(): void {
  if (isAlone()) process.exit(0);
}

/** Resolves once the bot says that the database is up to date. Ends the process if the bot ends before. */
async function untilBegun(): Promise<void> {
  const leave = () => process.exit(0);
  if (!process.connected) leave();
  process.once('disconnect', leave);
  await once(process, 'message');
  process.off('disconnect', leave);
}

async function within(ms: number, work: Promise<void>): Promise<void> {
  await Promise.race([work, delay(ms, undefined, { ref: false })]);
}

/** Stops new connections, waits for running requests, then closes the database. */
async function drain(
  runtime: Runtime,
  server: ReturnType<typeof createAppServer>,
  connections: OpenConnections,
): Promise<void> {
  const deadline = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  runtime.endStreams();
  await connections.answered();
  server.closeIdleConnections();
  await closed;
  clearTimeout(deadline);
  await runtime.close();
}

start(configOrExit()).catch((error: unknown) => {
  process.stderr.write(
    `The web process cannot start: ${error instanceof Error ? error.message : String(error)}\n`,
  );
  process.exit(1);
});
