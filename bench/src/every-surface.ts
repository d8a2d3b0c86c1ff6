import { entryOf, exampleCall, OPERATION_NAMES, type RestOperation } from '@bailiff/core';
import { peopleWithCase } from '@bailiff/engine/cases/in-force';
import { CROWD } from '@bailiff/engine/testing-crowd';
import type { Database } from '@bailiff/prisma';
import { DASHBOARD_PAGES } from './dashboard-pages.ts';
import { type SeededDashboard, seedDesk } from './dashboard-seed.ts';
import { signInAs } from './dashboard-visitors.ts';
import { beginExport } from './exported.ts';
import { forgetSpending, type Web } from './web.ts';

const TYPED = ['', 'User', 'mem', 'zzz', CROWD.personId, CROWD.strangerId];
/** Fewer than the guild has in the smallest crowd. */
const ENTRIES_BEFORE = 1_000;
const NO_BOT = 503;
const PIECES = 5;
const SETTINGS = ['roles', 'escalation', 'reasons'];
/** The latest id of each kind in the crowd's first guild. They replace the ids in the examples of operations. */
const LATEST = `SELECT (SELECT max(id) FROM cases WHERE guild_id = $1 AND kind = 'strike') AS str,
  (SELECT max(id) FROM cases WHERE guild_id = $1 AND kind = 'warning') AS wrn,
  (SELECT max(id) FROM tickets WHERE guild_id = $1 AND status = 'open') AS tkt,
  (SELECT max(id) FROM actions WHERE guild_id = $1) AS act`;

/** Everything to ask for in the crowd's first guild, once. */
export async function everySurface(web: Web, db: Database, secret: string): Promise<() => Promise<void>> {
  const seeded = await seedDesk(web.pool, ENTRIES_BEFORE);
  const { guildId, ownerId } = seeded;
  const cookie = await signInAs(web.pool, ownerId);
  const calls = await callsOf(web, seeded, secret);
  return async () => {
    await forgetSpending(web.pool);
    for (const path of pathsOf(seeded)) await visit(web, path, { headers: { cookie } });
    await readExport(web, await beginExport(web, { guildId, cookie }), cookie);
    // Those that a bot performs are answered after a wait for it, so the next calls do not wait for their answers.
    const answers = [];
    for (const { path, ...call } of calls) {
      answers.push(visit(web, path, call));
      await forgetSpending(web.pool);
    }
    await Promise.all(answers);
    for (const kind of ['ban', 'mute'] as const)
      for (const text of TYPED) await peopleWithCase(db, guildId, kind, text);
  };
}

function pathsOf(seeded: SeededDashboard): string[] {
  const inGuild = `/guilds/${seeded.guildId}`;
  return [
    ...Object.values(DASHBOARD_PAGES).map(({ path }) => path(seeded)),
    ...SETTINGS.map((section) => `${inGuild}/settings/${section}`),
    ...TYPED.map((text) => `/api${inGuild}/people?known=only&query=${text}`),
    ...TYPED.map((text) => `${inGuild}/members?q=${text}`),
    `/api${inGuild}/state`,
  ];
}

/** The calls of the public API. Those that a bot performs are submitted only: there is none. */
async function callsOf(web: Web, { guildId, serverId }: SeededDashboard, token: string) {
  await web.pool.query(
    `INSERT INTO windows (token_id, guild_id, opened_by, expires_at)
     SELECT id, guild_id, issuer_id, now() + interval '1 hour' FROM tokens WHERE guild_id = $1`,
    [guildId],
  );
  const { rows } = await web.pool.query<Record<string, string>>(LATEST, [guildId]);
  const ids: Readonly<Record<string, string>> = { ...rows[0], srv: serverId };
  const withIds = (text: string) =>
    text.replace(/\b(str|wrn|tkt|act|srv)_[0-9a-f]{32}\b/g, (id, kind) => ids[kind] ?? id);
  return OPERATION_NAMES.filter((name): name is RestOperation => entryOf(name).http !== null).map((name) => {
    const { url, method, headers, body } = exampleCall(name, { origin: '', guildId, token });
    return {
      path: withIds(url),
      method,
      headers,
      ...(body === undefined ? {} : { body: withIds(JSON.stringify(body)) }),
    };
  });
}

/** The first pieces of an export, whose statements are all alike. */
async function readExport(web: Web, path: string, cookie: string): Promise<void> {
  const answer = await fetch(web.origin + path, { headers: { cookie } });
  if (answer.status !== 200 || answer.body === null) throw new Error(`${path} answered ${answer.status}.`);
  let left = PIECES;
  for await (const _piece of answer.body) {
    left -= 1;
    if (left === 0) break;
  }
}

async function visit(web: Web, path: string, init: RequestInit): Promise<void> {
  const answer = await fetch(web.origin + path, { ...init, redirect: 'manual' });
  await answer.text();
  if (answer.status >= 500 && answer.status !== NO_BOT) throw new Error(`${path} answered ${answer.status}.`);
}
