import { type Database, type RowOf, sql } from '@bailiff/prisma';
import { APPEAL, APPEAL_COLUMNS } from './appeals.ts';

const POSTED = {
  ...APPEAL,
  guild_id: sql.text,
  guild_name: sql.text,
  /** The guild's language: a locale of the messages. */
  guild_language: sql.text,
  /** The person's: the one in which they appealed. */
  language: sql.text,
  reason: sql.text.orNull,
  votes_needed: sql.int,
  /** Whether its person can be among those who read the guild's posts, or was and can be again. */
  may_read: sql.bool,
  /** The channel of the bot's conversation with the person. Null: it is not known. */
  direct_channel_id: sql.text.orNull,
};

/** An appeal as the bot shows it to a guild and tells its person about it. */
export type PostedAppeal = RowOf<typeof POSTED>;

const appealToShow = sql.statement({
  parameters: [sql.text],
  columns: POSTED,
  text: `SELECT ${APPEAL_COLUMNS}, guild_id, language,
      (SELECT name FROM guilds g WHERE g.id = appeals.guild_id) AS guild_name,
      (SELECT g.language FROM guilds g WHERE g.id = appeals.guild_id) AS guild_language,
      (SELECT reason FROM cases c WHERE c.id = appeals.case_id) AS reason,
      coalesce((SELECT votes_needed FROM appeal_settings s WHERE s.guild_id = appeals.guild_id), 0) AS votes_needed,
      EXISTS (SELECT FROM members m WHERE m.guild_id = appeals.guild_id AND m.user_id = appeals.user_id)
        OR EXISTS (SELECT FROM cases c WHERE c.guild_id = appeals.guild_id AND c.issued_by = appeals.user_id) AS may_read,
      (SELECT d.channel_id FROM direct_channels d WHERE d.user_id = appeals.user_id) AS direct_channel_id
    FROM appeals WHERE id = $1`,
});

/** An appeal by its id. Null if there is none any more. */
export function appealById({ pool }: Pick<Database, 'pool'>, appealId: string): Promise<PostedAppeal | null> {
  return appealToShow.first(pool, [appealId]);
}

/** Longer than a worker needs for one message. */
const BUSY_SECONDS = 20;

const claimPost = sql.statement({
  parameters: [sql.text, sql.float],
  columns: { channel_id: sql.text.orNull, message_id: sql.text.orNull, began_before: sql.bool },
  text: `WITH before AS (SELECT busy_until FROM appeals WHERE id = $1)
    UPDATE appeals SET busy_until = clock_timestamp() + make_interval(secs => $2),
      channel_id = coalesce(channel_id, (SELECT s.channel_id FROM appeal_settings s WHERE s.guild_id = appeals.guild_id))
    WHERE id = $1 AND (busy_until IS NULL OR busy_until < clock_timestamp())
    RETURNING channel_id, message_id, EXISTS (SELECT FROM before WHERE busy_until IS NOT NULL) AS began_before`,
});

/** A time that is over says to the next attempt that there was one. */
const leavePost = sql.command({
  parameters: [sql.text, sql.bool],
  text: `UPDATE appeals SET busy_until = CASE WHEN $2 THEN clock_timestamp() END,
      channel_id = CASE WHEN $2 OR message_id IS NOT NULL THEN channel_id END WHERE id = $1`,
});

/** The message of an appeal that this worker has claimed. No other worker may write it now. */
export interface AppealPost {
  readonly channelId: string;
  /** Null if Discord has not confirmed that it exists. */
  readonly messageId: string | null;
  /** Whether an earlier attempt may have posted it. */
  readonly beganBefore: boolean;
}

/** Claims the message of an appeal. Null if the guild has no channel for appeals; `busy` while another worker has it. */
export async function claimAppealPost(db: Database, appealId: string): Promise<AppealPost | 'busy' | null> {
  const post = await claimPost.first(db.pool, [appealId, BUSY_SECONDS]);
  if (post === null) return 'busy';
  if (post.channel_id === null) {
    await leaveAppealPost(db, appealId, { mayBeThere: false });
    return null;
  }
  return { channelId: post.channel_id, messageId: post.message_id, beganBefore: post.began_before };
}

/** Records the message of an appeal. */
export async function settleAppealPost(
  { prisma }: Pick<Database, 'prisma'>,
  appealId: string,
  messageId: string,
): Promise<void> {
  await prisma.appeal.updateMany({ where: { id: appealId }, data: { busyUntil: null, messageId } });
}

/** Leaves a message to the next attempt, which starts over in the present channel if it certainly is not there. */
export async function leaveAppealPost(
  { pool }: Pick<Database, 'pool'>,
  appealId: string,
  { mayBeThere }: { readonly mayBeThere: boolean },
): Promise<void> {
  await leavePost.run(pool, [appealId, mayBeThere]);
}

const addUnfinished = sql.command({
  parameters: [],
  text: `SELECT graphile_worker.add_job('post_appeal', json_build_object('appeal_id', id),
      job_key => 'post_appeal:' || id, max_attempts => 10)
    FROM appeals WHERE state IN ('sent', 'in_review') AND busy_until < clock_timestamp()`,
});

/** Queues the messages of appeals whose worker died while it wrote them: the queue keeps them locked for minutes. */
export async function postUnfinishedAppeals({ pool }: Pick<Database, 'pool'>): Promise<void> {
  await addUnfinished.run(pool, []);
}

const addLater = sql.command({
  parameters: [sql.text],
  text: `SELECT graphile_worker.add_job('post_appeal', json_build_object('appeal_id', $1::text),
      job_key => 'post_appeal:' || $1, run_at => clock_timestamp() + interval '2 seconds', max_attempts => 10)`,
});

/** Queues an update of an appeal's message, once the worker that writes it has finished. */
export async function postAppealLater({ pool }: Pick<Database, 'pool'>, appealId: string): Promise<void> {
  await addLater.run(pool, [appealId]);
}
