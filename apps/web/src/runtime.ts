import type { Engine } from '@bailiff/engine/engine';
import type { Database } from '@bailiff/prisma';
import type { Logger } from 'pino';
import type { WebConfig } from './config.ts';
import type { DashboardApi } from './dashboard-api/handler.ts';
import type { DeviceApi } from './device-api/handler.ts';
import type { Notices } from './notices.ts';
import type { PublicApi } from './public-api/handler.ts';

/** What one web process shares between `server.ts` and Next's bundle: one pool, one listening connection. */
export interface Runtime {
  readonly config: WebConfig;
  readonly log: Logger;
  readonly db: Database;
  readonly engine: Engine;
  readonly notices: Notices;
  readonly publicApi: PublicApi;
  readonly dashboardApi: DashboardApi;
  readonly deviceApi: DeviceApi;
  /** Ends the event streams of open pages, which would keep their connections for minutes. */
  endStreams(): void;
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
  if (found === undefined)
    throw new Error('There is no Bailiff runtime: start src/server.ts, not `next start`.');
  return found;
}

/** Makes a runtime the one of this process. On `globalThis`, because Next's bundle has modules of its own. */
export function shareRuntime(made: Runtime): void {
  (globalThis as { [KEY]?: Runtime })[KEY] = made;
}
