import { setTimeout as delay } from 'node:timers/promises';
import { BailiffClient } from '@bailiff/client';
import { Owner, readSandbox, send, spareMembers } from '@bailiff/sandbox/visitor';
import { databaseUrl } from '@bailiff/supervisor/database-url';
import type { RunFile } from '@bailiff/supervisor/run-file';
import pg from 'pg';
import { median } from './figure.ts';

const CALLS = 40;
/** So far apart, bans and what follows them stay below the 50 requests a second that Discord allows a bot. */
const APART_MS = 150;
const WARM_UP = 10;

/** Milliseconds, p50 of each. */
export interface BanCosts {
  banMs: number;
  liftMs: number;
  readMs: number;
  /** The same request sent directly to the sandbox. */
  discordMs: number;
}

/**
 * The time of a ban from the request to the answer. Bans and lifts run one after the other. The budgets (6 calls, and 1
 * more each minute) are reset between the calls in the instance's database, outside the measured time.
 */
export async function measureBan(run: RunFile, directory: string): Promise<BanCosts> {
  const sandbox = run.sandbox ?? '';
  const owner = await Owner.signIn(run.web, run.people.owner ?? '');
  const token = await owner.mintWithWindow(run.guild_id, 'bench');
  const { guild } = await readSandbox(sandbox, run.guild_id);
  const members = spareMembers(guild, run.people);
  const memberOf = (call: number) => members[call % members.length] ?? '';
  const api = new BailiffClient({ url: run.web, token: token.secret, guildId: run.guild_id, maxAttempts: 1 });
  const pool = new pg.Pool({ connectionString: await databaseUrl(directory), max: 1 });

  const timed = async (
    status: number,
    call: () => Promise<{ status: number; body: unknown }>,
  ): Promise<number> => {
    await pool.query('DELETE FROM budgets');
    const startedAt = performance.now();
    const answer = await call();
    const ms = performance.now() - startedAt;
    if (answer.status !== status)
      throw new Error(`${answer.status}, and not ${status}, was answered: ${JSON.stringify(answer.body)}`);
    return ms;
  };
  const each = async (calls: number, measureOne: (call: number) => Promise<number>): Promise<number> => {
    const samples: number[] = [];
    for (let call = 0; call < WARM_UP + calls; call += 1) samples.push(await measureOne(call));
    return median(samples.slice(WARM_UP));
  };

  try {
    const lifts: number[] = [];
    const banMs = await each(CALLS, async (call) => {
      await delay(APART_MS);
      const userId = memberOf(call);
      const banned = await timed(201, () =>
        api.send('bans.add', {
          user_id: userId,
          reason: 'bench',
          _confirmation: `BAN USER ${userId} IN GUILD ${run.guild_id} PERMANENT`,
        }),
      );
      const lift = { userId, _confirmation: `UNBAN USER ${userId} IN GUILD ${run.guild_id}` };
      lifts.push(await timed(200, () => api.send('bans.lift', lift)));
      return banned;
    });
    const readMs = await each(CALLS, () => timed(200, () => api.send('me')));
    const discordMs = await each(CALLS, async (call) => {
      await delay(APART_MS);
      return timed(204, () =>
        send(`${sandbox}/api/v10/guilds/${run.guild_id}/bans/${memberOf(call)}`, {
          method: 'PUT',
          headers: { authorization: 'Bot sandbox-bot-token' },
          json: {},
        }),
      );
    });
    return { banMs, liftMs: median(lifts.slice(WARM_UP)), readMs, discordMs };
  } finally {
    await pool.end();
    await owner.revoke(token.id);
  }
}
