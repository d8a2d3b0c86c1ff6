// The public API: reads, writes and what stands beside them.
import { part } from '#src/figure.ts';

const MESSAGES = 'Messages between processes: the server with its database, and the caller.';

const RATE = 'Reads a second';
const atConnections = (size: number) => ({
  title: `${RATE} over ${size} ${size === 1 ? 'connection' : 'connections'}`,
  unit: '/s' as const,
  limits: 'One connection waits for each answer; many keep the processors busy.',
  point: { curve: RATE, by: 'connections' as const, size },
});

export const reads = part({
  title: 'Reads of the public API',
  how:
    '`GET /strikes?limit=10` with every check, limit, charge and audit row, over 16 connections from 1,000 guilds with ' +
    '200 strikes each. A bare `node:http` server with `pg` and two prepared statements, and an empty route handler of ' +
    'Next, run in turn with it.',
  deadlineSeconds: 240,
  figures: {
    bareRate: {
      title: '`node:http` and `pg`, two prepared statements',
      unit: '/s',
      limits: 'Two round trips a call.',
    },
    nextRate: {
      title: 'An empty route handler of Next',
      unit: '/s',
      limits: 'Next itself: no call to a database.',
    },
    perBare: {
      title: '`GET /strikes` ÷ `node:http` and `pg`',
      unit: '×',
      atLeast: 1.15,
      limits: 'The statement, its commit and its wake-up, of which one is needed for a batch of calls.',
    },
    perNext: {
      title: '`GET /strikes` ÷ the empty Next handler',
      unit: '×',
      atLeast: 2.2,
      limits:
        'The processors: 0.4 ms of one for an empty handler, 0.45 ms of both for a read and its caller.',
    },
    p99: {
      title: '`GET /strikes`, p99 at 16 connections',
      unit: 'ms',
      atMost: 15,
      limits: 'The wait for a batch.',
    },
    many: {
      title: '`GET /strikes`, p99 at 200 connections, none failed',
      unit: 'ms',
      atMost: 150,
      limits: 'The wait for a batch: 50 calls go together.',
    },
    rate1: atConnections(1),
    rate16: atConnections(16),
    rate200: atConnections(200),
  },
  prepare: async (directory) => (await import('#src/reads.ts')).prepareReads(directory),
  measure: async (directory) => {
    const rounds = await (await import('#src/reads.ts')).measureReads(directory);
    return {
      bareRate: rounds.map(({ bare }) => bare.requestsPerSecond),
      nextRate: rounds.map(({ next }) => next.requestsPerSecond),
      perBare: rounds.map(({ bailiff, bare }) => bailiff.requestsPerSecond / bare.requestsPerSecond),
      perNext: rounds.map(({ bailiff, next }) => bailiff.requestsPerSecond / next.requestsPerSecond),
      p99: rounds.map(({ bailiff }) => bailiff.p99),
      many: rounds.map(({ many }) => many.p99),
      rate1: rounds.map(({ one }) => one.requestsPerSecond),
      rate16: rounds.map(({ bailiff }) => bailiff.requestsPerSecond),
      rate200: rounds.map(({ many }) => many.requestsPerSecond),
    };
  },
});

const BESIDE_LIMITS = 'The processors are shared.';

export const hostile = part({
  title: 'A hostile guild',
  how:
    'Reads of 50 guilds, 100 a second: alone, and beside a guild with a fifth of all rows. First it has 32 calls under way ' +
    'without a pause, from as many IPv6 networks as it likes: filtered lists, long pages and wrong tokens, with a budget ' +
    'that is refilled twice a second. Then three of its people export its audit log without a pause.',
  deadlineSeconds: 200,
  figures: {
    alone: { title: 'Reads of the other guilds, alone (p95)', unit: 'ms', limits: MESSAGES },
    beside: { title: 'Reads of the other guilds, beside its calls (p95)', unit: 'ms', limits: BESIDE_LIMITS },
    ratio: {
      title: 'Beside its calls ÷ alone (p95)',
      unit: '×',
      atMost: 1.5,
      limits: `${BESIDE_LIMITS} One slow read of a guild runs at a time, and its refusals are paced.`,
    },
    besideExports: {
      title: 'Reads of the other guilds, beside its exports (p95)',
      unit: 'ms',
      limits: BESIDE_LIMITS,
    },
    exportsRatio: {
      title: 'Beside its exports ÷ alone (p95)',
      unit: '×',
      atMost: 1.5,
      limits: 'One step of one export runs at a time, and exports rest 24 times as long as it took.',
    },
    failed: {
      title: 'Reads that failed',
      unit: '',
      atMost: 0,
      limits: 'Places in each batch are dealt in turn, and exports take turns apart from calls.',
    },
    hostile: {
      title: 'Answers to the hostile guild',
      unit: '/s',
      limits: 'Its budgets, and ten milliseconds for each refusal.',
    },
    exported: { title: 'Rows that it is sent while it exports', unit: '/s', limits: 'The rests.' },
  },
  prepare: async (directory) => (await import('#src/hostile.ts')).prepareNeighbours(directory),
  measure: async (directory) => {
    const { alone, beside, sent, failed } = await (await import('#src/hostile.ts')).measureNeighbours(
      directory,
    );
    const ratio = (times: readonly number[]) => times.map((ms, round) => ms / (alone[round] ?? Number.NaN));
    return {
      alone,
      beside: beside.calling,
      ratio: ratio(beside.calling),
      besideExports: beside.exporting,
      exportsRatio: ratio(beside.exporting),
      failed,
      hostile: sent.calling,
      exported: sent.exporting,
    };
  },
});

export const ban = part({
  title: 'A ban, from end to end',
  how: 'Bans and lifts over the API, one after the other, in the running product with the sandbox as Discord.',
  deadlineSeconds: 120,
  figures: {
    ban: {
      title: 'Ban, request to answer (p50)',
      unit: 'ms',
      atMost: 40,
      limits: 'Two requests to Discord, submission and settlement, and two hand-overs between processes.',
    },
    lift: {
      title: 'Lifting a ban, request to answer (p50)',
      unit: 'ms',
      limits: 'One request to Discord less.',
    },
    me: { title: '`GET /me`, request to answer (p50)', unit: 'ms', limits: MESSAGES },
    discord: { title: 'One request to the sandbox alone (p50)', unit: 'ms', limits: 'The sandbox.' },
    hop: {
      title: 'The queue alone: add, perform, NOTIFY (p50)',
      unit: 'ms',
      limits: 'Two messages and two commits.',
    },
  },
  measure: async () => {
    const [{ inProduct }, { measureBan }, { measureHopOn }, { databaseUrl }] = await Promise.all([
      import('#src/product.ts'),
      import('#src/ban.ts'),
      import('#src/hop.ts'),
      import('@bailiff/supervisor/database-url'),
    ]);
    return inProduct(async ({ run }, directory) => {
      const hop = await measureHopOn(await databaseUrl(directory));
      const { banMs, liftMs, readMs, discordMs } = await measureBan(run, directory);
      return { ban: banMs, lift: liftMs, me: readMs, discord: discordMs, hop };
    });
  },
});

export const submit = part({
  title: 'A ban without Discord',
  how: 'In turn: bans in 30 guilds with a Discord that answers at once, empty jobs, and requests to an empty handler.',
  deadlineSeconds: 180,
  figures: {
    ban: {
      title: 'Ban, request to answer (p50)',
      unit: 'ms',
      atMost: 12,
      limits: 'Submission, claim and settlement, each of which waits for the disk.',
    },
    hop: {
      title: 'The queue alone: add, perform, NOTIFY (p50)',
      unit: 'ms',
      limits: 'Two messages and two commits.',
    },
    http: {
      title: 'One HTTP round trip to an empty handler (p50)',
      unit: 'ms',
      limits: 'A message in each direction.',
    },
    ratio: {
      title: 'Ban ÷ the queue and the round trip',
      unit: '×',
      atMost: 3,
      limits: 'It waits for the disk three times, and an empty job twice.',
    },
    bans: {
      title: 'Bans, 20 at a time from 20 guilds',
      unit: '/s',
      limits: 'The processors: each ban is several statements and two hand-overs.',
    },
    hops: {
      title: 'Empty jobs, 20 at a time',
      unit: '/s',
      limits: 'PostgreSQL.',
    },
    throughput: {
      title: 'Such bans ÷ such jobs',
      unit: '×',
      atLeast: 0.25,
      limits: 'As above.',
    },
  },
  measure: async () => {
    const rounds = await (await import('#src/submit.ts')).measureSubmit();
    return {
      ban: rounds.map(({ banMs }) => banMs),
      hop: rounds.map(({ hopMs }) => hopMs),
      http: rounds.map(({ httpMs }) => httpMs),
      ratio: rounds.map(({ banMs, hopMs, httpMs }) => banMs / (hopMs + httpMs)),
      bans: rounds.map(({ bansPerSecond }) => bansPerSecond),
      hops: rounds.map(({ hopsPerSecond }) => hopsPerSecond),
      throughput: rounds.map(({ bansPerSecond, hopsPerSecond }) => bansPerSecond / hopsPerSecond),
    };
  },
});

export const mcp = part({
  title: 'The local MCP process',
  how: 'Starts of the process until its first list of tools, and `whoami` over MCP in turn with `GET /me` over REST.',
  deadlineSeconds: 120,
  figures: {
    start: {
      title: 'Start to the first `tools/list`',
      unit: 'ms',
      atMost: 400,
      limits: 'Loading Node and the bundle.',
    },
    tool: { title: '`whoami` over MCP', unit: 'ms', limits: 'The call that it makes.' },
    rest: { title: '`GET /me` over REST', unit: 'ms', limits: MESSAGES },
    adds: {
      title: 'What MCP adds to a call (p50)',
      unit: 'ms',
      atMost: 5,
      limits: 'Two lines of JSON through pipes.',
    },
  },
  measure: async () => {
    const [{ inProduct }, { measureMcp }] = await Promise.all([
      import('#src/product.ts'),
      import('#src/mcp.ts'),
    ]);
    const { starts, tools, rests } = await inProduct(({ run }, directory) => measureMcp(run, directory));
    return {
      start: starts,
      tool: tools,
      rest: rests,
      adds: tools.map((tool, round) => tool - (rests[round] ?? 0)),
    };
  },
});
