import { setTimeout as delay } from 'node:timers/promises';
import { launchChromium } from '@bailiff/e2e/chromium';
import { startCounter } from '@bailiff/engine/testing-round-trips';
import { type SeededDashboard, seedDashboard } from './dashboard-seed.ts';
import { makeChange, signInAs } from './dashboard-visitors.ts';
import { median } from './figure.ts';
import { type LiveCosts, measureLive } from './live.ts';
import { startWeb, type Web } from './web.ts';

type Page = Awaited<ReturnType<Awaited<ReturnType<typeof launchChromium>>['newPage']>>;

const PORT = 4806;
const ROWS = 1_000_000;
const CALLS = 200;
const WARM_UP = 20;
/** How many times slower the processor is made for paint measurements. */
const SLOWDOWN = 4;

export interface DashboardCosts {
  /** Milliseconds, p95, of the whole document. */
  readonly overviewMs: number;
  readonly auditMs: number;
  /** The slowest of the audit log's filters and pages, and its name. */
  readonly slowestAuditMs: number;
  readonly slowestAudit: string;
  /** The first view of a guild's overview, which counts past days. */
  readonly firstOverviewMs: number;
  /** Kilobytes of JavaScript as transferred. */
  readonly overviewKb: number;
  readonly auditKb: number;
  readonly lcpMs: number;
  readonly cls: number;
  /** From the commit of a row until an open page shows it: the slowest of several. */
  readonly newRowMs: number;
  readonly live: LiveCosts;
}

/** The dashboard's times in a guild with a million rows in its audit log. */
export async function measureDashboard(): Promise<DashboardCosts> {
  let counter: Awaited<ReturnType<typeof startCounter>> | undefined;
  const web = await startWeb(PORT, async (url) => {
    counter = await startCounter(url);
    return counter.url;
  });
  try {
    const seeded = await seedDashboard(web.pool, ROWS);
    const cookie = await signInAs(web.pool, seeded.ownerId);
    const pages = await measureServer(web, seeded, cookie);
    const browser = await measureBrowser(web, seeded, cookie);
    if (counter === undefined) throw new Error('The counter was not asked for.');
    const live = await measureLive(web, seeded, counter);
    return { ...pages, ...browser, live };
  } finally {
    await web.stop();
    counter?.close();
  }
}

async function measureServer(web: Web, { guildId }: SeededDashboard, cookie: string) {
  const p95 = async (path: string): Promise<number> => {
    const samples: number[] = [];
    for (let call = 0; call < WARM_UP + CALLS; call += 1) {
      const took = await documentMs(web.origin + path, cookie);
      if (call >= WARM_UP) samples.push(took);
    }
    return samples.toSorted((a, b) => a - b)[Math.floor(samples.length * 0.95)] ?? Number.NaN;
  };
  const audit = `/guilds/${guildId}/audit`;
  const middle = await web.pool.query<{ id: string }>(
    'SELECT id FROM audit WHERE guild_id = $1 ORDER BY at DESC OFFSET 500000 LIMIT 1',
    [guildId],
  );
  const day = new Date(Date.now() - 40 * 24 * 3600 * 1000).toISOString().slice(0, 10);
  const places = {
    'in the middle': `before=${middle.rows[0]?.id}`,
    'a rare outcome': 'outcome=unknown',
    'a source that is not there': 'source=operator',
    'an action': 'operation=bans.create',
    'a person': 'actor=400000000000000003',
    'a person and an outcome': 'actor=400000000000000003&outcome=refused',
    'a target': 'target=500000000000000003',
    'a day long ago': `from=${day}&to=${day}`,
    'a day long ago, one outcome': `from=${day}&to=${day}&outcome=failed`,
    'a search': 'q=ban',
    'a search that finds nothing': 'q=nowhere',
    'with reads': 'reads=shown',
  };
  await documentMs(`${web.origin}/sign-in`, ''); // a warm-up, because the process loads some things only once
  await documentMs(`${web.origin}${audit}`, cookie);
  const firstOverviewMs = await documentMs(`${web.origin}/guilds/${guildId}?days=30`, cookie);
  const overviewMs = await p95(`/guilds/${guildId}?days=30`);
  const auditMs = await p95(audit);
  let slowest = { name: '', ms: 0 };
  for (const [name, query] of Object.entries(places)) {
    const ms = await p95(`${audit}?${query}`);
    if (ms > slowest.ms) slowest = { name, ms };
  }
  return { firstOverviewMs, overviewMs, auditMs, slowestAuditMs: slowest.ms, slowestAudit: slowest.name };
}

/** @throws Error for any answer but the page, because then something else was measured */
async function documentMs(url: string, cookie: string): Promise<number> {
  const startedAt = performance.now();
  const answer = await fetch(url, { headers: { cookie }, redirect: 'manual' });
  const text = await answer.text();
  const took = performance.now() - startedAt;
  if (answer.status !== 200 || !text.includes('</html>')) throw new Error(`${url} answered ${answer.status}`);
  return took;
}

async function measureBrowser(web: Web, { guildId }: SeededDashboard, cookie: string) {
  const browser = await launchChromium();
  try {
    const [name = '', value = ''] = cookie.split('=');
    const open = async () => {
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
      await context.addCookies([{ name, value, url: web.origin }]);
      return context.newPage();
    };
    const overview = `${web.origin}/guilds/${guildId}`;
    const overviewKb = await scriptKilobytes(await open(), overview);
    const auditKb = await scriptKilobytes(await open(), `${overview}/audit`);
    const paints: { lcpMs: number; cls: number }[] = [];
    for (const path of [overview, `${overview}/audit`, overview])
      paints.push(await paintOf(await open(), path));
    return {
      overviewKb,
      auditKb,
      lcpMs: Math.max(...paints.map(({ lcpMs }) => lcpMs)),
      cls: Math.max(...paints.map(({ cls }) => cls)),
      newRowMs: await newRowMs(web, guildId, await open()),
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
  await page.getByRole('table').first().waitFor();
  if (new URL(page.url()).pathname.split('/').length === 3)
    await page.getByText('Show as a table').first().waitFor();
  await delay(1_000);
}

const NEW_ROWS = 20;

async function newRowMs(web: Web, guildId: string, page: Page): Promise<number> {
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
  process.stderr.write(`a new row, p50: ${median(samples).toFixed(0)} ms\n`);
  return Math.max(...samples);
}
