import type { ActorSource } from '@bailiff/core';
import type { Database } from '@bailiff/prisma';
import { CASE_COLUMNS, type CaseKind, type CaseRow } from './cases.ts';

/** Why the latest case could not be posted (the schema's LogChannelProblem). */
export type LogChannelProblem = 'unknown_channel' | 'missing_permission' | 'refused';

/** A case as the log channel shows it. */
export interface PostedCase extends CaseRow {
  /** Of the guild: a locale of core's messages. */
  readonly language: string;
  /** Null of what was done by hand in Discord. */
  readonly actor_source: ActorSource | null;
  readonly token_name: string | null;
  /** The case of the sanction that a strike has led to. */
  readonly led_to: { readonly case_number: number; readonly kind: CaseKind } | null;
}

/** The message of a case that this worker, and no other, may write now. */
export interface CasePost {
  readonly shown: PostedCase;
  readonly channelId: string;
  /** Null where Discord has not said that it is there. */
  readonly messageId: string | null;
  /** An attempt was made so long ago that Discord no longer knows a repetition of it. */
  readonly beganLongAgo: boolean;
}

/** Longer than a worker takes for one message. */
const BUSY_SECONDS = 20;
/** Discord tells a repeated message by its nonce for some minutes. */
const NONCE_SECONDS = 120;

/**
 * Takes up the message of a case. Null where the guild has no log channel; `busy` while another worker is at it, whose
 * picture of the case may be older.
 */
export async function claimCasePost(db: Database, caseId: string): Promise<CasePost | 'busy' | null> {
  const { rows } = await db.pool.query<{ channel_id: string; message_id: string | null; long_ago: boolean }>(
    `INSERT INTO case_posts AS post (case_id, channel_id, busy_until)
     SELECT c.id, g.log_channel_id, clock_timestamp() + make_interval(secs => $2)
     FROM cases c JOIN guilds g ON g.id = c.guild_id WHERE c.id = $1 AND g.log_channel_id IS NOT NULL
     ON CONFLICT (case_id) DO UPDATE SET busy_until = EXCLUDED.busy_until
       WHERE post.busy_until IS NULL OR post.busy_until < clock_timestamp()
     RETURNING channel_id, message_id, began_at < clock_timestamp() - make_interval(secs => $3) AS long_ago`,
    [caseId, BUSY_SECONDS, NONCE_SECONDS],
  );
  const [post] = rows;
  // Read after it was taken up: what changes from now on is seen by the job that the change adds.
  const shown = await postedCase(db, caseId);
  if (shown === null) return null;
  if (post === undefined) return shown.log_channel_id === null ? null : 'busy';
  return { shown, channelId: post.channel_id, messageId: post.message_id, beganLongAgo: post.long_ago };
}

async function postedCase(
  db: Database,
  caseId: string,
): Promise<(PostedCase & { log_channel_id: string | null }) | null> {
  const { rows } = await db.pool.query<PostedCase & { log_channel_id: string | null }>(
    `SELECT c.*, g.language, g.log_channel_id, a.actor_source, a.token_name,
       (SELECT jsonb_build_object('case_number', s.case_number, 'kind', s.kind)
        FROM escalations e JOIN cases s ON s.guild_id = c.guild_id AND s.user_id = c.user_id AND s.action_id = e.action_id
        WHERE e.strike_id = c.id) AS led_to
     FROM (SELECT ${CASE_COLUMNS} FROM cases WHERE id = $1) c
     JOIN guilds g ON g.id = c.guild_id LEFT JOIN actions a ON a.id = c.action_id`,
    [caseId],
  );
  return rows[0] ?? null;
}

/** The case is shown as it was taken up. */
export async function settleCasePost(db: Database, caseId: string, messageId: string): Promise<void> {
  await db.pool.query('UPDATE case_posts SET message_id = $2, busy_until = NULL WHERE case_id = $1', [
    caseId,
    messageId,
  ]);
}

/** Leaves a message to the next attempt; one that certainly was not sent begins anew, maybe in another channel. */
export async function leaveCasePost(
  db: Database,
  caseId: string,
  { wasSent }: { wasSent: boolean },
): Promise<void> {
  await db.pool.query(
    wasSent
      ? 'UPDATE case_posts SET busy_until = NULL WHERE case_id = $1'
      : 'WITH anew AS (DELETE FROM case_posts WHERE case_id = $1 AND message_id IS NULL) UPDATE case_posts SET busy_until = NULL WHERE case_id = $1 AND message_id IS NOT NULL',
    [caseId],
  );
}

/** What an owner is shown of the log channel; null that it works. */
export async function noteLogChannel(
  db: Database,
  guildId: string,
  problem: LogChannelProblem | null,
): Promise<void> {
  await db.pool.query(
    `WITH changed AS (
       UPDATE guilds SET log_channel_problem = $2
       WHERE id = $1 AND log_channel_problem IS DISTINCT FROM $2::"LogChannelProblem" RETURNING id)
     SELECT tell('settings', id, '{}') FROM changed`,
    [guildId, problem],
  );
}

/** The log channel of a guild and the language it is spoken to in, or null where it has none. */
export async function logChannelOf(
  db: Database,
  guildId: string,
): Promise<{ channelId: string; language: string } | null> {
  const { rows } = await db.pool.query<{ log_channel_id: string; language: string }>(
    'SELECT log_channel_id, language FROM guilds WHERE id = $1 AND log_channel_id IS NOT NULL',
    [guildId],
  );
  const [row] = rows;
  return row === undefined ? null : { channelId: row.log_channel_id, language: row.language };
}
