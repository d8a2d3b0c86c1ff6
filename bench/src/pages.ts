import { seedCrowd } from '@bailiff/engine/testing-crowd';
import { median } from './figure.ts';
import { seedGuilds } from './seed.ts';
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

/** One page of the largest guild's strikes and one of its audit log, in three databases that are asked in turn. */
export async function measurePages(sizes: readonly [PagesSize, PagesSize, PagesSize]): Promise<PageCosts> {
  const webs: Web[] = [];
  try {
    const asks = await Promise.all(
      sizes.map(async (size) => {
        const web = await startWeb();
        webs.push(web);
        return pagesOf(web, size);
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

/** Fills the database. Returns what gives the p50 of pages at a path, in milliseconds. */
async function pagesOf(web: Web, { guilds, rows }: PagesSize) {
  const tokens = await seedGuilds(web.pool, guilds);
  await seedCrowd(web.pool, { guilds, cases: rows, auditRows: rows, nth: NTH });
  const first = tokens.slice(0, 1);
  return async (path: string, calls: number): Promise<number> => {
    const [request] = readsOf(first, path);
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
