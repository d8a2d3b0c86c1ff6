// The database as it grows.
import { type Point, part } from '#src/figure.ts';

const PAGES_HOW =
  'Pages of 50 over the API, one after the other, in databases of three sizes that are asked in turn. The first guild ' +
  'has a fifth of all rows.';

const PAGE_LIMITS = 'The round trips of a call; an index leads to the page, however long the list is.';
const SMALL = { guilds: 10, rows: 2_000 };

const pageFigures = (middle: number, largest: number) => {
  const point = (curve: string, size: number): { point: Point } => ({ point: { curve, by: 'rows', size } });
  const strikes = 'A page of strikes (p50)';
  const audit = 'A page of the audit log (p50)';
  const at = (size: number) => `at ${size.toLocaleString('en-US')} rows`;
  const page = (curve: string, size: number) => ({
    title: `${curve} ${at(size)}`,
    unit: 'ms' as const,
    limits: PAGE_LIMITS,
    ...point(curve, size),
  });
  const ratio = (what: string) => ({
    title: `${what} ${at(largest)} ÷ ${at(SMALL.rows)}`,
    unit: '×' as const,
    atMost: 1.3,
    limits: 'Deeper indexes, and less of them in memory.',
  });
  return {
    strikesSmall: page(strikes, SMALL.rows),
    strikesMiddle: page(strikes, middle),
    strikesLarge: page(strikes, largest),
    auditSmall: page(audit, SMALL.rows),
    auditMiddle: page(audit, middle),
    auditLarge: page(audit, largest),
    strikesGrowth: ratio('A page of strikes'),
    auditGrowth: ratio('A page of the audit log'),
  };
};

export const pages = part({
  title: 'Pages of long lists',
  how: PAGES_HOW,
  deadlineSeconds: 180,
  figures: pageFigures(30_000, 300_000),
  prepare: async (directory) =>
    (await import('#src/pages.ts')).preparePages(directory, [
      SMALL,
      { guilds: 150, rows: 30_000 },
      { guilds: 1_500, rows: 300_000 },
    ]),
  measure: async (directory) => (await import('#src/pages.ts')).measurePages(directory),
});

export const pagesFull = part({
  title: 'Pages of long lists, 10,000 guilds',
  how: PAGES_HOW,
  isLong: true,
  deadlineSeconds: 900,
  figures: pageFigures(60_000, 2_000_000),
  prepare: async (directory) =>
    (await import('#src/pages.ts')).preparePages(directory, [
      SMALL,
      { guilds: 300, rows: 60_000 },
      { guilds: 10_000, rows: 2_000_000 },
    ]),
  measure: async (directory) => (await import('#src/pages.ts')).measurePages(directory),
});

const TENANTS_HOW =
  'Every list of the API and the dashboard with none, one or two of its filters, every page of the dashboard, every call ' +
  'of the API and an export, for a guild that has a fifth of the rows. The log of PostgreSQL has the times. Each was looked at ' +
  'once before, because the first look reads from the disk.';

const TENANTS = {
  statements: {
    title: 'Calls of statements',
    unit: '',
    limits: 'How many lists, filters and pages there are.',
  },
  p95: {
    title: 'All statements (p95)',
    unit: 'ms',
    atMost: 50,
    limits:
      'Filters that are common alone and rare together: the index of one is walked until the page is full.',
  },
  slowest: {
    title: 'The slowest statement, p95 of its own calls',
    unit: 'ms',
    atMost: 50,
    limits: 'The same. The log of the run names it.',
  },
} as const;

export const tenants = part({
  title: 'Statements at 500 guilds',
  how: `${TENANTS_HOW} 500 guilds, 250,000 audit rows, 100,000 cases.`,
  deadlineSeconds: 400,
  figures: TENANTS,
  prepare: async (directory) =>
    (await import('#src/tenants.ts')).prepareTenants(directory, {
      guilds: 500,
      cases: 100_000,
      auditRows: 250_000,
      nth: 5,
    }),
  measure: async (directory) =>
    (await import('#src/tenants.ts')).measureTenants(directory, { surface: 1, lists: 3 }),
});

export const tenantsFull = part({
  title: 'Statements at 10,000 guilds',
  how: `${TENANTS_HOW} 10,000 guilds, 5,000,000 audit rows, 2,000,000 cases.`,
  isLong: true,
  deadlineSeconds: 2_400,
  figures: TENANTS,
  prepare: async (directory) =>
    (await import('#src/tenants.ts')).prepareTenants(directory, {
      guilds: 10_000,
      cases: 2_000_000,
      auditRows: 5_000_000,
      nth: 5,
    }),
  measure: async (directory) =>
    (await import('#src/tenants.ts')).measureTenants(directory, { surface: 3, lists: 21 }),
});

const NIGHTLY_HOW =
  'The job that marks tokens which are 180 days old, in turn with one UPDATE that finds the same tokens: one in a hundred.';

const NIGHTLY = {
  update: { title: 'One UPDATE of the same tokens', unit: 'ms', limits: 'Writing the rows.' },
  ratio: {
    title: 'The nightly job ÷ the UPDATE',
    unit: '×',
    atMost: 3,
    limits: 'It works in small batches, so that no lock is held for long.',
  },
  memory: {
    title: 'Growth of the process meanwhile',
    unit: 'MB',
    atMost: 64,
    limits: 'One batch at a time.',
  },
} as const;

export const nightly = part({
  title: 'The nightly job, 200,000 tokens',
  how: NIGHTLY_HOW,
  deadlineSeconds: 120,
  figures: NIGHTLY,
  measure: async () => (await import('#src/nightly.ts')).measureNightly(200_000),
});

export const nightlyFull = part({
  title: 'The nightly job, 1,000,000 tokens',
  how: NIGHTLY_HOW,
  isLong: true,
  deadlineSeconds: 400,
  figures: NIGHTLY,
  measure: async () => (await import('#src/nightly.ts')).measureNightly(1_000_000),
});
