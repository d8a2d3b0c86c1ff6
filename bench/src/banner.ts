import type pg from 'pg';
import { timesOf } from './hop.ts';
import { type SeededToken, seedGuilds } from './seed.ts';
import { readsOf, type Web } from './web.ts';

/** So many that no guild's own pace is part of the figures. */
export const GUILDS = 30;
/** At a time, each in a guild of its own. */
const CALLERS = 20;
/** What each of the callers does at once: less than a guild's pace and a budget allow. */
export const BANS_EACH = 5;

/** How often a second the work is done, if each caller does it so often. */
export async function perSecond(each: number, work: (caller: number) => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: CALLERS }, (_, caller) => timesOf(each, () => work(caller))));
  return (CALLERS * each * 1000) / (performance.now() - startedAt);
}

export interface Banner {
  /** Bans somebody who was not banned yet. */
  once(guild: number): Promise<void>;
  /** Sends the same request elsewhere. */
  send(origin: string, guild: number): Promise<unknown>;
}

/** Lets tokens of {@link GUILDS} guilds ban, and bans with them over the web process. */
export async function banner(web: Web): Promise<Banner> {
  const tokens = await seedGuilds(web.pool, GUILDS);
  await letBan(web.pool);
  const requests = readsOf(tokens, '/bans');
  let last = 500_000_000_000_000_000n;
  const send = (origin: string, guild: number): Promise<Response> => {
    const { guildId } = tokens[guild] as SeededToken;
    const userId = String(last);
    return fetch(`${origin}${requests[guild]?.path}`, {
      method: 'POST',
      headers: { ...requests[guild]?.headers, 'content-type': 'application/json' },
      body: JSON.stringify({
        user_id: userId,
        reason: 'bench',
        _confirmation: `BAN USER ${userId} IN GUILD ${guildId} PERMANENT`,
      }),
    });
  };
  return {
    send: async (origin, guild) => {
      await (await send(origin, guild)).text();
    },
    once: async (guild) => {
      last += 1n;
      const answer = await send(web.origin, guild);
      const body = await answer.text();
      if (answer.status !== 201) throw new Error(`The ban was answered ${answer.status}: ${body}`);
    },
  };
}

/** Makes the bot an administrator of each guild, and opens a window for each token. */
async function letBan(pool: pg.Pool): Promise<void> {
  await pool.query(
    `INSERT INTO members (guild_id, user_id, username, display_name, role_ids)
     SELECT id, '100000000000000000', 'bailiff', 'Bailiff', ARRAY[(id::bigint + 50000000000000000)::text] FROM guilds`,
  );
  await pool.query('UPDATE roles SET permissions = 8');
  await pool.query(
    `INSERT INTO windows (token_id, guild_id, opened_by, expires_at)
     SELECT id, guild_id, issuer_id, now() + interval '1 hour' FROM tokens`,
  );
}
