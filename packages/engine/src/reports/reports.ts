import type { ForbiddenReason, OutputOf } from '@bailiff/core';
import { type Queryable, ReportStatus, type RowOf, sql, TargetNoticeState } from '@bailiff/prisma';
import { absent } from '#src/calls/absent.ts';
import { forbidden, notFound } from '#src/calls/action-errors.ts';
import type { List } from '#src/calls/paging.ts';
import type { Read } from '#src/calls/readers.ts';
import type { StorePerformer } from '#src/calls/store-performers.ts';
import { actorUserId } from '#src/calls/submit.ts';
import { lockGuild } from '#src/cases/notes.ts';
import type { Transaction } from '#src/database/transaction.ts';

/** Most reports of one person in a guild within an hour. */
export const MOST_REPORTS_PER_HOUR = 5;
/** Most open reports about one person in a guild: more would tell the moderators nothing new. */
export const MOST_OPEN_ABOUT_ONE = 20;
/** Most open reports in a guild. */
export const MOST_OPEN_REPORTS = 500;

/** A file of a reported message. Its link at Discord expires within a day. */
export interface ReportedFile {
  readonly url: string;
  readonly name: string;
  readonly bytes: number;
}

/** A reported message, as Discord showed it to whom reports it. */
export interface ReportedMessage {
  readonly id: string;
  readonly channelId: string;
  readonly text: string;
  readonly files: readonly ReportedFile[];
  readonly sentAt: string;
}

/** A reported message as it is stored, beside its ids. */
interface StoredMessage {
  readonly text: string;
  readonly files: readonly ReportedFile[];
  readonly sent_at: string;
}

export const REPORT = {
  id: sql.text,
  number: sql.int,
  status: sql.oneOf({ ReportStatus }),
  user_id: sql.text,
  reported_by: sql.text,
  reason: sql.text,
  channel_id: sql.text.orNull,
  message_id: sql.text.orNull,
  message: sql.jsonb<StoredMessage>().orNull,
  reported_at: sql.timestamptz,
  claimed_by: sql.text.orNull,
  claimed_at: sql.timestamptz.orNull,
  closed_by: sql.text.orNull,
  closed_at: sql.timestamptz.orNull,
  answer: sql.text.orNull,
  notice: sql.oneOf({ TargetNoticeState }).orNull,
};
export const REPORT_COLUMNS = sql.names(REPORT);
export type ReportRow = RowOf<typeof REPORT>;

type ReportWire = OutputOf<'reports.get'>;

/**
 * A report as its reader may see it: whom it is about never learns who made it.
 *
 * @param readerId null: anybody may read it later, as they may the answer of a call
 */
export function reportWire(row: ReportRow, readerId: string | null): ReportWire {
  const { message, message_id, channel_id } = row;
  const kept = message === null || message_id === null || channel_id === null;
  return {
    id: row.id,
    number: row.number,
    status: row.status,
    user_id: row.user_id,
    reported_by: readerId === null || readerId === row.user_id ? null : row.reported_by,
    reason: row.reason,
    message: kept
      ? null
      : {
          id: message_id,
          channel_id,
          text: message.text,
          attachments: message.files.map(({ name }) => name),
          sent_at: message.sent_at,
        },
    reported_at: row.reported_at.toISOString(),
    claimed_by: row.claimed_by,
    claimed_at: row.claimed_at?.toISOString() ?? null,
    closed_by: row.closed_by,
    closed_at: row.closed_at?.toISOString() ?? null,
    answer: row.answer,
    notice: row.notice,
  };
}

const messageOfReport = sql.statement({
  parameters: [sql.text, sql.text, sql.text],
  columns: {
    id: sql.text.neverNull,
    channel_id: sql.text.neverNull,
    message: sql.jsonb<StoredMessage>().neverNull,
  },
  text: `SELECT message_id AS id, channel_id, message FROM reports
    WHERE guild_id = $1 AND id = $2 AND user_id = $3
      AND message_id IS NOT NULL AND channel_id IS NOT NULL AND message IS NOT NULL`,
});

/** The message of a report, as it was when it was reported. Null for no such report, or one without a message. */
export async function reportedMessage(
  db: Queryable,
  { guildId, reportId, authorId }: Readonly<Record<'guildId' | 'reportId' | 'authorId', string>>,
): Promise<ReportedMessage | null> {
  const row = await messageOfReport.first(db, [guildId, reportId, authorId]);
  if (row === null) return null;
  const { id, channel_id: channelId, message } = row;
  return { id, channelId, text: message.text, files: message.files, sentAt: message.sent_at };
}

/** The list of reports in the public API. */
export const REPORTS: List<typeof REPORT, ReportWire> = {
  name: 'reports.list',
  from: 'reports',
  columns: REPORT,
  filters: { status: { column: 'status', type: sql.oneOf({ ReportStatus }) } },
  wire: reportWire,
};

/** One report. */
export function readReport(guildId: string, reportId: string): Read<typeof REPORT, ReportWire> {
  return {
    parameters: [sql.text, sql.text],
    columns: REPORT,
    text: `SELECT true AS found, ${REPORT_COLUMNS} FROM reports WHERE guild_id = $1 AND id = $2`,
    values: [guildId, reportId],
    mayBeEmpty: false,
    isQuick: true,
    answer: ([row], { readerId }) => reportWire(row ?? absent('report', reportId), readerId),
  };
}

const standingOf = sql.statement({
  parameters: [sql.text, sql.text, sql.text, sql.text.orNull],
  columns: {
    is_on: sql.bool,
    is_bot: sql.bool,
    is_repeated: sql.bool,
    own: sql.int,
    about: sql.int,
    open: sql.int,
  },
  text: `SELECT g.reports_channel_id IS NOT NULL AS is_on,
      EXISTS (SELECT FROM gateway_shards s WHERE s.shard_id = g.shard_id AND s.bot_user_id = $3) AS is_bot,
      EXISTS (SELECT FROM reports WHERE guild_id = $1 AND user_id = $3 AND status IN ('open', 'claimed')
        AND reported_by = $2 AND message_id IS NOT DISTINCT FROM $4) AS is_repeated,
      (SELECT count(*) FROM (SELECT reported_at FROM reports WHERE guild_id = $1 AND reported_by = $2
         ORDER BY id DESC LIMIT ${MOST_REPORTS_PER_HOUR}) AS latest
       WHERE reported_at > clock_timestamp() - interval '1 hour')::int AS own,
      (SELECT count(*) FROM (SELECT FROM reports WHERE guild_id = $1 AND user_id = $3
         AND status IN ('open', 'claimed') LIMIT ${MOST_OPEN_ABOUT_ONE}) AS standing)::int AS about,
      (SELECT count(*) FROM (SELECT FROM reports WHERE guild_id = $1
         AND status IN ('open', 'claimed') LIMIT ${MOST_OPEN_REPORTS}) AS standing)::int AS open
    FROM guilds g WHERE g.id = $1`,
});

/** A report that somebody wants to make. */
export interface WantedReport {
  readonly guildId: string;
  readonly reportedBy: string;
  readonly userId: string;
  /** Undefined for a report about a person only. */
  readonly messageId: string | undefined;
}

/** Why somebody cannot report this now. Null if they can. */
export async function reportRefusal(
  db: Queryable,
  { guildId, reportedBy, userId, messageId }: WantedReport,
): Promise<ForbiddenReason | null> {
  if (reportedBy === userId) return 'TARGET_IS_SELF';
  const found = await standingOf.first(db, [guildId, reportedBy, userId, messageId ?? null]);
  if (found === null || !found.is_on) return 'REPORTS_OFF';
  if (found.is_bot) return 'TARGET_IS_BOT';
  if (found.is_repeated) return 'REPORT_REPEATED';
  if (found.own >= MOST_REPORTS_PER_HOUR) return 'REPORT_LIMIT';
  if (found.about >= MOST_OPEN_ABOUT_ONE) return 'REPORTED_OFTEN';
  return found.open >= MOST_OPEN_REPORTS ? 'GUILD_REPORT_LIMIT' : null;
}

const insertReport = sql.statement({
  parameters: [
    sql.text,
    sql.text,
    sql.text,
    sql.text,
    sql.text.orNull,
    sql.text.orNull,
    sql.jsonb<StoredMessage>().orNull,
  ],
  columns: REPORT,
  text: `WITH drawn AS (
      INSERT INTO guild_counters AS counter (guild_id, next_report_number) VALUES ($1, 2)
      ON CONFLICT (guild_id) DO UPDATE SET next_report_number = counter.next_report_number + 1
      RETURNING counter.next_report_number - 1 AS number)
    INSERT INTO reports (guild_id, number, user_id, reported_by, reason, channel_id, message_id, message)
    SELECT $1, number, $2, $3, $4, $5, $6, $7 FROM drawn RETURNING ${REPORT_COLUMNS}`,
});

/** Makes a report. Locks the guild's row, so that two at a time cannot both be the last one allowed. */
export const addReport: StorePerformer<'reports.add'> = async (tx, { guildId, actor, input, reported }) => {
  const reportedBy = actorUserId(actor);
  await lockGuild.run(tx, [guildId]);
  const wanted = { guildId, reportedBy, userId: input.user_id, messageId: input.message_id };
  const reason = await reportRefusal(tx, wanted);
  if (reason !== null) return { state: 'failed', error: forbidden(reason) };
  return {
    state: 'done',
    write: async () => {
      const { id = null, channelId = null } = reported ?? {};
      const message =
        reported === undefined
          ? null
          : { text: reported.text, files: reported.files, sent_at: reported.sentAt };
      const values = [guildId, input.user_id, reportedBy, input.reason, channelId, id, message] as const;
      return { report: reportWire(await insertReport.only(tx, values), null) };
    },
  };
};

const lockReport = sql.statement({
  parameters: [sql.text, sql.text],
  columns: REPORT,
  text: `SELECT ${REPORT_COLUMNS} FROM reports WHERE guild_id = $1 AND id = $2 FOR NO KEY UPDATE`,
});

/** The report that somebody wants to handle, or why they cannot: nobody handles what is reported of themselves. */
async function reportToHandle(tx: Transaction, guildId: string, reportId: string, userId: string) {
  const row = await lockReport.first(tx, [guildId, reportId]);
  if (row === null) return { error: notFound('report', reportId) };
  if (row.user_id === userId) return { error: forbidden('TARGET_IS_SELF') };
  return row.status === 'closed' ? { error: forbidden('REPORT_CLOSED') } : { row };
}

const claimOpenReport = sql.statement({
  parameters: [sql.text, sql.text],
  columns: REPORT,
  text: `UPDATE reports SET status = 'claimed', claimed_by = $2, claimed_at = clock_timestamp()
    WHERE id = $1 RETURNING ${REPORT_COLUMNS}`,
});

/** Claims a report for the caller. Claiming it again changes nothing. */
export const claimReport: StorePerformer<'reports.claim'> = async (tx, { guildId, actor, input }) => {
  const userId = actorUserId(actor);
  const found = await reportToHandle(tx, guildId, input.reportId, userId);
  if (found.error !== undefined) return { state: 'failed', error: found.error };
  const { row } = found;
  if (row.claimed_by === userId)
    return { state: 'done', write: async () => ({ report: reportWire(row, null) }) };
  if (row.claimed_by !== null) {
    const message = `The report is claimed by ${row.claimed_by}.`;
    return { state: 'failed', error: { code: 'ALREADY_CLAIMED', message } };
  }
  return {
    state: 'done',
    write: async () => ({ report: reportWire(await claimOpenReport.only(tx, [row.id, userId]), null) }),
  };
};

const closeOpenReport = sql.statement({
  parameters: [sql.text, sql.text, sql.text.orNull],
  columns: REPORT,
  text: `UPDATE reports SET status = 'closed', closed_by = $2, closed_at = clock_timestamp(), answer = $3
    WHERE id = $1 RETURNING ${REPORT_COLUMNS}`,
});

/** Closes a report, also one that somebody else has claimed. Who made it is told then. */
export const closeReport: StorePerformer<'reports.close'> = async (tx, { guildId, actor, input }) => {
  const userId = actorUserId(actor);
  const found = await reportToHandle(tx, guildId, input.reportId, userId);
  if (found.error !== undefined) return { state: 'failed', error: found.error };
  const values = [input.reportId, userId, input.answer ?? null] as const;
  return {
    state: 'done',
    write: async () => ({ report: reportWire(await closeOpenReport.only(tx, values), null) }),
  };
};
