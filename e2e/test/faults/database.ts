import { readdir, readFile } from 'node:fs/promises';
import {
  grantRole,
  type SeededGuild,
  seedGuild,
  seedToken,
  seedWindow,
  snowflake,
} from '@bailiff/engine/testing';
import { type Database, migrate, openDatabase } from '@bailiff/prisma';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@bailiff/prisma/embedded';
import { instanceDirectory } from '@bailiff/supervisor/instance';

/** A PostgreSQL of the test's own, with one guild in it, that can be stopped in the middle of things. */
export interface OwnDatabase {
  readonly url: string;
  readonly db: Database;
  readonly guild: SeededGuild;
  /** Holds every process of the server where it is; a second call lets them go on. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Ends it as a power cut does. */
  kill(): Promise<void>;
  /** Starts it again over the same data, on the same port. */
  start(): Promise<void>;
  hasEnded(): boolean;
  drop(): Promise<void>;
}

/**
 * @param options.durable writes to the disk before it says that it did, as in production; slower.
 * @param options.environment variables of the server
 * @param options.prepare is called with the folder of the data before there are any
 */
export async function startDatabase({
  durable,
  environment = {},
  prepare = () => Promise.resolve(),
}: {
  durable: boolean;
  environment?: NodeJS.ProcessEnv;
  prepare?: (directory: string) => Promise<void>;
}): Promise<OwnDatabase> {
  const home = await instanceDirectory();
  await prepare(home.path);
  const settings = { directory: home.path, tests: !durable, environment };
  let server: EmbeddedPostgres = await startEmbeddedPostgres(settings);
  const { port, url } = server;
  let hasEnded = false;
  const follow = () => {
    const followed = server;
    hasEnded = false;
    void followed.exited.then(() => {
      hasEnded ||= server === followed;
    });
  };
  follow();
  await migrate(url);
  const db = openDatabase(url, { applicationName: 'faults test', max: 20, onError: () => {} });
  const guild = await seedModeratedGuild(db);
  const signal = (name: NodeJS.Signals) => signalServer(server.pid, name);
  return {
    url,
    db,
    guild,
    pause: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    kill: async () => {
      await signal('SIGKILL');
      await server.exited;
      await server.stop();
    },
    start: async () => {
      await server.stop();
      server = await startEmbeddedPostgres({ ...settings, port });
      follow();
    },
    hasEnded: () => hasEnded,
    drop: async () => {
      await signal('SIGCONT');
      await db.close();
      await server.stop();
      await home.remove();
    },
  };
}

/** Sends a signal to a PostgreSQL server and to each of its sessions. */
export async function signalServer(postmaster: number, name: NodeJS.Signals): Promise<void> {
  for (const pid of [postmaster, ...(await childrenOf(postmaster))]) kill(pid, name);
}

/** A guild whose moderators strike and ban. */
export async function seedModeratedGuild(db: Database): Promise<SeededGuild> {
  const guild = await seedGuild(db);
  await grantRole(db, guild, guild.moderatorRoleId, ['strikes.read', 'strikes.write', 'bans.write']);
  return guild;
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Each session of PostgreSQL is a child of the server, in a process group of its own. Linux only. */
async function childrenOf(parent: number): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = pids.map(async (pid) => {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    const [, parentPid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(parentPid) === parent ? [Number(pid)] : [];
  });
  return (await Promise.all(found)).flat();
}

/** A token of a moderator who has no other, so that nobody else spends from their budget; its window is open. */
export interface Holder {
  readonly guild: SeededGuild;
  readonly secret: string;
  readonly id: string;
  readonly userId: string;
}

export async function seedHolders(
  { db, guild }: Pick<OwnDatabase, 'db' | 'guild'>,
  many: number,
): Promise<Holder[]> {
  const holders: Holder[] = [];
  for (let n = 0; n < many; n += 1) {
    const userId = snowflake();
    await db.pool.query(
      `INSERT INTO members (guild_id, user_id, username, display_name, role_ids)
       VALUES ($1, $2::text, $2::text, $2::text, $3)`,
      [guild.id, userId, [guild.moderatorRoleId]],
    );
    const token = await seedToken(db, guild, { issuerId: userId });
    await seedWindow(db, guild, token);
    holders.push({ ...token, guild, userId });
  }
  return holders;
}

/** The mirror is trusted for a minute; here no bot keeps it fresh. */
export async function keepMirrorFresh({ db }: OwnDatabase): Promise<void> {
  await db.pool.query('UPDATE gateway_shards SET heartbeat_at = now()');
}

export async function count({ db }: OwnDatabase, sql: string, values: unknown[] = []): Promise<number> {
  const { rows } = await db.pool.query<{ count: string }>(`SELECT count(*) FROM ${sql}`, values);
  return Number(rows[0]?.count);
}

const WAIT_MS = 300_000;

/** Settles when it is so many. */
export async function untilCount(own: OwnDatabase, sql: string, wanted: number): Promise<void> {
  const deadline = performance.now() + WAIT_MS;
  for (;;) {
    const found = await count(own, sql);
    if (found === wanted) return;
    if (performance.now() > deadline) {
      throw new Error(`There are ${found} of ${sql}, and not ${wanted}, after ${WAIT_MS} ms.`);
    }
  }
}

/** Sessions of the web processes that wait for a lock. */
export const WAITING = "pg_stat_activity WHERE application_name = 'bailiff-web' AND wait_event_type = 'Lock'";

/** Holds a lock in a session of its own until it is released. */
export async function holdLock({ db }: OwnDatabase, sql: string, values: unknown[] = []) {
  const session = await db.pool.connect();
  await session.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0');
  await session.query(sql, values);
  return {
    release: async () => {
      await session.query('COMMIT');
      session.release();
    },
  };
}
