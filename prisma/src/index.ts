export * from '../client/client.ts';
export {
  type Database,
  type DatabaseOptions,
  openDatabase,
  openQueuePool,
  type QueuePool,
} from './database.ts';
export { type Examined, examineDatabase } from './examine.ts';
export { type Listener, type ListenOptions, listen } from './listen.ts';
export { type MigrateOptions, migrate, missingIn, readNeeds } from './migrate.ts';
export { wasOnOneServerOnly } from './primary.ts';
export type { PrismaModels } from './prisma-on-pool.ts';
export type { Logins, ProcessUrls } from './privileges.ts';
export type { Columns, Command, Family, Parameters, Queryable, RowOf, Statement, ValuesOf } from './sql.ts';
export { Bindings, sql } from './sql.ts';
export type { SqlType } from './sql-types.ts';
