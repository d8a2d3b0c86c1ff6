import { signInAs } from './dashboard-visitors.ts';
import { residentMb } from './processes.ts';
import { seedGuilds } from './seed.ts';
import { startWeb, type Web } from './web.ts';

const CASES = 100_000;
/** As the page sends them (apps/web/src/import-file.ts). */
const MOST_ROWS = 500;
const MOST_CHARACTERS = 60_000;
const SAMPLE_MS = 50;

export interface ImportCosts {
  readonly seconds: number;
  /** Megabytes by which the web process grows meanwhile. */
  readonly growthMb: number;
  /** The longest that one step takes, in milliseconds: other writes of the guild wait for it. */
  readonly longestStepMs: number;
}

/** Imports cases of as many people as the owner's browser does, step by step. */
export async function measureImport(): Promise<ImportCosts> {
  const web = await startWeb();
  try {
    await seedGuilds(web.pool, 1);
    const { rows } = await web.pool.query<{ id: string; owner_id: string }>(
      'SELECT id, owner_id FROM guilds',
    );
    const [guild] = rows;
    if (guild === undefined) throw new Error('There is no guild.');
    const headers = await headersOf(web, guild.owner_id);
    const imports = `${web.origin}/api/guilds/${guild.id}/imports`;
    const begun = await ask(imports, headers, { source: 'bailiff', file_name: 'bench.jsonl', file_size: 1 });
    const before = await residentMb(web.pid);
    let most = before;
    const watching = setInterval(async () => {
      most = Math.max(most, await residentMb(web.pid));
    }, SAMPLE_MS);
    const startedAt = performance.now();
    let longestStepMs = 0;
    for (const step of steps(guild.owner_id)) {
      const stepAt = performance.now();
      const { fates } = await ask(`${imports}/${begun.import_id}/rows`, headers, { rows: step });
      if (fates?.some(({ fate }) => fate !== 'new')) throw new Error('A row did not come.');
      longestStepMs = Math.max(longestStepMs, performance.now() - stepAt);
    }
    const seconds = (performance.now() - startedAt) / 1000;
    clearInterval(watching);
    const { rows: came } = await web.pool.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM cases',
    );
    if (came[0]?.count !== CASES) throw new Error(`${came[0]?.count} cases came.`);
    return { seconds, growthMb: most - before, longestStepMs };
  } finally {
    await web.stop();
  }
}

async function headersOf({ pool, origin }: Web, ownerId: string): Promise<Record<string, string>> {
  const cookie = await signInAs(pool, ownerId);
  return { cookie, origin, 'content-type': 'application/json' };
}

/** Cases of 20,000 people, as an archive has them. */
function* steps(issuedBy: string): Generator<object[]> {
  let step: object[] = [];
  let characters = 0;
  for (let n = 0; n < CASES; n += 1) {
    const row = {
      type: 'case',
      id: `case-${n}`,
      kind: n % 5 === 0 ? 'ban' : 'warning',
      user_id: String(700_000_000_000_000_000n + BigInt(n % 20_000)),
      reason: `Griefing in the market square, case ${n}`,
      issued_by: issuedBy,
      issued_at: new Date(Date.UTC(2024, 0, 1) + n * 60_000).toISOString(),
    };
    const size = JSON.stringify(row).length;
    if (step.length === MOST_ROWS || characters + size > MOST_CHARACTERS) {
      yield step;
      [step, characters] = [[], 0];
    }
    step.push(row);
    characters += size;
  }
  yield step;
}

interface Answer {
  readonly import_id?: string;
  readonly fates?: readonly { readonly fate: string }[];
}

async function ask(url: string, headers: Record<string, string>, body: object): Promise<Answer> {
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as Answer;
}
