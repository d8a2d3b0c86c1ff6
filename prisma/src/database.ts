import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { PrismaClient } from '../client/client.ts';
import { connectingTo, watchReplication } from './primary.ts';
import { type PrismaModels, type PrismaOnPool, prismaOnPool } from './prisma-on-pool.ts';

export interface DatabaseOptions {
  /** The client's name in PostgreSQL's statistics: `bailiff-web`, `bailiff-bot`. */
  applicationName: string;
  /** Most connections at once. Default 10. */
  max?: number;
  /** Longest wait for a connection, including the wait for a free one in a busy pool. Default 2000. */
  connectTimeoutMs?: number;
  /** Longest run of one statement. Default 5000. */
  statementTimeoutMs?: number;
  /** Called for connections that were lost while idle. The pool replaces them by itself. */
  onError?: (error: Error) => void;
}

export interface Database {
  url: string;
  pool: pg.Pool;
  /** A few connections for batches of reads, whose plans must not depend on how large the tables were when made. */
  reads: pg.Pool;
  /** A statement that each transaction begins with. Where it fails, nothing of the transaction happens. */
  readonly guard?: pg.QueryConfig;
  /** Made when it is first asked for, and let go by `close`: it takes 11 MB of memory. */
  readonly prisma: PrismaClient;
  /** Prisma Client whose queries run on this connection, inside the transaction that is open there. */
  prismaOn(connection: pg.PoolClient): PrismaModels;
  /** Waits for running queries, 5 s at most. */
  close(): Promise<void>;
}

const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000;
const CLOSE_TIMEOUT_MS = 5_000;
const MOST_BATCHES_OF_READS = 4;
/** The server ends slow statements. This limit is for a server that no longer answers. */
const LOST_SERVER_GRACE_MS = 500;

/**
 * One pool of connections for hand-written queries and Prisma alike. Connects lazily.
 *
 * A `bigint` comes back from the pool as a string, a `timestamptz` as a Date.
 */
export function openDatabase(url: string, options: DatabaseOptions): Database {
  const { applicationName, max = 10, connectTimeoutMs = 2000, statementTimeoutMs = 5000 } = options;
  const onError = options.onError ?? (() => {});
  const settings = {
    ...connectingTo(url),
    application_name: applicationName,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + LOST_SERVER_GRACE_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    keepAlive: true,
    // Queries that are sent together need one round trip, and run in order.
    pipeline: true,
  };
  const pool = new pg.Pool({ ...settings, max });
  pool.on('connect', watchReplication);
  const reads = new pg.Pool({
    ...settings,
    max: MOST_BATCHES_OF_READS,
    options:
      '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c jit=off -c synchronous_commit=off',
  });
  for (const each of [pool, reads]) reportErrors(each, onError);

  let made: PrismaOnPool | undefined;
  const onPool = () => {
    made ??= prismaOnPool(pool, { maxWait: connectTimeoutMs, timeout: statementTimeoutMs });
    return made;
  };
  const close = async () => {
    await made?.prisma.$disconnect();
    made = undefined;
    await Promise.all([pool, reads].map(endPool));
  };
  let closing: Promise<void> | undefined;
  return {
    url,
    pool,
    reads,
    get prisma() {
      return onPool().prisma;
    },
    prismaOn: (connection) => onPool().prismaOn(connection),
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

/** Longer than a minute, so that the jobs of each minute find the connections of those before. */
const QUEUE_IDLE_MS = 75_000;
/** Also how long a runner waits for a connection that another one has, each for milliseconds. */
const QUEUE_CONNECT_MS = 30_000;

/** Connections for the runners of a queue. */
export interface QueuePool {
  pool: pg.Pool;
  /** Cuts all connections, for a server that went silent: nothing else would end what waits for it. */
  cut(): void;
  /** Waits for running queries, 5 s at most. */
  close(): Promise<void>;
}

/**
 * One pool for all runners of graphile-worker. Its queries wait as long as they must: a runner that cannot put down that
 * a job has ended would end the process. They do not wait for the disk: if the database crashes, a job that was taken or
 * done in its last moments is done again, as it is if a runner dies, and every job allows that.
 */
export function openQueuePool(
  url: string,
  { applicationName, max, onError }: Required<Pick<DatabaseOptions, 'applicationName' | 'max' | 'onError'>>,
): QueuePool {
  const pool = new pg.Pool({
    ...connectingTo(url),
    application_name: applicationName,
    max,
    idleTimeoutMillis: QUEUE_IDLE_MS,
    connectionTimeoutMillis: QUEUE_CONNECT_MS,
    keepAlive: true,
    options: '-c synchronous_commit=off',
  });
  reportErrors(pool, onError);
  const connected = new Set<pg.PoolClient>();
  pool.on('connect', (client) => {
    connected.add(client);
    client.once('end', () => connected.delete(client));
  });
  const cut = () => {
    for (const client of connected) client.connection.stream.destroy();
  };
  return { pool, cut, close: () => endPool(pool) };
}

function reportErrors(pool: pg.Pool, onError: (error: Error) => void): void {
  pool.on('error', onError);
  // A checked-out connection that breaks emits 'error' only on itself, and without a listener that would end the
  // process.
  pool.on('connect', (client) => client.on('error', onError));
}

async function endPool(pool: pg.Pool): Promise<void> {
  await Promise.race([pool.end(), delay(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
}
