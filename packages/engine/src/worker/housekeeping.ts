import { type Database, sql } from '@bailiff/prisma';
import { everyStep } from './every-step.ts';

/** Of a case for a year. An action that opens no case within a day, during which it is looked for, opens none. */
const LAPSED_EVIDENCE = `attached_at < now() - interval '365 days'
    OR case_id IS NULL AND attached_at < now() - interval '2 days'`;

const NAME_IS_DUE = "learned_at < now() - interval '90 days'";
const NAME_HAS_RECORD = [
  ...['cases.user_id', 'notes.user_id', 'identities.user_id', 'tickets.opened_by'],
  ...['reports.user_id', 'reports.reported_by'],
]
  .map((column) => `EXISTS (SELECT FROM ${column.split('.')[0]} WHERE ${column} = known_names.user_id)`)
  .join(' OR ');

/** Tables with rows that are deleted after a time. Rows that refer to others come before them. */
const LAPSED = {
  /** Decided requests too: the dashboard shows those of one day, and the audit log keeps the decisions. */
  approval_requests: "expires_at < now() - interval '30 days'",
  windows: "expires_at < now() - interval '30 days'",
  device_authorizations: "expires_at < now() - interval '1 day'",
  /** A key can be used again after 24 hours (decisions: Idempotency). */
  idempotency_keys: "created_at <= now() - interval '24 hours'",
  /** Archives of purged messages (decisions: Operations). */
  message_archives: 'expires_at <= now()',
  /** What an action has read and not put in its place: it ended without that, or nobody will find out how it did. */
  action_pages: `EXISTS (SELECT FROM actions a WHERE a.id = action_id AND a.state NOT IN ('pending', 'running')
    AND (a.state <> 'unknown' OR a.looked_at = 'infinity'))`,
  /** Mass actions, which can be undone for so long, and previews, which nobody can act on any more. */
  person_lists: `(created_at < now() - interval '30 days'
      OR taken_by IS NULL AND created_at < now() - interval '1 day')
    AND NOT EXISTS (SELECT FROM actions a WHERE a.id IN (taken_by, undone_by) AND a.state IN ('pending', 'running'))`,
  /** Their channel is gone, or nobody knows whether their action happened. */
  measures: `created_at < now() - interval '7 days' AND (taken_at IS NULL OR expires_at IS NULL
    AND kind <> 'role' AND subject_id <> guild_id AND NOT EXISTS (SELECT FROM channels c
      WHERE c.guild_id = measures.guild_id AND c.id = measures.subject_id)
    AND EXISTS (SELECT FROM live_guilds g WHERE g.id = measures.guild_id AND g.mirror_fresh))`,
  /** What is to stay of a report is in the cases that it led to (decisions: Reports). */
  reports: "reported_at < now() - interval '180 days'",
  /** What shows why a case was opened. The case stays (decisions: Evidence). */
  evidence: LAPSED_EVIDENCE,
  case_messages: LAPSED_EVIDENCE,
  /** An audit row without a count stands for one refusal. The others stay, so not all are looked through each hour. */
  refusal_counts: "count = 1 AND first_at BETWEEN now() - interval '7 days' AND now() - interval '1 hour'",
  sessions: 'expires_at <= now()',
  /** No request and no archive is kept longer, and the next one asks for the name again. */
  known_channels: "learned_at < now() - interval '30 days'",
  member_events: "at < now() - interval '180 days'",
  /** No guild asks for a longer silence than 90 days, and a note is a day older than their last message. */
  last_words: `written_at < now() - interval '92 days'
    OR NOT EXISTS (SELECT FROM guilds g WHERE g.id = guild_id AND g.alerts_quiet_days IS NOT NULL)`,
  /** Names of people without a record, such as those whom only an approval request named. */
  known_names: `${NAME_IS_DUE} AND NOT (${NAME_HAS_RECORD})`,
  /** The next record of the person asks again. */
  names_to_learn: "met_at < now() - interval '7 days'",
  /** Codes are valid for 15 minutes, and the limits look at a day. */
  identity_links: "asked_at < now() - interval '1 day'",
  /** Who was online. Whoever asks later asks the server again. */
  server_players: "asked_at < now() - interval '1 hour'",
  /** The next message to the person opens the conversation again. */
  direct_channels: "opened_at < now() - interval '180 days'",
  forgettings: "at < now() - interval '3 years'",
  /** A bot that did not end in order left them behind, if it has fewer shards now. */
  gateway_shards: "heartbeat_at < now() - interval '30 days'",
  /** Bots that waited for shards and did not end in order: one that had some is replaced within seconds. */
  shard_holders: "renewed_at < now() - interval '1 day'",
  /** The web process deletes them an hour after `expire`, if it runs. */
  rate_limits: "expire < extract(epoch FROM now() - interval '1 day') * 1000",
  /** Jobs that failed for the last time. */
  'graphile_worker._private_jobs':
    "attempts >= max_attempts AND locked_at IS NULL AND run_at < now() - interval '30 days'",
  /** Each game server has a queue of its own, and nobody asks for anything in that of one that was removed. */
  'graphile_worker._private_job_queues': `queue_name LIKE 'srv\\_%'
    AND NOT EXISTS (SELECT FROM game_servers WHERE id = queue_name)
    AND NOT EXISTS (SELECT FROM graphile_worker._private_jobs j WHERE j.job_queue_id = _private_job_queues.id)`,
} as const;

/** How long the answer of an action is kept. What was done, to whom and by whom stays with its audit rows. */
const RESULT_DAYS = 90;

const BATCH = 1_000;
/** Rows with files or with thousands of others, of which a thousand would take longer than a statement may. */
const BATCH_OF_LARGE = 20;
/** Most rows of one table in one run. The next run continues. */
const MOST_BATCHES = 100;

/** Most events of members that a guild keeps. The oldest go first. */
const MOST_MEMBER_EVENTS = 200_000;
/**
 * To count the events of a guild is to read them. So each hour only those of a share of the guilds are counted. Their
 * number is not 24: a bot that is away at the same hour each day comes to all of them too.
 */
export const SHARES = 25;
const SHARE_OF_HOUR = `floor(extract(epoch FROM clock_timestamp()) / 3600)::bigint % ${SHARES}`;

export type Dropped = Record<keyof typeof LAPSED, number> & {
  readonly results: number;
  readonly pages: number;
  readonly beyondMost: number;
};

/** Locked rows are left to the next run. */
const dropBatch = (table: keyof typeof LAPSED) =>
  sql.command({
    parameters: [sql.bigint],
    text: `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM ${table} WHERE ${LAPSED[table]} LIMIT $1 FOR UPDATE SKIP LOCKED))`,
  });

const stripResults = sql.command({
  parameters: [sql.bigint],
  text: `UPDATE actions SET result = NULL WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM actions WHERE settled_at < now() - interval '${RESULT_DAYS} days' AND result IS NOT NULL
      LIMIT $1 FOR UPDATE SKIP LOCKED))`,
});

/** Drops pages of Discord's bans: who only looked through the list, or stopped on the way, never ends the import. */
const stripPages = sql.command({
  parameters: [sql.bigint],
  text: `UPDATE imports SET page = NULL WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM imports WHERE page IS NOT NULL AND begun_at < now() - interval '1 day'
      LIMIT $1 FOR UPDATE SKIP LOCKED))`,
});

/** The guilds of a share that have more events of members than they keep, each with the latest one beyond that. */
const guildsBeyondMost = sql.statement({
  parameters: [sql.bigint.orNull],
  columns: { id: sql.text, at: sql.timestamptz },
  text: `SELECT g.id, beyond.at FROM guilds g
    CROSS JOIN LATERAL (SELECT at FROM member_events WHERE guild_id = g.id ORDER BY at DESC
      OFFSET ${MOST_MEMBER_EVENTS} LIMIT 1) AS beyond
    WHERE abs(hashtext(g.id)::bigint) % ${SHARES} = coalesce($1, ${SHARE_OF_HOUR})`,
});

const dropEvents = sql.command({
  parameters: [sql.bigint, sql.text, sql.timestamptz],
  text: `DELETE FROM member_events WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM member_events WHERE guild_id = $2 AND at <= $3 LIMIT $1 FOR UPDATE SKIP LOCKED))`,
});

/**
 * Names of people with a record come round again in a month, when the record may be gone. So a run does not look at
 * those of everybody.
 */
const spareNames = sql.command({
  parameters: [sql.bigint],
  text: `UPDATE known_names SET learned_at = now() - interval '60 days' WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM known_names WHERE ${NAME_IS_DUE} AND (${NAME_HAS_RECORD}) LIMIT $1 FOR UPDATE SKIP LOCKED))`,
});

const TABLES = Object.keys(LAPSED) as (keyof typeof LAPSED)[];
const BATCHES = new Map<keyof Dropped, ReturnType<typeof dropBatch>>([
  ...TABLES.map((table) => [table, dropBatch(table)] as const),
  ['results', stripResults],
  ['pages', stripPages],
]);

const LARGE: ReadonlySet<string> = new Set<keyof Dropped>([
  'evidence',
  'message_archives',
  'person_lists',
  'pages',
]);

/**
 * Deletes expired rows, old results and pages of imports in small batches. Returns how many of each.
 *
 * @param share of which guilds the events of members are counted; null: that of the hour
 * @throws AggregateError if some could not be deleted, once all others are
 */
export async function dropLapsed(db: Database, share: number | null = null): Promise<Dropped> {
  const dropped = {} as { -readonly [K in keyof Dropped]: number };
  await everyStep([
    ...[...BATCHES].map(([table, batch]) => async () => {
      const most = LARGE.has(table) ? BATCH_OF_LARGE : BATCH;
      dropped[table] = await inBatches(most, () => batch.run(db.pool, [most]));
    }),
    async () => {
      dropped.beyondMost = await dropBeyondMost(db, share);
    },
    () => inBatches(BATCH, () => spareNames.run(db.pool, [BATCH])),
  ]);
  return dropped;
}

/** Deletes the oldest events of members that are beyond what a guild keeps. Returns how many. */
async function dropBeyondMost({ pool }: Database, share: number | null): Promise<number> {
  let count = 0;
  for (const { id, at } of await guildsBeyondMost.all(pool, [share])) {
    // Until none is left, however many have come since this guild's share was last looked at.
    for (let dropped = BATCH; dropped === BATCH; count += dropped) {
      dropped = await dropEvents.run(pool, [BATCH, id, at]);
    }
  }
  return count;
}

async function inBatches(most: number, drop: () => Promise<number>): Promise<number> {
  let count = 0;
  for (let ran = 0; ran < MOST_BATCHES; ran += 1) {
    const changed = await drop();
    count += changed;
    if (changed < most) break;
  }
  return count;
}
