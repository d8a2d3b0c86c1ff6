import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { superuserUrlOf } from '@bailiff/prisma/embedded';
import pg from 'pg';

/** Runs statements as the superuser of an embedded server, one after the other. */
export async function asSuperuser(directory: string, statements: readonly string[]): Promise<void> {
  const connection = JSON.parse(await readFile(join(directory, 'connection.json'), 'utf8'));
  const client = new pg.Client(superuserUrlOf(connection));
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

/** What filling a database with millions of rows would wait for. */
const WHILE_SEEDING = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  max_wal_size: '16GB',
  maintenance_work_mem: '1GB',
};

/**
 * Fills a new database fast, over connections without a time limit: no row is compared with those that it refers to, and
 * what is written is safe on the disk only after all of it.
 */
export async function whileSeeding(
  directory: string,
  url: string,
  seed: (pool: pg.Pool) => Promise<void>,
): Promise<void> {
  const settings = Object.entries(WHILE_SEEDING).map(
    ([name, value]) => `ALTER SYSTEM SET ${name} = '${value}'`,
  );
  await asSuperuser(directory, [
    ...settings,
    'SELECT pg_reload_conf()',
    `ALTER DATABASE bailiff SET session_replication_role = 'replica'`,
  ]);
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  try {
    await seed(pool);
  } finally {
    await pool.end();
  }
  await asSuperuser(directory, [
    'ALTER DATABASE bailiff RESET session_replication_role',
    'ALTER SYSTEM RESET ALL',
    'SELECT pg_reload_conf()',
    'CHECKPOINT',
  ]);
}
