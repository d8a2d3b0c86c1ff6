import pg from 'pg';

/** What tests need to make databases, or why they cannot; tests without a database run all the same. */
export type TestServer = { url: string; template: string } | { problem: string };

declare module 'vitest' {
  interface ProvidedContext {
    testServer: TestServer;
  }
}

/** The same server and role, another database. */
export function databaseUrl(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}

export async function runOnServer(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
