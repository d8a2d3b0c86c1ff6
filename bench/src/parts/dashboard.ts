// The dashboard, in a guild with a long record.
import { DASHBOARD_PAGES } from '#src/dashboard-pages.ts';
import { type Figure, type Part, part } from '#src/figure.ts';

const SIZE = { auditRows: 200_000, cases: 40_000 };
const FULL_SIZE = { auditRows: 1_000_000, cases: 200_000 };
const EXPORTED = 15_000;
const FULL_EXPORTED = 300_000;
const guildOf = ({ auditRows, cases }: typeof SIZE) =>
  `a guild with ${auditRows.toLocaleString('en-US')} audit rows and ${cases.toLocaleString('en-US')} cases`;

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

/** @param exported so many of its writes at least */
function pagesOf(title: string, size: typeof SIZE, exported: number): Omit<Part, 'deadlineSeconds'> {
  return {
    title,
    how:
      `Whole documents of every page in ${guildOf(size)}, as its owner, one after the other. ` +
      `Then the first ${exported.toLocaleString('en-US')} of its writes as CSV.`,
    figures: {
      ...pageFigures,
      firstOverview: {
        title: 'The first overview, which counts 29 days',
        unit: 'ms',
        limits: 'Counting past days, once.',
      },
      exported: {
        title: 'Rows of an export of the audit log',
        unit: '/s',
        limits: 'Reading in batches, and writing lines of text.',
      },
      exportMemory: {
        title: 'Growth of the web process meanwhile',
        unit: 'MB',
        atMost: 64,
        limits: 'One batch of rows at a time; garbage that is not yet collected.',
      },
    },
    prepare: async (directory) => (await import('#src/dashboard-seed.ts')).prepareDashboard(directory, size),
    measure: async (directory) => {
      const { measureDashboard } = await import('#src/dashboard.ts');
      const { pages, ...costs } = await measureDashboard(directory, exported);
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
  };
}

export const dashboard = part<string>({
  ...pagesOf('Pages of the dashboard', SIZE, EXPORTED),
  deadlineSeconds: 200,
});

export const dashboardFull = part<string>({
  ...pagesOf('Pages of the dashboard, 1,000,000 audit rows', FULL_SIZE, FULL_EXPORTED),
  isLong: true,
  deadlineSeconds: 1_200,
});

const scripts = (title: string) => ({
  title: `JavaScript of ${title}, gzipped`,
  unit: 'KB' as const,
  atMost: 150,
  limits: 'React, its DOM and the router of Next are 118 KB of it.',
});

export const browser = part({
  title: 'The dashboard in a browser',
  how: `A Chromium in ${guildOf(SIZE)}. Paints are on a processor a quarter as fast. Then 200 pages of 20 people are open.`,
  deadlineSeconds: 300,
  figures: {
    overview: scripts('the overview'),
    audit: scripts('the audit log'),
    cases: scripts('the cases'),
    memberOne: scripts('one member'),
    settings: scripts('the settings'),
    lcp: {
      title: 'Largest contentful paint, processor 4 × slower',
      unit: 'ms',
      atMost: 1_200,
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
      title: 'A change is shown on all 200 pages, slowest of 25',
      unit: 'ms',
      atMost: 1_000,
      limits: 'The same.',
    },
  },
  prepare: async (directory) => (await import('#src/dashboard-seed.ts')).prepareDashboard(directory, SIZE),
  measure: async (directory) => {
    const { live, scriptsKb, lcpMs, cls, newRowMs } = await (
      await import('#src/browser.ts')
    ).measureInBrowser(directory);
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

const PEOPLE_LIMITS = 'Reading the parts of three letters from an index, and describing 50 people.';

export const people = part({
  title: 'Finding a person by three letters among 300,000',
  how:
    'Searches over HTTP, one after the other, in a guild with 300,000 members in the mirror and 300,000 people on record. ' +
    'The bot answers for a Discord that needs no time.',
  deadlineSeconds: 400,
  figures: {
    known: {
      title: 'People whom the database has (p95)',
      unit: 'ms',
      atMost: 400,
      limits: PEOPLE_LIMITS,
    },
    all: {
      title: 'With those whom Discord finds (p95)',
      unit: 'ms',
      atMost: 400,
      limits: `${PEOPLE_LIMITS} The question to the bot goes through the queue.`,
    },
  },
  prepare: async (directory) => (await import('#src/people.ts')).preparePeople(directory, 300_000),
  measure: async (directory) => ({ ...(await (await import('#src/people.ts')).measurePeople(directory)) }),
});

export const imports = part({
  title: 'An import of 100,000 cases',
  how: 'Cases of 20,000 people, sent to the web process as the page sends a file: step by step, at most 500 rows each.',
  deadlineSeconds: 200,
  figures: {
    imported: {
      title: 'The whole import',
      unit: 's',
      atMost: 60,
      limits: 'Inserting rows, with their triggers.',
    },
    importStep: { title: 'The longest step', unit: 'ms', limits: 'Other writes of the guild wait for it.' },
    importMemory: {
      title: 'Growth of the web process meanwhile',
      unit: 'MB',
      atMost: 200,
      limits: 'One step at a time; garbage that is not yet collected.',
    },
  },
  measure: async () => {
    const costs = await (await import('#src/import.ts')).measureImport();
    return { imported: costs.seconds, importStep: costs.longestStepMs, importMemory: costs.growthMb };
  },
});
