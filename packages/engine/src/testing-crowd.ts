// A database as it is after years, for tests of plans and for the bench.
import type pg from 'pg';

export interface Crowd {
  readonly guilds: number;
  readonly cases: number;
  readonly auditRows: number;
  /** The first guild has each so many-th row. */
  readonly nth: number;
}

/** Ids in a crowd. Each column of a row has common values, rare ones and one that no row has. */
export const CROWD = {
  /** The first guild. */
  guildId: '200000000000000001',
  ownerId: '300000000000000001',
  roleId: '250000000000000001',
  /** One of the people with an ordinary number of cases. */
  personId: '400000000000000007',
  /** With two thousand cases in the first guild. */
  notoriousId: '400000000000000000',
  /** In no guild. */
  strangerId: '499999999999999999',
  moderatorId: '300000000000000001',
  /** The preview with a long list of people. */
  listId: 'act_longlist',
} as const;

const LONG_AGO = new Date(Date.now() - 55 * 86_400_000).toISOString();
const LATELY = new Date(Date.now() - 3_600_000).toISOString();

/** Values for the filters of the public lists: common ones, rare ones, and for most one that no row has. */
export const CROWD_FILTERS: Readonly<Record<string, readonly unknown[]>> = {
  user_id: [CROWD.personId, CROWD.notoriousId, CROWD.strangerId],
  in_game_id: ['player 1', 'zzz'],
  severity: ['minor', 'major'],
  active: [true, false],
  status: ['open', 'claimed', 'closed'],
  state: ['sent', 'in_review', 'refused'],
  actor_source: ['token', 'chat', 'dashboard', 'system', 'operator'],
  action: ['strikes.add', 'roles.grant', 'strikes.list', 'tickets.list', 'servers.list', 'no.such'],
  target: [CROWD.personId, CROWD.strangerId],
  since: [LONG_AGO, LATELY],
  until: [LONG_AGO, LATELY],
  actionId: [CROWD.listId],
  words: ['reason', 'zzz'],
  kind: ['strike', 'ban', 'mute', 'kick', 'warning'],
  issued_by: [CROWD.moderatorId, CROWD.strangerId],
};

/** Each way to give none, one or two of the filters, with each of their values. */
export function combined(values: Readonly<Record<string, readonly unknown[]>>): Record<string, unknown>[] {
  const one = Object.entries(values).flatMap(([name, each]) => each.map((value) => ({ name, value })));
  const pairs = one.flatMap((first, place) =>
    one.slice(place + 1).flatMap((second) => (first.name === second.name ? [] : [[first, second]])),
  );
  return [[], ...one.map((each) => [each]), ...pairs].map((given) =>
    Object.fromEntries(given.map(({ name, value }) => [name, value])),
  );
}

const PEOPLE = 40_000;
const YEARS_OF_CASES = 2;
const DAYS_OF_AUDIT = 60;
const DAYS_OF_READS = 30;

/** An id with the time `at` in it, as new_id makes them. */
const idAt = (prefix: string, at: string, row: string) =>
  `'${prefix}_' || lpad(to_hex((extract(epoch FROM ${at}) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(${row} % 4096), 3, '0')
   || substr(md5(${row}::text), 1, 16)`;

/** The guild of row `n`. */
const GUILD =
  '200000000000000001 + CASE WHEN n % $3::int = 0 THEN 0 ELSE 1 + (n - n / $3 - 1) % ($2 - 1) END';

/**
 * Adds cases, tickets, recorded calls and reads of guilds that exist: those with the ids that follow
 * {@link CROWD}.guildId. Times are spread evenly. The rows send no notifications and make no jobs.
 */
export async function seedCrowd(pool: pg.Pool, { guilds, cases, auditRows, nth }: Crowd): Promise<void> {
  const client = await pool.connect();
  const add = (table: string, text: string, rows: number) =>
    withoutIndexes(client, table, async () => {
      await client.query(text, [rows, guilds, nth]);
    });
  try {
    await client.query('SET statement_timeout = 0');
    await client.query(`ALTER TABLE cases DISABLE TRIGGER USER; ALTER TABLE tickets DISABLE TRIGGER USER;
      ALTER TABLE measures DISABLE TRIGGER USER; ALTER TABLE appeals DISABLE TRIGGER USER;
      ALTER TABLE audit_writes DISABLE TRIGGER audit_told`);
    await add('cases', CASES, cases);
    await add('tickets', TICKETS, Math.floor(cases / 20));
    await add('audit_writes', WRITES, Math.floor(auditRows * 0.6));
    await add('audit_reads_default', READS, Math.floor(auditRows * 0.4));
    await add('actions', ACTIONS, Math.floor(auditRows / 10));
    await client.query(MEASURES);
    await client.query(APPEALS);
    await client.query(LISTS);
    await client.query(LISTED);
    await client.query(`ALTER TABLE cases ENABLE TRIGGER USER; ALTER TABLE tickets ENABLE TRIGGER USER;
      ALTER TABLE measures ENABLE TRIGGER USER; ALTER TABLE appeals ENABLE TRIGGER USER;
      ALTER TABLE audit_writes ENABLE TRIGGER audit_told`);
    await client.query(
      `INSERT INTO guild_counters (guild_id, next_case_number, next_ticket_number)
      SELECT id, 1 + $1::int, 1 + $1::int FROM guilds ON CONFLICT DO NOTHING`,
      [cases],
    );
    await client.query('VACUUM ANALYZE');
  } finally {
    client.release(true);
  }
}

// Sixty cases in a hundred are strikes. One strike in fifty is major and one in a thousand was removed; mutes are over
// after an hour; one ban in fifty ends some day and one in a hundred was lifted.
const CASES = `INSERT INTO cases (id, guild_id, case_number, kind, user_id, reason, issued_by, issued_at, duration_minutes,
    expires_at, ended_by, ended_at, severity, category, action_id, source)
  SELECT ${idAt('str', 'at', 'n')}, guild_id::text, number, kind::"CaseKind",
    (400000000000000000 + CASE WHEN row % 200 = 0 THEN 0 ELSE row % ${PEOPLE} END)::text,
    'A reason of ordinary length for number ' || n, (300000000000000001 + row % 12)::text, at,
    CASE WHEN expires_at IS NULL THEN NULL ELSE 60 END, expires_at,
    CASE WHEN ended_at IS NULL THEN NULL ELSE '300000000000000001' END, ended_at,
    CASE WHEN kind <> 'strike' THEN NULL WHEN row % 50 = 7 THEN 'major' ELSE 'minor' END::"StrikeSeverity",
    CASE WHEN kind = 'strike' THEN 'spam' END, ${idAt('act', 'at', 'n')},
    (ARRAY['chat', 'dashboard', 'chat', 'token', 'system'])[1 + row % 5]::"ActorSource"
  FROM (SELECT *, CASE WHEN kind = 'mute' THEN at + interval '1 hour'
                       WHEN kind = 'ban' AND row % 500 = 88 THEN at + interval '800 days' END AS expires_at,
               CASE WHEN kind = 'strike' AND row % 1000 = 11 OR kind = 'ban' AND row % 1000 = 87
                    THEN at + interval '1 day' END AS ended_at
        FROM (SELECT n, n / $3 AS row, ${GUILD} AS guild_id,
                     CASE WHEN n % $3::int = 0 THEN n / $3 ELSE 1 + (n - n / $3 - 1) / ($2 - 1) END AS number,
                     now() - make_interval(secs => ($1 - n) * ${YEARS_OF_CASES * 365 * 86_400}::float8 / $1) AS at,
                     CASE WHEN n / $3 % 100 < 60 THEN 'strike' WHEN n / $3 % 100 < 84 THEN 'mute'
                          WHEN n / $3 % 100 < 94 THEN 'ban' WHEN n / $3 % 100 < 98 THEN 'kick' ELSE 'warning' END AS kind
              FROM generate_series(1, $1::int) AS n) AS rows) AS cases`;

const TICKETS = `INSERT INTO tickets (id, guild_id, number, subject, status, opened_by, opened_at, closed_at)
  SELECT ${idAt('tkt', 'at', 'n')}, guild_id::text, number, 'A question about number ' || n,
    CASE WHEN row % 500 = 3 THEN 'open' WHEN row % 500 = 4 THEN 'claimed' ELSE 'closed' END::"TicketStatus",
    (400000000000000000 + row % ${PEOPLE})::text, at, CASE WHEN row % 500 NOT IN (3, 4) THEN at END
  FROM (SELECT n, n / $3 AS row, ${GUILD} AS guild_id,
               CASE WHEN n % $3::int = 0 THEN n / $3 ELSE 1 + (n - n / $3 - 1) / ($2 - 1) END AS number,
               now() - make_interval(secs => ($1 - n) * ${YEARS_OF_CASES * 365 * 86_400}::float8 / $1) AS at
        FROM generate_series(1, $1::int) AS n) AS tickets`;

// Pairs of requested and the outcome. One in two thousand failed, and one in ten thousand is unknown.
const WRITES = `INSERT INTO audit (id, guild_id, at, actor_source, actor_user_id, token_id, token_name, operation,
    target_type, target_id, outcome, code, request_id, address, digest, action_id)
  SELECT ${idAt('aud', 'at', 'n')}, guild_id::text, at, source::"ActorSource", (300000000000000001 + pair % 12)::text,
    CASE WHEN source = 'token' THEN 'tok_' || md5((guild_id + pair % 3)::text) END,
    CASE WHEN source = 'token' THEN 'nightly' END, operation, 'user', (400000000000000000 + pair % ${PEOPLE})::text,
    CASE WHEN row % 2 = 0 THEN 'requested' WHEN pair % 2000 = 9 THEN 'failed' WHEN pair % 10000 = 19 THEN 'unknown'
         ELSE 'performed' END::"AuditOutcome",
    CASE WHEN row % 2 = 1 AND pair % 2000 = 9 THEN 'UPSTREAM_UNAVAILABLE' END,
    'req_' || md5(pair::text), '203.0.113.7', repeat(md5(pair::text), 2), ${idAt('act', 'at', 'pair')}
  FROM (SELECT *, CASE WHEN pair % 5000 = 33 THEN 'operator' WHEN pair % 4 < 2 THEN 'token' WHEN pair % 4 = 2 THEN 'chat'
                       ELSE 'dashboard' END AS source,
               (ARRAY['strikes.add', 'bans.add', 'mutes.add', 'strikes.remove', 'tickets.claim',
                      CASE WHEN pair % 3000 = 5 THEN 'roles.grant' ELSE 'servers.rcon' END])[1 + pair % 6] AS operation
        FROM (SELECT n, n / $3 AS row, n / $3 / 2 AS pair, ${GUILD} AS guild_id,
                     now() - make_interval(secs => ($1 - n) * ${DAYS_OF_AUDIT * 86_400}::float8 / $1) AS at
              FROM generate_series(1, $1::int) AS n) AS rows) AS writes`;

// Nearly all reads are lists by tokens. One in four thousand is by a person in chat.
const READS = `INSERT INTO audit (is_read, id, guild_id, at, actor_source, actor_user_id, token_id, token_name, operation,
    target_type, target_id, outcome, code, request_id, address, digest)
  SELECT true, ${idAt('aud', 'at', 'n')}, guild_id::text, at, source::"ActorSource", '300000000000000001',
    CASE WHEN source = 'token' THEN 'tok_' || md5((guild_id + row % 3)::text) END,
    CASE WHEN source = 'token' THEN 'nightly' END,
    CASE WHEN row % 3000 = 5 THEN 'tickets.list' WHEN row % 50 = 0 THEN 'members.get' ELSE 'strikes.list' END,
    CASE WHEN row % 50 = 0 THEN 'user' END,
    CASE WHEN row % 50 = 0 THEN (400000000000000000 + row % ${PEOPLE})::text END,
    CASE WHEN row % 2500 = 1 THEN 'refused' ELSE 'performed' END::"AuditOutcome",
    CASE WHEN row % 2500 = 1 THEN 'NOT_FOUND' END, 'req_' || md5((-row)::text), '203.0.113.7', repeat(md5(n::text), 2)
  FROM (SELECT *, CASE WHEN row % 4000 = 17 THEN 'chat' ELSE 'token' END AS source
        FROM (SELECT n, n / $3 AS row, ${GUILD} AS guild_id,
                     now() - make_interval(secs => ($1 - n) * ${DAYS_OF_READS * 86_400}::float8 / $1) AS at
              FROM generate_series(1, $1::int) AS n) AS rows) AS reads`;

const ACTIONS = `INSERT INTO actions (id, guild_id, operation, input, digest, target_type, target_id, state, actor_source,
    actor_user_id, request_id, created_at, claim_by, settled_at, result)
  SELECT ${idAt('act', 'at', 'n')}, guild_id::text, 'bans.add', '{}', md5(n::text), 'user',
    (400000000000000000 + row % ${PEOPLE})::text,
    CASE WHEN row % 10000 = 19 THEN 'unknown' ELSE 'done' END::"ActionState", 'chat', '300000000000000001',
    'req_' || md5(row::text), at, at, at, '{}'
  FROM (SELECT n, n / $3 AS row, ${GUILD} AS guild_id,
               now() - make_interval(secs => ($1 - n) * ${DAYS_OF_AUDIT * 86_400}::float8 / $1) AS at
        FROM generate_series(1, $1::int) AS n) AS rows`;

// A role for a while of everybody whom an action of the first guild was about.
const MEASURES = `INSERT INTO measures (guild_id, kind, subject_id, action_id, before, after, taken_at, expires_at)
  SELECT DISTINCT ON (target_id) guild_id, 'role', target_id || ':${CROWD.roleId}', id, '{}', '{}', created_at,
    now() + interval '7 days'
  FROM actions WHERE guild_id = '${CROWD.guildId}'`;

// An appeal against every ban of the first guild. Few of them wait.
const APPEALS = `INSERT INTO appeals (id, guild_id, case_id, user_id, answers, language, state, sent_at)
  SELECT 'apl' || substr(id, 4), guild_id, id, user_id, '[{"question": "Why?", "answer": "It was a joke."}]', 'en',
    CASE case_number % 1000 WHEN 88 THEN 'sent' WHEN 89 THEN 'in_review' ELSE 'refused' END::"AppealState", issued_at
  FROM cases WHERE guild_id = '${CROWD.guildId}' AND kind = 'ban'`;

// As many lists of people as the first guild has actions, and a long one.
const LISTS = `INSERT INTO person_lists (action_id, guild_id, kind, people, taken_by, undone_by)
  SELECT id, guild_id, 'ban'::"ListKind", 1, id, 'undone_' || id FROM actions
  WHERE guild_id = '${CROWD.guildId}'
  UNION ALL SELECT '${CROWD.listId}', '${CROWD.guildId}', 'ban', ${PEOPLE}, NULL, NULL`;

const LISTED = `INSERT INTO listed_people (list_id, place, line, user_id)
  SELECT '${CROWD.listId}', n, n, (400000000000000000 + n)::text FROM generate_series(1, ${PEOPLE}) AS n`;

/** Fills a table without those of its indexes that can be built again, which is several times faster. */
async function withoutIndexes(
  client: pg.PoolClient,
  table: string,
  fill: () => Promise<void>,
): Promise<void> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index
     WHERE indrelid = $1::regclass AND NOT indisunique
       AND NOT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = indexrelid)`,
    [table],
  );
  for (const { name } of rows) await client.query(`DROP INDEX ${name}`);
  await fill();
  for (const { definition } of rows) await client.query(definition);
}
