import { rm } from 'node:fs/promises';
import { CAPABILITIES } from '@bailiff/core';
import { requireRotation } from '@bailiff/engine/tokens/rotation';
import { openDatabase } from '@bailiff/prisma';
import pg from 'pg';
import { makeDirectory } from './directory.ts';
import { startServer } from './server.ts';
import { forgiveEnds } from './web.ts';

/** A guild has so many tokens, and one token in so many is due. */
const TOKENS_EACH = 20;
const ONE_IN = 100;
const TURNS = 3;
const SAMPLE_MS = 20;

export interface NightlyCosts {
  /** Milliseconds of the UPDATE, in each turn. */
  readonly update: number[];
  /** The job ÷ the UPDATE. */
  readonly ratio: number[];
  /** Megabytes by which the process grew while the job ran. */
  readonly memory: number[];
}

/**
 * The nightly job that marks tokens which are 180 days old, and a single UPDATE of the same tokens, run alternately.
 */
export async function measureNightly(tokens: number): Promise<NightlyCosts> {
  const directory = await makeDirectory();
  const server = await startServer(directory);
  const db = openDatabase(server.url, { applicationName: 'bailiff bench', max: 2 });
  // The job's own connections have a statement timeout, and seeding takes longer.
  const patient = new pg.Pool({ connectionString: server.url, max: 1 });
  forgiveEnds(patient);
  try {
    const due = tokens / ONE_IN;
    await seed(patient, tokens);
    const costs: NightlyCosts = { update: [], ratio: [], memory: [] };
    for (let turn = 0; turn < TURNS; turn += 1) {
      const updateMs = await timed(() => updateAtOnce(patient, due));
      await undo(patient);
      const watch = watchMemory();
      const jobMs = await timed(async () => {
        const { required } = await requireRotation(db);
        if (required !== due) throw new Error(`The job marked ${required} tokens, not ${due}`);
      });
      costs.memory.push(watch.stop());
      costs.update.push(updateMs);
      costs.ratio.push(jobMs / updateMs);
      await undo(patient);
    }
    return costs;
  } finally {
    await Promise.all([db.close(), patient.end()]);
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

async function seed(pool: pg.Pool, tokens: number): Promise<void> {
  await pool.query(
    `INSERT INTO guilds (id, name, owner_id, tier, mirrored_at)
     SELECT 200000000000000000 + n, 'Guild ' || n, 300000000000000000 + n, 'pro', now() FROM generate_series(1, $1) AS n`,
    [tokens / TOKENS_EACH],
  );
  // The tokens that are due are spread over the table, as they would be.
  await pool.query(
    `INSERT INTO tokens (guild_id, issuer_id, name, kind, secret_hash, secret_last_four, capabilities, created_at)
     SELECT 200000000000000001 + n % $2, 300000000000000001 + n % $2, 'bench', 'rest', sha256(n::text::bytea), 'xxxx', $4,
            now() - CASE WHEN n % $3::int = 0 THEN interval '200 days' ELSE make_interval(days => n % 179) END
     FROM generate_series(1, $1::int) AS n`,
    [tokens, tokens / TOKENS_EACH, ONE_IN, CAPABILITIES],
  );
  await pool.query('VACUUM ANALYZE');
}

async function updateAtOnce(pool: pg.Pool, due: number): Promise<void> {
  const { rowCount } = await pool.query(
    `UPDATE tokens SET rotation_required_at = clock_timestamp()
     WHERE coalesce(rotated_at, created_at) <= now() - interval '180 days'
       AND rotation_required_at IS NULL AND revoked_at IS NULL`,
  );
  if (rowCount !== due) throw new Error(`The UPDATE marked ${rowCount} tokens, not ${due}`);
}

/** Both start with the same table. */
async function undo(pool: pg.Pool): Promise<void> {
  await pool.query('UPDATE tokens SET rotation_required_at = NULL WHERE rotation_required_at IS NOT NULL');
  await pool.query('VACUUM tokens');
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

function watchMemory(): { stop(): number } {
  const before = process.memoryUsage.rss();
  let most = before;
  const look = () => {
    most = Math.max(most, process.memoryUsage.rss());
  };
  const looking = setInterval(look, SAMPLE_MS);
  return {
    stop: () => {
      clearInterval(looking);
      look();
      return (most - before) / 2 ** 20;
    },
  };
}
