// What PostgreSQL refuses to the web process's own login, as if somebody else controlled that process.
import { secretProof } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { type Database, openDatabase } from '@bailiff/prisma';
import { createTestDatabase, LONG_LIMITS, type TestDatabase } from '@bailiff/prisma/testing';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findSession } from '#src/desk/sessions.ts';
import {
  grantRole,
  type SeededGuild,
  type SeededToken,
  seedGuild,
  seedSession,
  seedToken,
  snowflake,
} from '#src/testing.ts';
import { mintToken } from '#src/tokens/mint.ts';
import { DENIED, refusal, submissionOf } from './walls.ts';

let database: TestDatabase;
let web: Database;
let bot: Database;
let guild: SeededGuild;
let token: SeededToken;
/** To be revoked. */
let spare: SeededToken;
/** Ids of a closed window, a call that waits for approval and a game server. */
let closed: string;
let asked: string;
let server: string;
/** A token that expires, and one that is bound to addresses. */
let brief: string;
let bound: string;

beforeAll(async () => {
  database = await createTestDatabase();
  web = openDatabase(database.processUrls.web, { ...LONG_LIMITS, applicationName: 'web' });
  bot = openDatabase(database.processUrls.bot, { ...LONG_LIMITS, applicationName: 'bot' });
  guild = await seedGuild(database.database);
  token = await seedToken(database.database, guild);
  spare = await seedToken(database.database, guild);
  // The stranger owns another guild.
  await database.database.pool.query('UPDATE guilds SET owner_id = $2 WHERE id = $1', [
    (await seedGuild(database.database)).id,
    guild.strangerId,
  ]);
  await grantRole(database.database, guild, guild.moderatorRoleId, ['strikes.read']);
  brief = (await seedToken(database.database, guild)).id;
  await database.database.pool.query(
    "UPDATE tokens SET expires_at = now() + interval '1 day' WHERE id = $1",
    [brief],
  );
  bound = (await seedToken(database.database, guild)).id;
  await database.database.pool.query("UPDATE tokens SET ip_allowlist = '{192.0.2.0/24}' WHERE id = $1", [
    bound,
  ]);
  await seedSession(database.database, guild.ownerId, 'owner');
  await seedSession(database.database, guild.strangerId, 'stranger');
  await seedSession(database.database, guild.moderatorId, 'moderator');
  await seedSession(database.database, guild.ownerId, 'old');
  const made = await database.database.pool.query<{ closed: string; asked: string; server: string }>(
    `WITH aged AS (UPDATE sessions SET signed_in_at = now() - interval '61 minutes'
        WHERE token_hash = sha256(sha256('old'))),
      closed AS (INSERT INTO windows (token_id, guild_id, opened_by, expires_at, closed_at)
        VALUES ($1, $2, $3, now() + interval '15 minutes', now()) RETURNING id),
      asked AS (INSERT INTO approval_requests
          (token_id, guild_id, operation, input, digest, request_id, address, expires_at)
        VALUES ($1, $2, 'bans.add', '{}', 'digest', 'req_asked', '::1', now() + interval '1 hour') RETURNING id),
      server AS (INSERT INTO game_servers (guild_id, name, host, port, password_sealed, created_by)
        VALUES ($2, 'Survival', 'game.example.org', 25575, '\\x00', $3) RETURNING id)
    SELECT closed.id AS closed, asked.id AS asked, server.id AS server FROM closed, asked, server`,
    [token.id, guild.id, guild.ownerId],
  );
  ({ closed = '', asked = '', server = '' } = made.rows[0] ?? {});
});
afterAll(async () => {
  await web.close();
  await bot.close();
  await database.drop();
});

/** PostgreSQL's code for a device code that nobody authorized, or whose time is over. */
const NOT_AUTHORIZED = 'BF002';

const proofOf = async (cookie: string) => (await findSession(web, cookie))?.proof ?? '';

/** The audit row of a change in the guild, by whoever has this session. */
function recorded(shown: string | { readonly device_code: string }): pg.QueryConfig {
  return {
    text: 'SELECT record_change($1)',
    values: [
      JSON.stringify({
        guild_id: guild.id,
        actor_user_id: guild.ownerId,
        operation: 'guild.update',
        target_type: 'guild',
        target_id: guild.id,
        request_id: 'req_wall',
        address: '192.0.2.1',
        ...(typeof shown === 'string' ? { session_proof: shown } : shown),
      }),
    ],
  };
}

const MINT =
  () => `INSERT INTO tokens (guild_id, issuer_id, name, kind, secret_hash, secret_last_four, capabilities)
  VALUES ('${guild.id}', '${guild.ownerId}', 'forged', 'rest', '\\x${snowflake()}', 'AAAA', '{bans.write}')`;

const OPEN = (openedIn = '0 minutes', expiresIn = '1 hour') =>
  `INSERT INTO windows (token_id, guild_id, opened_by, opened_at, expires_at) VALUES ('${token.id}', '${guild.id}',
    '${guild.ownerId}', now() + interval '${openedIn}', now() + interval '${expiresIn}')`;

/** A row of a device code that its client knows, as if the owner had decided so. */
const consent = (code: string, state: string, livesFor = '1 minute') => `INSERT INTO device_authorizations
    (device_code_hash, user_code, client_id, address, expires_at, state, guild_id, decided_by)
  VALUES (sha256('${code}'), '${snowflake()}', 'x', '::1', now() + interval '${livesFor}', '${state}',
    '${guild.id}', '${guild.ownerId}')`;

const FORBIDDEN: readonly [string, () => string][] = [
  ['make a table', () => 'CREATE TABLE mine (id int)'],
  ['make a function', () => "CREATE FUNCTION mine() RETURNS int LANGUAGE sql AS 'SELECT 1'"],
  ['make a schema', () => 'CREATE SCHEMA mine'],
  ['change a table', () => 'ALTER TABLE audit ADD COLUMN mine int'],
  ['switch the triggers of the audit log off', () => 'ALTER TABLE audit DISABLE TRIGGER ALL'],
  ['switch all triggers off', () => "SET session_replication_role = 'replica'"],
  ['drop a table', () => 'DROP TABLE notes'],
  ['empty the audit log', () => 'TRUNCATE audit'],
  ['delete audit rows', () => 'DELETE FROM audit'],
  ['change audit rows', () => "UPDATE audit SET outcome = 'performed'"],
  [
    'write an audit row itself',
    () => `INSERT INTO audit (guild_id, actor_source, operation, outcome)
      VALUES ('${guild.id}', 'system', 'bans.add', 'performed')`,
  ],
  ['count refused calls away', () => 'DELETE FROM refusal_counts'],
  ['write an audit row through the inner function', () => "SELECT audit_call('{}', 'performed', NULL, NULL)"],
  ['make itself the owner of a guild', () => `UPDATE guilds SET owner_id = '${guild.strangerId}'`],
  ['give a guild a tier', () => "UPDATE guilds SET tier = 'operator'"],
  ['invent a guild', () => "INSERT INTO guilds (id, name, owner_id, tier) VALUES ('1', 'x', '1', 'pro')"],
  ['call an old mirror fresh', () => 'UPDATE guilds SET mirrored_at = now()'],
  ['invent a heartbeat', () => 'UPDATE gateway_shards SET heartbeat_at = now()'],
  ['give somebody a role', () => "UPDATE members SET role_ids = '{1}'"],
  ['remove a role', () => 'DELETE FROM roles'],
  [
    'invent a report',
    () => `INSERT INTO reports (guild_id, number, user_id, reported_by, reason)
      VALUES ('${guild.id}', 1, '${guild.strangerId}', '${guild.memberId}', 'x')`,
  ],
  ['change what a report says', () => "UPDATE reports SET reason = 'x', reported_by = '1'"],
  ['rename a channel', () => "UPDATE channels SET name = 'safe'"],
  [
    'invent a channel',
    () => `INSERT INTO channels (guild_id, id, kind, name, position, overwrites)
      VALUES ('${guild.id}', '1', 'text', 'safe', 0, '[]')`,
  ],
  [
    'have the bot post in a channel for nobody',
    () => `SELECT ask_channel_test('${guild.id}', '123456789012345678', 'r')`,
  ],
  [
    'insert an action as if from chat',
    () => `INSERT INTO actions (guild_id, operation, input, digest, actor_source, actor_user_id, request_id, claim_by)
      VALUES ('${guild.id}', 'bans.add', '{}', '', 'chat', '${guild.ownerId}', 'r', now())`,
  ],
  ['change an action', () => "UPDATE actions SET actor_source = 'chat'"],
  ['delete an action', () => 'DELETE FROM actions'],
  ['call a session confirmed', () => 'UPDATE sessions SET confirmed_at = now()'],
  [
    'begin a confirmed session',
    () => `INSERT INTO sessions (token_hash, user_id, expires_at, confirmed_at)
      VALUES ('\\x00', '${guild.ownerId}', now() + interval '1 day', now())`,
  ],
  ['call a sign-in new', () => 'UPDATE sessions SET signed_in_at = now()'],
  [
    'say when somebody signed in',
    () => `INSERT INTO sessions (token_hash, user_id, expires_at, signed_in_at)
      VALUES ('\\x00', '${guild.ownerId}', now() + interval '1 day', now())`,
  ],
  ['make a window longer', () => "UPDATE windows SET expires_at = now() + interval '1 day'"],
  ['give a session to somebody else', () => `UPDATE sessions SET user_id = '${guild.ownerId}'`],
  ['make a person somebody else', () => `UPDATE users SET id = '1' WHERE id = '${guild.strangerId}'`],
  ['note itself who acts', () => `SELECT act('dashboard', '${guild.ownerId}', '${guild.id}', true)`],
  ['forget a person', () => "SELECT forget_person('123456789012345678')"],
  ['forget a guild', () => `SELECT forget_guild('${guild.id}', 1)`],
  ['say that it may change audit rows', () => "SET bailiff.forgetting = 'yes'; DELETE FROM audit"],
  ['read what a file of a case holds', () => 'SELECT content FROM evidence'],
  ['have the bot fetch a file', () => `SELECT attach_evidence('{"files": []}')`],
  ['say what a file holds', () => "SELECT settle_evidence('1', '\\x00', NULL)"],
  ['say what a case is about', () => 'DELETE FROM case_messages'],
  ['put a file into a case', () => "SELECT keep_evidence('1', 'x', 1, '\\x00', NULL)"],
  ['remove a file of a case', () => 'DELETE FROM evidence'],
  ['read the secret that signs who acts', () => 'SELECT * FROM signing_secret'],
  ['sign who acts', () => "SELECT signature_of('x')"],
  ['call itself the bot', () => "UPDATE database_logins SET login = 'x'"],
  ['become the owner of the tables', () => 'SET ROLE bailiff'],
  ['become the bot', () => 'SET ROLE bailiff_bot'],
  [
    'invent an appeal',
    () =>
      "INSERT INTO appeals (guild_id, case_id, user_id, answers, language) VALUES ('1', '1', '1', '[]', 'en')",
  ],
  ['decide an appeal', () => "UPDATE appeals SET state = 'accepted'"],
  [
    'vote for somebody',
    () => "INSERT INTO appeal_votes (appeal_id, user_id, is_for) VALUES ('1', '1', true)",
  ],
  ['add a job for the bot', () => "SELECT graphile_worker.add_job('perform', '{}')"],
  ['look into the queue', () => 'SELECT * FROM graphile_worker._private_jobs'],
  ['fill a budget up', () => 'UPDATE budgets SET balance = 1000'],
  ["put its own key in place of the bot's", () => "UPDATE sealing_keys SET public_key = '\\x00'"],
];

describe('the login of the web process', () => {
  it.each(FORBIDDEN)('cannot %s', async (_what, statement) => {
    verifies('db.web-role');
    expect(await refusal(web, statement())).toBe(DENIED);
  });

  it('may change no column that rows of another table follow', async () => {
    const { rows } = await web.pool.query(
      `SELECT confrelid::regclass AS table, attname AS column
       FROM pg_constraint CROSS JOIN unnest(confkey) AS key JOIN pg_attribute ON attnum = key AND attrelid = confrelid
       WHERE contype = 'f' AND connamespace = current_schema()::regnamespace
         AND has_column_privilege(confrelid, key, 'UPDATE')`,
    );
    expect(rows).toEqual([]);
  });

  it('may not call these functions, and every other one is in the list of privileges.ts', async () => {
    const { rows } = await database.database.pool.query<{ name: string }>(
      `SELECT proname AS name FROM pg_proc WHERE pronamespace = 'public'::regnamespace
         AND prorettype <> 'trigger'::regtype AND NOT has_function_privilege('bailiff_web', oid, 'EXECUTE') ORDER BY 1`,
    );
    expect(rows.map(({ name }) => name)).toEqual([
      'act',
      'act_by_device_code',
      'act_in_session',
      'admit_call',
      'alert_of_joins',
      'ask_for_caller',
      'attach_evidence',
      'audit_call',
      'audit_change',
      'audit_refusal',
      'case_reader',
      'end_cases_of',
      'end_consents',
      'forget_guild',
      'forget_note_text',
      'forget_person',
      'guild_has_turn',
      'hierarchy_of',
      'id_at',
      'import_more',
      'importing',
      'is_of_many',
      'iso_time',
      'keep_audit_partitions',
      'keep_direct_channel',
      'keep_evidence',
      'keep_member_events',
      'late_since',
      'may_keep_member_event',
      'meet_people',
      'note_words',
      'offer_action',
      'owns_or_moderates',
      'person_is_free',
      'person_of',
      'picture_type',
      'place_is_free',
      'require_acting',
      'require_holder',
      'rows_to_undo',
      'settle_evidence',
      'settle_running_as_unknown',
      'settle_sanction',
      'signature_of',
      'spend_budgets',
      'take_shards',
      'tell_of_name',
      'touch_token',
      'try_link_code',
      'watch_words',
      'without_lines_of',
    ]);
  });

  it('could not sign without the secret of the database', async () => {
    verifies('session.verified-by-bot');
    const client = await database.database.pool.connect();
    const signed = async () => (await client.query("SELECT signature_of('a note') AS signature")).rows[0];
    await client.query('BEGIN');
    const before = await signed();
    await client.query("UPDATE signing_secret SET secret = 'another secret'");
    const after = await signed();
    await client.query('ROLLBACK');
    client.release();
    expect(after).not.toEqual(before);
  });

  it.each([
    ['mint a token', MINT],
    ['revoke a token', () => `UPDATE tokens SET revoked_at = now() WHERE id = '${spare.id}'`],
    ['open a window', () => OPEN()],
    [
      'grant a capability',
      () => `INSERT INTO role_grants (guild_id, role_id, capabilities, granted_by)
        VALUES ('${guild.id}', '${guild.memberRoleId}', '{bans.write}', '${guild.ownerId}')`,
    ],
    [
      'say what can be appealed',
      () => `INSERT INTO appeal_settings (guild_id, kinds) VALUES ('${guild.id}', '{ban}')
        ON CONFLICT (guild_id) DO UPDATE SET kinds = '{ban}'`,
    ],
    [
      'say what members are asked for a ticket',
      () => `INSERT INTO ticket_settings (guild_id) VALUES ('${guild.id}')
        ON CONFLICT (guild_id) DO UPDATE SET cooldown_minutes = 1`,
    ],
    [
      'say where a part of the log is posted',
      () => `INSERT INTO log_topics (guild_id, topic, channel_id) VALUES ('${guild.id}', 'bans', '1')
        ON CONFLICT (guild_id, topic) DO UPDATE SET channel_id = '2'`,
    ],
    ['change a setting', () => `UPDATE guilds SET language = 'de' WHERE id = '${guild.id}'`],
  ])('can %s only for the owner of the guild, in their session', async (_what, statement) => {
    verifies('session.verified-by-bot');
    const [owner, stranger] = [await proofOf('owner'), await proofOf('stranger')];
    expect(await refusal(web, statement())).toBe(DENIED);
    expect(await refusal(web, statement(), recorded(stranger))).toBe(DENIED);
    expect(
      await refusal(web, "SELECT set_config('bailiff.acting', 'x dashboard y z', true)", statement()),
    ).toBe(DENIED);
    expect(await refusal(web, statement(), recorded(owner))).toBeNull();
  });

  it.each([
    ['mint a token', MINT],
    [
      'give a token another secret',
      () => `UPDATE tokens SET secret_hash = '\\x${snowflake()}' WHERE id = '${spare.id}'`,
    ],
    [
      'give a token a second secret',
      () => `UPDATE tokens SET previous_secret_hash = '\\x${snowflake()}' WHERE id = '${spare.id}'`,
    ],
    [
      'give a token more capabilities',
      () => `UPDATE tokens SET capabilities = '{strikes.read}' WHERE id = '${spare.id}'`,
    ],
    [
      'let a token live longer',
      () =>
        `UPDATE tokens SET expires_at = coalesce(expires_at, now()) + interval '1 day' WHERE id = '${brief}'`,
    ],
    ['let a token live for ever', () => `UPDATE tokens SET expires_at = NULL WHERE id = '${brief}'`],
    [
      'revive a revoked token',
      () => `UPDATE tokens SET revoked_at = now() WHERE id = '${spare.id}';
        UPDATE tokens SET revoked_at = NULL WHERE id = '${spare.id}'`,
    ],
    ['open a window', () => OPEN()],
    ['open a closed window again', () => `UPDATE windows SET closed_at = NULL WHERE id = '${closed}'`],
    [
      'approve a call',
      () => `UPDATE approval_requests SET state = 'approved_call', decided_by = '${guild.ownerId}', decided_at = now()
        WHERE id = '${asked}'`,
    ],
    [
      'allow more commands on a game server',
      () => `UPDATE game_servers SET allow_patterns = '{op *}' WHERE id = '${server}'`,
    ],
    [
      'deny fewer',
      () => `UPDATE game_servers SET deny_patterns = '{x ${snowflake()}}' WHERE id = '${server}'`,
    ],
    [
      'run another command with each ban',
      () => `UPDATE game_servers SET ban_template = 'op ${snowflake()}' WHERE id = '${server}'`,
    ],
    [
      'let strikes lead to a ban',
      () => `DELETE FROM escalation_steps WHERE guild_id = '${guild.id}';
        INSERT INTO escalation_policies (guild_id) VALUES ('${guild.id}') ON CONFLICT DO NOTHING;
        INSERT INTO escalation_steps (guild_id, points, sanction) VALUES ('${guild.id}', 1, 'ban')`,
    ],
    [
      'have cases told of in another channel',
      () => `UPDATE guilds SET log_channel_id = '${snowflake()}' WHERE id = '${guild.id}'`,
    ],
    [
      'have reports told of in another channel',
      () => `UPDATE guilds SET reports_channel_id = '${snowflake()}' WHERE id = '${guild.id}'`,
    ],
    [
      'have a part of the log told of in another channel',
      () => `INSERT INTO log_topics (guild_id, topic, channel_id) VALUES ('${guild.id}', 'mutes', '${snowflake()}')
        ON CONFLICT (guild_id, topic) DO UPDATE SET channel_id = excluded.channel_id`,
    ],
    [
      'have appeals told of in another channel',
      () => `INSERT INTO appeal_settings (guild_id, channel_id) VALUES ('${guild.id}', '${snowflake()}')
        ON CONFLICT (guild_id) DO UPDATE SET channel_id = excluded.channel_id`,
    ],
    [
      'let a token be used from more addresses',
      () => `UPDATE tokens SET ip_allowlist = ip_allowlist || '{198.51.100.7}' WHERE id = '${bound}'`,
    ],
    [
      'let a token be used from everywhere',
      () => `UPDATE tokens SET ip_allowlist = '{}' WHERE id = '${bound}'`,
    ],
    [
      'begin an import',
      () => `INSERT INTO imports (guild_id, source, file_name, file_size, begun_by)
        VALUES ('${guild.id}', 'csv', 'x', 1, '${guild.ownerId}')`,
    ],
    ['remove a game server', () => `DELETE FROM game_servers WHERE id = '${server}'`],
    [
      'grant a role what it had not',
      () => `UPDATE role_grants SET capabilities = '{servers.rcon}', granted_by = '${guild.ownerId}'
        WHERE guild_id = '${guild.id}'`,
    ],
    [
      'grant another role something',
      () => `DELETE FROM role_grants WHERE guild_id = '${guild.id}';
        INSERT INTO role_grants (guild_id, role_id, capabilities, granted_by)
        VALUES ('${guild.id}', '${guild.moderatorRoleId}', '{servers.rcon}', '${guild.ownerId}')`,
    ],
  ])('can %s only in a session that began within the last hour', async (_what, statement) => {
    verifies('session.fresh');
    expect(await refusal(web, statement(), recorded(await proofOf('old')))).toBe(DENIED);
    expect(await refusal(web, statement(), recorded(await proofOf('owner')))).toBeNull();
  });

  it('cannot open a window for longer than an hour, or for later', async () => {
    verifies('session.fresh');
    const owner = recorded(await proofOf('owner'));
    expect(await refusal(web, OPEN('0 minutes', '61 minutes'), owner)).toBe(DENIED);
    expect(await refusal(web, OPEN('1 day', '25 hours'), owner)).toBe(DENIED);
    const prolonged = `UPDATE windows SET expires_at = now() + interval '2 hours' WHERE token_id = '${token.id}'
      AND closed_at IS NULL`;
    expect(await refusal(web, OPEN(), prolonged, owner)).toBe(DENIED);
    expect(await refusal(web, OPEN(), owner)).toBeNull();
  });

  it.each(['authorized', 'redeemed'])(
    'cannot act by a device code that it called %s itself',
    async (state) => {
      verifies('session.verified-by-bot', 'session.fresh');
      const byCode = (code: string) => recorded({ device_code: code });
      expect(await refusal(web, consent('own', state))).toBe(DENIED);
      expect(await refusal(web, consent('own', state), byCode('own'))).toBe(DENIED);
      // Both in one statement: the function sees the row before the statement has ended.
      const act = byCode('own');
      const atOnce = {
        ...act,
        text: `WITH own AS (${consent('own', state)} RETURNING 1) ${act.text} FROM own`,
      };
      expect(await refusal(web, atOnce)).toBe(DENIED);
      expect(await refusal(web, recorded(await proofOf('stranger')), consent('own', state))).toBe(DENIED);
      expect(await refusal(web, recorded(await proofOf('old')), consent('own', state))).toBe(DENIED);
      // Somebody else's code for the owner's, or for longer than the owner's sign-in would count.
      expect(await refusal(web, consent(`waits ${state}`, 'pending'))).toBeNull();
      const told = `UPDATE device_authorizations SET state = '${state}' WHERE device_code_hash = sha256('waits ${state}')`;
      expect(await refusal(web, told)).toBe(DENIED);
      expect(await refusal(web, recorded(await proofOf('stranger')), told)).toBe(DENIED);
      const fresh = recorded(await proofOf('owner'));
      expect(await refusal(web, fresh, consent('own', state, '61 minutes'))).toBe(DENIED);

      expect(await refusal(web, fresh, consent(`right ${state}`, state))).toBeNull();
      expect(await refusal(web, byCode(`right ${state}`), MINT())).toBeNull();
      expect(await refusal(web, fresh, consent(`late ${state}`, state, '-1 second'))).toBeNull();
      expect(await refusal(web, byCode(`late ${state}`), MINT())).toBe(NOT_AUTHORIZED);
      const longer = `UPDATE device_authorizations SET expires_at = expires_at + interval '1 minute'
      WHERE device_code_hash = sha256('right ${state}')`;
      expect(await refusal(web, longer)).toBe(DENIED);
      const fromAnywhere = `UPDATE device_authorizations SET ip_allowlist = '{0.0.0.0/0}'
      WHERE device_code_hash = sha256('right ${state}')`;
      expect(await refusal(web, fromAnywhere)).toBe(DENIED);
    },
  );

  it.each([
    ['a stranger', 'stranger', DENIED],
    ['a moderator without that capability', 'moderator', DENIED],
    ['the owner', 'owner', null],
  ])('writes a case in the session of %s: %s', async (_who, cookie, expected) => {
    verifies('session.verified-by-bot');
    const session_proof = await proofOf(cookie);
    const call = submission({ actor_source: 'dashboard', session_proof, capability: null });
    const person = { stranger: guild.strangerId, moderator: guild.moderatorId, owner: guild.ownerId }[cookie];
    const admitted = '(SELECT id FROM actions WHERE xmin = pg_current_xact_id()::xid)';
    for (const opened of [
      `SELECT open_case('${guild.id}', 'strike', 'str', '1', 'x', '${person}', NULL, ${admitted}, 'minor')`,
      `INSERT INTO notes (guild_id, user_id, text, written_by) VALUES ('${guild.id}', '1', 'x', '${person}')`,
      `INSERT INTO escalations (strike_id, guild_id, points, sanction) VALUES ('str_${snowflake()}', '${guild.id}', 1, 'ban')`,
    ])
      expect(await refusal(web, call, opened), opened).toBe(expected);
  });

  it('cannot write cases, tickets, notes and reports for which no call was admitted, not even for the owner', async () => {
    verifies('session.verified-by-bot');
    const note = `INSERT INTO notes (guild_id, user_id, text, written_by) VALUES ('${guild.id}', '1', 'x', '1')`;
    expect(await refusal(web, note)).toBe(DENIED);
    const opened = `SELECT open_case('${guild.id}', 'ban', 'ban', '1', 'x', '${guild.ownerId}', NULL, NULL)`;
    expect(await refusal(web, opened)).toBe(DENIED);
    await database.database.pool.query(
      `INSERT INTO reports (guild_id, number, user_id, reported_by, reason) VALUES ($1, 1, $2, $3, 'x')`,
      [guild.id, guild.strangerId, guild.memberId],
    );
    const closed = `UPDATE reports SET status = 'closed', answer = 'x' WHERE guild_id = '${guild.id}'`;
    expect(await refusal(web, closed)).toBe(DENIED);
  });

  /** The id of an action that the bot performs, begun in chat. */
  async function running(operation: string, by: string): Promise<string> {
    const { rows } = await database.database.pool.query<{ id: string }>(
      `INSERT INTO actions (guild_id, operation, input, digest, state, actor_source, actor_user_id, request_id, claim_by)
       VALUES ($1, $2, '{}', '', 'running', 'chat', $3, 'req_running', now()) RETURNING id`,
      [guild.id, operation, by],
    );
    return rows[0]?.id ?? '';
  }

  const actionOf = async (id: string) => {
    const { rows } = await web.pool.query('SELECT state, stopped_by FROM actions WHERE id = $1', [id]);
    return rows[0];
  };

  const stop = (id: string) => ({ text: 'SELECT stop_action($1)', values: [id] });

  /** A call that the web process performs itself. */
  const stored = async (cookie: string, operation: string) =>
    submission({
      actor_source: 'dashboard',
      session_proof: await proofOf(cookie),
      operation,
      performed_by: 'store',
    });

  it('cannot stop a long action for which no call was admitted, not even for the owner', async () => {
    verifies('action.stop');
    const id = await running('messages.purge', guild.ownerId);
    expect(await refusal(web, `UPDATE actions SET stopped_by = '${guild.ownerId}' WHERE id = '${id}'`)).toBe(
      DENIED,
    );
    expect(await refusal(web, recorded(await proofOf('owner')), stop(id))).toBe(DENIED);
    expect(await actionOf(id)).toEqual({ state: 'running', stopped_by: null });
  });

  it('cannot stop a long action in the session of who may do nothing in the guild', async () => {
    verifies('action.stop');
    const id = await running('messages.purge', guild.ownerId);
    expect(await refusal(web, await stored('stranger', 'actions.stop'), stop(id))).toBe(DENIED);
    expect(await actionOf(id)).toEqual({ state: 'running', stopped_by: null });
    expect(await refusal(web, await stored('moderator', 'actions.stop'), stop(id))).toBeNull();
    expect(await actionOf(id)).toEqual({ state: 'running', stopped_by: guild.moderatorId });
  });

  it('cannot sign who acts with a secret of its own, in a table that comes before ours', async () => {
    verifies('session.verified-by-bot');
    const note = (
      signature: string,
    ) => `SELECT set_config('bailiff.acting', noted || ' ' || ${signature}, true)
      FROM (SELECT pg_current_xact_id() || ' dashboard ${guild.ownerId}' AS noted) AS forged`;
    const signature =
      "encode(sha256('\\x00'::bytea || sha256('\\x00'::bytea || convert_to(noted, 'UTF8'))), 'hex')";
    const own =
      "CREATE TEMPORARY TABLE signing_secret ON COMMIT DROP AS SELECT '\\x00'::bytea AS secret; GRANT ALL ON signing_secret TO PUBLIC";
    const person = 'DO $$ BEGIN ASSERT (SELECT user_id FROM acting()) IS NULL; END $$';
    expect(await refusal(web, own, note(signature), person, MINT())).toBe(DENIED);
  });

  it('cannot repeat what it noted in another transaction', async () => {
    const note = recorded(await proofOf('owner'));
    const connection = await web.pool.connect();
    try {
      await connection.query('BEGIN');
      await connection.query(note);
      const { rows } = await connection.query("SELECT current_setting('bailiff.acting') AS noted");
      await connection.query('COMMIT');
      const again = { text: "SELECT set_config('bailiff.acting', $1, true)", values: [rows[0].noted] };
      expect(await refusal(web, again, MINT())).toBe(DENIED);
    } finally {
      connection.release();
    }
  });

  it('cannot act with what the database stores of a session or a token', async () => {
    verifies('session.verified-by-bot');
    const { rows } = await web.pool.query<{ hash: string }>(
      "SELECT encode(token_hash, 'hex') AS hash FROM sessions WHERE user_id = $1",
      [guild.ownerId],
    );
    expect(await refusal(web, recorded(rows[0]?.hash ?? ''))).toBe('BF002');
    const { rows: tokens } = await web.pool.query<{ hash: string }>(
      "SELECT encode(secret_hash, 'hex') AS hash FROM tokens WHERE id = $1",
      [token.id],
    );
    expect(await submitted({ actor_source: 'token', secret_proof: tokens[0]?.hash })).toMatchObject({
      status: 'refused',
      code: 'UNAUTHORIZED',
    });
    const proof = secretProof(token.secret).toString('hex');
    expect(await submitted({ actor_source: 'token', secret_proof: proof })).toMatchObject({
      status: 'admitted',
    });
  });

  it('cannot submit a call with the former secret of a token once the overlap is over', async () => {
    verifies('rotation.overlap');
    const secret_proof = secretProof('former').toString('hex');
    for (const [overlap, answer] of [
      ['5 minutes', { status: 'admitted' }],
      ['-1 second', { status: 'refused', code: 'UNAUTHORIZED' }],
    ] as const) {
      await database.database.pool.query(
        `UPDATE tokens SET previous_secret_hash = sha256(sha256('former')),
           previous_secret_expires_at = now() + $2::interval WHERE id = $1`,
        [token.id, overlap],
      );
      expect(await submitted({ actor_source: 'token', secret_proof })).toMatchObject(answer);
    }
  });

  it('cannot submit a call as chat or the system, and in the dashboard only as the person of the session', async () => {
    verifies('session.verified-by-bot');
    for (const actor_source of ['chat', 'system', 'operator']) {
      await expect(submitted({ actor_source })).rejects.toMatchObject({ code: DENIED });
    }
    await expect(submitted({ actor_source: 'dashboard' })).rejects.toMatchObject({ code: DENIED });
    const session_proof = await proofOf('stranger');
    const { action_id } = await submitted({ actor_source: 'dashboard', session_proof });
    const { rows } = await web.pool.query('SELECT actor_user_id FROM actions WHERE id = $1', [action_id]);
    expect(rows).toEqual([{ actor_user_id: guild.strangerId }]);
  });

  it('cannot act in a session of which the bot has not heard whose it is', async () => {
    verifies('session.verified-by-bot');
    await seedSession(database.database, guild.ownerId, 'new');
    await database.database.pool.query(
      "UPDATE sessions SET confirmed_at = NULL WHERE token_hash = sha256(sha256('new'))",
    );
    const session = await findSession(web, 'new');
    const call = {
      userId: guild.ownerId,
      sessionProof: session?.proof,
      requestId: 'req_new',
      address: '::1',
    };
    const wanted = { guildId: guild.id, name: 'n', kind: 'rest', expiresIn: '7d', ipAllowlist: [] } as const;
    await expect(mintToken(web, call, wanted)).rejects.toMatchObject({
      code: 'UPSTREAM_UNAVAILABLE',
      status: 503,
    });
    await database.database.pool.query('UPDATE sessions SET confirmed_at = now()');
    expect(await mintToken(web, call, wanted)).toMatchObject({ token: { name: 'n' } });
  });

  it('cannot end an action that it did not begin in the same transaction, except by cancelling it', async () => {
    const proof = secretProof(token.secret).toString('hex');
    const { action_id } = await submitted({ actor_source: 'token', secret_proof: proof });
    const settle = (state: string) => ({
      text: 'SELECT settle_action($1, $2::"ActionState", \'{}\', NULL)',
      values: [action_id, state],
    });
    await database.database.pool.query("UPDATE actions SET state = 'running' WHERE id = $1", [action_id]);
    expect(await refusal(web, settle('done'))).toBe(DENIED);
    expect(await refusal(bot, settle('done'))).toBeNull();
  });

  it.each(['done', 'failed'])(
    'cannot end an action of an earlier transaction as %s by asking it to stop first',
    async (state) => {
      const end = (id: string) => ({
        text: 'SELECT settle_action($1, $2::"ActionState", \'{}\', $3)',
        values: [id, state, { code: 'UPSTREAM_UNAVAILABLE', details: { outcome: 'not_performed' } }],
      });
      for (const by of [guild.ownerId, guild.moderatorId]) {
        const id = await running('bans.add', by);
        const call = await stored('moderator', 'actions.stop');
        expect(await refusal(web, call, stop(id), end(id))).toBe(DENIED);
        expect(await actionOf(id)).toEqual({ state: 'running', stopped_by: null });
      }
    },
  );

  it.each([
    ['nothing in the session of who may do nothing in the guild', 'stranger', DENIED, 0],
    ['what a moderator did in their session', 'moderator', null, 1],
    ['what the owner did in their session', 'owner', null, 1],
  ])('tells a guild as performed %s', async (_what, cookie, expected, told) => {
    verifies('session.verified-by-bot');
    const done = `SELECT settle_action(id, 'done', '{}', NULL) FROM actions WHERE xmin = pg_current_xact_id()::xid`;
    expect(await refusal(web, await stored(cookie, `servers.${cookie}`), done)).toBe(expected);
    const { rowCount } = await web.pool.query(
      "SELECT FROM audit WHERE guild_id = $1 AND operation = $2 AND outcome = 'performed'",
      [guild.id, `servers.${cookie}`],
    );
    expect(rowCount).toBe(told);
  });
});

describe('the login of the bot', () => {
  it.each<[string, string, string?]>([
    ['make a table', 'CREATE TABLE mine (id int)'],
    ['switch the triggers of the audit log off', 'ALTER TABLE audit DISABLE TRIGGER ALL'],
    ['delete audit rows', 'DELETE FROM audit'],
    ['change audit rows', "UPDATE audit_writes SET outcome = 'performed'"],
    ['forget a person', "SELECT forget_person('123456789012345678')"],
    ['forget a guild that it is in', `SELECT forget_guild(id, 1) FROM guilds`, 'BF005'],
    ['change how often a call was refused', 'UPDATE refusal_counts SET count = 1'],

    ['read the secret that signs who acts', 'SELECT * FROM signing_secret'],
    ['call itself the web process', "UPDATE database_logins SET login = 'x'"],
    ['say that it may change audit rows', "SET bailiff.forgetting = 'yes'; DELETE FROM audit"],
  ])('cannot %s', async (_what, statement, code = DENIED) => {
    verifies('db.web-role');
    expect(await refusal(bot, statement)).toBe(code);
  });
});

/** Submits a ban as the web process does, with these fields of the call. */
async function submitted(fields: object): Promise<{ status: string; code?: string; action_id?: string }> {
  const { rows } = await web.pool.query(submission(fields));
  return rows[0].submitted;
}

const submission = (fields: object) => submissionOf(guild, token, fields);
