import {
  claimReportNotice,
  type PostedReport,
  reportToPost,
  settleReportNotice,
} from '@bailiff/engine/reports/report-posts';
import { DEFAULT_LOCALE, localeOf, translator } from '@bailiff/messages';
import { z } from 'zod';
import { escapedLine, escapedName } from './chat/text.ts';
import { sendDirectMessage } from './direct-message.ts';
import { postReportSoon, tellReporterLater } from './jobs.ts';
import { postReport, type ReportDeps } from './report-posts.ts';

const JOB_TIMEOUT_MS = 8_000;
/** How long a message waits for its turn, if the conversation has to be opened. It can be sent later. */
const TURN_MS = 300;
const LONGEST_ANSWER = 1_000;

const ReportJob = z.object({ guild_id: z.string(), report_id: z.string() });

/** The jobs about reports of members. */
export function reportTasks(deps: ReportDeps) {
  const idsIn = (payload: unknown) => {
    const { guild_id: guildId, report_id: reportId } = ReportJob.parse(payload);
    return { guildId, reportId };
  };
  return {
    post_report: (payload: unknown) => postReport(deps, idsIn(payload), AbortSignal.timeout(JOB_TIMEOUT_MS)),
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
    content: textOf(shown),
    isUrgent: false,
  };
  const { state } = await sendDirectMessage(deps, message, { turn: AbortSignal.timeout(TURN_MS), signal });
  if (state === 'not_sent' && (await tellReporterLater(deps.db.pool, report))) {
    await settleReportNotice(deps.db, reportId, null);
    return;
  }
  await settleReportNotice(deps.db, reportId, state);
  // The post says so if they could not be told.
  if (state !== 'told') await postReportSoon(deps.db.pool, report);
}

function textOf({ language, guild_name, number, user_id, answer }: PostedReport): string {
  const t = translator(localeOf(language) ?? DEFAULT_LOCALE, 'reports');
  const guild = escapedName(guild_name);
  const said = answer === null ? '' : escapedLine(answer, LONGEST_ANSWER);
  return [
    t('told', { guild, number: String(number), user: `<@${user_id}>` }),
    answer === null ? t('toldThanks') : t('toldAnswer', { answer: said }),
  ].join('\n');
}
