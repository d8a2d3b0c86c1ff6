import { DASHBOARD_PAGES, type DashboardPage } from './dashboard-pages.ts';
import type { SeededDashboard } from './dashboard-seed.ts';
import { signInAs } from './dashboard-visitors.ts';
import { beginExport, countLines } from './exported.ts';
import { percentile } from './figure.ts';
import { preparedIn } from './prepared-database.ts';
import { residentMb } from './processes.ts';
import { startWeb, type Web } from './web.ts';

const ROUNDS = 3;
const CALLS = 4;
const WARM_UP = 3;
const SAMPLE_MS = 50;
const LEAST_EXPORTED = 10_000;

/** Milliseconds, p95 of each round. */
export interface PageTimes {
  readonly firstByte: number[];
  readonly whole: number[];
}

export interface DashboardCosts {
  readonly pages: Readonly<Record<DashboardPage, PageTimes>>;
  /** The first view of a guild's overview, which counts past days. */
  readonly firstOverviewMs: number;
  readonly exportedPerSecond: number;
  /** Megabytes by which the web process grows meanwhile. */
  readonly exportMb: number;
}

/** The times of every page of the dashboard, and of an export of so many rows, in the guild that was prepared. */
export async function measureDashboard(directory: string, exported: number): Promise<DashboardCosts> {
  const seeded = await preparedIn<SeededDashboard>(directory);
  const web = await startWeb({ directory });
  try {
    const cookie = await signInAs(web.pool, seeded.ownerId);
    await document(`${web.origin}/sign-in`, ''); // a warm-up, because the process loads some things only once
    const overview = await document(web.origin + DASHBOARD_PAGES.overview.path(seeded), cookie);
    const pages = await measurePages(web, seeded, cookie);
    return {
      pages,
      firstOverviewMs: overview.whole,
      ...(await measureExport(web, seeded, cookie, exported)),
    };
  } finally {
    await web.stop();
  }
}

async function measurePages(
  web: Web,
  seeded: SeededDashboard,
  cookie: string,
): Promise<DashboardCosts['pages']> {
  const names = Object.keys(DASHBOARD_PAGES) as DashboardPage[];
  const times = Object.fromEntries(
    names.map((name) => [name, { firstByte: [], whole: [] }]),
  ) as unknown as Record<DashboardPage, PageTimes>;
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const name of names) {
      // An address may see so many pages a minute.
      await web.pool.query('DELETE FROM rate_limits');
      const url = web.origin + DASHBOARD_PAGES[name].path(seeded);
      const samples: { firstByte: number; whole: number }[] = [];
      for (let call = 0; call < (round === 0 ? WARM_UP : CALLS); call += 1)
        samples.push(await document(url, cookie));
      if (round === 0) continue;
      times[name].firstByte.push(
        percentile(
          samples.map(({ firstByte }) => firstByte),
          0.95,
        ),
      );
      times[name].whole.push(
        percentile(
          samples.map(({ whole }) => whole),
          0.95,
        ),
      );
    }
  }
  return times;
}

/** @throws Error for any answer but the page, because then something else was measured */
async function document(url: string, cookie: string): Promise<{ firstByte: number; whole: number }> {
  const startedAt = performance.now();
  const answer = await fetch(url, { headers: { cookie }, redirect: 'manual' });
  const firstByte = performance.now() - startedAt;
  const text = await answer.text();
  const whole = performance.now() - startedAt;
  if (answer.status !== 200 || !text.includes('</html>')) throw new Error(`${url} answered ${answer.status}`);
  return { firstByte, whole };
}

async function measureExport(web: Web, { guildId }: SeededDashboard, cookie: string, exported: number) {
  const href = await beginExport(web, { guildId, cookie });
  const before = await residentMb(web.pid);
  let most = before;
  const watching = setInterval(async () => {
    most = Math.max(most, await residentMb(web.pid));
  }, SAMPLE_MS);
  const startedAt = performance.now();
  const answer = await fetch(web.origin + href, { headers: { cookie } });
  let rows = -1; // the first line has the names of the columns
  for await (const chunk of answer.body ?? []) {
    rows += countLines(chunk);
    if (rows >= exported) break;
  }
  const seconds = (performance.now() - startedAt) / 1000;
  clearInterval(watching);
  if (rows < LEAST_EXPORTED) throw new Error(`The export has ${rows} rows.`);
  return { exportedPerSecond: rows / seconds, exportMb: most - before };
}
