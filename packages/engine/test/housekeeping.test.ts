import { verifies } from '@bailiff/core/testing';
import { openDatabase } from '@bailiff/prisma';
import { createTestDatabase, LONG_LIMITS, type TestDatabase } from '@bailiff/prisma/testing';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { keepUser } from '#src/desk/sessions.ts';
import {
  type SeededGuild,
  type SeededToken,
  seedGuild,
  seedSession,
  seedToken,
  seedWindow,
} from '#src/testing.ts';
import { startDevice } from '#src/tokens/device.ts';
import { dropLapsed } from '#src/worker/housekeeping.ts';

let database: TestDatabase;
let guild: SeededGuild;
let token: SeededToken;

beforeEach(async () => {
  database = await createTestDatabase();
  guild = await seedGuild(database.database);
  token = await seedToken(database.database, guild);
});
afterEach(() => database.drop());

const sql = async (text: string, ...values: unknown[]) =>
  (await database.database.pool.query(text, values)).rows;
const drop = () => dropLapsed(database.database);

async function action(state = 'done'): Promise<string> {
  const [row] = await sql(
    `INSERT INTO actions (guild_id, operation, input, digest, actor_source, actor_user_id, request_id, claim_by, state)
     VALUES ($1, 'messages.purge', '{}', 'd', 'token', $2, 'req_1', now(), $3::"ActionState") RETURNING id`,
    guild.id,
    guild.ownerId,
    state,
  );
  return row?.id;
}

test('the archive of a purge is kept for 30 days and is gone afterwards', async () => {
  verifies('purge.archive.retention');
  await sql(
    `INSERT INTO message_archives (guild_id, action_id, channel_id, messages, expires_at)
     VALUES ($1, $2, '1', '[]', now() + interval '30 days')`,
    guild.id,
    await action(),
  );
  const age = (days: number) =>
    sql('UPDATE message_archives SET expires_at = expires_at - make_interval(secs => $1)', days * 86_400);
  await age(29.99);
  expect(await drop()).toMatchObject({ message_archives: 0 });
  await age(0.02);
  expect(await drop()).toMatchObject({ message_archives: 1 });
  expect(await sql('SELECT FROM message_archives')).toEqual([]);
});

test('a file of a case is kept for a year and is gone afterwards; the case stays', async () => {
  verifies('evidence.retention');
  await sql(
    `SELECT keep_evidence((open_case($1, 'ban', 'ban', $2, 'Spam', $3, NULL, NULL)).id, 'a.png', 1, 'a', NULL)`,
    guild.id,
    guild.memberId,
    guild.ownerId,
  );
  const age = (days: number) =>
    sql('UPDATE evidence SET attached_at = attached_at - make_interval(secs => $1)', days * 86_400);
  await age(364.99);
  expect(await drop()).toMatchObject({ evidence: 0 });
  await age(0.02);
  expect(await drop()).toMatchObject({ evidence: 1 });
  expect(await sql('SELECT FROM cases')).toHaveLength(1);
});

test('what was attached to an action that opened no case is deleted after two days', async () => {
  verifies('evidence.retention');
  const attached = {
    guild_id: guild.id,
    messages: [{ channel_id: '1', message_id: '2', author_id: '3', text: '' }],
  };
  await sql('SELECT attach_evidence($1)', {
    ...attached,
    files: [{ url: 'https://x', name: 'a', bytes: 1 }],
  });
  const age = async (hours: number) => {
    for (const table of ['evidence', 'case_messages'])
      await sql(`UPDATE ${table} SET attached_at = attached_at - make_interval(hours => $1)`, hours);
  };
  await age(47);
  expect(await drop()).toMatchObject({ evidence: 0, case_messages: 0 });
  await age(2);
  expect(await drop()).toMatchObject({ evidence: 1, case_messages: 1 });
});

test('a window and the approval that opened it go 30 days after they ended, in that order', async () => {
  const windowId = await seedWindow(database.database, guild, token);
  await sql(
    `INSERT INTO approval_requests (token_id, guild_id, operation, input, digest, request_id, address, expires_at, state, window_id)
     VALUES ($1, $2, 'bans.add', '{}', 'd', 'req_1', '203.0.113.9', now(), 'approved_window', $3)`,
    token.id,
    guild.id,
    windowId,
  );
  const age = (days: number) =>
    sql(
      `WITH a AS (UPDATE approval_requests SET expires_at = expires_at - make_interval(secs => $1))
       UPDATE windows SET expires_at = expires_at - make_interval(secs => $1)`,
      days * 86_400,
    );
  await age(29);
  expect(await drop()).toMatchObject({ windows: 0, approval_requests: 0 });
  await age(1.5);
  expect(await drop()).toMatchObject({ windows: 1, approval_requests: 1 });
  expect(await sql('SELECT id FROM tokens')).toEqual([{ id: token.id }]);
});

test('an idempotency key is free again after 24 hours; what it stood for stays', async () => {
  const actionId = await action();
  await sql(
    "INSERT INTO idempotency_keys (token_id, key, digest, action_id, created_at) VALUES ($1, 'k', 'd', $2, now() - interval '23 hours 59 minutes')",
    token.id,
    actionId,
  );
  expect(await drop()).toMatchObject({ idempotency_keys: 0 });
  await sql("UPDATE idempotency_keys SET created_at = created_at - interval '2 minutes'");
  expect(await drop()).toMatchObject({ idempotency_keys: 1 });
  expect(await sql('SELECT id FROM actions')).toEqual([{ id: actionId }]);
});

test('what an action has read stays until it has ended, or nobody will find out any more how it did', async () => {
  const kept = [await action('pending'), await action('running'), await action('unknown')];
  const never = await action('unknown');
  await sql("UPDATE actions SET looked_at = 'infinity' WHERE id = $1", never);
  for (const id of [...kept, never, await action(), await action('failed')]) {
    await sql("INSERT INTO action_pages (action_id, page, messages) VALUES ($1, 1, '[]')", id);
  }
  expect(await drop()).toMatchObject({ action_pages: 3 });
  expect(await sql('SELECT action_id FROM action_pages ORDER BY action_id')).toEqual(
    kept.map((action_id) => ({ action_id })),
  );
});

test('sessions and device codes that ended go, and those in force stay', async () => {
  await seedSession(database.database, guild.ownerId, 'kept');
  await seedSession(database.database, guild.ownerId, 'ended');
  await startDevice(database.database, {
    clientId: 'bailiff-mcp',
    clientName: null,
    scope: null,
    address: '203.0.113.9',
    tokenName: 'a token',
  });
  const before = await sql("SELECT token_hash FROM sessions WHERE token_hash = sha256(sha256('kept'))");
  await sql(
    "UPDATE sessions SET expires_at = now() - interval '1 second' WHERE token_hash = sha256(sha256('ended'))",
  );
  expect(await drop()).toMatchObject({ sessions: 1, device_authorizations: 0 });
  expect(await sql('SELECT token_hash FROM sessions')).toEqual(before);
  // For a day, a client that polls is still told that its code has expired.
  await sql("UPDATE device_authorizations SET expires_at = now() - interval '23 hours 59 minutes'");
  expect(await drop()).toMatchObject({ sessions: 0, device_authorizations: 0 });
  await sql("UPDATE device_authorizations SET expires_at = expires_at - interval '2 minutes'");
  expect(await drop()).toMatchObject({ device_authorizations: 1 });
});

test('the answer of an action goes 90 days after it ended, and the action and its audit rows stay', async () => {
  verifies('actions.result.retention');
  const actionId = await action();
  await sql(`UPDATE actions SET result = '{"run": {}}', settled_at = now() - interval '89 days'`);
  await sql(
    `INSERT INTO audit (guild_id, actor_source, operation, outcome, action_id)
     VALUES ($1, 'token', 'servers.rcon', 'performed', $2)`,
    guild.id,
    actionId,
  );
  expect(await drop()).toMatchObject({ results: 0 });
  await sql("UPDATE actions SET settled_at = settled_at - interval '2 days'");
  expect(await drop()).toMatchObject({ results: 1 });
  expect(await sql('SELECT id, state, result FROM actions')).toEqual([
    { id: actionId, state: 'done', result: null },
  ]);
  expect(await sql('SELECT action_id FROM audit')).toEqual([{ action_id: actionId }]);
});

test('names without a record, dead shards and failed jobs go after their time', async () => {
  verifies('ops.growth');
  await sql(
    `INSERT INTO known_names (user_id, username, display_name, learned_at)
     SELECT n::text, 'x', 'x', now() - interval '91 days' FROM generate_series(1, 2) AS n`,
  );
  await sql("INSERT INTO notes (guild_id, user_id, text, written_by) VALUES ($1, '1', 'x', '9')", guild.id);
  await sql(
    `INSERT INTO known_names (user_id, username, display_name, learned_at)
     SELECT n::text, 'x', 'x', now() - interval '91 days' FROM generate_series(3, 7) AS n`,
  );
  await sql(
    `INSERT INTO identities (guild_id, user_id, platform, in_game_id, key, set_by)
     VALUES ($1, '3', 'minecraft', 'Steve', 'steve', '9')`,
    guild.id,
  );
  await sql("INSERT INTO tickets (guild_id, number, subject, opened_by) VALUES ($1, 1, 'x', '4')", guild.id);
  await sql(
    "INSERT INTO reports (guild_id, number, user_id, reported_by, reason) VALUES ($1, 1, '5', '6', 'x')",
    guild.id,
  );
  await sql(
    `INSERT INTO cases (id, guild_id, case_number, kind, user_id, issued_by)
     VALUES ('of_the_seventh', $1, 1, 'ban', '7', '9')`,
    guild.id,
  );
  await sql("INSERT INTO gateway_shards VALUES (7, 8, '1', now() - interval '31 days'), (6, 8, '1', now())");
  await sql(
    `SELECT graphile_worker.add_job(name, '{}', run_at => now() - interval '31 days', max_attempts => 1)
     FROM (VALUES ('failed'), ('waits')) AS jobs (name)`,
  );
  await sql(
    `UPDATE graphile_worker._private_jobs SET attempts = 1 FROM graphile_worker._private_tasks t
     WHERE t.id = task_id AND t.identifier = 'failed'`,
  );
  await drop();
  const named = await sql("SELECT user_id FROM known_names WHERE display_name = 'x' ORDER BY user_id");
  expect(named.map(({ user_id }) => user_id)).toEqual(['1', '3', '4', '5', '6', '7']);
  expect(await sql('SELECT shard_id FROM gateway_shards WHERE shard_count = 8')).toEqual([{ shard_id: 6 }]);
  const jobs = await sql(
    "SELECT task_identifier FROM graphile_worker.jobs WHERE task_identifier IN ('failed', 'waits')",
  );
  expect(jobs).toEqual([{ task_identifier: 'waits' }]);
});

test('a name goes within a month of the last record of its person, however long it has been known', async () => {
  verifies('ops.growth');
  await sql(
    `INSERT INTO reports (guild_id, number, user_id, reported_by, reason, reported_at)
     VALUES ($1, 1, '1', '2', 'x', now() - interval '100 days')`,
    guild.id,
  );
  await sql("INSERT INTO notes (guild_id, user_id, text, written_by) VALUES ($1, '3', 'x', '9')", guild.id);
  const learn = (id: string, days: number) =>
    sql(
      `INSERT INTO known_names (user_id, username, display_name, learned_at)
       VALUES ($1, 'x', 'x', now() - make_interval(days => $2))`,
      id,
      days,
    );
  for (const id of ['1', '2']) await learn(id, 100);
  for (const id of ['3', '4']) await learn(id, 400);
  const age = async (days: number) => {
    for (const column of ['known_names.learned_at', 'reports.reported_at']) {
      const [table, at] = column.split('.');
      await sql(`UPDATE ${table} SET ${at} = ${at} - make_interval(days => $1)`, days);
    }
  };
  const named = async () =>
    (await sql('SELECT user_id FROM known_names ORDER BY user_id')).map(({ user_id }) => user_id);
  expect(await drop()).toMatchObject({ reports: 0, known_names: 1 });
  expect(await named()).toEqual(['1', '2', '3']);
  await age(90);
  expect(await drop()).toMatchObject({ reports: 1, known_names: 2 });
  await sql('DELETE FROM notes');
  // Whoever has a record is not looked at by every run.
  expect(await drop()).toMatchObject({ known_names: 0 });
  await age(31);
  expect(await drop()).toMatchObject({ known_names: 1 });
  expect(await named()).toEqual([]);
});

test('a preview that nobody has acted on goes after a day, with its people', async () => {
  verifies('ops.growth');
  for (const age of ['23 hours', '25 hours']) {
    await sql(
      `WITH list AS (INSERT INTO person_lists (action_id, guild_id, kind, people, created_at)
         VALUES ($1, $2, 'ban', 1, now() - $3::interval) RETURNING action_id)
       INSERT INTO listed_people (list_id, place, line, user_id) SELECT action_id, 1, 1, '1' FROM list`,
      await action(),
      guild.id,
      age,
    );
  }
  expect(await drop()).toMatchObject({ person_lists: 1 });
  expect(await sql('SELECT FROM listed_people')).toHaveLength(1);
});

test('the people of a mass action are kept as long as they are being released again', async () => {
  verifies('ops.growth');
  await sql(
    `INSERT INTO person_lists (action_id, guild_id, kind, people, taken_by, undone_by, created_at)
     VALUES ($1, $2, 'ban', 1, $1, $3, now() - interval '31 days')`,
    await action(),
    guild.id,
    await action('running'),
  );
  expect(await drop()).toMatchObject({ person_lists: 0 });
  await sql("UPDATE actions SET state = 'done'");
  expect(await drop()).toMatchObject({ person_lists: 1 });
});

test('what nobody needs any more goes after the time of its kind, and not before', async () => {
  verifies('ops.growth');
  const lists = [await action(), await action()];
  const kept: Record<string, [lasts: string, columns: string, row: (n: number) => string]> = {
    reports: [
      '180 days',
      'guild_id, number, user_id, reported_by, reason, reported_at',
      (n) => `'${guild.id}', ${n}, '1', '2', 'x'`,
    ],
    person_lists: [
      '30 days',
      'action_id, guild_id, kind, people, taken_by, created_at',
      (n) => `'${lists[n]}', '${guild.id}', 'ban', 0, '${lists[n]}'`,
    ],
    measures: [
      '7 days',
      'guild_id, kind, subject_id, action_id, before, after, created_at',
      (n) => `'${guild.id}', 'lock', '${n}', '${lists[0]}', '{}', '{}'`,
    ],
    known_channels: [
      '30 days',
      'guild_id, channel_id, name, learned_at',
      (n) => `'${guild.id}', '${n}', 'x'`,
    ],
    names_to_learn: ['7 days', 'user_id, met_at', (n) => `'${n}'`],
    identity_links: [
      '1 day',
      'guild_id, user_id, platform, in_game_id, expires_at, asked_at',
      (n) => `'${guild.id}', '${n}', 'minecraft', 'Steve', now()`,
    ],
    direct_channels: ['180 days', 'user_id, channel_id, opened_at', (n) => `'${n}', '${n}'`],
    rate_limits: [
      '1 day',
      'key, points, slot_ends, slot_points, expire',
      (n) => `'old ${n}', 1, '{1}', '{1}'`,
    ],
    forgettings: ['3 years', 'kind, mark, counts, at', (n) => `'guild', '${n}', '{}'`],
    server_players: ['1 hour', 'server_id, asked_at', (n) => `'srv_${n}'`],
    shard_holders: ['1 day', 'id, session, shard_count, renewed_at', (n) => `'${n}', 'x', 1`],
    refusal_counts: [
      '1 hour',
      'audit_id, guild_id, token_id, code, address, operation, first_at',
      (n) => `'aud_${n}', '${guild.id}', '${token.id}', 'FORBIDDEN', '192.0.2.1', 'bans.add'`,
    ],
  };
  await sql(
    `INSERT INTO game_servers (id, guild_id, name, host, port, password_sealed, created_by)
     SELECT 'srv_' || n, $1, 'Server ' || n, 'example.com', 25575, '', $2 FROM generate_series(0, 1) AS n`,
    guild.id,
    guild.ownerId,
  );
  // How often a call was refused is shown with its audit row.
  await sql(
    `INSERT INTO refusal_counts (audit_id, guild_id, token_id, code, address, operation, count, first_at)
     VALUES ('aud_2', $1, $2, 'FORBIDDEN', '192.0.2.1', 'bans.add', 2, now() - interval '2 hours')`,
    guild.id,
    token.id,
  );
  await sql('DELETE FROM names_to_learn');
  for (const [table, [lasts, columns, row]] of Object.entries(kept)) {
    for (const [n, than] of ['+', '-'].entries()) {
      const at = `now() - interval '${lasts}' ${than} interval '1 hour'`;
      const last = table === 'rate_limits' ? `extract(epoch FROM ${at}) * 1000` : at;
      await sql(`INSERT INTO ${table} (${columns}) VALUES (${row(n)}, ${last})`);
    }
    if (table === 'reports') await sql('DELETE FROM names_to_learn');
  }
  expect(await drop()).toMatchObject(Object.fromEntries(Object.keys(kept).map((table) => [table, 1])));
});

test('what was refused long ago and is kept is not read again in each hour', async () => {
  verifies('ops.growth');
  // One connection, which sends what it has counted of its reads when it is told to.
  const db = openDatabase(database.url, { ...LONG_LIMITS, applicationName: 'one', max: 1 });
  onTestFinished(() => db.close());
  // As the planner sees a large table. A small one it would rather read whole.
  await db.pool.query('SET enable_seqscan = off');
  await db.pool.query(
    `INSERT INTO refusal_counts (audit_id, guild_id, token_id, code, address, operation, count, first_at)
     SELECT 'aud_' || n, $1, $2, 'FORBIDDEN', '192.0.2.1', 'bans.add', 2, now() - interval '8 days'
     FROM generate_series(1, 100) AS n`,
    [guild.id, token.id],
  );
  const reads = async () => {
    await db.pool.query('SELECT pg_stat_force_next_flush()');
    const { rows } = await db.pool.query(
      "SELECT seq_tup_read + idx_tup_fetch AS read FROM pg_stat_user_tables WHERE relname = 'refusal_counts'",
    );
    return Number(rows[0]?.read);
  };
  const before = await reads();
  await dropLapsed(db);
  expect((await reads()) - before).toBe(0);
});

test('a lock without an end stays, however old, until its channel is known to be gone', async () => {
  verifies('ops.growth', 'in-force.gone');
  const [there, gone] = ['834989431927603201', '834989431927603202'];
  await sql(
    "INSERT INTO channels (guild_id, id, kind, name, position, overwrites) VALUES ($1, $2, 'text', 'general', 0, '[]')",
    guild.id,
    there,
  );
  const actionId = await action();
  for (const subject of [there, gone, guild.id]) {
    await sql(
      `INSERT INTO measures (guild_id, kind, subject_id, action_id, before, after, created_at, taken_at)
       VALUES ($1, 'lock', $2, $3, '{}', '{}', now() - interval '1 year', now() - interval '1 year')`,
      guild.id,
      subject,
      actionId,
    );
  }
  const subjects = async () =>
    (await sql('SELECT subject_id FROM measures')).map(({ subject_id }) => subject_id).toSorted();
  // What the mirror does not have may be there all the same while nobody trusts it.
  await sql('UPDATE guilds SET mirrored_at = NULL WHERE id = $1', guild.id);
  expect(await drop()).toMatchObject({ measures: 0 });
  await sql('UPDATE guilds SET mirrored_at = now() WHERE id = $1', guild.id);
  expect(await drop()).toMatchObject({ measures: 1 });
  expect(await subjects()).toEqual([there, guild.id].toSorted());
});

test('more rows than a batch holds go in one run', async () => {
  await keepUser(database.database, { id: guild.ownerId, name: 'Owner', image: null });
  await sql(
    `INSERT INTO sessions (token_hash, user_id, expires_at)
     SELECT sha256(n::text::bytea), $1, now() - interval '1 minute' FROM generate_series(1, 2500) AS n`,
    guild.ownerId,
  );
  expect(await drop()).toMatchObject({ sessions: 2500 });
});

test('a table whose rows cannot be deleted keeps no other from being cleaned', async () => {
  verifies('ops.growth');
  await sql(
    `INSERT INTO message_archives (guild_id, action_id, channel_id, messages, expires_at)
     VALUES ($1, $2, '1', '[]', now() - interval '1 day')`,
    guild.id,
    await action(),
  );
  await sql("INSERT INTO rate_limits (key, points, expire) VALUES ('old', 1, 1)");
  await sql(`CREATE FUNCTION stuck() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'the disk is slow'; END $$`);
  await sql('CREATE TRIGGER stuck BEFORE DELETE ON message_archives FOR EACH ROW EXECUTE FUNCTION stuck()');
  await expect(drop()).rejects.toThrow('steps failed: the disk is slow');
  expect(await sql('SELECT FROM rate_limits')).toEqual([]);
});

test('the queue of a game server goes when the server is removed, and what waits in it is done', async () => {
  verifies('ops.growth');
  const add = async (name: string): Promise<string> => {
    const [row] = await sql(
      `INSERT INTO game_servers (guild_id, name, host, port, password_sealed, created_by)
       VALUES ($1, $2, '192.0.2.1', 25575, '', $3) RETURNING id`,
      ...[guild.id, name, guild.ownerId],
    );
    await sql("SELECT ask_bot('check_server', $1)", row?.id);
    return row?.id;
  };
  const [kept, removed, asked] = [await add('kept'), await add('removed'), await add('asked')];
  await sql('DELETE FROM game_servers WHERE id = ANY ($1)', [removed, asked]);
  await sql("DELETE FROM graphile_worker._private_jobs WHERE key <> 'check_server:' || $1", asked);
  await drop();
  const queues = await sql('SELECT queue_name FROM graphile_worker._private_job_queues');
  expect(queues.map(({ queue_name }) => queue_name).sort()).toEqual([kept, asked].sort());
  await sql('DELETE FROM graphile_worker._private_jobs');
  await drop();
  expect(await sql('SELECT queue_name FROM graphile_worker._private_job_queues')).toEqual([
    { queue_name: kept },
  ]);
});

test('a page of bans that nobody has brought is not kept for more than a day', async () => {
  verifies('ops.growth');
  await sql(
    `INSERT INTO imports (guild_id, source, file_name, file_size, begun_by, begun_at, page)
     SELECT $1, 'discord', 'Discord', 0, $2, now() - age, '{"after": "0", "bans": [{"user_id": "1", "reason": "Spam"}]}'
     FROM (VALUES (interval '23 hours'), (interval '25 hours')) AS imports (age)`,
    guild.id,
    guild.ownerId,
  );
  expect(await drop()).toMatchObject({ pages: 1 });
  expect(await sql('SELECT page IS NULL AS gone FROM imports ORDER BY begun_at')).toEqual([
    { gone: true },
    { gone: false },
  ]);
});
