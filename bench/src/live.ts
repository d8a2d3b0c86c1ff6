import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Counter } from '@bailiff/engine/testing-round-trips';
import type pg from 'pg';
import type { SeededDashboard } from './dashboard-seed.ts';
import { makeChange, signInAs } from './dashboard-visitors.ts';
import { median } from './figure.ts';
import { residentMb } from './processes.ts';
import type { Web } from './web.ts';

const PAGES = 200;
const PEOPLE = 20;
const CHANGES = 25;
/** A pause that is longer than the time in which changes are grouped. */
const APART_MS = 400;

export interface LiveCosts {
  /** Megabytes by which the web process grows with 200 open pages. */
  readonly grownMb: number;
  /** Round trips to the database for one change, whoever makes them; each page would add one or more. */
  readonly tripsPerChange: number;
  /** From the commit of a change until the last page has it; p50 and the slowest. */
  readonly shownMs: number;
  readonly slowestMs: number;
}

/** Measures 200 open pages of 20 people while changes happen one after the other. */
export async function measureLive(
  web: Web,
  { guildId, ownerId }: SeededDashboard,
  counter: Counter,
): Promise<LiveCosts> {
  const people = [ownerId, ...(await addModerators(web.pool, guildId, PEOPLE - 1))];
  const cookies = await Promise.all(people.map((userId) => signInAs(web.pool, userId)));
  await delay(2_000);
  const before = await residentMb(web.pid);
  const pages: OpenPage[] = [];
  for (let n = 0; n < PAGES; n += 1)
    pages.push(await openPage(web, guildId, cookies[n % cookies.length] ?? ''));
  const tripsAtFirst = counter.count();
  const samples: number[] = [];
  let grown = 0;
  for (let change = 0; change < CHANGES; change += 1) {
    const id = await makeChange(web.pool, guildId);
    const startedAt = performance.now();
    await Promise.all(pages.map((page) => page.shows(id)));
    samples.push(performance.now() - startedAt);
    grown = Math.max(grown, (await residentMb(web.pid)) - before);
    await delay(APART_MS);
  }
  const trips = counter.count() - tripsAtFirst;
  for (const page of pages) page.close();
  return {
    grownMb: grown,
    tripsPerChange: trips / CHANGES,
    shownMs: median(samples),
    slowestMs: Math.max(...samples),
  };
}

/** Adds people who may read the audit log of a guild. Returns their ids. */
async function addModerators(pool: pg.Pool, guildId: string, count: number): Promise<string[]> {
  const roleId = '700000000000000001';
  await pool.query(
    `WITH granted AS (
       INSERT INTO role_grants (guild_id, role_id, capabilities, granted_by)
       VALUES ($1, $2, ARRAY['audit.read'], 'bench')
     )
     INSERT INTO roles (guild_id, id, name, position, permissions) VALUES ($1, $2, 'Moderators', 1, 0)`,
    [guildId, roleId],
  );
  const { rows } = await pool.query<{ user_id: string }>(
    `INSERT INTO members (guild_id, user_id, username, display_name, role_ids)
     SELECT $1, 710000000000000000 + n, 'moderator' || n, 'Moderator ' || n, ARRAY[$2]
     FROM generate_series(1, $3::int) AS n
     RETURNING user_id`,
    [guildId, roleId, count],
  );
  return rows.map(({ user_id }) => user_id);
}

interface OpenPage {
  shows(id: string): Promise<void>;
  close(): void;
}

async function openPage(web: Web, guildId: string, cookie: string): Promise<OpenPage> {
  const request = get(`${web.origin}/api/guilds/${guildId}/events?age=0`, {
    headers: { cookie },
    agent: false,
  });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`An event stream answered ${response.statusCode}`);
  let heard = '';
  let waiting: { id: string; resolve: () => void } | undefined;
  response.setEncoding('utf8').on('data', (text: string) => {
    heard = (heard + text).slice(-4_000);
    if (waiting !== undefined && heard.includes(waiting.id)) waiting.resolve();
  });
  return {
    shows: (id) =>
      new Promise((resolve) => {
        if (heard.includes(id)) resolve();
        else waiting = { id, resolve };
      }),
    close: () => request.destroy(),
  };
}
