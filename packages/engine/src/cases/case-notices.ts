import type { Severity } from '@bailiff/core';
import type { Database } from '@bailiff/prisma';
import type { CaseKind } from './cases.ts';

/** How the direct message about an action ended, or where it stands (the schema's TargetNoticeState). */
export type TargetNoticeState =
  | 'sending'
  | 'told'
  | 'closed'
  | 'absent'
  | 'not_sent'
  | 'unknown'
  | 'withdrawn';

/** A direct message that this worker, and no other, may send. */
export interface TargetNotice {
  readonly actionId: string;
  readonly guildId: string;
  readonly guildName: string;
  /** Of the guild: a locale of core's messages. */
  readonly language: string;
  readonly userId: string;
  readonly kind: CaseKind;
  readonly severity: Severity | null;
  readonly reason: string | null;
  /** Null is for good. */
  readonly durationMinutes: number | null;
  readonly expiresAt: Date | null;
}

interface NoticeRow {
  action_id: string;
  guild_id: string;
  guild_name: string;
  language: string;
  user_id: string;
  kind: CaseKind;
  severity: Severity | null;
  reason: string | null;
  duration_minutes: number | null;
  expires_at: Date | null;
}

/** The key under which a waiter of an engine hears that the notice of a case was settled. */
export function noticeWaiterKey(caseId: string): string {
  return `notice:${caseId}`;
}

/** Takes up the message that comes before a ban, or null where the guild tells nobody, or it was taken up before. */
export async function claimBanNotice(
  db: Database,
  ban: { actionId: string; guildId: string; userId: string; reason: string; durationMinutes: number | null },
): Promise<TargetNotice | null> {
  const { rows } = await db.pool.query<NoticeRow>({
    name: 'claim_ban_notice',
    text: `WITH guild AS (SELECT id, name, language FROM guilds WHERE id = $2 AND notifies_targets),
      claimed AS (INSERT INTO target_notices (action_id) SELECT $1 FROM guild ON CONFLICT DO NOTHING RETURNING action_id)
      SELECT claimed.action_id, guild.id AS guild_id, guild.name AS guild_name, guild.language, $3 AS user_id,
        'ban' AS kind, NULL AS severity, $4 AS reason, $5::int AS duration_minutes,
        clock_timestamp() + make_interval(mins => $5::int) AS expires_at
      FROM guild, claimed`,
    values: [ban.actionId, ban.guildId, ban.userId, ban.reason, ban.durationMinutes],
  });
  return rows[0] === undefined ? null : noticeFrom(rows[0]);
}

/**
 * Takes up the message about a case that was opened, or null where nobody is to be told of it any more: it has ended, the
 * guild tells nobody, or it was taken up before.
 */
export async function claimCaseNotice(db: Database, caseId: string): Promise<TargetNotice | null> {
  const { rows } = await db.pool.query<NoticeRow>(
    `WITH opened AS (
       SELECT c.*, g.name AS guild_name, g.language FROM cases c JOIN guilds g ON g.id = c.guild_id
       WHERE c.id = $1 AND c.ended_at IS NULL AND c.action_id IS NOT NULL AND g.notifies_targets),
     claimed AS (INSERT INTO target_notices (action_id) SELECT action_id FROM opened ON CONFLICT DO NOTHING RETURNING action_id)
     SELECT o.action_id, o.guild_id, o.guild_name, o.language, o.user_id, o.kind, o.severity, o.reason,
       o.duration_minutes, o.expires_at
     FROM opened o JOIN claimed USING (action_id)`,
    [caseId],
  );
  return rows[0] === undefined ? null : noticeFrom(rows[0]);
}

function noticeFrom(row: NoticeRow): TargetNotice {
  return {
    actionId: row.action_id,
    guildId: row.guild_id,
    guildName: row.guild_name,
    language: row.language,
    userId: row.user_id,
    kind: row.kind,
    severity: row.severity,
    reason: row.reason,
    durationMinutes: row.duration_minutes,
    expiresAt: row.expires_at,
  };
}

/** What became of a message, and where it is. */
export interface NoticeOutcome {
  readonly state: Exclude<TargetNoticeState, 'sending'>;
  readonly channelId?: string;
  readonly messageId?: string;
}

/** Records what became of a message that was taken up; of a case's, whoever waits for it is told. */
export async function settleTargetNotice(
  db: Database,
  { actionId, guildId }: Pick<TargetNotice, 'actionId' | 'guildId'>,
  { state, channelId, messageId }: NoticeOutcome,
  caseId: string | null = null,
): Promise<void> {
  await db.pool.query({
    name: 'settle_target_notice',
    text: `WITH settled AS (
        UPDATE target_notices SET state = $2, channel_id = $3, message_id = $4 WHERE action_id = $1 RETURNING 1)
      SELECT tell('case', $5, jsonb_build_object('request_id', $6::text)) FROM settled WHERE $6::text IS NOT NULL`,
    values: [
      actionId,
      state,
      channelId ?? null,
      messageId ?? null,
      guildId,
      caseId === null ? null : noticeWaiterKey(caseId),
    ],
  });
}

/** Gives back a message that certainly was not sent, so that it can be taken up again. */
export async function giveBackNotice(db: Database, actionId: string): Promise<void> {
  await db.pool.query("DELETE FROM target_notices WHERE action_id = $1 AND state = 'sending'", [actionId]);
}

/** Where the message about an action is that was delivered, or null. */
export async function deliveredNotice(
  db: Database,
  actionId: string,
): Promise<{ guildId: string; channelId: string; messageId: string } | null> {
  const { rows } = await db.pool.query<{ guild_id: string; channel_id: string; message_id: string }>(
    `SELECT a.guild_id, n.channel_id, n.message_id FROM target_notices n JOIN actions a ON a.id = n.action_id
     WHERE n.action_id = $1 AND n.state = 'told' AND n.message_id IS NOT NULL`,
    [actionId],
  );
  const [row] = rows;
  if (row === undefined) return null;
  return { guildId: row.guild_id, channelId: row.channel_id, messageId: row.message_id };
}

/** Whether the target of a case that has not ended was told, so far; null where nobody is to be told. */
export async function targetNoticeOf(
  db: Database,
  caseId: string,
): Promise<{ state: TargetNoticeState; userId: string } | null> {
  const { rows } = await db.pool.query<{ state: TargetNoticeState | null; user_id: string; due: boolean }>({
    name: 'target_notice_of',
    text: `SELECT n.state, c.user_id, g.notifies_targets AND c.kind <> 'ban' AND c.action_id IS NOT NULL AS due
      FROM cases c JOIN guilds g ON g.id = c.guild_id LEFT JOIN target_notices n ON n.action_id = c.action_id
      WHERE c.id = $1 AND c.ended_at IS NULL`,
    values: [caseId],
  });
  const [row] = rows;
  if (row === undefined || (row.state === null && !row.due)) return null;
  return { state: row.state ?? 'sending', userId: row.user_id };
}
