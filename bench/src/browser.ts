import { setTimeout as delay } from 'node:timers/promises';
import { launchChromium } from '@bailiff/e2e/chromium';
import { startCounter } from '@bailiff/engine/testing-round-trips';
import { DASHBOARD_PAGES, type DashboardPage } from './dashboard-pages.ts';
import type { SeededDashboard } from './dashboard-seed.ts';
import { makeChange, signInAs } from './dashboard-visitors.ts';
import { type LiveCosts, measureLive } from './live.ts';
import { preparedIn } from './prepared-database.ts';
import { startWeb, type Web } from './web.ts';

type Page = Awaited<ReturnType<Awaited<ReturnType<typeof launchChromium>>['newPage']>>;

/** How many times slower the processor is made for paint measurements. */
const SLOWDOWN = 4;

/** The pages whose JavaScript is measured. */
export const SCRIPTED = ['overview', 'audit', 'cases', 'memberOne', 'settings'] as const;

export interface BrowserCosts {
  /** Kilobytes of JavaScript as transferred, by page. */
  readonly scriptsKb: Readonly<Record<(typeof SCRIPTED)[number], number>>;
  readonly lcpMs: number[];
  readonly cls: number[];
  /** From the commit of a row until an open page shows it. */
  readonly newRowMs: number[];
  readonly live: LiveCosts;
}

/** What a browser has of the dashboard, in the guild that was prepared. */
export async function measureInBrowser(directory: string): Promise<BrowserCosts> {
  const seeded = await preparedIn<SeededDashboard>(directory);
  let counter: Awaited<ReturnType<typeof startCounter>> | undefined;
  const through = async (url: string) => {
    counter = await startCounter(url);
    return counter.url;
  };
  const web = await startWeb({ directory, through });
  try {
    const cookie = await signInAs(web.pool, seeded.ownerId);
    const browser = await measureBrowser(web, seeded, cookie);
    if (counter === undefined) throw new Error('The counter was not asked for.');
    const live = await measureLive(web, seeded, counter);
    return { ...browser, live };
  } finally {
    await web.stop();
    counter?.close();
  }
}

async function measureBrowser(
  web: Web,
  seeded: SeededDashboard,
  cookie: string,
): Promise<Omit<BrowserCosts, 'live'>> {
  const browser = await launchChromium();
  try {
    const [name = '', value = ''] = cookie.split('=');
    const open = async () => {
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
      await context.addCookies([{ name, value, url: web.origin }]);
      return context.newPage();
    };
    const addressOf = (page: DashboardPage) => web.origin + DASHBOARD_PAGES[page].path(seeded);
    const scriptsKb: Partial<Record<(typeof SCRIPTED)[number], number>> = {};
    for (const page of SCRIPTED) scriptsKb[page] = await scriptKilobytes(await open(), addressOf(page));
    const paints: { lcpMs: number; cls: number }[] = [];
    for (const page of ['overview', 'audit', 'overview'] as const)
      paints.push(await paintOf(await open(), addressOf(page)));
    return {
      scriptsKb: scriptsKb as BrowserCosts['scriptsKb'],
      lcpMs: paints.map(({ lcpMs }) => lcpMs),
      cls: paints.map(({ cls }) => cls),
      newRowMs: await newRowsMs(web, seeded.guildId, await open()),
    };
  } finally {
    await browser.close();
  }
}

async function scriptKilobytes(page: Page, url: string): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  const scripts = new Set<string>();
  let bytes = 0;
  session.on('Network.responseReceived', ({ requestId, type }) => {
    if (type === 'Script') scripts.add(requestId);
  });
  session.on('Network.dataReceived', ({ requestId, encodedDataLength }) => {
    if (scripts.has(requestId)) bytes += encodedDataLength;
  });
  await page.goto(url);
  await settled(page);
  await page.context().close();
  return bytes / 1000;
}

const OBSERVE = `globalThis.seen = { lcpMs: 0, cls: 0 };
  new PerformanceObserver((list) => {
    for (const { startTime } of list.getEntries()) seen.lcpMs = startTime;
  }).observe({ type: 'largest-contentful-paint', buffered: true });
  new PerformanceObserver((list) => {
    for (const { value } of list.getEntries()) seen.cls += value;
  }).observe({ type: 'layout-shift', buffered: true });`;

/** Largest contentful paint and layout shift of a page, on a processor a quarter as fast. */
async function paintOf(page: Page, url: string): Promise<{ lcpMs: number; cls: number }> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
  await page.addInitScript({ content: OBSERVE });
  await page.goto(url);
  await settled(page);
  const seen = await page.evaluate(
    () => (globalThis as unknown as { seen: { lcpMs: number; cls: number } }).seen,
  );
  await page.context().close();
  return seen;
}

/** Charts and all. A live page always has an open connection, so waiting for an idle network does not work. */
async function settled(page: Page): Promise<void> {
  await page.waitForLoadState('load');
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  if (new URL(page.url()).pathname.split('/').length === 3)
    await page.getByText('Show as a table').first().waitFor();
  await delay(1_000);
}

const NEW_ROWS = 20;

async function newRowsMs(web: Web, guildId: string, page: Page): Promise<number[]> {
  await page.goto(`${web.origin}/guilds/${guildId}/audit`);
  await settled(page);
  const samples: number[] = [];
  for (let row = 0; row < NEW_ROWS; row += 1) {
    const id = await makeChange(web.pool, guildId);
    const startedAt = performance.now();
    await page.locator(`a[href$="${id}"]`).waitFor();
    samples.push(performance.now() - startedAt);
  }
  await page.context().close();
  return samples;
}
