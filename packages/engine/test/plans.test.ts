import type { OutputOf } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import type { Database } from '@bailiff/prisma';
import { createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { auditEntries, listAuditLog } from '#src/audit/audit-log.ts';
import { readForPage } from '#src/calls/read-call.ts';
import { listCases } from '#src/cases/case-list.ts';
import { claimNoticeBefore } from '#src/cases/case-notices.ts';
import { searchPeople } from '#src/guilds/people-search.ts';
import { CROWD, seedCrowd } from '#src/testing-crowd.ts';
import {
  CROWD_VIEWER,
  dashboardLists,
  type ListOfCrowd,
  publicLists,
  suggestions,
} from '#src/testing-lists.ts';

// No statement of a list may look at many more rows than a page needs, however rare the values are that are asked for:
// one guild's long history would slow everybody down. The bench `tenants` measures the times in a large database.

const GUILDS = 20;
const CASES = 24_000;
const AUDIT_ROWS = 40_000;
const RARE_TARGET = '400000000000999999';
/**
 * More than any public list looks at for a page, and less than the first guild has. The dashboard's list of cases reads
 * eight indexes for a page of all kinds.
 */
const MOST_ROWS = { public: 2_500, dashboard: 6_500 };

let test: TestDatabase;
let client: pg.PoolClient;

beforeAll(async () => {
  test = await createTestDatabase();
  const { pool } = test.database;
  await pool.query(`INSERT INTO guilds (id, name, owner_id, tier, mirrored_at, grants_confirmed_at)
    SELECT 200000000000000000 + n, 'Guild ' || n, 300000000000000000 + n, 'pro', now(), now()
    FROM generate_series(1, ${GUILDS}) AS n`);
  await seedCrowd(pool, { guilds: GUILDS, cases: CASES, auditRows: AUDIT_ROWS, nth: 2 });
  client = await pool.connect();
  // As the planner sees a large table in memory. A small one it would rather read whole.
  await client.query('SET enable_seqscan = off; SET random_page_cost = 1.1');
});

afterAll(async () => {
  client?.release();
  await test?.drop();
});

/** A statement with its values, as it is sent. */
interface Sent {
  readonly what: string;
  readonly text: string;
  readonly values: readonly unknown[];
  /** Whether it is sent with a name, so that a connection keeps its plan. */
  readonly isPrepared: boolean;
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** How many rows the scans of a plan came across. */
function rowsOf(node: PlanNode): number {
  const own = node['Node Type'].includes('Scan') && !/CTE|Subquery|Function/.test(node['Node Type']);
  const each =
    node['Actual Rows'] +
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0);
  const below = (node.Plans ?? []).map(rowsOf);
  return below.reduce((sum, rows) => sum + rows, own ? each * node['Actual Loops'] : 0);
}

/** The indexes that a plan reads. */
function indexesIn(node: PlanNode): string[] {
  const below = (node.Plans ?? []).flatMap(indexesIn);
  return node['Index Name'] === undefined ? below : [node['Index Name'], ...below];
}

const asLiteral = (value: unknown): string => {
  if (value === null) return 'NULL';
  if (Array.isArray(value)) return `ARRAY[${value.map(asLiteral).join(', ')}]::text[]`;
  return pg.escapeLiteral(value instanceof Date ? value.toISOString() : String(value));
};

/**
 * What these statements do that no statement may do: run over more than so many rows. Each is run with a plan
 * for its values and with one for any values, which a connection uses sooner or later for what it prepares.
 */
async function flawsOf(
  statements: readonly Sent[],
  most: number,
  plans: readonly ('custom' | 'generic')[],
): Promise<string[]> {
  const flaws: string[] = [];
  for (const { what, text, values, isPrepared } of statements) {
    await client.query(`PREPARE planned AS ${text}`);
    for (const plan of plans) {
      if (plan === 'generic' && !isPrepared) continue;
      await client.query(`SET plan_cache_mode = force_${plan}_plan`);
      const given = values.length === 0 ? '' : `(${values.map(asLiteral).join(', ')})`;
      const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
        `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) EXECUTE planned${given}`,
      );
      const seen = rowsOf((rows[0] as (typeof rows)[number])['QUERY PLAN'][0].Plan);
      if (seen > most) flaws.push(`${what} (${plan} plan) ran over ${seen} rows`);
    }
    await client.query('DEALLOCATE planned');
  }
  return flaws;
}

/** What a list sends when it really runs. */
async function sentBy({ what, run }: ListOfCrowd): Promise<Sent[]> {
  const sent: Sent[] = [];
  const { pool } = test.database;
  const recording = new Proxy(pool, {
    get: (of, name) =>
      name === 'query'
        ? (query: { name?: string; text: string; values: unknown[] }) => {
            const { name: prepared, text, values } = query;
            sent.push({ what, text, values, isPrepared: prepared !== undefined });
            return of.query(query);
          }
        : Reflect.get(of, name),
  });
  await run({ ...test.database, pool: recording });
  return sent;
}

async function flawsOfLists(
  lists: readonly ListOfCrowd[],
  most: number,
  plans: readonly ('custom' | 'generic')[],
): Promise<string[]> {
  const statements: Sent[] = [];
  for (const list of lists) statements.push(...(await sentBy(list)));
  return flawsOf(statements, most, plans);
}

it('a public list runs over few rows with each of its filters, alone and with another', async () => {
  verifies('lists.few-rows');
  const lists = publicLists();
  expect(lists.length).toBeGreaterThan(150);
  expect(await flawsOfLists(lists, MOST_ROWS.public, ['custom', 'generic'])).toEqual([]);
});

it('a list of the dashboard runs over few rows with each of its filters, alone and with another', async () => {
  verifies('lists.few-rows');
  expect(await flawsOfLists(dashboardLists(), MOST_ROWS.dashboard, ['custom', 'generic'])).toEqual([]);
});

it('what chat suggests runs over few rows, however few fit', async () => {
  verifies('lists.few-rows');
  expect(await flawsOfLists(suggestions(), MOST_ROWS.dashboard, ['custom', 'generic'])).toEqual([]);
});

it('the message before a rare sanction does not look through all that was ever done in the guild', async () => {
  verifies('lists.few-rows');
  const { rows } = await client.query<{ id: string; actions: number }>(
    `INSERT INTO actions (guild_id, operation, input, digest, target_type, target_id, state, actor_source, actor_user_id,
       request_id, claim_by)
     VALUES ($1, 'members.kick', '{}', 'rare', 'user', $2, 'running', 'chat', $3, 'req_rare', now() + interval '1 minute')
     RETURNING id, (SELECT count(*)::int FROM actions WHERE guild_id = $1) AS actions`,
    [CROWD.guildId, RARE_TARGET, CROWD.moderatorId],
  );
  const [{ id: actionId, actions }] = rows as [(typeof rows)[number]];
  expect(actions).toBeGreaterThan(1_000);
  const sanction = { actionId, guildId: CROWD.guildId, userId: RARE_TARGET, kind: 'kick' } as const;
  const run = (db: Database) => claimNoticeBefore(db, { ...sanction, reason: null, durationMinutes: null });
  const sent = await sentBy({ what: 'the message before a kick', run });
  expect(await flawsOf(sent, 500, ['custom', 'generic'])).toEqual([]);
});

it('rows of the audit log are looked up by their ids, however many the guild has', async () => {
  verifies('lists.few-rows');
  const { rows } = await client.query<{ id: string }>(
    'SELECT id FROM audit WHERE guild_id = $1 AND NOT is_read ORDER BY at DESC LIMIT 50',
    [CROWD.guildId],
  );
  const ids = rows.map(({ id }) => id);
  // As in a database of ten thousand guilds, most of which have few rows.
  await client.query(
    'ALTER TABLE audit_writes ALTER guild_id SET (n_distinct = 10000); ANALYZE audit_writes',
  );
  const run = (db: Database) => auditEntries(db, CROWD.guildId, ids);
  const [{ text, values }] = (await sentBy({ what: 'rows by their ids', run })) as [Sent];
  await client.query(`SET plan_cache_mode = force_generic_plan; PREPARE by_ids AS ${text}`);
  const { rows: plans } = await client.query(
    `EXPLAIN (FORMAT JSON) EXECUTE by_ids(${values.map(asLiteral).join(', ')})`,
  );
  const ofAudit = indexesIn(plans[0]['QUERY PLAN'][0].Plan).filter((name) => name.startsWith('audit_'));
  expect(new Set(ofAudit)).toEqual(new Set(['audit_writes_pkey']));
  await client.query('DEALLOCATE by_ids; ALTER TABLE audit_writes ALTER guild_id RESET (n_distinct)');
  await client.query('ANALYZE audit_writes');
});

it.each([120, 10_000])(
  'lists of a large guild run over few rows in a database in which a guild has one case in %i',
  async (guilds) => {
    verifies('lists.few-rows');
    // A plan for any guild expects fewer cases of it than a page has.
    await client.query(`ALTER TABLE cases ALTER guild_id SET (n_distinct = ${guilds}); ANALYZE cases`);
    const latest = { what: 'the latest people', run: (db: Database) => searchPeople(db, CROWD_VIEWER, '') };
    const plans = ['custom', 'generic'] as const;
    expect(await flawsOfLists(publicLists(), MOST_ROWS.public, plans)).toEqual([]);
    await client.query('SET random_page_cost = 4'); // as without SSDs
    expect(await flawsOfLists([latest], MOST_ROWS.public, plans)).toEqual([]);
    await client.query('SET random_page_cost = 1.1');
    await client.query('ALTER TABLE cases ALTER guild_id RESET (n_distinct); ANALYZE cases');
  },
);

it('two filters of the audit log that exclude each other are looked through part by part', async () => {
  verifies('lists.few-rows');
  const filter = { source: 'dashboard', operation: 'strikes.add' } as const;
  const run = (db: Database) => listAuditLog(db, CROWD.guildId, { reads: false, filter, limit: 50 });
  const sent = await sentBy({ what: 'filters that exclude each other', run });
  expect(sent.length).toBeGreaterThan(2);
});

it('the audit log of the dashboard with two filters has every row that fits, newest first', async () => {
  verifies('lists.few-rows');
  for (const [filter, condition] of [
    [
      { source: 'dashboard', operation: 'strikes.add' },
      "actor_source = 'dashboard' AND operation = 'strikes.add'",
    ],
    [{ source: 'chat', outcome: 'failed' }, "actor_source = 'chat' AND outcome = 'failed'"],
    [{ source: 'token', operation: 'strikes.list' }, "actor_source = 'token' AND operation = 'strikes.list'"],
  ] as const) {
    const { rows } = await client.query<{ id: string }>(
      `SELECT id FROM audit WHERE guild_id = $1 AND ${condition} ORDER BY at DESC, id DESC`,
      [CROWD.guildId],
    );
    const all = rows.map(({ id }) => id);
    const query = { reads: true, filter, limit: 700 };
    const page = async (more: object) =>
      (await listAuditLog(test.database, CROWD.guildId, { ...query, ...more })).map(({ id }) => id);
    const first = await page({});
    expect(first).toEqual(all.slice(0, 700));
    if (all.length < 1_400) continue;
    const second = await page({ before: first.at(-1) });
    expect(second).toEqual(all.slice(700, 1_400));
    expect(await page({ after: second[0] })).toEqual(first);
  }
});

it('pages of a list with two filters hold every row that fits, once and in order', async () => {
  verifies('paging.short-page', 'paging.cursor.next');
  let short = false;
  for (const [actor_source, action] of [
    ['dashboard', 'strikes.add'],
    ['token', 'bans.add'],
    ['operator', 'mutes.add'],
  ] as const) {
    const ids: string[] = [];
    let cursor: string | null = null;
    do {
      const page: OutputOf<'audit.list'> = await readForPage(test.database, CROWD_VIEWER, 'audit.list', {
        actor_source,
        action,
        limit: 100,
        ...(cursor === null ? {} : { cursor }),
      });
      ids.push(...page.data.map(({ id }) => id));
      cursor = page.next_cursor;
      short ||= cursor !== null && page.data.length < 100;
    } while (cursor !== null);
    const { rows } = await client.query<{ id: string }>(
      `SELECT id FROM audit WHERE guild_id = $1 AND actor_source = $2 AND operation = $3 ORDER BY at DESC, id DESC`,
      [CROWD.guildId, actor_source, action],
    );
    expect(ids).toEqual(rows.map(({ id }) => id));
  }
  expect(short).toBe(true);
});

it('a search of the dashboard for a common word that a filter leaves out is made part by part', async () => {
  verifies('lists.few-rows', 'cases.search.parts');
  const filters = { words: '1', issuedBy: CROWD.moderatorId };
  const run = (db: Database) => listCases(db, CROWD_VIEWER, { words: '1' }, { limit: 50 });
  const sent = await sentBy({ what: 'a word of old cases', run });
  expect(sent.length).toBeGreaterThan(1);
  expect(sent.filter(({ text }) => /LIMIT ALL/.test(text))).toEqual([]);
  for (const [given, condition] of [
    [{ words: '1' }, 'true'],
    [filters, `issued_by = '${CROWD.moderatorId}'`],
    [{ ...filters, kind: 'mute' }, `issued_by = '${CROWD.moderatorId}' AND kind = 'mute'`],
  ] as const) {
    const { rows } = await client.query<{ case_number: number }>(
      `SELECT case_number FROM cases WHERE guild_id = $1 AND reason LIKE '% 1%' AND ${condition}
       ORDER BY issued_at DESC, case_number DESC`,
      [CROWD.guildId],
    );
    const all = rows.map(({ case_number }) => case_number);
    const page = async (start: object) => {
      const { rows: found } = await listCases(test.database, CROWD_VIEWER, given, { limit: 70, ...start });
      return found.map(({ case_number }) => case_number);
    };
    const first = await page({});
    expect(first).toEqual(all.slice(0, 70));
    const second = await page({ before: first.at(-1) });
    expect(second).toEqual(all.slice(70, 140));
    expect(await page({ after: second[0] })).toEqual(first);
    expect(await page({ before: all.at(-2) })).toEqual(all.slice(-1));
  }
});

it('a search for the beginning of words that are common in other guilds reads the words of its own guild', async () => {
  verifies('cases.search.own-words');
  const quiet = { ...CROWD_VIEWER, id: '299999999999999999' };
  await client.query("INSERT INTO guilds (id, name, owner_id, tier) VALUES ($1, 'Quiet', '1', 'pro')", [
    quiet.id,
  ]);
  await client.query(
    `INSERT INTO cases (id, guild_id, case_number, kind, user_id, reason, issued_by)
     SELECT new_id('war'), $1, n, 'warning', '1', 'Quiet', '1' FROM generate_series(1, 2500) AS n`,
    [quiet.id],
  );
  const run = (db: Database) => listCases(db, quiet, { words: '1' }, { limit: 50 });
  const [{ text, values }] = (await sentBy({ what: 'a word of others', run })) as [Sent];
  await client.query('SET plan_cache_mode = force_custom_plan');
  const { rows } = await client.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, [...values]);
  const scans: { index: string; blocks: number }[] = [];
  const look = (node: Record<string, unknown>): void => {
    if (node['Node Type'] === 'Bitmap Index Scan') {
      const blocks = Number(node['Shared Hit Blocks']) + Number(node['Shared Read Blocks']);
      scans.push({ index: String(node['Index Name']), blocks });
    }
    for (const each of (node.Plans ?? []) as Record<string, unknown>[]) look(each);
  };
  look(rows[0]['QUERY PLAN'][0].Plan);
  const blocks = scans.find(({ index }) => index === 'cases_search_words_idx')?.blocks;
  expect(blocks).toBeGreaterThan(0);
  expect(blocks).toBeLessThan(20);
});

it('the statistics of tickets look at the tickets of the period alone, by two indexes', async () => {
  verifies('tickets.stats.index');
  const days = 90;
  await client.query('VACUUM tickets');
  const run = (db: Database) => readForPage(db, CROWD_VIEWER, 'tickets.stats', { days });
  const sent = await sentBy({ what: 'tickets', run });
  const { rows } = await client.query<{ lately: number; all: number }>(
    `SELECT count(*) FILTER (WHERE opened_at >= now() - make_interval(days => $2))::int AS lately, count(*)::int AS all
     FROM tickets WHERE guild_id = $1`,
    [CROWD.guildId, days],
  );
  const [{ lately, all }] = rows as [{ lately: number; all: number }];
  expect(lately).toBeGreaterThan(10);
  expect(all).toBeGreaterThan(4 * lately);
  // Each once as opened and once as closed, and those that are open now.
  expect(await flawsOf(sent, 2 * lately + 20, ['custom'])).toEqual([]);
  const [{ text, values }] = sent as [Sent];
  const { rows: plans } = await client.query(`EXPLAIN (FORMAT JSON) ${text}`, [...values]);
  const plan = JSON.stringify(plans[0]['QUERY PLAN']);
  for (const index of ['tickets_opened_idx', 'tickets_closed_idx']) expect(plan).toContain(index);
});

it('the work of moderators is counted from indexes alone, over no more entries than the period has', async () => {
  verifies('moderators.index');
  const days = 30;
  await client.query('VACUUM cases');
  const run = (db: Database) => readForPage(db, CROWD_VIEWER, 'audit.moderators', { days });
  const sent = await sentBy({ what: 'moderators', run });
  const { rows } = await client.query<{ cases: number }>(
    `SELECT count(*)::int AS cases FROM cases
     WHERE guild_id = $1 AND issued_at >= now() - make_interval(days => $2)`,
    [CROWD.guildId, days],
  );
  const [{ cases }] = rows as [{ cases: number }];
  expect(cases).toBeGreaterThan(400);
  // And as many again at most for those that ended, and for what goes with them.
  expect(await flawsOf(sent, cases * 1.5, ['custom'])).toEqual([]);
  const [{ text, values }] = sent as [Sent];
  const { rows: plans } = await client.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, [...values]);
  // Not how many rows it looked up besides: that depends on what VACUUM could mark while other tests ran.
  const opened: unknown[] = [];
  const look = (node: Record<string, unknown>): void => {
    if (node['Index Name'] === 'cases_opened_idx') opened.push(node['Node Type']);
    for (const each of (node.Plans ?? []) as Record<string, unknown>[]) look(each);
  };
  look(plans[0]['QUERY PLAN'][0].Plan);
  expect(opened).toEqual(['Index Only Scan']);
  expect((await run(test.database)).data).toHaveLength(12);
});

it('a page of the bans that are over reads no ban that stands, in a guild whose mutes are all over', async () => {
  verifies('lists.few-rows');
  const strict = { ...CROWD_VIEWER, id: '299999999999999998' };
  await client.query("INSERT INTO guilds (id, name, owner_id, tier) VALUES ($1, 'Strict', '1', 'pro')", [
    strict.id,
  ]);
  await client.query(
    `INSERT INTO cases (id, guild_id, case_number, kind, user_id, reason, issued_by, issued_at, expires_at)
     SELECT new_id(kind), $1, n, kind::"CaseKind", '1', 'Strict', '1', at, CASE kind WHEN 'mute' THEN at END
     FROM generate_series(1, 6000) AS n, LATERAL (SELECT now() - make_interval(mins => n) AS at,
       CASE n % 2 WHEN 0 THEN 'ban' ELSE 'mute' END AS kind) AS chosen`,
    [strict.id],
  );
  await client.query('ANALYZE cases');
  const run = (db: Database) => listCases(db, strict, { kind: 'ban', standing: 'ended' }, { limit: 50 });
  expect(await flawsOfLists([{ what: 'bans that are over', run }], 100, ['custom'])).toEqual([]);
});

it('whatever refers to rows of another table is found by an index when they are deleted', async () => {
  const { rows } = await client.query(
    `SELECT conname FROM pg_constraint c WHERE contype = 'f' AND connamespace = current_schema()::regnamespace
       AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.conrelid AND i.indpred IS NULL
         AND (i.indkey::int2[])[0:cardinality(c.conkey) - 1] @> c.conkey)`,
  );
  expect(rows).toEqual([]);
});
