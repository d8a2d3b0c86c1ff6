// npm run bench: measures the numbers that this project promises on this machine, next to a baseline if there is one.
// `npm run bench -- reads` measures one part: starts, ban, submit, reads, pages, mcp, nightly, gateway, interactions,
// dashboard or tenants.
import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { databaseUrl } from '@bailiff/supervisor/database-url';
import { instanceDirectory, startInstance } from '@bailiff/supervisor/instance';
import { measureBan } from './ban.ts';
import { measureDashboard } from './dashboard.ts';
import { measureGateway } from './gateway.ts';
import { measureHopOn } from './hop.ts';
import { measureInteractions } from './interactions.ts';
import { measureMcp } from './mcp.ts';
import { measureNightly } from './nightly.ts';
import { measurePages } from './pages.ts';
import { measureReads } from './reads.ts';
import { measureSubmit } from './submit.ts';
import { isKept, type Measurement, printTable } from './table.ts';
import { measureTenants } from './tenants.ts';
import { measureTrust } from './trust.ts';

const RESULTS = resolve(import.meta.dirname, '..', 'results.json');

async function inDirectory(work: (directory: string) => Promise<Measurement[]>): Promise<Measurement[]> {
  const home = await instanceDirectory();
  return work(home.path).finally(home.remove);
}

function starts(): Promise<Measurement[]> {
  const measureStart = async (directory: string): Promise<number> => {
    const startedAt = performance.now();
    const instance = await startInstance({ directory });
    const seconds = (performance.now() - startedAt) / 1000;
    await instance.stop();
    return seconds;
  };
  return inDirectory(async (directory) => [
    { name: 'first start, built, to ready', value: await measureStart(directory), unit: 's', atMost: 8 },
    { name: 'second npm start, to ready', value: await measureStart(directory), unit: 's', atMost: 15 },
  ]);
}

function ban(): Promise<Measurement[]> {
  return inDirectory(async (directory) => {
    const instance = await startInstance({ directory });
    try {
      const hopMs = await measureHopOn(await databaseUrl(directory));
      const { banMs, discordMs, liftMs, readMs } = await measureBan(instance.run, directory);
      const baseline = { name: 'queue hop and one request to Discord', value: hopMs + discordMs };
      return [
        { name: "the sandbox's Discord alone: PUT a ban (p50)", value: discordMs, unit: 'ms' },
        { name: 'ban over the API, request to answer (p50)', value: banMs, unit: 'ms', atMost: 40, baseline },
        { name: 'lifting a ban over the API (p50)', value: liftMs, unit: 'ms' },
        { name: 'GET /me over the API (p50)', value: readMs, unit: 'ms' },
      ];
    } finally {
      await instance.stop();
    }
  });
}

async function submit(): Promise<Measurement[]> {
  const { banMs, hopMs } = await measureSubmit();
  return [
    { name: 'queue hop alone: add, perform, NOTIFY (p50)', value: hopMs, unit: 'ms' },
    { name: 'submit, perform, answer; Discord answers at once (p50)', value: banMs, unit: 'ms' },
    { name: 'the same ÷ the queue hop alone', value: banMs / hopMs, unit: '×', atMost: 4 },
  ];
}

async function reads(): Promise<Measurement[]> {
  const { bailiff, bare, next } = await measureReads();
  const ratio = (other: { requestsPerSecond: number }) => bailiff.requestsPerSecond / other.requestsPerSecond;
  return [
    { name: 'GET /strikes, 16 connections', value: bailiff.requestsPerSecond, unit: '/s' },
    { name: 'an empty Next route handler', value: next.requestsPerSecond, unit: '/s' },
    { name: 'node:http + pg, two prepared statements', value: bare.requestsPerSecond, unit: '/s' },
    { name: 'GET /strikes ÷ the empty Next route handler', value: ratio(next), unit: '×', atLeast: 1.5 },
    { name: 'GET /strikes ÷ node:http + pg', value: ratio(bare), unit: '×', atLeast: 0.6 },
    { name: 'GET /strikes, p99 at 16 connections', value: bailiff.p99, unit: 'ms', atMost: 20 },
  ];
}

async function pages(): Promise<Measurement[]> {
  const { few, many } = await measurePages();
  return [
    { name: 'page of strikes at 2,000 rows (p50)', value: few.strikes, unit: 'ms' },
    {
      name: 'page of strikes at 2,000,000 rows ÷ at 2,000',
      value: many.strikes / few.strikes,
      unit: '×',
      atMost: 1.3,
    },
    { name: 'page of the audit log at 2,000 rows (p50)', value: few.audit, unit: 'ms' },
    {
      name: 'page of the audit log at 2,000,000 rows ÷ at 2,000',
      value: many.audit / few.audit,
      unit: '×',
      atMost: 1.3,
    },
  ];
}

function mcp(): Promise<Measurement[]> {
  return inDirectory(async (directory) => {
    const instance = await startInstance({ directory });
    try {
      const { startMs, toolMs, restMs } = await measureMcp(instance.run, directory);
      return [
        { name: 'MCP process, start to first tools/list (p50)', value: startMs, unit: 'ms', atMost: 400 },
        { name: 'whoami over MCP (p50)', value: toolMs, unit: 'ms' },
        { name: 'GET /me over REST (p50)', value: restMs, unit: 'ms' },
        { name: 'what MCP adds to the call (p50)', value: toolMs - restMs, unit: 'ms', atMost: 5 },
      ];
    } finally {
      await instance.stop();
    }
  });
}

async function nightly(): Promise<Measurement[]> {
  const { jobMs, updateMs, grownMb } = await measureNightly();
  return [
    { name: 'one UPDATE that finds 10,000 of 1,000,000 tokens', value: updateMs, unit: 'ms' },
    { name: 'the nightly job that marks them ÷ the UPDATE', value: jobMs / updateMs, unit: '×', atMost: 3 },
    { name: 'growth of the process while it marks', value: grownMb, unit: 'MB', atMost: 64 },
  ];
}

async function gateway(): Promise<Measurement[]> {
  const { bailiffKb, defaultKb } = await measureGateway();
  const trust = await measureTrust();
  return [
    { name: 'heap per guild of discord.js with its defaults', value: defaultKb, unit: 'KB' },
    { name: 'heap per guild of the bot', value: bailiffKb, unit: 'KB' },
    { name: 'heap per guild of the bot ÷ discord.js', value: bailiffKb / defaultKb, unit: '×', atMost: 0.3 },
    {
      name: `calls refused, of ${trust.calls} while a session is resumed twice`,
      value: trust.refused,
      unit: '',
      atMost: 0,
    },
    { name: 'such a call, from request to answer (p50)', value: trust.callMs, unit: 'ms' },
    {
      name: 'new session: all of 2,000 guilds are trusted after',
      value: trust.allSeconds,
      unit: 's',
      atMost: 90,
    },
    { name: 'those with tokens in use after', value: trust.tokensSeconds, unit: 's', atMost: 5 },
    { name: 'a guild of 300,000 members is trusted after', value: trust.largeSeconds, unit: 's' },
    { name: 'heap above idle while it is read', value: trust.largeMb, unit: 'MB', atMost: 60 },
  ];
}

async function interactions(): Promise<Measurement[]> {
  const { acknowledged, answered, missed, count } = await measureInteractions();
  return [
    { name: '50 moderators at once: acknowledged (p50)', value: acknowledged.p50, unit: 'ms' },
    { name: '50 moderators at once: acknowledged (p99)', value: acknowledged.p99, unit: 'ms', atMost: 1000 },
    { name: '50 moderators at once: answered (p50)', value: answered.p50, unit: 'ms' },
    { name: '50 moderators at once: answered (p99)', value: answered.p99, unit: 'ms' },
    { name: `of ${count} commands, without a sign in 3 s or an answer`, value: missed, unit: '', atMost: 0 },
  ];
}

async function dashboard(): Promise<Measurement[]> {
  const costs = await measureDashboard();
  const { live } = costs;
  return [
    { name: 'overview, 1,000,000 audit rows (p95)', value: costs.overviewMs, unit: 'ms', atMost: 150 },
    { name: 'the first overview, which counts 29 days', value: costs.firstOverviewMs, unit: 'ms' },
    { name: 'audit log, 1,000,000 rows (p95)', value: costs.auditMs, unit: 'ms', atMost: 150 },
    {
      name: `its slowest filter, ${costs.slowestAudit} (p95)`,
      value: costs.slowestAuditMs,
      unit: 'ms',
      atMost: 150,
    },
    { name: 'JavaScript of the overview, gzipped', value: costs.overviewKb, unit: 'KB', atMost: 250 },
    { name: 'JavaScript of the audit log, gzipped', value: costs.auditKb, unit: 'KB', atMost: 180 },
    { name: 'largest contentful paint, 4× slower', value: costs.lcpMs, unit: 'ms', atMost: 1_500 },
    { name: 'cumulative layout shift', value: costs.cls, unit: '', atMost: 0.05 },
    {
      name: 'a new row shows in an open page, slowest of 20',
      value: costs.newRowMs,
      unit: 'ms',
      atMost: 1_000,
    },
    { name: '200 open pages: growth of the web process', value: live.grownMb, unit: 'MB', atMost: 60 },
    { name: 'round trips for a change, 200 open pages', value: live.tripsPerChange, unit: '', atMost: 3 },
    { name: 'a change shown on all 200 pages (p50)', value: live.shownMs, unit: 'ms' },
    {
      name: 'a change shown on all 200 pages, slowest of 50',
      value: live.slowestMs,
      unit: 'ms',
      atMost: 1_000,
    },
  ];
}

async function tenants(): Promise<Measurement[]> {
  const { statements, p95Ms, slowestMs, slowest } = await measureTenants();
  return [
    {
      name: `${statements} statements of lists, 5,000,000 audit rows (p95)`,
      value: p95Ms,
      unit: 'ms',
      atMost: 50,
    },
    { name: `the slowest of them, ${slowest}`, value: slowestMs, unit: 'ms' },
  ];
}

const PARTS = { starts, ban, submit, reads, pages, mcp, nightly, gateway, interactions, dashboard, tenants };

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !Object.hasOwn(PARTS, name));
if (unknown.length > 0) {
  process.stderr.write(
    `There is no ${unknown.join(', ')}; the parts are ${Object.keys(PARTS).join(', ')}.\n`,
  );
  process.exit(2);
}
// Build everything that is needed.
await (await startInstance()).stop();
const measurements: Measurement[] = [];
for (const [name, measure] of Object.entries(PARTS)) {
  if (asked.length === 0 || asked.includes(name)) measurements.push(...(await measure()));
}
printTable(measurements);
if (asked.length === 0) {
  const results = {
    measured_at: new Date().toISOString(),
    node: process.version,
    cores: availableParallelism(),
    measurements: measurements.map((each) => ({
      ...each,
      ...(each.baseline === undefined ? {} : { ratio: each.value / each.baseline.value }),
    })),
  };
  await writeFile(RESULTS, `${JSON.stringify(results, null, 2)}\n`);
}
process.exitCode = measurements.every(isKept) ? 0 : 1;
