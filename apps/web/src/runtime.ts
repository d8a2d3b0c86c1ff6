import { type ActionNotice, createWaiters, type Engine } from '@bailiff/engine';
import { type Database, listen, openDatabase } from '@bailiff/prisma';
import pino, { type Logger } from 'pino';
import type { WebConfig } from './config.ts';
import { createDashboardApi, type DashboardApi } from './dashboard-api/handler.ts';
import { createNotices, type Notice, type Notices } from './notices.ts';
import { createPublicApi, type PublicApi } from './public-api/handler.ts';

/** What one web process shares between `server.ts` and Next's bundle: one pool, one listening connection. */
export interface Runtime {
  readonly config: WebConfig;
  readonly log: Logger;
  readonly db: Database;
  readonly engine: Engine;
  readonly notices: Notices;
  readonly publicApi: PublicApi;
  readonly dashboardApi: DashboardApi;
  close(): Promise<void>;
}

const KEY = Symbol.for('bailiff.runtime');

/**
 * The runtime of this process.
 *
 * @throws Error when no server has made one, as during `next build`.
 */
export function runtime(): Runtime {
  const found = (globalThis as { [KEY]?: Runtime })[KEY];
  if (found === undefined) throw new Error('There is no Bailiff runtime: start src/server.ts, not `next start`.');
  return found;
}

/** Opens the database and begins to listen; the result is what {@link runtime} returns from now on. */
export async function startRuntime(config: WebConfig): Promise<Runtime> {
  const log = pino({ level: config.logLevel, base: { process: 'web' } });
  const db = openDatabase(config.databaseUrl, {
    applicationName: 'bailiff-web',
    max: 20,
    onError: (error) => log.warn({ err: error }, 'a database connection was lost'),
  });
  const waiters = createWaiters();
  const notices = createNotices();
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
    dashboardApi: createDashboardApi({ config, log, db, notices }),
    close: async () => {
      await listener.close();
      await db.close();
    },
  };
  (globalThis as { [KEY]?: Runtime })[KEY] = made;
  return made;
}
