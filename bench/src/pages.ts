import { seedGuilds, seedRecords } from './seed.ts';
import { median } from './table.ts';
import { readsOf, startWeb } from './web.ts';

const PORT = 4804;
const FEW = 2_000;
const MANY = 2_000_000;
const CALLS = 300;
const WARM_UP = 50;
/** A token may read 120 times at once. */
const TOKENS = 10;

/** Milliseconds, p50 of one page of 50. */
export interface PageCosts {
  readonly few: { readonly strikes: number; readonly audit: number };
  readonly many: { readonly strikes: number; readonly audit: number };
}

/** One page of a guild's strikes and of its audit log, at 2,000 rows and at 2,000,000. */
export async function measurePages(): Promise<PageCosts> {
  const web = await startWeb(PORT);
  try {
    const tokens = await seedGuilds(web.pool, 1, TOKENS);
    const guildIds = tokens.slice(0, 1).map(({ guildId }) => guildId);
    const page = async (path: string): Promise<number> => {
      const requests = readsOf(tokens, path);
      const samples: number[] = [];
      for (let call = 0; call < WARM_UP + CALLS; call += 1) {
        const request = requests[call % requests.length];
        if (call % 100 === 0) await web.pool.query('DELETE FROM budgets');
        const startedAt = performance.now();
        const answer = await fetch(`${web.origin}${request?.path}`, { headers: { ...request?.headers } });
        const { data } = (await answer.json()) as { data?: unknown[] };
        if (data?.length !== 50) throw new Error(`${request?.path} answered ${answer.status}`);
        if (call >= WARM_UP) samples.push(performance.now() - startedAt);
      }
      return median(samples);
    };
    const both = async () => ({ strikes: await page('/strikes'), audit: await page('/audit') });
    await seedRecords(web.pool, guildIds, FEW);
    const few = await both();
    await seedRecords(web.pool, guildIds, MANY, FEW);
    const many = await both();
    return { few, many };
  } finally {
    await web.stop();
  }
}
