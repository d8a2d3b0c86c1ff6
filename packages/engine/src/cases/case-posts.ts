import { CASE_KIND_NAMES, caseKind, type LogTopic } from '@bailiff/core';
import {
  ActorSource,
  type CaseKind,
  type Database,
  LogChannelProblem,
  type Queryable,
  type RowOf,
  sql,
  TargetNoticeState,
} from '@bailiff/prisma';
import { CASE, CASE_COLUMNS, isReplaced } from './cases.ts';

const POSTED_CASE = {
  ...CASE,
  /** The guild's language: a locale of the messages. */
  language: sql.text,
  log_channel_id: sql.text.orNull,
  /** Null for a manual action in Discord. */
  actor_source: sql.oneOf({ ActorSource }).orNull,
  token_name: sql.text.orNull,
  is_replaced: sql.bool,
  /** The case of the sanction that a strike escalated to. */
  led_to: sql.jsonb<{ readonly case_number: number; readonly kind: CaseKind }>().orNull,
  /** The latest change. */
  changed: sql.jsonb<{ readonly by: string; readonly at: string }>().orNull,
  /** Where the messages are that it is about. */
  messages: sql.jsonb<readonly { readonly channel_id: string; readonly message_id: string }[]>(),
  evidence: sql.jsonb<{
    readonly kept: number;
    readonly fetching: number;
    /** The names of the files that are not kept. */
    readonly missing: readonly string[];
  }>(),
  /** What became of the message to its target, so far. */
  notice: sql.oneOf({ TargetNoticeState }).orNull,
};

/** A case as the log channel shows it. */
export type PostedCase = Omit<RowOf<typeof POSTED_CASE>, 'log_channel_id'>;

/** The message of a case that this worker has claimed. No other worker may write it now. */
export interface CasePost {
  readonly shown: PostedCase;
  readonly channelId: string;
  /** Whether that is the channel of a topic, so that what is refused there can go to the log channel. */
  readonly isOfTopic: boolean;
  /** Null if Discord has not confirmed that it exists. */
  readonly messageId: string | null;
  /** Whether an earlier attempt may have posted it. */
  readonly beganBefore: boolean;
}

/** Longer than a worker needs for one message. */
const BUSY_SECONDS = 20;

/** The topics of cases, by kind. */
const TOPICS = Object.fromEntries(CASE_KIND_NAMES.map((kind) => [kind, caseKind(kind).log]));

/** The channel of a topic of the guild `g`, where it has one that exists. */
const channelOf = (topic: string) => `(SELECT t.channel_id FROM log_topics t
      WHERE t.guild_id = g.id AND t.topic::text = ${topic} AND t.problem IS DISTINCT FROM 'unknown_channel')`;

const claimPost = sql.statement({
  parameters: [sql.text, sql.float, sql.jsonb<object>(), sql.bool],
  columns: { channel_id: sql.text, message_id: sql.text.orNull, began_before: sql.bool },
  text: `INSERT INTO case_posts AS post (case_id, channel_id, busy_until)
    SELECT c.id, coalesce(CASE WHEN $4 THEN ${channelOf('$3::jsonb->>c.kind::text')} END, g.log_channel_id), clock_timestamp() + make_interval(secs => $2)
    FROM cases c JOIN guilds g ON g.id = c.guild_id WHERE c.id = $1 AND g.log_channel_id IS NOT NULL
    ON CONFLICT (case_id) DO UPDATE SET busy_until = EXCLUDED.busy_until
      WHERE post.busy_until IS NULL OR post.busy_until < clock_timestamp()
    RETURNING channel_id, message_id, began_at <> transaction_timestamp()::timestamptz(3) AS began_before`,
});

const caseToPost = sql.statement({
  parameters: [sql.text],
  columns: POSTED_CASE,
  text: `SELECT c.*, g.language, g.log_channel_id, a.actor_source, a.token_name, n.state AS notice,
      ${isReplaced('c')} AS is_replaced,
      (SELECT jsonb_build_object('case_number', s.case_number, 'kind', s.kind)
       FROM escalations e JOIN cases s ON s.guild_id = c.guild_id AND s.user_id = c.user_id AND s.action_id = e.action_id
       WHERE e.strike_id = c.id) AS led_to,
      (SELECT jsonb_build_object('by', changed_by, 'at', changed_at) FROM case_changes h WHERE h.case_id = c.id
       ORDER BY h.id DESC LIMIT 1) AS changed,
      (SELECT coalesce(jsonb_agg(jsonb_build_object('channel_id', m.channel_id, 'message_id', m.message_id)
         ORDER BY m.id), '[]') FROM case_messages m WHERE m.case_id = c.id) AS messages,
      (SELECT jsonb_build_object('kept', count(e.content), 'fetching', count(e.url),
         'missing', coalesce(jsonb_agg(e.name ORDER BY e.id) FILTER (WHERE e.problem IS NOT NULL), '[]'))
       FROM evidence e WHERE e.case_id = c.id) AS evidence
    FROM (SELECT ${CASE_COLUMNS} FROM cases WHERE id = $1) c
    JOIN guilds g ON g.id = c.guild_id LEFT JOIN actions a ON a.id = c.action_id
    LEFT JOIN target_notices n ON n.action_id = c.action_id`,
});

/**
 * Claims the message of a case. Null if the guild has no log channel. `busy` while another worker has it, whose data of
 * the case may be older.
 *
 * @param where for a case without a message: in the channel of its topic, if it has one, or in the log channel
 */
export async function claimCasePost(
  db: Database,
  caseId: string,
  where: 'topic' | 'log channel',
): Promise<CasePost | 'busy' | null> {
  const values = [caseId, BUSY_SECONDS, TOPICS, where === 'topic'] as const;
  const post = await claimPost.first(db.pool, [...values]);
  // Read after the claim: a later change adds its own job.
  const shown = await caseToPost.first(db.pool, [caseId]);
  if (shown === null) return null;
  if (post === null) return shown.log_channel_id === null ? null : 'busy';
  return {
    shown,
    channelId: post.channel_id,
    isOfTopic: post.channel_id !== shown.log_channel_id,
    messageId: post.message_id,
    beganBefore: post.began_before,
  };
}

/** Records that the message shows the case as it was claimed. */
export async function settleCasePost(db: Database, caseId: string, messageId: string): Promise<void> {
  await db.prisma.casePost.updateMany({ where: { caseId }, data: { messageId, busyUntil: null } });
}

/** Leaves a message to the next attempt, which starts over in the present channel if it certainly is not there. */
export async function leaveCasePost(
  db: Database,
  caseId: string,
  { mayBeThere }: { readonly mayBeThere: boolean },
): Promise<void> {
  if (!mayBeThere) await db.prisma.casePost.deleteMany({ where: { caseId, messageId: null } });
  await db.prisma.casePost.updateMany({ where: { caseId }, data: { busyUntil: null } });
}

const putLogChannelProblem = sql.command({
  parameters: [sql.text, sql.oneOf({ LogChannelProblem }).orNull, sql.text],
  text: `WITH topics AS (
      UPDATE log_topics SET problem = $2 WHERE guild_id = $1 AND channel_id = $3 AND problem IS DISTINCT FROM $2),
    changed AS (
      UPDATE guilds SET log_channel_problem = $2,
        log_channel_posted_at = CASE WHEN $2 IS NULL THEN coalesce(log_channel_posted_at, clock_timestamp())
          ELSE log_channel_posted_at END
      WHERE id = $1 AND log_channel_id = $3
        AND (log_channel_problem IS DISTINCT FROM $2 OR $2 IS NULL AND log_channel_posted_at IS NULL)
      RETURNING id)
    SELECT tell('settings', id, '{}') FROM changed`,
});

/** The problem that the owner sees of a channel, if it is the log channel or that of a topic. Null: something was posted. */
export async function noteLogChannel(
  db: Database,
  guildId: string,
  channelId: string,
  problem: LogChannelProblem | null,
): Promise<void> {
  await putLogChannelProblem.run(db.pool, [guildId, problem, channelId]);
}

const chosenChannels = sql.statement({
  parameters: [sql.text, sql.text.orNull],
  columns: { topic_channel_id: sql.text.orNull, log_channel_id: sql.text.neverNull, language: sql.text },
  text: `SELECT ${channelOf('$2')} AS topic_channel_id, g.log_channel_id, g.language FROM guilds g
    WHERE g.id = $1 AND g.log_channel_id IS NOT NULL`,
});

/**
 * Where a guild logs a topic, and the guild's language: the topic's own channel, if it has one, before the log channel.
 * Null if it has no log channel.
 *
 * @param topic null: none, so that there is only the log channel
 */
export async function logChannelsOf(
  db: Queryable,
  guildId: string,
  topic: LogTopic | null,
): Promise<{ topicChannelId: string | null; logChannelId: string; language: string } | null> {
  const row = await chosenChannels.first(db, [guildId, topic]);
  if (row === null) return null;
  return {
    topicChannelId: row.topic_channel_id === row.log_channel_id ? null : row.topic_channel_id,
    logChannelId: row.log_channel_id,
    language: row.language,
  };
}
