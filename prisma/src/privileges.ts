import type pg from 'pg';

/** The logins of the two processes, where they have logins of their own. */
export interface Logins {
  readonly bot: string;
  /** The login of the process that is reachable from the internet. */
  readonly web: string;
}

/** The addresses of one database, for each of the logins. */
export interface ProcessUrls {
  readonly bot: string;
  readonly web: string;
}

/**
 * What a process may do with a table besides reading it. `UPDATE` of columns only: `UPDATE (name, language)`; without
 * columns, of all but those that name a row. Rows of other tables follow these (`ON UPDATE CASCADE`) with the rights of
 * their owner: whoever changes the id of a person takes that person's sessions along.
 */
type Privilege = 'INSERT' | 'UPDATE' | 'DELETE' | `INSERT (${string})` | `UPDATE (${string})`;

/**
 * The tables that the web process writes. What is not here it can only read. Where a person's or a guild's rights are
 * at stake, the trigger `require_hand` also wants a session or an admitted call in the same transaction.
 */
const WRITTEN_BY_WEB: Readonly<Record<string, readonly Privilege[]>> = {
  accounts: ['INSERT'],
  activity_days: ['INSERT'],
  appeal_settings: ['INSERT', 'UPDATE'],
  // Only a lock: functions of the owner's change appeals.
  appeals: ['UPDATE (language)'],
  approval_requests: ['UPDATE (state, decided_by, decided_at, window_id, expires_at)'],
  case_changes: ['INSERT'],
  case_links: ['INSERT', 'DELETE'],
  // How long a case lasts, and whose it is, says the bot.
  cases: ['INSERT', 'UPDATE (reason, severity, ended_at, ended_by, end_reason, end_action_id)'],
  device_authorizations: ['INSERT', 'UPDATE'],
  escalation_policies: ['INSERT', 'UPDATE', 'DELETE'],
  escalation_steps: ['INSERT', 'UPDATE', 'DELETE'],
  escalations: ['INSERT'],
  game_servers: ['INSERT', 'UPDATE', 'DELETE'],
  guild_counters: ['INSERT', 'UPDATE'],
  guilds: [
    'UPDATE (grants_confirmed_at, log_channel_id, reports_channel_id, language, notifies_targets, notice_words, notice_colour, public_answers, alerts_joins, alerts_quiet_days, hides_first_steps)',
  ],
  identities: ['INSERT', 'DELETE', 'UPDATE (id)'],
  imports: ['INSERT (guild_id, source, file_name, file_size, begun_by)', 'UPDATE (finished_at, page)'],
  // Whether the bot can post there is the bot's to say.
  log_topics: ['INSERT (guild_id, topic, channel_id)', 'UPDATE (channel_id)', 'DELETE'],
  notes: ['INSERT', 'UPDATE (id)'],
  rate_limits: ['INSERT', 'UPDATE', 'DELETE'],
  reason_presets: ['INSERT', 'UPDATE', 'DELETE'],
  role_grants: ['INSERT', 'UPDATE', 'DELETE'],
  // Members report in chat, so the web process writes none.
  reports: ['UPDATE (status, claimed_by, claimed_at, closed_by, closed_at, answer)'],
  // The bot alone says whose a session is.
  sessions: [
    'INSERT (token_hash, user_id, seen_at, expires_at, browser, address, access_token_sealed)',
    'UPDATE (seen_at, expires_at, wrong_codes_at)',
    'DELETE',
  ],
  // Only a lock: the bot replaces its key by another row.
  sealing_keys: ['UPDATE (published_at)'],
  ticket_settings: ['INSERT', 'UPDATE'],
  // Its channel, which the bot deletes, and what was said there are the bot's to write.
  tickets: ['UPDATE (status, claimed_by, claimed_at, assigned_by)'],
  tokens: ['INSERT', 'UPDATE'],
  users: ['INSERT', 'UPDATE'],
  windows: ['INSERT', 'UPDATE (closed_at)'],
};

/** The functions that the web process calls. They check who asks, or only read. */
const CALLED_BY_WEB = [
  'acting',
  'address_is_allowed',
  'allowlist_is_wider',
  'admit_reads',
  'ask_bans',
  'ask_bot',
  'ask_to_close',
  'ask_channel_test',
  'ask_conversation',
  'ask_approval',
  'ask_member',
  'ask_members',
  'asked_tokens',
  'ask_people',
  'ask_players',
  'assign_ticket',
  'cancel_in_windows',
  'case_is_enforced',
  'case_is_in_force',
  'case_is_overdue',
  'case_search_words',
  'case_words',
  'case_writer',
  'change_case',
  'count_requests',
  'end_windows',
  'evidence_room',
  'file_appeal',
  'grant_reaches',
  'granted_to',
  'handles_tickets',
  'has_open_window',
  'import_rows',
  'imported_before',
  'heartbeat_is_fresh',
  'is_administrator',
  'is_web',
  'lock_roles',
  'may_use_grants',
  'name_grams',
  'name_part',
  'name_to_search',
  'new_id',
  'open_case',
  'read_evidence',
  'record_change',
  'record_read',
  'record_reads',
  'record_refusal',
  'refusal_holds',
  'rehearse_call',
  'refuse_appeal',
  'request_approval',
  'remove_note',
  'remove_ticket_note',
  'revoke_by_secret',
  'settle_action',
  'settle_or_fail',
  'sign_in_is_fresh',
  'slide_window',
  'spend_read',
  'stop_action',
  'spend_reads',
  'submit_call',
  'tell',
  'undo_import',
  'upload_evidence',
  'vote_on_appeal',
  'write_ticket_note',
  'window_admits',
  'window_is_open',
  'window_is_over',
];

/** Columns that the web process reads of a table whose others it does not. A function gives those to who may see them. */
const READ_BY_WEB: Readonly<Record<string, string>> = {
  // The hash of a code that a member shows to whom they trust.
  identity_links: 'id, guild_id, user_id, asked_at',
  evidence: 'id, guild_id, case_id, action_id, name, media_type, size_bytes, sha256, problem, attached_at',
};

/** Tables that no process reads, and functions that no process calls itself. */
const SECRET_TABLES = ['signing_secret'];
const INNER_FUNCTIONS = ['act', 'ask_for_caller', 'forget_person', 'signature_of'];

/**
 * Gives the logins what their processes need and takes away everything else, in the caller's transaction. Run as the
 * owner of the tables, after everything was applied.
 */
export async function grantPrivileges(client: pg.ClientBase, logins: Logins): Promise<void> {
  const bot = client.escapeIdentifier(logins.bot);
  const web = client.escapeIdentifier(logins.web);
  const { rows } = await client.query<{ schema: string; database: string }>(
    'SELECT quote_ident(current_schema()) AS schema, quote_ident(current_database()) AS database',
  );
  const { schema = 'public', database = '' } = rows[0] ?? {};
  await client.query('DELETE FROM database_logins');
  await client.query("INSERT INTO database_logins (part, login) VALUES ('bot', $1), ('web', $2)", [
    logins.bot,
    logins.web,
  ]);
  const { rows: parts } = await client.query<{ name: string }>(
    "SELECT relid::text AS name FROM pg_partition_tree('audit')",
  );
  const partitions = parts.map(({ name }) => name);
  // What somebody else made in the schema is theirs to give, and PostgreSQL refuses a command that also names it.
  const { rows: owned } = await client.query<{ name: string }>(
    `SELECT oid::regclass::text AS name FROM pg_class WHERE relnamespace = current_schema()::regnamespace
       AND relkind IN ('r', 'p', 'v', 'm', 'f') AND pg_has_role(relowner, 'USAGE')`,
  );
  const tables = owned.map(({ name }) => name).join(', ');
  const changeable = await columnsThatNameNothing(client);
  await client.query(
    [
      // A temporary table would come before ours in a query.
      `REVOKE TEMPORARY, CREATE ON DATABASE ${database} FROM PUBLIC, ${bot}, ${web}`,
      // Before PostgreSQL 15 everybody may make tables there, and functions that come before ours.
      `REVOKE CREATE ON SCHEMA ${schema} FROM PUBLIC`,
      `REVOKE ALL ON SCHEMA ${schema} FROM ${bot}, ${web}`,
      `REVOKE ALL ON ${tables} FROM PUBLIC, ${bot}, ${web}`,
      `REVOKE ALL ON ALL FUNCTIONS IN SCHEMA ${schema} FROM PUBLIC, ${bot}, ${web}`,
      `GRANT USAGE ON SCHEMA ${schema} TO ${bot}, ${web}`,
      `GRANT SELECT, INSERT, UPDATE, DELETE ON ${tables} TO ${bot}`,
      ...[...partitions, 'database_logins'].map(
        (table) => `REVOKE INSERT, UPDATE, DELETE ON ${table} FROM ${bot}`,
      ),
      `GRANT INSERT ON audit TO ${bot}`,
      // What was counted is part of the audit log. Housekeeping deletes rows, which it locks first.
      `REVOKE INSERT, UPDATE ON refusal_counts, forgettings FROM ${bot}`,
      `GRANT UPDATE (audit_id) ON refusal_counts TO ${bot}`,
      `GRANT UPDATE (id) ON forgettings TO ${bot}`,
      `GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${schema} TO ${bot}`,
      `GRANT SELECT ON ${tables} TO ${web}`,
      ...Object.entries(READ_BY_WEB).flatMap(([table, columns]) => [
        `REVOKE SELECT ON ${table} FROM ${web}`,
        `GRANT SELECT (${columns}) ON ${table} TO ${web}`,
      ]),
      ...Object.entries(WRITTEN_BY_WEB).map(([table, list]) => {
        const granted = list.map((each) => (each === 'UPDATE' ? `UPDATE (${changeable[table]})` : each));
        return `GRANT ${granted.join(', ')} ON ${table} TO ${web}`;
      }),
      `GRANT EXECUTE ON FUNCTION ${CALLED_BY_WEB.join(', ')} TO ${web}`,
      `REVOKE ALL ON ${SECRET_TABLES.join(', ')} FROM ${bot}, ${web}`,
      `REVOKE ALL ON FUNCTION ${INNER_FUNCTIONS.join(', ')} FROM ${bot}, ${web}`,
      `GRANT USAGE ON SCHEMA graphile_worker TO ${bot}`,
      `GRANT ALL ON ALL TABLES IN SCHEMA graphile_worker TO ${bot}`,
      `GRANT ALL ON ALL SEQUENCES IN SCHEMA graphile_worker TO ${bot}`,
      `GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA graphile_worker TO ${bot}`,
    ].join(';\n'),
  );
  await refuseOpenSchema(client, logins.web);
  await letIntoQueue(client, logins.bot);
}

/**
 * The logins that were given their rights last, for who brings the database up to date and names none. Undefined if there
 * are none, if one of them is gone, or if it is the caller's own by now, which must keep what it owns.
 */
export async function readLogins(pool: pg.Pool): Promise<Logins | undefined> {
  const { rows } = await pool.query<{ bot: string | null; web: string | null }>(
    `SELECT max(login) FILTER (WHERE part = 'bot') AS bot, max(login) FILTER (WHERE part = 'web') AS web
     FROM database_logins JOIN pg_roles ON rolname = login WHERE login <> current_user`,
  );
  const { bot = null, web = null } = rows[0] ?? {};
  return bot === null || web === null ? undefined : { bot, web };
}

/**
 * An earlier release knows neither the tables to hide nor the functions to give.
 *
 * @throws Error unless a later release has given the logins their rights
 */
export async function refuseOtherLogins(pool: pg.Pool, { bot, web }: Logins): Promise<void> {
  const { rowCount } = await pool.query(
    "SELECT FROM database_logins WHERE (part, login) IN (('bot', $1), ('web', $2))",
    [bot, web],
  );
  if (rowCount === 2) return;
  throw new Error(
    `A later release has brought this database up to date, and gave no rights to the logins ${bot} and ${web}. ` +
      'Start that release with these logins first.',
  );
}

/** What a schema's owner granted, PostgreSQL lets nobody else revoke; it only warns. */
async function refuseOpenSchema(client: pg.ClientBase, login: string): Promise<void> {
  const { rows } = await client.query<{ command: string; schema: string }>(
    `SELECT format('ALTER SCHEMA %I OWNER TO %I', current_schema(), current_user) AS command, current_schema() AS schema
     WHERE has_schema_privilege($1, current_schema(), 'CREATE')`,
    [login],
  );
  for (const { command, schema } of rows) {
    throw new Error(
      `Every login may make tables in the schema ${schema} of this database. As its superuser run "${command}", ` +
        'then start again.',
    );
  }
}

/** The columns of each table that are neither its key nor what a row of another table refers to. */
async function columnsThatNameNothing(client: pg.ClientBase): Promise<Readonly<Record<string, string>>> {
  const { rows } = await client.query<{ table: string; columns: string }>(
    `SELECT relname AS table, string_agg(quote_ident(attname), ', ') AS columns
     FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
     WHERE relnamespace = current_schema()::regnamespace AND attnum > 0 AND NOT attisdropped
       AND NOT EXISTS (SELECT FROM pg_constraint WHERE contype = 'p' AND conrelid = attrelid AND attnum = ANY (conkey)
         OR contype = 'f' AND confrelid = attrelid AND attnum = ANY (confkey))
     GROUP BY relname`,
  );
  return Object.fromEntries(rows.map(({ table, columns }) => [table, columns]));
}

/**
 * The queue's tables show their rows to their owner only (row level security), unless a policy lets others in. Those it
 * lets in already are left alone: a policy is made under a lock that waits for every job.
 */
async function letIntoQueue(client: pg.ClientBase, login: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT c.oid::regclass::text AS name FROM pg_class c
     WHERE c.relnamespace = 'graphile_worker'::regnamespace AND c.relkind = 'r' AND c.relrowsecurity
       AND NOT EXISTS (SELECT FROM pg_policies p WHERE p.schemaname = 'graphile_worker' AND p.tablename = c.relname
         AND p.policyname = 'bailiff_bot' AND p.roles = ARRAY[$1::name])`,
    [login],
  );
  for (const { name } of rows) {
    await client.query(
      `DROP POLICY IF EXISTS bailiff_bot ON ${name};
       CREATE POLICY bailiff_bot ON ${name} TO ${client.escapeIdentifier(login)} USING (true) WITH CHECK (true)`,
    );
  }
}
