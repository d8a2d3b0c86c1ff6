import { AsyncLocalStorage } from 'node:async_hooks';
import { untilDatabase } from '@bailiff/engine/database/until-database';
import { type ActionNotice, createWaiters, type MemberNotice } from '@bailiff/engine/database/waiters';
import { DEADLINES, type Engine } from '@bailiff/engine/engine';
import { openMetrics } from '@bailiff/engine/metrics/serve-metrics';
import { listen, openDatabase, sql } from '@bailiff/prisma';
import { readBuildId } from './build-id.ts';
import { type ChangeNotification, createChangeFeed } from './change-feed.ts';
import type { WebConfig } from './config.ts';
import { createDashboardApi } from './dashboard-api/handler.ts';
import { createDatabasePace } from './database-pace.ts';
import { createDeviceApi } from './device-api/handler.ts';
import { logOf } from './log.ts';
import { readMcpBundle } from './mcp-bundle.ts';
import { createPublicApi } from './public-api/handler.ts';
import { createRequestMeter } from './request-meter.ts';
import { type Runtime, shareRuntime } from './runtime.ts';

/** What the database answers without any work. */
const nothing = sql.command({ parameters: [], text: 'SELECT' });

/** Opens the database, starts to listen for changes, and sets the result as {@link runtime}. */
export async function startRuntime(config: WebConfig, log = logOf(config)): Promise<Runtime> {
  await untilDatabase(config.databaseUrl, {
    onWait: (error) => log.warn({ err: error }, 'waiting for the database of DATABASE_URL'),
  });
  const db = openDatabase(config.databaseUrl, {
    applicationName: 'bailiff-web',
    max: 20,
    // A caller learns within two seconds that the database is away (hazards G6).
    connectTimeoutMs: DEADLINES.storeMs,
    statementTimeoutMs: 1_500,
    onError: (error) => log.warn({ err: error }, 'a database connection was lost'),
  });
  // Loads Prisma's query compiler now, outside the deadline of the first caller.
  await db.prisma.$connect();
  const metrics =
    config.metrics === null ? null : await openMetrics(config.metrics, { name: 'web', db, log });
  const meter = metrics === null ? undefined : createRequestMeter(metrics);
  const tracer = await openTracing(config, log);
  const watched = { meter, tracer };
  const waiters = createWaiters();
  const changeFeed = createChangeFeed(db, log);
  const pace = createDatabasePace(() => nothing.run(db.pool, []));
  const listener = await listen(
    config.databaseUrl,
    ['bailiff'],
    (_channel, payload) => {
      const notification: ChangeNotification | ActionNotice | MemberNotice = JSON.parse(payload);
      if ('request_id' in notification) waiters.notify(notification);
      if ('guild_id' in notification) changeFeed.publish(notification);
    },
    {
      applicationName: 'bailiff-web listen',
      onError: (error) => log.warn({ err: error }, 'the connection for notifications was lost'),
      onReconnect: () => {
        waiters.wakeAll();
        changeFeed.publishMissed();
      },
    },
  );
  const build = await readBuildId();
  const stopping = new AbortController();
  const engine: Engine = { db, waiters, dashboardUrl: config.dashboardUrl };
  const made: Runtime = {
    config,
    log,
    db,
    engine,
    changeFeed,
    pace,
    build,
    mcpBundle: await readMcpBundle(),
    publicApi: createPublicApi(engine, log, stopping.signal, watched),
    dashboardApi: createDashboardApi({ config, log, db, engine, changeFeed, pace, build, ...watched }),
    deviceApi: createDeviceApi({ config, db, log, ...watched }),
    metrics,
    meter,
    receivedCall: new AsyncLocalStorage(),
    endStreams: () => {
      changeFeed.close();
      stopping.abort();
    },
    close: async () => {
      await metrics?.close();
      await tracer?.close();
      await listener.close();
      await db.close();
      log.flush();
    },
  };
  shareRuntime(made);
  return made;
}

/** Undefined if no traces are made: then what makes them is not loaded. */
async function openTracing({ tracing }: WebConfig, log: Runtime['log']) {
  if (tracing === null) return undefined;
  const { exportSpans } = await import('@bailiff/engine/tracing/export-spans');
  return exportSpans(tracing, { service: 'bailiff-web', log });
}
