// The whole product as a cluster, on a sandbox with many guilds, with tokens and sessions to use it.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { seedToken, seedWindow } from '@bailiff/engine/testing';
import { type Database, openDatabase } from '@bailiff/prisma';
import { databaseUrl } from '@bailiff/supervisor/database-url';
import { type Instance, instanceDirectory, startInstance } from '@bailiff/supervisor/instance';
import { type RunFile, readRunFile } from '@bailiff/supervisor/run-file';
import { signInAs } from '../dashboard-visitors.ts';

/** Members of a guild of the sandbox's large world, the first of which is its owner. */
const FIRST_TARGET = 60;
const LAST_TARGET = 149;
const MIRRORED_WITHIN_MS = 600_000;
const LOOK_MS = 500;
const SIGNED_IN = 20;

/** A guild that is used: over a token, and by its owner in the dashboard. */
export interface UsedGuild {
  readonly id: string;
  readonly secret: string;
  /** The cookie of the owner's session. Only some have one. */
  readonly cookie: string | undefined;
  /** Members without a part in anything. */
  readonly people: readonly string[];
}

export interface SoakStage {
  readonly instance: Instance;
  readonly directory: string;
  /** The folder of the sockets on which processes tell what they hold. */
  readonly probes: string;
  readonly run: RunFile;
  readonly db: Database;
  readonly guilds: readonly UsedGuild[];
  /** How many guilds there are, and how many of them the bots follow at the moment. */
  readonly all: number;
  followed(): Promise<number>;
  pids(): Promise<RunFile['pids']>;
  close(): Promise<void>;
}

export interface SoakSize {
  readonly guilds: number;
  /** How many of them are used over tokens. */
  readonly used: number;
  /** Kilobytes that each process loses a second, to see that it is found. */
  readonly leakKbPerSecond: number;
}

export async function setSoakStage({ guilds, used, leakKbPerSecond }: SoakSize): Promise<SoakStage> {
  const home = await instanceDirectory();
  const probes = join(home.path, 'probes');
  await mkdir(probes);
  const probe = pathToFileURL(join(import.meta.dirname, 'probe.mjs'));
  probe.searchParams.set('folder', probes);
  probe.searchParams.set('leak', String(leakKbPerSecond));
  const instance = await startInstance({
    directory: home.path,
    command: 'start-cluster.mjs',
    env: {
      NODE_OPTIONS: `--import=${probe.href}`,
      SANDBOX_GUILDS: String(guilds),
      TRUSTED_PROXIES: '127.0.0.0/8',
      LOG_LEVEL: 'warn',
    },
  });
  const db = openDatabase(await databaseUrl(home.path), {
    applicationName: 'soak',
    max: 2,
    onError: () => {},
  });
  const close = async () => {
    await db.close();
    await instance.stop();
    await home.remove();
  };
  try {
    await untilMirrored(db, guilds);
    return {
      instance,
      directory: home.path,
      probes,
      run: instance.run,
      db,
      guilds: await seedUse(db, instance.run.guild_id, used),
      all: guilds,
      followed: () => followedGuilds(db),
      pids: async () => {
        const run = await readRunFile(home.path);
        if (run === undefined) throw new Error('The cluster is not running.');
        return run.pids;
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function followedGuilds({ pool }: Database): Promise<number> {
  const { rows } = await pool.query<{ many: string }>(
    'SELECT count(*) AS many FROM live_guilds WHERE mirror_fresh',
  );
  return Number(rows[0]?.many);
}

/** Resolves when so many guilds are compared. @throws Error if that takes more than ten minutes */
export async function untilMirrored(db: Database, guilds: number): Promise<void> {
  const deadline = performance.now() + MIRRORED_WITHIN_MS;
  for (;;) {
    const many = await followedGuilds(db);
    if (many >= guilds) return;
    if (performance.now() > deadline)
      throw new Error(
        `Only ${many} of ${guilds} guilds were compared within ${MIRRORED_WITHIN_MS / 60_000} minutes.`,
      );
    await delay(LOOK_MS);
  }
}

/** Gives some guilds besides the sample one a token with an open window, and their owners a session. */
export async function seedUse(db: Database, sampleGuild: string, used: number): Promise<UsedGuild[]> {
  const { rows } = await db.pool.query<{ id: string; owner_id: string }>(
    `UPDATE guilds SET tier = 'pro' WHERE id IN
       (SELECT id FROM guilds WHERE id <> $1 AND left_at IS NULL ORDER BY length(id) DESC, id LIMIT $2)
     RETURNING id, owner_id`,
    [sampleGuild, used],
  );
  const guilds: UsedGuild[] = [];
  // A guild's first case makes its row of counters, which is not what a soak looks for.
  await db.pool.query(
    'INSERT INTO guild_counters (guild_id) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING',
    [[sampleGuild, ...rows.map(({ id }) => id)]],
  );
  for (const [index, { id, owner_id: ownerId }] of rows.entries()) {
    const token = await seedToken(db, { id, ownerId }, { name: 'soak' });
    await seedWindow(db, { id, ownerId }, token);
    const people: string[] = [];
    for (let n = FIRST_TARGET; n <= LAST_TARGET; n += 1) people.push(String(BigInt(ownerId) + BigInt(n)));
    const cookie = index < SIGNED_IN ? await signInAs(db.pool, ownerId) : undefined;
    guilds.push({ id, secret: token.secret, cookie, people });
  }
  return guilds;
}

/** Lets the windows of all tokens stay open: a person would open one again. */
export async function keepWindowsOpen({ pool }: Database): Promise<void> {
  await pool.query(
    "UPDATE windows SET expires_at = clock_timestamp() + interval '15 minutes' WHERE closed_at IS NULL",
  );
}
