import { join } from 'node:path';
import { median } from './figure.ts';
import { measureHopOn } from './hop.ts';
import { seedGuilds } from './seed.ts';
import { endAll, readsOf, startProgram, startWeb } from './web.ts';

const PORT = 4805;
const CALLS = 200;
const WARM_UP = 30;

/** Milliseconds, p50. */
export interface SubmitCosts {
  readonly banMs: number;
  /** An empty job that is added, run, and whose end is announced, on the same database server. */
  readonly hopMs: number;
}

/**
 * The time of a ban from the request to the answer, with a fake Discord that answers immediately, and the time of the
 * queue alone, measured alternately.
 */
export async function measureSubmit(): Promise<SubmitCosts> {
  const web = await startWeb(PORT);
  const bot = await startProgram(join(import.meta.dirname, 'instant-bot.ts'), {
    DATABASE_URL: web.databaseUrl,
  });
  try {
    const [token] = await seedGuilds(web.pool, 1);
    if (token === undefined) throw new Error('No guild was seeded');
    await web.pool.query(
      `INSERT INTO members (guild_id, user_id, username, display_name, role_ids)
       VALUES ($1, '100000000000000000', 'bailiff', 'Bailiff', '{}')`,
      [token.guildId],
    );
    await web.pool.query('UPDATE roles SET permissions = 8');
    await web.pool.query(
      "UPDATE members SET role_ids = ARRAY[(guild_id::bigint + 50000000000000000)::text] WHERE user_id = '100000000000000000'",
    );
    await web.pool.query(
      `INSERT INTO windows (token_id, guild_id, opened_by, expires_at)
       SELECT id, guild_id, issuer_id, now() + interval '1 hour' FROM tokens`,
    );
    const [request] = readsOf([token], '/bans');
    const ban = async (call: number): Promise<number> => {
      await web.pool.query('DELETE FROM budgets');
      const userId = String(500_000_000_000_000_000n + BigInt(call));
      const startedAt = performance.now();
      const answer = await fetch(`${web.origin}${request?.path}`, {
        method: 'POST',
        headers: { ...request?.headers, 'content-type': 'application/json' },
        body: JSON.stringify({
          user_id: userId,
          reason: 'bench',
          _confirmation: `BAN USER ${userId} IN GUILD ${token.guildId} PERMANENT`,
        }),
      });
      const body = await answer.text();
      const ms = performance.now() - startedAt;
      if (answer.status !== 201) throw new Error(`The ban was answered ${answer.status}: ${body}`);
      return ms;
    };
    const samples: number[] = [];
    for (let call = 0; call < WARM_UP + CALLS; call += 1) samples.push(await ban(call));
    return { banMs: median(samples.slice(WARM_UP)), hopMs: await measureHopOn(web.databaseUrl) };
  } finally {
    await endAll([bot]);
    await web.stop();
  }
}
