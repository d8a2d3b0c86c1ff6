import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { MetricsAddress } from '@bailiff/core';
import type { Database } from '@bailiff/prisma';
import type { Registry } from 'prom-client';

type Prometheus = typeof import('prom-client');

/** The metrics of a process, which Prometheus reads at an address of their own. */
export interface Metrics {
  readonly prometheus: Prometheus;
  readonly registry: Registry;
  /** Serves them. Resolves with the port. If another process holds it, tries again until that one has ended. */
  serve(): Promise<number>;
  close(): Promise<void>;
}

interface MeasuredProcess {
  readonly name: 'bot' | 'web';
  readonly db: Pick<Database, 'pool' | 'reads'>;
  readonly log: { warn(fields: object, message: string): void; error(fields: object, message: string): void };
}

const PATH = '/metrics';
const MOST_CONNECTIONS = 10;
const TRY_AGAIN_MS = 1_000;

/**
 * The metrics of a process: its memory, event loop and connections to the database, and what the caller registers
 * besides. The library is loaded here, so that a process without metrics does not hold it.
 */
export async function openMetrics(address: MetricsAddress, measured: MeasuredProcess): Promise<Metrics> {
  const { default: prometheus } = await import('prom-client');
  const registry = new prometheus.Registry();
  prometheus.collectDefaultMetrics({ register: registry });
  measureProcess(prometheus, registry, measured);
  const closing = new AbortController();
  const server = createServer(answerScrapes(registry, measured.log));
  server.maxConnections = MOST_CONNECTIONS;
  server.unref();
  return {
    prometheus,
    registry,
    serve: () => listen(server, address, measured.log, closing.signal),
    close: async () => {
      closing.abort();
      registry.clear();
      if (!server.listening) return;
      server.close();
      server.closeAllConnections();
    },
  };
}

function measureProcess(
  { Gauge }: Prometheus,
  registry: Registry,
  { name, db }: Pick<MeasuredProcess, 'name' | 'db'>,
): void {
  const registers = [registry];
  new Gauge({
    name: 'bailiff_process_info',
    help: 'Always 1: which process of Bailiff this is.',
    labelNames: ['process'],
    registers,
  }).set({ process: name }, 1);
  const pools = Object.entries({ calls: db.pool, reads: db.reads });
  new Gauge({
    name: 'bailiff_database_connections',
    help: 'Connections of this process to the database, by pool.',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      for (const [pool, { totalCount, idleCount }] of pools) {
        this.set({ pool, state: 'idle' }, idleCount);
        this.set({ pool, state: 'busy' }, totalCount - idleCount);
      }
    },
  });
  new Gauge({
    name: 'bailiff_database_waiting',
    help: 'Queries that wait for a connection of this pool.',
    labelNames: ['pool'],
    registers,
    collect() {
      for (const [pool, { waitingCount }] of pools) this.set({ pool }, waitingCount);
    },
  });
}

/** Answers `GET /metrics`. Whoever asks while an answer is made gets the same one. */
function answerScrapes(registry: Registry, log: MeasuredProcess['log']) {
  let making: Promise<string> | undefined;
  const text = () => {
    making ??= registry.metrics().finally(() => {
      making = undefined;
    });
    return making;
  };
  return (message: IncomingMessage, response: ServerResponse): void => {
    const { method = '', url = '' } = message;
    if (url.split('?')[0] !== PATH) return void response.writeHead(404).end(`Metrics are at ${PATH}.\n`);
    if (method !== 'GET' && method !== 'HEAD')
      return void response.writeHead(405, { Allow: 'GET, HEAD' }).end();
    text().then(
      (body) => response.writeHead(200, { 'Content-Type': registry.contentType }).end(body),
      (error: unknown) => {
        log.error({ err: error }, 'the metrics could not be collected');
        response.writeHead(500).end();
      },
    );
  };
}

/** Metrics never keep a process from serving: a port that is taken is asked for again, and the log says so once. */
async function listen(
  server: Server,
  { host, port }: MetricsAddress,
  log: MeasuredProcess['log'],
  signal: AbortSignal,
): Promise<number> {
  for (let tried = 0; ; tried += 1) {
    try {
      signal.throwIfAborted();
      server.listen(port, host);
      await once(server, 'listening', { signal }); // rejects on 'error'
      return (server.address() as AddressInfo).port;
    } catch (error) {
      if (signal.aborted) throw error;
      if (tried === 0) log.warn({ err: error, host, port }, 'metrics cannot be served yet; trying again');
      await new Promise((resolve) => setTimeout(resolve, TRY_AGAIN_MS).unref());
    }
  }
}
