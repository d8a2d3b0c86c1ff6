import {
  claimReportNotice,
  type PostedReport,
  reportToPost,
  settleReportNotice,
} from '@bailiff/engine/reports/report-posts';
import { DEFAULT_LOCALE, localeOf, translator } from '@bailiff/messages';
import type { Database } from '@bailiff/prisma';
import { z } from 'zod';
import { escapedLine, escapedName } from './chat/text.ts';
import { sendDirectMessage } from './direct-message.ts';
import { postReportSoon, tellReporterLater } from './jobs.ts';
import { postReport, type ReportDeps } from './report-posts.ts';

const JOB_TIMEOUT_MS = 8_000;
/** With the time for the files of the reported message. */
const POST_TIMEOUT_MS = 13_000;
/** How long a message waits for its turn, if the conversation has to be opened. It can be sent later. */
const TURN_MS = 300;
const LONGEST_ANSWER = 1_000;

const ReportJob = z.object({ guild_id: z.string(), report_id: z.string() });

function idsIn(payload: unknown) {
  const { guild_id: guildId, report_id: reportId } = ReportJob.parse(payload);
  return { guildId, reportId };
}

/** Whether the post of a job's report is still to be sent, with files. */
export async function hasFilesToPost(db: Database, payload: unknown): Promise<boolean> {
  const { guildId, reportId } = idsIn(payload);
  const report = await reportToPost(db, guildId, reportId);
  return report !== null && report.post_message_id === null && (report.message?.files.length ?? 0) > 0;
}

/** The jobs about reports of members. */
export function reportTasks(deps: ReportDeps) {
  return {
    post_report: (payload: unknown) => postReport(deps, idsIn(payload), AbortSignal.timeout(POST_TIMEOUT_MS)),
    tell_reporter: (payload: unknown) =>
      tellReporter(deps, idsIn(payload), AbortSignal.timeout(JOB_TIMEOUT_MS)),
  };
}

/** Tells who made a closed report how it ended, once. If the message's turn does not come, it is tried again later. */
async function tellReporter(
  deps: ReportDeps,
  report: { readonly guildId: string; readonly reportId: string },
  signal: AbortSignal,
): Promise<void> {
  const { guildId, reportId } = report;
  if (!(await claimReportNotice(deps.db, guildId, reportId))) return;
  const shown = await reportToPost(deps.db, guildId, reportId);
  if (shown === null) return;
  const message = {
    id: shown.id,
    userId: shown.reported_by,
    channelId: shown.direct_channel_id,
    content: textOf(shown, false),
    withoutWords: shown.answer === null ? undefined : { content: textOf(shown, true) },
    isUrgent: false,
  };
  const turn = AbortSignal.timeout(TURN_MS);
  const { state, isForLater } = await sendDirectMessage(deps, message, { turn, signal });
  if (isForLater && (await tellReporterLater(deps.db.pool, report))) {
    await settleReportNotice(deps.db, reportId, null);
    return;
  }
  await settleReportNotice(deps.db, reportId, state);
  // The post says so if they could not be told.
  if (state !== 'told') await postReportSoon(deps.db.pool, report);
}

/** @param isBlocked whether Discord blocks the answer */
function textOf({ language, guild_name, number, user_id, answer }: PostedReport, isBlocked: boolean): string {
  const locale = localeOf(language) ?? DEFAULT_LOCALE;
  const t = translator(locale, 'reports');
  const told = t('told', { guild: escapedName(guild_name), number: String(number), user: `<@${user_id}>` });
  if (answer === null) return [told, t('toldThanks')].join('\n');
  const said = isBlocked
    ? translator(locale, 'notices')('target.wordsBlocked')
    : t('toldAnswer', { answer: escapedLine(answer, LONGEST_ANSWER) });
  return [told, said].join('\n');
}
