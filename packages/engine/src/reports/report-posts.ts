import { type Database, type RowOf, sql, type TargetNoticeState } from '@bailiff/prisma';
import { REPORT, REPORT_COLUMNS } from './reports.ts';

const POSTED_REPORT = {
  ...REPORT,
  /** The guild's language: a locale of the messages. */
  language: sql.text,
  guild_name: sql.text,
  /** Where its post is, or is to be; null: nowhere. */
  channel: sql.text.orNull,
  post_message_id: sql.text.orNull,
  /** The channel of the bot's conversation with who made it. Null: it is not known. */
  direct_channel_id: sql.text.orNull,
};

/** A report as its post shows it. */
export type PostedReport = RowOf<typeof POSTED_REPORT>;

const POSTED_COLUMNS = `r.*, g.language, g.name AS guild_name,
      coalesce(p.post_channel_id, g.reports_channel_id) AS channel, p.post_message_id,
      (SELECT d.channel_id FROM direct_channels d WHERE d.user_id = r.reported_by) AS direct_channel_id`;

const reportToPostOf = sql.statement({
  parameters: [sql.text, sql.text],
  columns: { guild_id: sql.text, ...POSTED_REPORT },
  text: `SELECT g.id AS guild_id, ${POSTED_COLUMNS}
    FROM (SELECT ${REPORT_COLUMNS} FROM reports WHERE guild_id = $1 AND id = $2) r
    JOIN reports p ON p.id = r.id JOIN guilds g ON g.id = p.guild_id`,
});

/** The report as it is now. Null if there is none any more. */
export function reportToPost(db: Database, guildId: string, reportId: string) {
  return reportToPostOf.first(db.pool, [guildId, reportId]);
}

const claimPost = sql.statement({
  parameters: [sql.text],
  columns: { channel_id: sql.text.orNull, began_before: sql.bool, names_author: sql.bool },
  text: `WITH before AS (SELECT id, post_channel_id FROM reports WHERE id = $1 FOR UPDATE)
    UPDATE reports r SET post_channel_id = coalesce(before.post_channel_id, g.reports_channel_id),
      hides_author = r.hides_author
        OR EXISTS (SELECT FROM members m WHERE m.guild_id = r.guild_id AND m.user_id = r.user_id)
    FROM before, guilds g WHERE r.id = before.id AND g.id = r.guild_id
    RETURNING r.post_channel_id AS channel_id, before.post_channel_id IS NOT NULL AS began_before,
      NOT r.hides_author AS names_author`,
});

/** The message of a report. */
export interface ReportPost {
  readonly channelId: string;
  /** Null if Discord has not confirmed that it exists. */
  readonly messageId: string | null;
  /** Whether an earlier attempt may have posted it. */
  readonly beganBefore: boolean;
  /**
   * Whether it names who made the report. It does not once whom the report is about was a moderator, also while they are
   * away: they may read the channel again.
   */
  readonly namesAuthor: boolean;
}

/**
 * Writes down where a report is posted, before it is: a repetition goes to the same channel. Null if there is no channel
 * for it.
 */
export async function claimReportPost(db: Database, report: PostedReport): Promise<ReportPost | null> {
  const claimed = await claimPost.first(db.pool, [report.id]);
  if (claimed === null || claimed.channel_id === null) return null;
  const { channel_id: channelId, began_before: beganBefore, names_author: namesAuthor } = claimed;
  return { channelId, messageId: report.post_message_id, beganBefore, namesAuthor };
}

/** Records where the message of a report is. */
export async function settleReportPost(
  db: Database,
  reportId: string,
  {
    channelId: postChannelId,
    messageId: postMessageId,
  }: { readonly channelId: string; readonly messageId: string },
): Promise<void> {
  await db.prisma.report.updateMany({ where: { id: reportId }, data: { postChannelId, postMessageId } });
}

/** Gives up a channel in which the message certainly is not. The next attempt may go to another one. */
export async function leaveReportPost(db: Database, reportId: string, channelId: string): Promise<void> {
  const where = { id: reportId, postChannelId: channelId, postMessageId: null };
  await db.prisma.report.updateMany({ where, data: { postChannelId: null } });
}

const claimNotice = sql.command({
  parameters: [sql.text, sql.text],
  text: `UPDATE reports SET notice = 'sending'
    WHERE guild_id = $1 AND id = $2 AND status = 'closed' AND notice IS NULL`,
});

/** Claims the message to who made a closed report. False if it was claimed before: there is never a second one. */
export async function claimReportNotice(db: Database, guildId: string, reportId: string): Promise<boolean> {
  return (await claimNotice.run(db.pool, [guildId, reportId])) === 1;
}

/** Records what became of the message. Null gives it back to another attempt. */
export async function settleReportNotice(
  db: Database,
  reportId: string,
  notice: TargetNoticeState | null,
): Promise<void> {
  await db.prisma.report.update({ where: { id: reportId }, data: { notice }, select: { id: true } });
}
