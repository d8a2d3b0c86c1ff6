import { TooManyRows } from '@bailiff/engine/audit/audit-looks';
import { type Crowd, seedCrowd } from '@bailiff/engine/testing-crowd';
import { dashboardLists, publicLists } from '@bailiff/engine/testing-lists';
import { openDatabase } from '@bailiff/prisma';
import { everySurface } from './every-surface.ts';
import { percentile } from './figure.ts';
import { prepareDatabase, preparedIn } from './prepared-database.ts';
import { seedGuilds } from './seed.ts';
import { folderIn, startServer } from './server.ts';
import { type LoggedStatement, logStatements } from './statement-log.ts';
import { whileSeeding } from './superuser.ts';
import { startWebOn } from './web.ts';

const NAMED = 10;

export interface TenantsCosts {
  /** Calls of statements. */
  readonly statements: number;
  /** Milliseconds of all of them, p95. */
  readonly p95: number;
  /** The highest p95 of the calls of one statement. */
  readonly slowest: number;
}

interface Rounds {
  readonly surface: number;
  readonly lists: number;
}

/** Makes a large database. Its first guild has a share of all rows. */
export function prepareTenants(directory: string, crowd: Crowd): Promise<void> {
  return prepareDatabase(directory, async (pool, { url, folder }) => {
    const [token] = await seedGuilds(pool, crowd.guilds);
    await whileSeeding(folder, url, (fast) => seedCrowd(fast, crowd));
    return token?.secret ?? '';
  });
}

/**
 * The statements of every list with every filter, alone and in pairs, of every page and of every call of the API, for a
 * guild that has a fifth of a large database. The server's log says how long each took.
 *
 * @param rounds how often pages and calls, and lists, are read; of 21 calls, a single slow one is not the p95
 */
export async function measureTenants(directory: string, rounds: Rounds): Promise<TenantsCosts> {
  const secret = await preparedIn<string>(directory);
  const server = await startServer(directory);
  try {
    return costsOf(await visitAll(server.url, secret, rounds, await logStatements(folderIn(directory))));
  } finally {
    await server.stop();
  }
}

/** @param newest reads the statements since it was last called */
async function visitAll(
  url: string,
  secret: string,
  rounds: Rounds,
  newest: () => Promise<LoggedStatement[]>,
): Promise<Map<string, number[]>> {
  const web = await startWebOn(url);
  // Its sessions begin after the server was told to log.
  const db = openDatabase(url, { applicationName: 'bench lists', statementTimeoutMs: 60_000 });
  try {
    const surface = await everySurface(web, db, secret);
    const readLists = async () => {
      for (const { run } of [...publicLists(), ...dashboardLists()]) await run(db).catch(refusal);
    };
    // A warm-up: a guild's past days are counted once, and the first look at a list reads it from the disk.
    await Promise.all([surface(), readLists()]);
    await newest();
    const times = new Map<string, number[]>();
    for (const visit of [...Array(rounds.surface).fill(surface), ...Array(rounds.lists).fill(readLists)]) {
      await visit();
      for (const { text, milliseconds } of await newest())
        times.set(text, [...(times.get(text) ?? []), ...milliseconds]);
    }
    return times;
  } finally {
    await db.close();
    await web.stop();
  }
}

/** The answer of a list whose filters would have to look at more rows than anybody waits for. */
function refusal(error: unknown): void {
  if (!(error instanceof TooManyRows)) throw error;
}

/** @param times in milliseconds, of the calls of each statement */
function costsOf(times: ReadonlyMap<string, readonly number[]>): TenantsCosts {
  const slowest = [...times]
    .map(([text, ofCalls]) => ({ text, p95: percentile([...ofCalls], 0.95), calls: ofCalls.length }))
    .toSorted((one, other) => other.p95 - one.p95);
  for (const { text, p95, calls } of slowest.slice(0, NAMED))
    process.stderr.write(
      `${p95.toFixed(0)} ms, ${calls} calls: ${text.replace(/\s+/g, ' ').slice(0, 400)}\n`,
    );
  const all = [...times.values()].flat();
  return { statements: all.length, p95: percentile(all, 0.95), slowest: slowest[0]?.p95 ?? Number.NaN };
}
