import type { AsyncLocalStorage } from 'node:async_hooks';
import type { Engine } from '@bailiff/engine/engine';
import type { Metrics } from '@bailiff/engine/metrics/serve-metrics';
import type { Database } from '@bailiff/prisma';
import type { Logger } from 'pino';
import type { ChangeFeed } from './change-feed.ts';
import type { WebConfig } from './config.ts';
import type { DatabasePace } from './database-pace.ts';
import type { ApiHandler } from './http/kernel.ts';
import type { McpBundle } from './mcp-bundle.ts';
import type { RequestMeter } from './request-meter.ts';

/** A call as the server in front received it. */
export interface ReceivedCall {
  readonly url: string;
  readonly address: string;
}

/**
 * The objects that one web process shares between `server.ts` and Next's bundle: one pool, one listening connection.
 */
export interface Runtime {
  readonly config: WebConfig;
  readonly log: Logger;
  readonly db: Database;
  readonly engine: Engine;
  readonly changeFeed: ChangeFeed;
  readonly pace: DatabasePace;
  /** Names the build whose pages this process serves. */
  readonly build: string;
  readonly mcpBundle: McpBundle | null;
  readonly publicApi: ApiHandler;
  readonly dashboardApi: ApiHandler;
  readonly deviceApi: ApiHandler;
  /** Null if none are kept. */
  readonly metrics: Metrics | null;
  readonly meter: RequestMeter | undefined;
  /**
   * The call of the public API that the server in front passed to Next; undefined for a request that did not come
   * through it.
   */
  readonly receivedCall: AsyncLocalStorage<ReceivedCall>;
  /** Ends what would otherwise keep connections open for minutes: event streams of open pages, waits for a decision. */
  endStreams(): void;
  close(): Promise<void>;
}

const KEY = Symbol.for('bailiff.runtime');

/**
 * The runtime of this process.
 *
 * @throws Error if no server has made one, as during `next build` and under `next start`.
 */
export function runtime(): Runtime {
  const found = sharedRuntime();
  if (found === undefined)
    throw new Error('There is no Bailiff runtime: start src/server.ts, not `next start`.');
  return found;
}

/** The runtime of this process; undefined if no server has made one. */
export function sharedRuntime(): Runtime | undefined {
  return (globalThis as { [KEY]?: Runtime })[KEY];
}

/** Sets the runtime of this process. It is on `globalThis`, because Next's bundle has its own modules. */
export function shareRuntime(made: Runtime): void {
  (globalThis as { [KEY]?: Runtime })[KEY] = made;
}
