// A backup holds everything, and what is restored is the same, row for row.
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { digestOf } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { migrate } from '@bailiff/prisma';
import { restoreBackup, takeBackup } from '@bailiff/prisma/backup';
import { createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getAction } from '#src/calls/actions.ts';
import { MOST_EVIDENCE_BYTES } from '#src/cases/evidence.ts';
import { performersOf, seedGuild, seedToken, seedWindow, snowflake } from '#src/testing.ts';
import { continueAction } from '#src/worker/continue-action.ts';
import { queueContinuation } from '#src/worker/long-actions.ts';
import { recoverActions } from '#src/worker/perform-action.ts';
import { fillEveryTable } from './every-table.ts';

let directory: string;
let source: TestDatabase;
/** A backup of `source`. */
let path: string;
let tables: string[];

const databases: TestDatabase[] = [];
const emptyDatabase = async () => {
  const database = await createTestDatabase({ empty: true });
  databases.push(database);
  return database;
};

const NOTE = 'a tab\t, a line\nand \\.\nand \\N, a backslash at the end \\';

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'bailiff-backup-'));
  path = join(directory, 'whole.backup');
  source = await createTestDatabase();
  const { pool } = source.database;
  const guild = await seedGuild(source.database);
  tables = await fillEveryTable(pool, snowflake(), snowflake());
  await pool.query(
    `INSERT INTO notes (guild_id, user_id, text, written_by) SELECT $1, $2, $3 || md5(n::text), $2 FROM generate_series(1, 20000) n`,
    [guild.id, guild.memberId, NOTE],
  );
  // Files of evidence as large as they may be. Each is one row, with two characters for each byte.
  await pool.query(
    `INSERT INTO evidence (guild_id, name, size_bytes, content)
     SELECT $1, 'recording.mp4', $2, convert_to(repeat(md5(n::text), $2 / 32), 'UTF8') FROM generate_series(1, 2) n`,
    [guild.id, MOST_EVIDENCE_BYTES],
  );
  // Reads of three days: one that has a partition, one that will have, and one that has none.
  await pool.query('SELECT keep_audit_partitions(1, 30)');
  await pool.query(
    `INSERT INTO audit (guild_id, actor_source, operation, outcome, digest, is_read, at)
     SELECT $1, 'token', 'bans.list', 'performed', 'd', true, now() + make_interval(days => n) FROM generate_series(-1, 1) n`,
    [guild.id],
  );
  await pool.query(
    `SELECT graphile_worker.add_job('end_ban', '{"case_id":"ban_1"}', run_at => '2030-01-01', job_key => 'end_ban:ban_1'),
       graphile_worker.add_job('perform_in_queue', '{"a":"\\t"}', queue_name => 'a server', max_attempts => 1, priority => 3)`,
  );
  const { rows } = await pool.query(
    "SELECT graphile_worker.add_job('tell_target', '{}', max_attempts => 2) AS job",
  );
  expect(rows).toHaveLength(1);
  await pool.query('UPDATE graphile_worker._private_jobs SET attempts = 2 WHERE max_attempts = 2');
  // An old heartbeat stays as it is, where a fresh one would go on and change what is compared.
  await pool.query("UPDATE gateway_shards SET heartbeat_at = now() - interval '1 hour'");
});

afterAll(async () => {
  await Promise.all([source, ...databases].map((database) => database.drop()));
  await rm(directory, { recursive: true });
});

/** For each table of ours, its rows as one text; the partitions of the audit log one by one. */
async function contentOf(pool: Pool): Promise<Record<string, string>> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
       AND relname NOT IN ('_prisma_migrations', '_bailiff_sql', 'database_logins') ORDER BY relname`,
  );
  const content: Record<string, string> = {};
  for (const { name } of rows) {
    const { rows: found } = await pool.query<{ text: string }>(
      `SELECT count(*) || ' rows: ' || coalesce(md5(string_agg(t::text, E'\\n' ORDER BY t::text)), '') AS text FROM "${name}" t`,
    );
    content[name] = found[0]?.text ?? '';
  }
  return content;
}

const JOBS = `SELECT t.identifier, q.queue_name, j.payload::text, j.run_at, j.max_attempts, j.key, j.priority, j.attempts, j.locked_at
  FROM graphile_worker._private_jobs j JOIN graphile_worker._private_tasks t ON t.id = j.task_id
  LEFT JOIN graphile_worker._private_job_queues q ON q.id = j.job_queue_id
  WHERE j.attempts < j.max_attempts ORDER BY t.identifier, j.key, j.payload::text`;

test('what is restored is the same in every table, but nobody is signed in', async () => {
  verifies('ops.backup');
  const { pool } = source.database;
  const before = await contentOf(pool);
  const { rows: jobs } = await pool.query(JOBS);
  const taken = await takeBackup(source.url, path, { servedDiscord: true });
  const ofTheServer = ['_bailiff_sql', 'database_logins'];
  // The queue's jobs count as a table.
  expect(taken.leftOut).toEqual([]);
  expect(taken.tables).toBe(tables.filter((name) => !ofTheServer.includes(name)).length + 1);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(directory)).toEqual(['whole.backup']);

  const target = await emptyDatabase();
  const { header, rows } = await restoreBackup(target.url, path);
  expect(rows).toBe(taken.rows);
  expect(header.served_discord).toBe(true);
  const { sessions, ...after } = await contentOf(target.database.pool);
  const { sessions: signedIn, ...others } = before;
  expect([signedIn, sessions]).toEqual([expect.stringMatching(/^[1-9]/), '0 rows: ']);
  expect(after).toEqual(others);
  expect(Object.values(after).filter((text) => text.startsWith('0 '))).toEqual([]);
  expect((await target.database.pool.query(JOBS)).rows).toEqual(jobs);
  expect(jobs).toContainEqual(expect.objectContaining({ key: 'end_ban:ban_1' }));
  expect(jobs).toContainEqual(expect.objectContaining({ queue_name: 'a server', max_attempts: 1 }));
  // It is as a start of this release leaves it: nothing is left to apply, and the audit log can be truncated by nobody.
  expect(await migrate(target.url)).toEqual([]);
  await expect(target.database.pool.query('TRUNCATE audit')).rejects.toThrow();
  // What plans go by is known at once. The server of the tests counts nothing by itself.
  const { rows: counted } = await target.database.pool.query(
    "SELECT reltuples >= 20000 AS known FROM pg_class WHERE oid = 'notes'::regclass",
  );
  expect(counted).toEqual([{ known: true }]);
});

test('what was being done at the moment of the backup is only looked at after a restore', async () => {
  verifies('ops.backup');
  const running = await createTestDatabase();
  databases.push(running);
  const guild = await seedGuild(running.database);
  const input = { preview_id: `act_${'0'.repeat(32)}`, count: 2, reason: 'raid' };
  const { rows: begun } = await running.database.pool.query<{ id: string }>(
    `INSERT INTO actions (guild_id, operation, input, digest, state, actor_source, actor_user_id, request_id, claim_by,
       claimed_at, lease_expires_at, worker, continues_since, work)
     VALUES ($1, 'bans.many', $2, $3, 'running', 'chat', $4, 'req_many', now(), now(), now(), 'gone', now(), '{}')
     RETURNING id`,
    [guild.id, input, digestOf('bans.many', guild.id, input), guild.ownerId],
  );
  const { id = '' } = begun[0] ?? {};
  await queueContinuation(running.database.pool, id);
  // It runs, for the last time that it may be tried.
  await running.database.pool.query(
    "UPDATE graphile_worker._private_jobs SET attempts = max_attempts, locked_at = now(), locked_by = 'gone'",
  );
  const file = join(directory, 'running.backup');
  await takeBackup(running.url, file, { servedDiscord: true });
  const { url, database } = await emptyDatabase();
  await restoreBackup(url, file);
  const job = { key: expect.stringContaining(id), attempts: 0, locked_at: null };
  expect((await database.pool.query(JOBS)).rows).toMatchObject([job]);

  const tried: string[] = [];
  const ended = (what: string) => async () => {
    tried.push(what);
    return { state: 'failed' as const, error: { code: 'NOT_FOUND' as const, message: 'It did not happen.' } };
  };
  const performers = performersOf({ perform: ended('performed'), verify: ended('looked at') });
  const log = { info: () => {}, error: () => {} };
  const read = () => getAction(database, guild.id, id);
  expect(await read()).toMatchObject({
    state: 'unknown',
    error: { code: 'UPSTREAM_UNAVAILABLE', details: { outcome: 'unknown', action_id: id } },
  });
  await continueAction({ db: database, performers, log, closing: new AbortController().signal }, id);
  expect(await recoverActions(database, performers, log)).toBe(1);
  expect([tried, (await read())?.state]).toEqual([['looked at'], 'failed']);
});

test('what owners allowed is over after a restore: it may have been closed or used up since the backup', async () => {
  verifies('ops.backup');
  const allowing = await createTestDatabase();
  databases.push(allowing);
  const { pool } = allowing.database;
  const guild = await seedGuild(allowing.database);
  const token = await seedToken(allowing.database, guild);
  const other = await seedToken(allowing.database, guild);
  const allow = (digest: string | null, by = token) => seedWindow(allowing.database, guild, by, digest);
  const open = [await allow(null), await allow('allowed once'), await allow(null, other)];
  // A call that was allowed once is being done.
  const input = { user_id: guild.memberId, reason: 'raid' };
  const used = digestOf('bans.add', guild.id, input);
  const { rows: begun } = await pool.query<{ id: string }>(
    `INSERT INTO actions (guild_id, operation, input, digest, state, actor_source, actor_user_id, token_id, window_id,
       request_id, claim_by, claimed_at, lease_expires_at, worker)
     VALUES ($1, 'bans.add', $2, $3, 'running', 'token', $4, $5, $6, 'req', now(), now(), now(), 'gone')
     RETURNING id`,
    [guild.id, input, used, guild.ownerId, token.id, await allow(used)],
  );
  const { id = '' } = begun[0] ?? {};
  await pool.query('UPDATE windows SET closed_at = created_at FROM actions WHERE windows.id = window_id');
  for (const [digest, state, actionId] of [
    ['waits', 'pending', null],
    [used, 'approved_call', id],
  ])
    await pool.query(
      `INSERT INTO approval_requests (token_id, guild_id, operation, input, digest, request_id, address, state, action_id,
         expires_at)
       VALUES ($1, $2, 'bans.add', '{}', $3, 'req', '', $4, $5, now() + interval '1 hour')`,
      [token.id, guild.id, digest, state, actionId],
    );
  const file = join(directory, 'allowing.backup');
  await takeBackup(allowing.url, file, { servedDiscord: true });
  const { url, database } = await emptyDatabase();
  await restoreBackup(url, file);

  const allowed = async () => {
    const { rows } = await database.pool.query(
      `SELECT digest FROM windows WHERE NOT window_is_over(expires_at, closed_at)
       UNION ALL SELECT digest FROM approval_requests WHERE state = 'pending' AND expires_at > now()`,
    );
    return rows;
  };
  expect(await allowed()).toEqual([]);
  // The owners find in their audit log why.
  const { rows: recorded } = await database.pool.query<{ target_id: string; window_ids: string[] }>(
    `SELECT target_id, details->'window_ids' AS window_ids FROM audit
     WHERE guild_id = $1 AND operation = 'windows.close' AND actor_source = 'operator' AND token_id = target_id`,
    [guild.id],
  );
  expect(recorded.map(({ target_id }) => target_id).sort()).toEqual([token.id, other.id].sort());
  expect(recorded.flatMap(({ window_ids }) => window_ids).sort()).toEqual(open.sort());
  const ended = async () => ({
    state: 'failed' as const,
    error: {
      code: 'UPSTREAM_UNAVAILABLE' as const,
      message: 'It did not happen.',
      status: 502,
      details: { upstream: 'discord', outcome: 'not_performed' } as const,
    },
  });
  const log = { info: () => {}, error: () => {} };
  expect(await recoverActions(database, performersOf({ perform: ended, verify: ended }), log)).toBe(1);
  expect(await allowed()).toEqual([]);
});

test('a backup is of one moment, and others go on writing meanwhile', async () => {
  verifies('ops.backup');
  const file = join(directory, 'moment.backup');
  const { pool } = source.database;
  await pool.query("INSERT INTO known_names VALUES ('9', '0', 'Number')");
  // Two tables, one of which is read before twenty thousand notes and one after them.
  let written = 0;
  const write = async () => {
    written += 1;
    await pool.query(
      "WITH name AS (UPDATE known_names SET username = $1 WHERE user_id = '9') UPDATE roles SET name = $1",
      [`number-${written}`],
    );
  };
  await write();
  let isTaken = false;
  const taking = takeBackup(source.url, file, { servedDiscord: false }).finally(() => {
    isTaken = true;
  });
  while (!isTaken) await write();
  await taking;
  const text = gunzipSync(await readFile(file)).toString();
  expect(new Set(text.match(/number-\d+/g)).size).toBe(1);
});

test('a file that was cut or changed, or is none, is refused before anything is done', async () => {
  verifies('ops.backup');
  const target = await emptyDatabase();
  const whole = await readFile(path);
  const text = gunzipSync(whole).toString();
  const file = join(directory, 'wrong.backup');
  const attempt = async (content: Buffer | string) => {
    await writeFile(file, content);
    return restoreBackup(target.url, file);
  };
  const lines = text.split('\n');
  for (const [content, why] of [
    [whole.subarray(0, whole.length - 20), /is cut or damaged \(unexpected end of file\)/],
    [whole.subarray(0, 1000), /is cut or damaged \(unexpected end of file\)/],
    [gzipSync(lines.slice(0, -2).join('\n')), /is cut or damaged \(its end is missing\)/],
    [
      gzipSync(text.replace('a backslash', 'A backslash')),
      /is cut or damaged \(its checksum is another one\)/,
    ],
    [gzipSync(`${text}{}\n`), /is cut or damaged \(something follows its end\)/],
    [gzipSync(`${lines[0]}\n{"table":"notes"}\n`), /is cut or damaged \(a line is not as it was written\)/],
    [gzipSync('{"a":1}\n'), /is no backup of Bailiff/],
    ['SELECT 1;\n', /is cut or damaged \(incorrect header check\)/],
    [
      gzipSync(text.replace('"bailiff_backup":1', '"bailiff_backup":2')),
      /has format 2, which a later release made: update/,
    ],
    [
      gzipSync(text.replace('"migrations":[', '"migrations":["29991231000000_later",')),
      /later than this one \(it has 29991231000000_later\): update/,
    ],
  ] as const) {
    await expect(attempt(content)).rejects.toThrow(why);
  }
  const { rows } = await target.database.pool.query(
    "SELECT nspname FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema|public)'",
  );
  expect(rows).toEqual([]);
  await restoreBackup(target.url, path);
});

test('a database with anything in it is refused, and stays as it is', async () => {
  verifies('ops.backup');
  const before = await contentOf(source.database.pool);
  await expect(restoreBackup(source.url, path)).rejects.toThrow(/is not empty: make a new one/);
  expect(await contentOf(source.database.pool)).toEqual(before);
  await expect(takeBackup(source.url, path, { servedDiscord: true })).rejects.toThrow('exists already');
});

test('Bailiff does not start on a database whose restore did not come to its end', async () => {
  verifies('ops.backup');
  const target = await emptyDatabase();
  await target.database.pool.query('CREATE SCHEMA bailiff_unfinished_restore');
  await expect(migrate(target.url)).rejects.toThrow(/did not come to its end\. Make an empty database/);
  await expect(restoreBackup(target.url, path)).rejects.toThrow('is not empty');

  // Whole by its checksum, but with a row that its table does not take.
  const [header = ''] = gunzipSync(await readFile(path))
    .toString('latin1')
    .split('\n', 1);
  const lines = `${header}\n{"table":"guilds","columns":["id"]}\n1\n\\.\n{"rows":1}\n`;
  const sha256 = createHash('sha256').update(lines).digest('hex');
  const file = join(directory, 'wrong-row.backup');
  await writeFile(file, gzipSync(`${lines}${JSON.stringify({ end: true, rows: 1, sha256 })}\n`));
  const begun = await emptyDatabase();
  await expect(restoreBackup(begun.url, file)).rejects.toThrow('null value in column');
  await expect(migrate(begun.url)).rejects.toThrow('did not come to its end');
});

test('a backup of an earlier release gets the later tables', async () => {
  verifies('ops.backup');
  const { pool } = source.database;
  const { rows } = await pool.query<{ name: string }>(
    'SELECT migration_name AS name FROM _prisma_migrations ORDER BY migration_name',
  );
  const names = rows.map(({ name }) => name);
  const earlier = await emptyDatabase();
  await migrate(earlier.url, { restoring: { only: names.slice(0, -1) } });
  const file = join(directory, 'earlier.backup');
  await takeBackup(earlier.url, file, { servedDiscord: true });
  const updated = await emptyDatabase();
  const { header } = await restoreBackup(updated.url, file);
  expect(header.migrations).toEqual(names.slice(0, -1));
  const tables = async ({ database }: TestDatabase) =>
    Object.keys(await contentOf(database.pool)).filter((name) => !/^audit_reads_\d/.test(name));
  expect(await tables(updated)).toEqual(await tables(source));
  expect(await migrate(updated.url)).toEqual([]);
});

test('no table takes numbers from a sequence, which a backup would not hold', async () => {
  const { rows } = await source.database.pool.query(
    "SELECT sequencename FROM pg_sequences WHERE schemaname = 'public'",
  );
  expect(rows).toEqual([]);
});
