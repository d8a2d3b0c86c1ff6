import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { makeDirectory } from './directory.ts';
import type { Target } from './load.ts';
import type { SeededToken } from './seed.ts';
import { startServer } from './server.ts';

export const ROOT = resolve(import.meta.dirname, '..', '..');

const BEAT_MS = 10_000;

/** A child process that sends `ready` over IPC. */
export async function startProgram(path: string, env: Record<string, string>): Promise<ChildProcess> {
  const child = spawn(process.execPath, [path], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production', ...env },
  });
  await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`${path} ended with exit code ${code} before it was ready.`);
    }),
  ]);
  return child;
}

/** A port that nobody has. */
export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

export function endAll(children: readonly ChildProcess[]): Promise<void> {
  return endWith('SIGTERM', children);
}

/** Ends processes with nothing left to do, whose good order nobody waits for. */
export function killAll(children: readonly ChildProcess[]): Promise<void> {
  return endWith('SIGKILL', children);
}

async function endWith(signal: NodeJS.Signals, children: readonly ChildProcess[]): Promise<void> {
  for (const child of children) child.kill(signal);
  await Promise.all(children.map((child) => child.exitCode ?? child.signalCode ?? once(child, 'exit')));
}

/** Lets the connections of a pool be ended by their server, also those that the pool has forgotten. */
export function forgiveEnds(pool: pg.Pool): void {
  pool.on('error', () => {});
  pool.on('connect', (client) => void client.on('error', () => {}));
}

export interface Web {
  readonly origin: string;
  readonly pid: number;
  readonly databaseUrl: string;
  readonly pool: pg.Pool;
  stop(): Promise<void>;
}

interface WebOptions {
  /** Default: one that nobody has. */
  readonly port?: number;
  /** Returns the address at which it connects to the database of this address. Default: the same. */
  readonly through?: (url: string) => Promise<string>;
}

/**
 * The web process without a bot, on its own durable database server.
 *
 * @param directory has the database that was prepared there. Default: a new one, which the end of the part removes
 */
export async function startWeb({
  directory,
  ...options
}: WebOptions & { readonly directory?: string } = {}): Promise<Web> {
  const server = await startServer(directory ?? (await makeDirectory()));
  const web = await startWebOn(server.url, options);
  return {
    ...web,
    stop: async () => {
      await web.stop();
      await server.stop();
    },
  };
}

/** As {@link startWeb}, on a database that is there and stays. */
export async function startWebOn(
  databaseUrl: string,
  { port, through = async (url) => url }: WebOptions = {},
): Promise<Web> {
  const own = port ?? (await freePort());
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  forgiveEnds(pool); // the server stops before its last connection has closed
  const child = await startProgram(join(ROOT, 'apps', 'web', 'src', 'server.ts'), {
    DATABASE_URL: await through(databaseUrl),
    PORT: String(own),
    PUBLIC_URL: `http://127.0.0.1:${own}`,
    TRUSTED_PROXIES: '127.0.0.1',
    DISCORD_CLIENT_ID: '100000000000000000',
    DISCORD_CLIENT_SECRET: 'bench',
    NEXTAUTH_SECRET: 'bench'.repeat(8),
  });
  // Writes the bot's heartbeat, because without it every call is refused.
  const beat = () => pool.query('UPDATE gateway_shards SET heartbeat_at = now()');
  await beat();
  const beating = setInterval(() => void beat(), BEAT_MS);
  return {
    origin: `http://127.0.0.1:${own}`,
    pid: child.pid ?? 0,
    databaseUrl,
    pool,
    stop: async () => {
      clearInterval(beating);
      await endAll([child]);
      await pool.end();
    },
  };
}

/** Makes all budgets and windows full again. One table after the other: requests under way lock rows of both. */
export async function forgetSpending(pool: pg.Pool): Promise<void> {
  await pool.query('TRUNCATE budgets');
  await pool.query('TRUNCATE rate_limits');
}

/** The same read for every token, each from an address of its own. */
export function readsOf(tokens: readonly SeededToken[], path: string): Target['requests'] {
  return tokens.map(({ guildId, secret }, index) => ({
    path: `/api/public/v1/guilds/${guildId}${path}`,
    headers: {
      authorization: `Bearer ${secret}`,
      'x-forwarded-for': `198.18.${Math.floor(index / 250)}.${(index % 250) + 1}`,
    },
  }));
}
