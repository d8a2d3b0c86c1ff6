import { AsyncLocalStorage } from 'node:async_hooks';
import { type ActionNotice, createWaiters } from '@bailiff/engine/database/waiters';
import { DEADLINES, type Engine } from '@bailiff/engine/engine';
import { listen, openDatabase } from '@bailiff/prisma';
import type { WebConfig } from './config.ts';
import { createDashboardApi } from './dashboard-api/handler.ts';
import { createDeviceApi } from './device-api/handler.ts';
import { createLog } from './log.ts';
import { createNotices, type Notice } from './notices.ts';
import { createPublicApi } from './public-api/handler.ts';
import { type Runtime, shareRuntime } from './runtime.ts';

/** Opens the database and begins to listen; the result is what {@link runtime} returns from now on. */
export async function startRuntime(config: WebConfig): Promise<Runtime> {
  const log = createLog(config.logLevel);
  const db = openDatabase(config.databaseUrl, {
    applicationName: 'bailiff-web',
    max: 20,
    // A caller is told within two seconds that the database is away (hazards G6).
    connectTimeoutMs: DEADLINES.storeMs,
    statementTimeoutMs: 1_500,
    onError: (error) => log.warn({ err: error }, 'a database connection was lost'),
  });
  // Loads Prisma's query compiler now, outside the deadline of the first caller.
  await db.prisma.$connect();
  const waiters = createWaiters();
  const notices = createNotices(db, log);
  const listener = await listen(
    config.databaseUrl,
    ['bailiff'],
    (_channel, payload) => {
      const notice: Notice | ActionNotice = JSON.parse(payload);
      if ('request_id' in notice) waiters.notify(notice);
      if ('guild_id' in notice) notices.tell(notice);
    },
    {
      applicationName: 'bailiff-web listen',
      onError: (error) => log.warn({ err: error }, 'the connection for notifications was lost'),
      onReconnect: () => {
        waiters.wakeAll();
        notices.tellAllMissed();
      },
    },
  );
  const engine: Engine = { db, waiters, publicUrl: config.publicUrl };
  const made: Runtime = {
    config,
    log,
    db,
    engine,
    notices,
    publicApi: createPublicApi(engine, log),
    dashboardApi: createDashboardApi({ config, log, db, engine, notices }),
    deviceApi: createDeviceApi({ db, log, publicUrl: config.publicUrl }),
    callInFront: new AsyncLocalStorage(),
    endStreams: () => notices.close(),
    close: async () => {
      await listener.close();
      await db.close();
      log.flush();
    },
  };
  shareRuntime(made);
  return made;
}
