import { AsyncLocalStorage } from 'node:async_hooks';
import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import { type Prisma, PrismaClient } from '../client/client.ts';

/** The models of Prisma Client, without what opens and closes connections and transactions. */
export type PrismaModels = Pick<PrismaClient, Uncapitalize<Prisma.ModelName>>;

export interface PrismaOnPool {
  prisma: PrismaClient;
  /** See `Database.prismaOn`. */
  prismaOn(connection: pg.PoolClient): PrismaModels;
}

/** Prisma Client on the connections of a pool, or on one that the caller holds. */
export function prismaOnPool(
  pool: pg.Pool,
  transactionOptions: { maxWait: number; timeout: number },
): PrismaOnPool {
  const held = new AsyncLocalStorage<pg.PoolClient>();
  const prisma = new PrismaClient({
    adapter: new PrismaPg(withHeldConnection(pool, held)),
    transactionOptions,
  });
  const byConnection = new WeakMap<pg.PoolClient, PrismaModels>();

  const onConnection = (connection: pg.PoolClient): PrismaModels =>
    // The type of an extended client is another one, though only what happens around a query is extended.
    prisma.$extends({
      query: {
        $allOperations: ({ operation, args, query }) => {
          if (operation.startsWith('findUnique')) {
            // Prisma gathers lookups by unique key from everywhere into one query, on whichever connection comes first.
            throw new Error(`Use findFirst in place of ${operation} in a transaction.`);
          }
          // A Prisma query starts when it is awaited.
          return held.run(connection, async () => await query(args));
        },
      },
    }) as unknown as PrismaModels;

  return {
    prisma,
    prismaOn: (connection) => {
      const known = byConnection.get(connection);
      if (known !== undefined) return known;
      const made = onConnection(connection);
      byConnection.set(connection, made);
      return made;
    },
  };
}

/** Runs queries on the pool, or on the connection that the caller holds. */
function withHeldConnection(pool: pg.Pool, held: AsyncLocalStorage<pg.PoolClient>): pg.Pool {
  const query = (config: pg.QueryConfig) => (held.getStore() ?? pool).query(config);
  const connect = () => {
    if (held.getStore() === undefined) return pool.connect();
    throw new Error('Prisma would open a transaction of its own for this; write it as several queries.');
  };
  return new Proxy(pool, {
    get: (target, key) => {
      if (key === 'query') return query;
      if (key === 'connect') return connect;
      const value = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
