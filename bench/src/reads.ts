import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import type pg from 'pg';
import { type Load, load } from './load.ts';
import { prepareDatabase, preparedIn } from './prepared-database.ts';
import { type SeededToken, seedGuilds, seedRecords } from './seed.ts';
import { endAll, forgetSpending, ROOT, readsOf, startProgram, startWeb } from './web.ts';

const EMPTY_NEXT = resolve(import.meta.dirname, '..', 'empty-next');
const NEXT = join(ROOT, 'node_modules', 'next', 'dist', 'bin', 'next');
const GUILDS = 1_000;
const STRIKES_EACH = 200;
const ROUNDS = 3;
const SECONDS = 3;
const SHORT_SECONDS = 2;
/** Some thousand calls of each. */
const WARM_UP_SECONDS = 1;
const MANY_CONNECTIONS = 200;
const PORTS = { bailiff: 4801, next: 4802, bare: 4803 };

export interface ReadCosts {
  readonly bailiff: Load;
  readonly next: Load;
  readonly bare: Load;
  /** Reads of Bailiff over one connection and over 200. */
  readonly one: Load;
  readonly many: Load;
}

/**
 * `GET /strikes?limit=10` with all checks, next to an empty route handler of Next and to the smallest server that can
 * answer the same. The three run alternately, once in each round.
 */
export async function measureReads(directory: string): Promise<ReadCosts[]> {
  const tokens = await preparedIn<SeededToken[]>(directory);
  const web = await startWeb({ directory, port: PORTS.bailiff });
  const children: ChildProcess[] = [];
  try {
    const bare = join(import.meta.dirname, 'bare-server.ts');
    children.push(await startProgram(bare, { DATABASE_URL: web.databaseUrl, PORT: String(PORTS.bare) }));
    children.push(await startNext());
    const requests = readsOf(tokens, '/strikes?limit=10');
    const rounds: ReadCosts[] = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const [seconds, short] = round === 0 ? [WARM_UP_SECONDS, WARM_UP_SECONDS] : [SECONDS, SHORT_SECONDS];
      await forgetSpending(web.pool);
      const bailiff = await load({ origin: web.origin, requests }, seconds);
      await forgetSpending(web.pool);
      const bare = await load({ origin: `http://127.0.0.1:${PORTS.bare}`, requests }, seconds);
      const empty = [{ path: '/empty', headers: {} }];
      const next = await load({ origin: `http://127.0.0.1:${PORTS.next}`, requests: empty }, seconds);
      await forgetSpending(web.pool);
      const one = await load({ origin: web.origin, requests }, short, 1);
      const many = await load({ origin: web.origin, requests }, short, MANY_CONNECTIONS);
      if (round > 0) rounds.push({ bailiff, bare, next, one, many }); // the first round is a warm-up
    }
    return rounds;
  } finally {
    await endAll(children);
    await web.stop();
  }
}

/** Makes what is read, and the Next that is compared with it. */
export async function prepareReads(directory: string): Promise<void> {
  await Promise.all([prepareDatabase(directory, seed), buildNext()]);
}

async function seed(pool: pg.Pool): Promise<SeededToken[]> {
  const tokens = await seedGuilds(pool, GUILDS);
  await seedRecords(
    pool,
    tokens.map(({ guildId }) => guildId),
    STRIKES_EACH,
  );
  return tokens;
}

// On the Node of the other two, and not on the one in PATH: a request costs Next a third more on Node 20 than on 24.
function next(...args: string[]): ChildProcess {
  const env: NodeJS.ProcessEnv = { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' };
  return spawn(process.execPath, [NEXT, ...args], { cwd: EMPTY_NEXT, stdio: 'ignore', env });
}

async function buildNext(): Promise<void> {
  const [code] = await once(next('build'), 'exit');
  if (code !== 0) throw new Error('The empty Next app does not build; run `next build` in bench/empty-next.');
}

async function startNext(): Promise<ChildProcess> {
  const child = next('start', '--hostname', '127.0.0.1', '--port', String(PORTS.next));
  for (let tried = 0; tried < 100; tried += 1) {
    const answer = await fetch(`http://127.0.0.1:${PORTS.next}/empty`).catch(() => null);
    if (answer?.ok === true) return child;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  child.kill();
  throw new Error('The empty Next app does not answer.');
}
