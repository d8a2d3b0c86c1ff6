import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { inject } from 'vitest';
import { checkStatements } from './check-statements.ts';
import { type Database, openDatabase } from './database.ts';
import { type Listener, listen } from './listen.ts';
import type { ProcessUrls } from './privileges.ts';
import { declaringSources } from './statement-sources.ts';
import { databaseUrl, dropDatabase, runOftenOnServer } from './test-server.ts';

export { declaredFamilies, declaredStatements } from './sql.ts';
export { plainQueries, sourcesIn } from './statement-sources.ts';
export { checkStatements };

export interface TestDatabase {
  /** For the owner of its tables. */
  url: string;
  /** For the bot and the web process, with what they may do. */
  processUrls: ProcessUrls;
  database: Database;
  /** Closes `database` and drops it. */
  drop(): Promise<void>;
}

/** How long tests wait that are about something else: on a busy machine all takes longer than our callers wait. */
export const LONG_LIMITS = {
  connectTimeoutMs: 120_000,
  statementTimeoutMs: 120_000,
} as const;

/** What is wrong with the statements that the files in a folder declare: their parameters and columns. */
export async function statementProblems(folder: string): Promise<string[]> {
  const { url, drop } = await createTestDatabase();
  try {
    for (const path of declaringSources(folder)) await import(path);
    return await checkStatements(url);
  } finally {
    await drop();
  }
}

/**
 * A database of its own with today's tables, cloned from the run's template in about 0.1 s.
 *
 * @param options.empty without tables: for tests of the migrations themselves
 * @param options.used as a bot leaves it that ran today, which spares the next one a third of what its start costs
 * @throws Error with the reason when the test server could not be started or migrated
 */
export async function createTestDatabase(
  options: { empty?: boolean; used?: boolean } = {},
): Promise<TestDatabase> {
  const server = inject('testServer');
  if ('problem' in server) throw new Error(`There is no database for tests: ${server.problem}`);
  const name = `${server.template}_${randomBytes(6).toString('hex')}`;
  const tables = options.used === true ? server.usedTemplate : server.template;
  const template = options.empty === true ? 'template1' : tables;
  // Copying files takes about half as long as writing their content to the log, which nothing here reads.
  await runOftenOnServer(server.url, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`);
  const url = databaseUrl(server.url, name);
  const database = openDatabase(url, { ...LONG_LIMITS, applicationName: 'bailiff test' });
  // A test keeps its lock also while a busy machine lets it do nothing.
  database.pool.options.idle_in_transaction_session_timeout = 0;
  return {
    url,
    processUrls: {
      bot: databaseUrl(server.processUrls.bot, name),
      web: databaseUrl(server.processUrls.web, name),
    },
    database,
    drop: async () => {
      await database.close();
      // A database that another session is using now is dropped at the end of the run.
      await dropDatabase(server.url, name);
    },
  };
}

/** As `listen`, again and again where a busy machine takes longer to connect than a process of ours waits. */
export async function listenAtLast(...to: Parameters<typeof listen>): Promise<Listener> {
  for (;;) {
    try {
      return await listen(...to);
    } catch (error) {
      if (!/timeout/.test(String(error))) throw error;
    }
  }
}

/** A way to a database that can go silent. */
export interface DatabaseProxy {
  /** The database's address, by this way. */
  readonly url: string;
  /** From now on nothing comes back on the connections that there are, and they stand. New ones work. */
  mute(): void;
  close(): void;
}

/** A way to a database of these tests that behaves, once muted, as a firewall that has forgotten its connections. */
export async function proxyTo(databaseUrl: string): Promise<DatabaseProxy> {
  const url = new URL(databaseUrl);
  const port = Number(url.port);
  const sockets = new Set<Socket>();
  const muted = new Set<Socket>();
  const server = createServer((client) => {
    const there = connect(port, '127.0.0.1');
    client.pipe(there);
    there.on('data', (bytes) => void (muted.has(client) || client.write(bytes)));
    const end = () => {
      for (const socket of [client, there]) {
        sockets.delete(socket);
        socket.destroy();
      }
    };
    for (const socket of [client, there]) sockets.add(socket.on('error', () => {}).on('close', end));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    mute: () => {
      for (const socket of sockets) muted.add(socket);
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
