// The dashboard, in a guild with a long record.
import { part } from '#src/figure.ts';

export const dashboard = part({
  title: 'The dashboard',
  how:
    'Pages of a guild with 1,000,000 audit rows. Server times are whole documents, one after the other; paints are of a ' +
    'Chromium on a processor a quarter as fast.',
  deadlineSeconds: 300,
  figures: {
    overview: { title: 'Overview (p95)', unit: 'ms', atMost: 150, limits: 'Rendering the page.' },
    firstOverview: {
      title: 'The first overview, which counts 29 days',
      unit: 'ms',
      limits: 'Counting past days, once.',
    },
    audit: { title: 'Audit log (p95)', unit: 'ms', atMost: 150, limits: 'Rendering the page.' },
    slowestAudit: {
      title: 'Its slowest filter (p95)',
      unit: 'ms',
      atMost: 150,
      limits: 'A filter that is rare.',
    },
    overviewKb: {
      title: 'JavaScript of the overview, gzipped',
      unit: 'KB',
      atMost: 150,
      limits: 'React and Next.',
    },
    auditKb: {
      title: 'JavaScript of the audit log, gzipped',
      unit: 'KB',
      atMost: 150,
      limits: 'React and Next.',
    },
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
      title: 'A new row shows in an open page, slowest of 20',
      unit: 'ms',
      atMost: 1_000,
      limits: 'Changes are grouped for a moment before the page asks for them.',
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
    const { live, ...costs } = await (await import('#src/dashboard.ts')).measureDashboard();
    return {
      overview: costs.overviewMs,
      firstOverview: costs.firstOverviewMs,
      audit: costs.auditMs,
      slowestAudit: costs.slowestAuditMs,
      overviewKb: costs.overviewKb,
      auditKb: costs.auditKb,
      lcp: costs.lcpMs,
      cls: costs.cls,
      newRow: costs.newRowMs,
      grown: live.grownMb,
      trips: live.tripsPerChange,
      shown: live.shownMs,
      shownSlow: live.slowestMs,
    };
  },
});
