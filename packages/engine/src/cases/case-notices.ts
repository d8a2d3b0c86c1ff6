import { CASE_KIND_NAMES, caseKind, type ForbiddenReason, type Severity } from '@bailiff/core';
import { CaseKind, type Database, type RowOf, StrikeSeverity, sql, TargetNoticeState } from '@bailiff/prisma';

/** A direct message that this worker has claimed. No other worker may send it. */
export interface TargetNotice {
  readonly actionId: string;
  readonly guildId: string;
  readonly guildName: string;
  /** The guild's language: a locale of core's messages. */
  readonly language: string;
  readonly userId: string;
  readonly kind: CaseKind;
  readonly severity: Severity | null;
  readonly reason: string | null;
  /** Null: permanent. */
  readonly durationMinutes: number | null;
  readonly expiresAt: Date | null;
  /** What the guild itself adds, with placeholders, and the colour beside it. Empty: nothing. */
  readonly ownWords: string;
  readonly colour: number;
  /** Whether the guild takes appeals against it. */
  readonly isAppealable: boolean;
  /** The channel of the bot's conversation with the user. Null: it is not known. */
  readonly channelId: string | null;
}

const NOTICE = {
  action_id: sql.text,
  guild_id: sql.text,
  guild_name: sql.text,
  language: sql.text,
  notice_words: sql.text,
  notice_colour: sql.int,
  user_id: sql.text,
  kind: sql.oneOf({ CaseKind }),
  severity: sql.oneOf({ StrikeSeverity }).orNull,
  reason: sql.text.orNull,
  duration_minutes: sql.int.orNull,
  expires_at: sql.timestamptz.orNull,
  appealable: sql.bool,
  channel_id: sql.text.orNull,
};

const appealable = (guildId: string, kind: string) =>
  `EXISTS (SELECT FROM appeal_settings s WHERE s.guild_id = ${guildId} AND ${kind} = ANY (s.kinds)) AS appealable`;

/** Nobody is told twice within this time of a sanction that did not happen the first time. */
const TOLD_AGAIN_AFTER = '10 minutes';
/** Reasons of Discord that hold for a whole guild until somebody changes something. */
const OBSTACLES: readonly ForbiddenReason[] = ['TWO_FACTOR_REQUIRED'];

const claimNoticeOfAction = sql.statement({
  parameters: [
    sql.text,
    sql.text,
    sql.text,
    sql.text.orNull,
    sql.int.orNull,
    sql.oneOf({ CaseKind }),
    sql.arrayOf(sql.text),
  ],
  columns: NOTICE,
  text: `WITH guild AS (SELECT id, name, language, notice_words, notice_colour FROM guilds WHERE id = $2 AND notifies_targets),
    own AS (SELECT operation FROM actions WHERE id = $1),
    told AS (
      SELECT FROM actions a JOIN target_notices n ON n.action_id = a.id
      WHERE a.guild_id = $2 AND a.target_id = $3 AND a.id <> $1 AND a.operation = (SELECT operation FROM own)
        AND a.state <> 'done' AND n.state IN ('sending', 'told', 'unknown', 'withdrawn')
        AND n.began_at > clock_timestamp() - interval '${TOLD_AGAIN_AFTER}'),
    latest AS (
      SELECT a.error FROM actions a
      WHERE a.guild_id = $2 AND a.id <> $1 AND a.operation = (SELECT operation FROM own) AND a.state IN ('done', 'failed')
        AND a.created_at > clock_timestamp() - interval '1 day'
        -- A rare operation is not looked for in all that the guild ever did.
        AND a.id > (SELECT id_at('act', clock_timestamp() - interval '2 days', 0))
      ORDER BY a.id DESC LIMIT 1),
    written AS (
      INSERT INTO target_notices (action_id, state)
      SELECT $1, CASE WHEN EXISTS (SELECT FROM told)
          OR EXISTS (SELECT FROM latest WHERE error->'details'->>'reason' = ANY ($7))
        THEN 'not_sent' ELSE 'sending' END::"TargetNoticeState"
      FROM guild ON CONFLICT DO NOTHING RETURNING action_id, state),
    claimed AS (SELECT action_id FROM written WHERE state = 'sending')
    SELECT claimed.action_id, guild.id AS guild_id, guild.name AS guild_name, guild.language, guild.notice_words, guild.notice_colour, $3 AS user_id,
      $6::"CaseKind" AS kind, NULL::"StrikeSeverity" AS severity, $4 AS reason, $5::int AS duration_minutes,
      clock_timestamp() + make_interval(mins => $5::int) AS expires_at, ${appealable('guild.id', '$6')},
      (SELECT channel_id FROM direct_channels WHERE user_id = $3) AS channel_id
    FROM guild, claimed`,
});

/** Kinds whose target is notified before the sanction, and never afterwards. */
const TOLD_BEFORE = CASE_KIND_NAMES.filter((kind) => caseKind(kind).toldBefore);

const claimNoticeOfCase = sql.statement({
  parameters: [sql.text, sql.arrayOf(sql.text)],
  columns: { ...NOTICE, action_id: sql.text.neverNull },
  text: `WITH opened AS (
      SELECT c.*, g.name AS guild_name, g.language, g.notice_words, g.notice_colour FROM cases c JOIN guilds g ON g.id = c.guild_id
      WHERE c.id = $1 AND c.ended_at IS NULL AND c.action_id IS NOT NULL AND g.notifies_targets
        AND NOT c.kind::text = ANY ($2)),
    claimed AS (INSERT INTO target_notices (action_id) SELECT action_id FROM opened ON CONFLICT DO NOTHING RETURNING action_id)
    SELECT o.action_id, o.guild_id, o.guild_name, o.language, o.notice_words, o.notice_colour, o.user_id, o.kind, o.severity, o.reason,
      o.duration_minutes, o.expires_at, ${appealable('o.guild_id', 'o.kind')},
      (SELECT channel_id FROM direct_channels d WHERE d.user_id = o.user_id) AS channel_id
    FROM opened o JOIN claimed USING (action_id)`,
});

/** The key for a waiter of an engine that waits until the notice of a case is settled. */
export function noticeWaiterKey(caseId: string): string {
  return `notice:${caseId}`;
}

/**
 * Claims the message before a sanction. Null if the guild sends no such messages, the message was already claimed, the
 * target has just been told of the same sanction, or Discord refused the latest one for a reason that still holds.
 */
export async function claimNoticeBefore(
  db: Database,
  sanction: Pick<TargetNotice, 'actionId' | 'guildId' | 'kind' | 'userId' | 'reason' | 'durationMinutes'>,
): Promise<TargetNotice | null> {
  const { actionId, guildId, userId, reason, durationMinutes, kind } = sanction;
  const values = [actionId, guildId, userId, reason, durationMinutes, kind, OBSTACLES] as const;
  const row = await claimNoticeOfAction.first(db.pool, values);
  return row === null ? null : noticeFrom(row);
}

/**
 * Claims the message about an opened case. Null if it must not be sent any more: the case has ended, the guild sends no
 * such messages, or the message was already claimed.
 */
export async function claimCaseNotice(db: Database, caseId: string): Promise<TargetNotice | null> {
  const row = await claimNoticeOfCase.first(db.pool, [caseId, TOLD_BEFORE]);
  return row === null ? null : noticeFrom(row);
}

function noticeFrom(row: RowOf<typeof NOTICE>): TargetNotice {
  return {
    actionId: row.action_id,
    guildId: row.guild_id,
    guildName: row.guild_name,
    language: row.language,
    ownWords: row.notice_words,
    colour: row.notice_colour,
    userId: row.user_id,
    kind: row.kind,
    severity: row.severity,
    reason: row.reason,
    durationMinutes: row.duration_minutes,
    expiresAt: row.expires_at,
    isAppealable: row.appealable,
    channelId: row.channel_id,
  };
}

/** The result of a message, and where the message is. */
export interface NoticeOutcome {
  readonly state: Exclude<TargetNoticeState, 'sending'>;
  readonly channelId?: string;
  readonly messageId?: string;
}

const settleNoticeOf = sql.command({
  parameters: [
    sql.text,
    sql.oneOf({ TargetNoticeState }),
    sql.text.orNull,
    sql.text.orNull,
    sql.text,
    sql.text.orNull,
  ],
  text: `WITH settled AS (
      UPDATE target_notices SET state = $2, channel_id = $3, message_id = $4 WHERE action_id = $1 RETURNING 1)
    SELECT tell('case', $5, jsonb_build_object('request_id', $6::text)) FROM settled WHERE $6::text IS NOT NULL`,
});

/** Records the result of a claimed message. For the message of a case, notifies its waiters. */
export async function settleTargetNotice(
  db: Database,
  { actionId, guildId }: Pick<TargetNotice, 'actionId' | 'guildId'>,
  { state, channelId, messageId }: NoticeOutcome,
  caseId: string | null = null,
): Promise<void> {
  const waiterKey = caseId === null ? null : noticeWaiterKey(caseId);
  await settleNoticeOf.run(db.pool, [
    actionId,
    state,
    channelId ?? null,
    messageId ?? null,
    guildId,
    waiterKey,
  ]);
}

/** Where the delivered message about an action is, or null. */
export async function deliveredNotice(
  db: Database,
  actionId: string,
): Promise<{ guildId: string; channelId: string; messageId: string } | null> {
  const notice = await db.prisma.targetNotice.findUnique({
    where: { actionId, state: 'told' },
    select: { channelId: true, messageId: true, action: { select: { guildId: true } } },
  });
  if (notice === null || notice.channelId === null || notice.messageId === null) return null;
  return { guildId: notice.action.guildId, channelId: notice.channelId, messageId: notice.messageId };
}

const noticeOfCase = sql.statement({
  parameters: [sql.text, sql.arrayOf(sql.text)],
  columns: { state: sql.oneOf({ TargetNoticeState }).orNull, user_id: sql.text, due: sql.bool },
  text: `SELECT n.state, c.user_id, g.notifies_targets AND NOT c.kind::text = ANY ($2) AND c.action_id IS NOT NULL AS due
    FROM cases c JOIN guilds g ON g.id = c.guild_id LEFT JOIN target_notices n ON n.action_id = c.action_id
    WHERE c.id = $1 AND c.ended_at IS NULL`,
});

/** Whether the target of a case that has not ended was notified, so far. Null if nobody is to be notified. */
export async function targetNoticeOf(
  db: Database,
  caseId: string,
): Promise<{ state: TargetNoticeState; userId: string } | null> {
  const row = await noticeOfCase.first(db.pool, [caseId, TOLD_BEFORE]);
  if (row === null || (row.state === null && !row.due)) return null;
  return { state: row.state ?? 'sending', userId: row.user_id };
}
