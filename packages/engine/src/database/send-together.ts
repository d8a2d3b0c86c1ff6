import type { Database, Queryable } from '@bailiff/prisma';
import type { PoolClient, QueryConfig, QueryResult } from 'pg';
import { coalesce, perOwner } from './coalesce.ts';

/** Connections that batches may use. The pool has others. */
const CONNECTIONS = 4;

type Sent = { readonly result: QueryResult } | { readonly error: unknown };

const senders = perOwner((db: Database) =>
  coalesce((queries: readonly QueryConfig[]) => sendAll(db, queries), CONNECTIONS),
);

/**
 * Runs queries as the pool does, each in a transaction of its own. Queries that arrive at the same time are sent over
 * one connection in one write, because on a busy server the write is most of a query's cost.
 */
export function together(db: Database): Queryable {
  return {
    query: async (query) => {
      const sent = await senders(db)(query);
      if ('error' in sent) throw sent.error;
      return sent.result;
    },
  };
}

async function sendAll(db: Database, queries: readonly QueryConfig[]): Promise<Sent[]> {
  const client = await db.pool.connect();
  const { stream } = (client as PoolClient & { connection: { stream: { cork(): void; uncork(): void } } })
    .connection;
  stream.cork();
  const answers = queries.map((query) =>
    client.query(query).then(
      (result): Sent => ({ result }),
      (error: unknown): Sent => ({ error }),
    ),
  );
  stream.uncork();
  const sent = await Promise.all(answers);
  client.release(sent.some((each) => 'error' in each && isConnectionLost(each.error)));
  return sent;
}

/** Errors of the server have a code. Errors without one come from the connection. */
function isConnectionLost(error: unknown): boolean {
  return !(error instanceof Error && 'code' in error);
}
