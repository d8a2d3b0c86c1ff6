// The dashboard, in a guild with a long record.
import { DASHBOARD_PAGES } from '#src/dashboard-pages.ts';
import { type Figure, part } from '#src/figure.ts';

const SIZE = { auditRows: 1_000_000, cases: 200_000 };
const GUILD = 'a guild with 1,000,000 audit rows, 200,000 cases and 10,000 tickets';

const pageFigures = Object.fromEntries(
  Object.entries(DASHBOARD_PAGES).flatMap(([name, { title }]): [string, Figure][] => [
    [
      `${name}First`,
      { title: `${title}: first byte (p95)`, unit: 'ms', limits: 'The session and the first shell.' },
    ],
    [
      name,
      {
        title: `${title}: whole page (p95)`,
        unit: 'ms',
        atMost: 150,
        limits: 'Rendering on the server, after the statements of its lists.',
      },
    ],
  ]),
);

export const dashboard = part<string>({
  title: 'Pages of the dashboard',
  how: `Whole documents of every page in ${GUILD}, as its owner, one after the other. Then the audit log as CSV.`,
  deadlineSeconds: 300,
  figures: {
    ...pageFigures,
    firstOverview: {
      title: 'The first overview, which counts 29 days',
      unit: 'ms',
      limits: 'Counting past days, once.',
    },
    exported: {
      title: 'Export of the audit log',
      unit: '/s',
      limits: 'Reading in batches, and writing lines of text.',
    },
    exportMemory: {
      title: 'Growth of the web process while 1,000,000 rows are exported',
      unit: 'MB',
      atMost: 64,
      limits: 'One batch of rows at a time; garbage that is not yet collected.',
    },
  },
  measure: async () => {
    const { pages, ...costs } = await (await import('#src/dashboard.ts')).measureDashboard(SIZE);
    const times = Object.entries(pages).flatMap(([name, { firstByte, whole }]) => [
      [`${name}First`, firstByte],
      [name, whole],
    ]);
    return {
      ...Object.fromEntries(times),
      firstOverview: costs.firstOverviewMs,
      exported: costs.exportedPerSecond,
      exportMemory: costs.exportMb,
    };
  },
});

const scripts = (title: string) => ({
  title: `JavaScript of ${title}, gzipped`,
  unit: 'KB' as const,
  atMost: 150,
  limits: 'React, its DOM and the router of Next are 132 KB of it.',
});

export const browser = part({
  title: 'The dashboard in a browser',
  how: `A Chromium in ${GUILD}. Paints are on a processor a quarter as fast. Then 200 pages of 20 people are open.`,
  deadlineSeconds: 300,
  figures: {
    overview: scripts('the overview'),
    audit: scripts('the audit log'),
    cases: scripts('the cases'),
    members: scripts('the members'),
    memberOne: scripts('one member'),
    tickets: scripts('the tickets'),
    tokens: scripts('the tokens'),
    settings: scripts('the settings'),
    lcp: {
      title: 'Largest contentful paint, processor 4 × slower',
      unit: 'ms',
      atMost: 1_500,
      limits: 'Parsing and running the JavaScript.',
    },
    cls: {
      title: 'Cumulative layout shift',
      unit: '',
      atMost: 0.05,
      limits: 'Charts that come after the page.',
    },
    newRow: {
      title: 'A new row shows in an open page',
      unit: 'ms',
      limits: 'Changes are grouped for a moment.',
    },
    newRowSlow: {
      title: 'A new row shows in an open page, slowest of 20',
      unit: 'ms',
      atMost: 1_000,
      limits: 'The same, and the page that is rendered again.',
    },
    grown: {
      title: '200 open pages: growth of the web process',
      unit: 'MB',
      atMost: 60,
      limits: 'One stream and one response for each page.',
    },
    trips: {
      title: 'Round trips to the database for a change, 200 open pages',
      unit: '',
      atMost: 3,
      limits: 'One question for all pages of a guild.',
    },
    shown: {
      title: 'A change is shown on all 200 pages (p50)',
      unit: 'ms',
      limits: 'The time in which changes are grouped.',
    },
    shownSlow: {
      title: 'A change is shown on all 200 pages, slowest of 50',
      unit: 'ms',
      atMost: 1_000,
      limits: 'The same.',
    },
  },
  measure: async () => {
    const { live, scriptsKb, lcpMs, cls, newRowMs } = await (
      await import('#src/browser.ts')
    ).measureInBrowser(SIZE);
    return {
      ...scriptsKb,
      lcp: lcpMs,
      cls,
      newRow: newRowMs,
      newRowSlow: Math.max(...newRowMs),
      grown: live.grownMb,
      trips: live.tripsPerChange,
      shown: live.shownMs,
      shownSlow: live.slowestMs,
    };
  },
});
