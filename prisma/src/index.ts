export * from '../client/client.ts';
export { type Database, type DatabaseOptions, openDatabase } from './database.ts';
export { type Listener, type ListenOptions, listen } from './listen.ts';
export { type MigrateOptions, migrate } from './migrate.ts';
