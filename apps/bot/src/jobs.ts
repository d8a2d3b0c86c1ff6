import type { LogTopic } from '@bailiff/core';
import type { StandingMute } from '@bailiff/engine/cases/cases';
import type { NoticeTo } from '@bailiff/engine/tokens/rotation';
import { type MeasureKind, type Queryable, sql } from '@bailiff/prisma';
import type { Offer } from './offers.ts';

/** Discord's longest timeout (decisions: Operations), slightly reduced because clocks may differ. */
export const LONGEST_TIMEOUT_SECONDS = 28 * 86_400 - 60;
/** How long before its timeout expires a longer mute is renewed. */
const RENEWED_BEFORE_SECONDS = 86_400;

/** How far Discord's clock and ours may differ about the end of a timeout, in milliseconds. */
export const CLOCK_TOLERANCE_MS = 60_000;

/** The payload of each task's jobs. */
export interface JobPayloads {
  perform_in_queue: Offer;
  continue_action: { action_id: string };
  recover: object;
  end_ban: { case_id: string };
  overdue_bans: object;
  /** It follows another of its kind, which the guild had kept from ending too. */
  end_measure: { guild_id: string; kind: MeasureKind; subject_id: string; follows?: boolean | undefined };
  renew_mute: { case_id: string };
  escalate: { strike_id: string };
  tell_guild: { guild_id: string; about: string; words: string };
  welcome_ticket: { ticket_id: string };
  announce_assignment: { ticket_id: string };
  ask_opener: { ticket_id: string };
  close_due_ticket: { ticket_id: string };
  send_transcript: { ticket_id: string };
  ask_feedback: { ticket_id: string };
  post_case: { case_id: string };
  post_appeal: { appeal_id: string };
  tell_appeal: { appeal_id: string };
  post_action: { guild_id: string; action_id: string };
  open_log_channel: { guild_id: string; topic?: LogTopic };
  post_join: { guild_id: string; user_id: string };
  post_words: { guild_id: string; user_id: string; channel_id: string; message_id: string; days: number };
  post_report: { guild_id: string; report_id: string };
  tell_reporter: { guild_id: string; report_id: string };
  tell_target: { case_id: string };
  fetch_evidence: { action_id: string };
  withdraw_announcement: { action_id: string };
  ask_member: { guild_id: string; user_id: string; request_id: string; asked_at: string };
  ask_members: { guild_id: string; after: string; request_id: string; asked_at: string };
  ask_people: { guild_id: string; query: string; request_id: string; asked_at: string };
  test_channel: { guild_id: string; channel_id: string; request_id: string; asked_at: string };
  list_bans: { guild_id: string; import_id: string; after: string; request_id: string; asked_at: string };
  learn_names: object;
  learn_subject: { approval_id: string };
  learn_channel: { guild_id: string; channel_id: string };
  check_server: { server_id: string };
  list_players: { server_id: string };
  confirm_session: { session: string };
  mirror_guild: { guild_id: string };
  audit_partitions: object;
  check_issuers: object;
  lost_capabilities: object;
  require_rotation: object;
  rotation_notice: { guild_id: string; user_id: string };
  tiers: object;
  guild_tier: { guild_id: string };
  housekeeping: object;
}

const addOverdueBans = sql.command({
  parameters: [],
  text: `SELECT graphile_worker.add_job('end_ban', json_build_object('case_id', id), job_key => 'end_ban:' || id)
     FROM (SELECT c.id, end_failed_at,
         row_number() OVER (PARTITION BY c.guild_id, end_failed_at IS NULL ORDER BY random()) AS place
       FROM cases c JOIN guilds g ON g.id = c.guild_id AND g.left_at IS NULL
       WHERE kind IN ('ban', 'softban') AND case_is_overdue(ended_at, expires_at)
         AND case_is_enforced(c.id, import_id)) AS overdue
     WHERE end_failed_at IS NULL OR place = 1`,
});

/**
 * Queues the lifting of overdue bans: the queue keeps the job of a killed worker locked for hours, and gives a job up
 * that has failed too often. Of those that a guild keeps the bot from lifting only one, whichever: Discord bans an
 * address that is refused too often. The end of an imported ban counts only if a moderator has set it here since.
 */
export async function endOverdueBans(db: Queryable): Promise<void> {
  await addOverdueBans.run(db, []);
}

// A job that is due sooner stays so: the member may have come back without the timeout while it was being renewed.
const addRenewMute = sql.command({
  parameters: [sql.text, sql.float],
  text: `SELECT graphile_worker.add_job('renew_mute', json_build_object('case_id', $1::text),
       run_at => clock_timestamp() + make_interval(secs => $2), job_key => 'renew_mute:' || $1,
       job_key_mode => 'preserve_run_at')`,
});

/**
 * Schedules the renewal of a mute that is longer than Discord's longest timeout, one day before the timeout expires.
 */
export async function renewMuteLater(db: Queryable, caseId: string): Promise<void> {
  await addRenewMute.run(db, [caseId, LONGEST_TIMEOUT_SECONDS - RENEWED_BEFORE_SECONDS]);
}

/**
 * Whether a member lacks the timeout of a mute, or has it although the mute is over or ends sooner: nobody can change the
 * timeout of who left. For a mute that is renewed, it must last until the next renewal.
 */
export function hasWrongTimeout(mute: StandingMute | undefined, timedOutUntil: string | null): boolean {
  if (mute === undefined) return false;
  const standingMs = timedOutUntil === null ? 0 : Date.parse(timedOutUntil);
  const endsMs = mute.endsAt?.getTime() ?? 0;
  const nextRenewalMs = Date.now() + RENEWED_BEFORE_SECONDS * 1000;
  if (standingMs < Math.min(endsMs, nextRenewalMs) - CLOCK_TOLERANCE_MS) return true;
  const isOurs = mute.timeoutEnds.some((end) => Math.abs(standingMs - end.getTime()) < CLOCK_TOLERANCE_MS);
  return isOurs && standingMs > endsMs + CLOCK_TOLERANCE_MS;
}

const addRenewMutesOf = sql.command({
  parameters: [sql.text, sql.text],
  text: `SELECT graphile_worker.add_job('renew_mute', json_build_object('case_id', id), job_key => 'renew_mute:' || id)
     FROM cases WHERE guild_id = $1 AND user_id = $2 AND kind = 'mute'
       AND greatest(timeout_until, renewing_until, expires_at) > clock_timestamp() AND case_is_enforced(id, import_id)`,
});

/** Queues a job that gives a member the timeout of their mute, or takes off that of a mute that is over, now. */
export async function renewMutesOf(db: Queryable, guildId: string, userId: string): Promise<void> {
  await addRenewMutesOf.run(db, [guildId, userId]);
}

const addWelcome = sql.command({
  parameters: [sql.text],
  text: `SELECT graphile_worker.add_job('welcome_ticket', json_build_object('ticket_id', $1::text),
       job_key => 'welcome_ticket:' || $1)`,
});

/** Queues the first message of a ticket's channel, once the ticket is on record. */
export async function welcomeSoon(db: Queryable, ticketId: string): Promise<void> {
  await addWelcome.run(db, [ticketId]);
}

const addRecoverNow = sql.command({
  parameters: [],
  text: "SELECT graphile_worker.add_job('recover', '{}', job_key => 'recover_start', priority => -10)",
});

/** Queues the recovery of actions that a killed worker left, now. */
export async function recoverSoon(db: Queryable): Promise<void> {
  await addRecoverNow.run(db, []);
}

const addRecover = sql.command({
  parameters: [],
  text: `SELECT graphile_worker.add_job('recover', '{}', run_at => lapsed + interval '1 second',
       job_key => 'recover_leases', priority => -10)
     FROM (SELECT max(lease_expires_at) AS lapsed FROM actions WHERE state = 'running') AS leases
     WHERE lapsed IS NOT NULL`,
});

/**
 * Schedules a check of running actions when their leases expire, because their worker may be the one that just ended.
 */
export async function recoverAfterLeases(db: Queryable): Promise<void> {
  await addRecover.run(db, []);
}

const addTiers = sql.command({
  parameters: [],
  text: "SELECT graphile_worker.add_job('tiers', '{}', job_key => 'tiers_start', max_attempts => 1)",
});

/** Queues a job that asks Discord for the entitlements of all guilds, now. */
export async function checkTiersSoon(db: Queryable): Promise<void> {
  await addTiers.run(db, []);
}

const addGuildTier = sql.command({
  parameters: [sql.text],
  text: `SELECT graphile_worker.add_job('guild_tier', json_build_object('guild_id', $1::text),
       job_key => 'guild_tier:' || $1)`,
});

/** Queues a job that asks Discord for a guild's entitlements, now. */
export async function checkGuildTierSoon(db: Queryable, guildId: string): Promise<void> {
  await addGuildTier.run(db, [guildId]);
}

const addMirrorGuild = sql.command({
  parameters: [sql.text],
  text: `SELECT graphile_worker.add_job('mirror_guild', json_build_object('guild_id', $1::text),
       job_key => 'mirror_guild:' || $1)`,
});

/** Queues a comparison of a guild with Discord, now. */
export async function mirrorGuildSoon(db: Queryable, guildId: string): Promise<void> {
  await addMirrorGuild.run(db, [guildId]);
}

const addRotationNotice = sql.command({
  parameters: [sql.json<JobPayloads['rotation_notice']>(), sql.int, sql.text],
  text: `SELECT graphile_worker.add_job('rotation_notice', $1, run_at => clock_timestamp() + make_interval(mins => $2),
         job_key => $3, max_attempts => 1)`,
});

/** Queues messages about rotation, one a minute: Discord quarantines bots that open many conversations at once. */
export async function sendNoticesByTheMinute(db: Queryable, notices: readonly NoticeTo[]): Promise<void> {
  for (const [minute, { guildId, userId }] of notices.entries()) {
    const key = `rotation_notice:${guildId}:${userId}`;
    await addRotationNotice.run(db, [{ guild_id: guildId, user_id: userId }, minute, key]);
  }
}

const addPostCase = (runAt: string) => `SELECT graphile_worker.add_job('post_case',
    json_build_object('case_id', $1::text), job_key => $2, run_at => ${runAt}, max_attempts => 10)`;

const addPostCaseLater = sql.command({
  parameters: [sql.text, sql.text],
  text: addPostCase("clock_timestamp() + interval '2 seconds'"),
});

const addPostCaseAt = sql.command({
  parameters: [sql.text, sql.text, sql.timestamptz],
  text: addPostCase('$3'),
});

/** Queues an update of a case in the log channel, once the worker that writes it has finished. */
export async function postCaseLater(db: Queryable, caseId: string): Promise<void> {
  await addPostCaseLater.run(db, [caseId, `post_case:${caseId}`]);
}

/** Schedules an update of a case in the log channel for when the case ends by itself. */
export async function postCaseAt(db: Queryable, caseId: string, at: Date): Promise<void> {
  await addPostCaseAt.run(db, [caseId, `post_case_end:${caseId}`, at]);
}

const addUnfinishedPosts = sql.command({
  parameters: [],
  text: `SELECT graphile_worker.add_job('post_case', json_build_object('case_id', case_id),
       job_key => 'post_case:' || case_id, max_attempts => 10)
     FROM case_posts WHERE began_at > clock_timestamp() - interval '1 day'
       AND (message_id IS NULL OR busy_until < clock_timestamp())`,
});

/**
 * Queues the log messages of cases whose worker died while it wrote them, because the queue keeps those jobs locked for
 * minutes.
 */
export async function postUnfinishedCases(db: Queryable): Promise<void> {
  await addUnfinishedPosts.run(db, []);
}

const putOff = sql.command({
  parameters: [sql.text],
  text: `WITH again AS (
      SELECT action_id, graphile_worker.add_job('tell_target', json_build_object('case_id', id),
        job_key => 'tell_target:' || id, max_attempts => 10, priority => 10,
        run_at => clock_timestamp() + greatest(interval '20 seconds', (clock_timestamp() - issued_at) / 4))
      FROM cases WHERE id = $1 AND issued_at > clock_timestamp() - interval '1 hour')
    DELETE FROM target_notices n USING again WHERE n.action_id = again.action_id AND n.state = 'sending'`,
});

/**
 * Gives back the claimed notice to the target of a case, which certainly was not sent, and tries it later. False if the
 * case is already too old. The longer it has waited, the rarer it is tried: thousands that wait for a turn leave time
 * for everything else.
 */
export async function putOffNotice(db: Queryable, caseId: string): Promise<boolean> {
  return (await putOff.run(db, [caseId])) === 1;
}

const addWithdraw = sql.command({
  parameters: [sql.text],
  text: `SELECT graphile_worker.add_job('withdraw_announcement', json_build_object('action_id', action_id),
       job_key => 'withdraw_announcement:' || action_id, max_attempts => 10)
     FROM target_notices WHERE action_id = $1 AND state = 'told'`,
});

/** Queues the deletion of a message about an action that did not happen, if one was delivered. */
export async function withdrawAnnouncementSoon(db: Queryable, actionId: string): Promise<void> {
  await addWithdraw.run(db, [actionId]);
}

interface ReportToShow {
  readonly guildId: string;
  readonly reportId: string;
}

const addPostReport = sql.command({
  parameters: [sql.text, sql.text],
  text: `SELECT graphile_worker.add_job('post_report', json_build_object('guild_id', $1::text, 'report_id', $2::text),
       job_key => 'post_report:' || $2, max_attempts => 10)`,
});

/** Queues an update of a report's post, now. */
export async function postReportSoon(db: Queryable, { guildId, reportId }: ReportToShow): Promise<void> {
  await addPostReport.run(db, [guildId, reportId]);
}

const addTellReporter = sql.command({
  parameters: [sql.text, sql.text],
  text: `SELECT graphile_worker.add_job('tell_reporter', json_build_object('guild_id', guild_id, 'report_id', id),
       job_key => 'tell_reporter:' || id, run_at => clock_timestamp() + interval '20 seconds', max_attempts => 10,
       priority => 10)
     FROM reports WHERE guild_id = $1 AND id = $2 AND closed_at > clock_timestamp() - interval '1 hour'`,
});

/** Schedules a later message to who made a report. False if it was closed too long ago. */
export async function tellReporterLater(
  db: Queryable,
  { guildId, reportId }: ReportToShow,
): Promise<boolean> {
  return (await addTellReporter.run(db, [guildId, reportId])) === 1;
}

const addUnfinishedReports = sql.command({
  parameters: [],
  text: `SELECT graphile_worker.add_job('post_report', json_build_object('guild_id', guild_id, 'report_id', id),
       job_key => 'post_report:' || id, max_attempts => 10)
     FROM reports WHERE reported_at > clock_timestamp() - interval '1 day' AND post_message_id IS NULL`,
});

/** Queues the posts of reports whose worker died, because the queue keeps those jobs locked for hours. */
export async function postUnfinishedReports(db: Queryable): Promise<void> {
  await addUnfinishedReports.run(db, []);
}

const addFetchEvidence = sql.command({
  parameters: [sql.text, sql.float],
  text: `SELECT graphile_worker.add_job('fetch_evidence', json_build_object('action_id', $1::text),
       job_key => 'fetch_evidence:' || $1, max_attempts => 5,
       run_at => clock_timestamp() + greatest(interval '20 seconds', make_interval(secs => $2)))`,
});

/** Schedules another attempt to fetch the files of an action, after a pause as long as they have waited. */
export async function fetchEvidenceLater(db: Queryable, actionId: string, waitedMs: number): Promise<void> {
  await addFetchEvidence.run(db, [actionId, waitedMs / 1000]);
}

const addUnfetchedEvidence = sql.command({
  parameters: [],
  text: `SELECT graphile_worker.add_job('fetch_evidence', json_build_object('action_id', action_id),
       job_key => 'fetch_evidence:' || action_id, max_attempts => 5)
     FROM (SELECT DISTINCT action_id FROM evidence WHERE url IS NOT NULL) AS waiting`,
});

/** Queues what a worker that died left of its cases: messages in channels, and files that were to be fetched. */
export async function resumeCases(db: Queryable): Promise<void> {
  await postUnfinishedCases(db);
  await postUnfinishedReports(db);
  await addUnfetchedEvidence.run(db, []);
}
