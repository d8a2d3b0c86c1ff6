import type { Database, Queryable } from '@bailiff/prisma';
import type { PoolClient, QueryConfig, QueryResult } from 'pg';
import { coalesce, perOwner } from './coalesce.ts';
import type { Patience } from './database-errors.ts';

/** Connections that batches may use. The pool has others. */
const CONNECTIONS = 4;

type Sent = { readonly result: QueryResult } | { readonly error: unknown };

/** A query, and how long its caller waits for it. */
interface Awaited {
  readonly query: QueryConfig;
  readonly forStore: Patience;
}

const senders = perOwner((db: Database) =>
  coalesce((queries: readonly Awaited[]) => sendAll(db, queries), CONNECTIONS, {
    isOver: ({ forStore }) => forStore.leftMs() === 0,
  }),
);

/**
 * Runs queries as the pool does, each in a transaction of its own. Queries that arrive at the same time are sent over
 * one connection in one write, because on a busy server the write is most of a query's cost. What nobody waits for any
 * longer is not sent.
 */
export function together(db: Database, forStore: Patience): Queryable {
  return {
    query: async (query) => {
      const sent = await senders(db)({ query, forStore });
      if ('error' in sent) throw sent.error;
      return sent.result;
    },
  };
}

async function sendAll(db: Database, queries: readonly Awaited[]): Promise<Sent[]> {
  const client = await db.pool.connect();
  const { stream } = (client as PoolClient & { connection: { stream: { cork(): void; uncork(): void } } })
    .connection;
  stream.cork();
  const answers = queries.map(({ query }) =>
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
