import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { seedCrowd } from '@bailiff/engine/testing-crowd';
import { median } from './figure.ts';
import { prepareDatabase, preparedIn } from './prepared-database.ts';
import { type SeededToken, seedGuilds } from './seed.ts';
import { readsOf, startWeb, type Web } from './web.ts';

const ROUNDS = 5;
const CALLS = 80;
const WARM_UP = 50;
/** The first guild has one row in so many. */
const NTH = 5;

export interface PagesSize {
  readonly guilds: number;
  /** Cases, and as many rows of the audit log. */
  readonly rows: number;
}

/** Milliseconds, p50 of one page of 50 in each round, and the largest database ÷ the smallest. */
export type PageCosts = Readonly<
  Record<
    | 'strikesSmall'
    | 'strikesMiddle'
    | 'strikesLarge'
    | 'auditSmall'
    | 'auditMiddle'
    | 'auditLarge'
    | 'strikesGrowth'
    | 'auditGrowth',
    number[]
  >
>;

/** Databases of three sizes, each in a directory of its own. */
const SIZES = ['small', 'middle', 'large'] as const;
const placesIn = (directory: string) => SIZES.map((size) => join(directory, size));

/** Makes the databases, the smallest first. */
export async function preparePages(
  directory: string,
  sizes: readonly [PagesSize, PagesSize, PagesSize],
): Promise<void> {
  for (const [index, place] of placesIn(directory).entries()) {
    const { guilds, rows } = sizes[index] as PagesSize;
    await mkdir(place);
    await prepareDatabase(place, async (pool) => {
      const [first] = await seedGuilds(pool, guilds);
      await seedCrowd(pool, { guilds, cases: rows, auditRows: rows, nth: NTH });
      return first;
    });
  }
}

/** One page of the largest guild's strikes and one of its audit log, in three databases that are asked in turn. */
export async function measurePages(directory: string): Promise<PageCosts> {
  const webs: Web[] = [];
  try {
    const asks = await Promise.all(
      placesIn(directory).map(async (place) => {
        const web = await startWeb({ directory: place });
        webs.push(web);
        return pagesOf(web, await preparedIn<SeededToken>(place));
      }),
    );
    for (const ask of asks) for (const path of ['/strikes', '/audit']) await ask(path, WARM_UP);
    const rounds: { strikes: number[]; audit: number[] }[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const strikes: number[] = [];
      const audit: number[] = [];
      for (const ask of asks) {
        strikes.push(await ask('/strikes', CALLS));
        audit.push(await ask('/audit', CALLS));
      }
      rounds.push({ strikes, audit });
    }
    const at = (list: 'strikes' | 'audit', size: number) =>
      rounds.map((round) => round[list][size] ?? Number.NaN);
    const growth = (list: 'strikes' | 'audit') =>
      at(list, 2).map((ms, round) => ms / (at(list, 0)[round] ?? 1));
    return {
      strikesSmall: at('strikes', 0),
      strikesMiddle: at('strikes', 1),
      strikesLarge: at('strikes', 2),
      auditSmall: at('audit', 0),
      auditMiddle: at('audit', 1),
      auditLarge: at('audit', 2),
      strikesGrowth: growth('strikes'),
      auditGrowth: growth('audit'),
    };
  } finally {
    for (const web of webs) await web.stop();
  }
}

/** What gives the p50 of pages at a path, in milliseconds. */
function pagesOf(web: Web, first: SeededToken) {
  return async (path: string, calls: number): Promise<number> => {
    const [request] = readsOf([first], path);
    const samples: number[] = [];
    for (let call = 0; call < calls; call += 1) {
      // A token may read 120 times at once.
      if (call % 50 === 0) await web.pool.query('DELETE FROM budgets; DELETE FROM rate_limits');
      const startedAt = performance.now();
      const answer = await fetch(`${web.origin}${request?.path}`, { headers: { ...request?.headers } });
      const { data } = (await answer.json()) as { data?: unknown[] };
      if (data?.length !== 50)
        throw new Error(`${request?.path} answered ${answer.status} with ${data?.length} rows`);
      samples.push(performance.now() - startedAt);
    }
    return median(samples);
  };
}
