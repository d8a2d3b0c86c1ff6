import { setTimeout as delay } from 'node:timers/promises';
import { CROWD, seedCrowd } from '@bailiff/engine/testing-crowd';
import { startExporting } from './exporting.ts';
import { percentile } from './figure.ts';
import { prepareDatabase, preparedIn } from './prepared-database.ts';
import { type SeededToken, seedGuilds } from './seed.ts';
import { forgetSpending, readsOf, startWeb, type Web } from './web.ts';

const GUILDS = 51;
const SIZE = { guilds: GUILDS, cases: 60_000, auditRows: 200_000, nth: 5 };
const ROUNDS = 3;
const ROUND_SECONDS = 3;
const READS_PER_SECOND = 100;
/** How many calls the hostile guild has under way. */
const HOSTILE_AT_ONCE = 32;
const REFILL_MS = 500;

/** What a guild that takes what it can costs fifty others, in each round. */
export interface NeighbourCosts {
  /** The p95 of their reads in milliseconds, alone, and beside that guild. */
  readonly alone: number[];
  readonly beside: Readonly<Record<keyof typeof NEIGHBOURS, number[]>>;
  /** What that guild was sent in a second. */
  readonly sent: Readonly<Record<keyof typeof NEIGHBOURS, number[]>>;
  /** Reads that were not answered 200, of all rounds. */
  readonly failed: number;
}

type Requests = ReturnType<typeof readsOf>;

/** Begins what the guild does. What it returns ends that, and tells what the guild was sent in a second. */
type Neighbour = (web: Web, secret: string) => Promise<() => Promise<number>>;

/** Makes fifty guilds and the one with the most rows. */
export function prepareNeighbours(directory: string): Promise<void> {
  return prepareDatabase(directory, async (pool) => {
    const tokens = await seedGuilds(pool, GUILDS);
    await seedCrowd(pool, SIZE);
    return tokens;
  });
}

/** Reads of fifty guilds at a steady pace, alone and beside each thing that the guild with the most rows does, in turn. */
export async function measureNeighbours(directory: string): Promise<NeighbourCosts> {
  const tokens = await preparedIn<SeededToken[]>(directory);
  const web = await startWeb({ directory });
  try {
    // The first guild has the most rows.
    const others = readsOf(tokens.slice(1), '/strikes?limit=10');
    const secret = tokens[0]?.secret ?? '';
    const costs = {
      alone: [] as number[],
      beside: { calling: [] as number[], exporting: [] as number[] },
      sent: { calling: [] as number[], exporting: [] as number[] },
      failed: 0,
    };
    const reads = async (): Promise<number> => {
      const took = await readSteadily(web, others);
      costs.failed += took.filter((ms) => ms === null).length;
      return percentile(
        took.filter((ms) => ms !== null),
        0.95,
      );
    };
    await reads(); // a warm-up
    for (let round = 0; round < ROUNDS; round += 1) {
      await forgetSpending(web.pool);
      costs.alone.push(await reads());
      for (const [what, start] of Object.entries(NEIGHBOURS) as [keyof typeof NEIGHBOURS, Neighbour][]) {
        await forgetSpending(web.pool);
        const end = await start(web, secret);
        await delay(1_000);
        costs.beside[what].push(await reads());
        costs.sent[what].push(await end());
      }
    }
    return costs;
  } finally {
    await web.stop();
  }
}

/** Reads at a steady pace, each of the next guild. Returns the milliseconds of each, or null if it failed. */
async function readSteadily(web: Web, requests: Requests): Promise<(number | null)[]> {
  const reads: Promise<number | null>[] = [];
  for (let read = 0; read < ROUND_SECONDS * READS_PER_SECOND; read += 1) {
    const request = requests[read % requests.length];
    if (request === undefined) throw new Error('There are no guilds.');
    const startedAt = performance.now();
    reads.push(
      statusOf(web, request.path, request.headers).then((status) =>
        status === 200 ? performance.now() - startedAt : null,
      ),
    );
    await delay(1000 / READS_PER_SECOND);
  }
  return Promise.all(reads);
}

async function statusOf(
  web: Web,
  path: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal | null = null,
): Promise<number> {
  return fetch(web.origin + path, { headers: { ...headers }, signal }).then(
    async (answer) => {
      await answer.arrayBuffer();
      return answer.status;
    },
    () => 0,
  );
}

/** Lists with filters, pages far down, and calls that are refused, each from an address of its own. */
const HOSTILE_PATHS = [
  `/audit?actor_source=chat&target=${CROWD.strangerId}`,
  '/strikes?active=false',
  `/strikes?user_id=${CROWD.notoriousId}&severity=major`,
  '/audit?action=roles.grant&limit=100',
  '/tickets?status=claimed',
  '/servers',
  '/bans?limit=1000',
];

/** Fills the hostile guild's budgets row by row: requests under way lock several of them. */
async function refill({ pool }: Web): Promise<void> {
  const { rows } = await pool.query<{ holder_id: string }>(
    'SELECT holder_id FROM budgets WHERE guild_id = $1',
    [CROWD.guildId],
  );
  for (const { holder_id } of rows)
    await pool.query('DELETE FROM budgets WHERE guild_id = $1 AND holder_id = $2', [
      CROWD.guildId,
      holder_id,
    ]);
}

/** A guild that sends as many calls as it can. It is sent so many answers. */
async function startCalling(web: Web, secret: string): Promise<() => Promise<number>> {
  const startedAt = performance.now();
  const over = new AbortController();
  let sent = 0;
  const worker = async () => {
    while (!over.signal.aborted) {
      sent += 1;
      const path = HOSTILE_PATHS[sent % HOSTILE_PATHS.length];
      const headers = {
        authorization: `Bearer ${sent % 5 === 0 ? `${secret}x` : secret}`,
        'x-forwarded-for': `2001:db8:${(sent % 65_536).toString(16)}::1`,
      };
      await statusOf(web, `/api/public/v1/guilds/${CROWD.guildId}${path}`, headers, over.signal);
    }
  };
  const workers = Array.from({ length: HOSTILE_AT_ONCE }, worker);
  // Otherwise its budget would soon keep it from the database.
  const refilling = setInterval(() => void refill(web).catch(() => {}), REFILL_MS);
  return async () => {
    over.abort();
    clearInterval(refilling);
    await Promise.all(workers);
    return sent / ((performance.now() - startedAt) / 1000);
  };
}

const NEIGHBOURS = { calling: startCalling, exporting: startExporting };
