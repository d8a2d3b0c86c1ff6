import { MOST_REPORT_ANSWER_CHARACTERS, showUnseen } from '@bailiff/core';
import type { GuildView } from '@bailiff/engine/guilds/guilds';
import type { ShownReport } from '@bailiff/engine/reports/report-list';
import { ExternalLink } from 'lucide-react';
import { Person } from '#components/members/person.tsx';
import { STATUS_LABELS } from '#components/tickets/ticket-labels.ts';
import { Badge } from '#components/ui/badge.tsx';
import { Fact, Facts } from '#components/ui/panel.tsx';
import { RelativeTime } from '#components/ui/relative-time.tsx';
import { Written } from '#components/ui/written.tsx';
import { messagesFor } from '#src/messages.ts';
import type { People } from '#src/people.ts';
import { ReportActions } from './report-actions.tsx';

/** A report with all that is known of it, and what its reader may do about it. */
export async function ReportCard({
  guild,
  report,
  people,
  readerId,
}: {
  guild: Pick<GuildView, 'id' | 'capabilities'>;
  report: ShownReport;
  people: People;
  readerId: string;
}) {
  const t = await messagesFor('reports');
  const { message, status, claimed_by, closed_by, closed_at, answer } = report;
  const number = String(report.number);
  const because =
    report.user_id === readerId
      ? t('aboutYou')
      : guild.capabilities.includes('reports.write')
        ? null
        : t('needs', { capability: 'reports.write' });
  return (
    <article aria-labelledby={`report-${number}`} className="grid gap-3 p-4">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 id={`report-${number}`} className="font-semibold">
          {t('postTitle', { number })}
        </h2>
        <Badge tone={STATUS_LABELS[status].tone}>{t(`tabs.${status}`)}</Badge>
        <span className="text-ink-soft">
          <RelativeTime iso={report.reported_at} />
        </span>
      </header>
      <Facts>
        <Fact name={t('reported')}>
          <Person id={report.user_id} people={people} />
        </Fact>
        <Fact name={t('by')}>
          {report.reported_by === null ? t('aMember') : <Person id={report.reported_by} people={people} />}
        </Fact>
        <Fact name={t('reason')}>
          <Written text={report.reason} />
        </Fact>
        {message === null ? null : (
          <Fact name={t('message')}>
            {message.text === '' ? null : <Written text={message.text} />}
            {message.attachments.length === 0 ? null : (
              <p className="text-ink-soft wrap-anywhere">
                {t('files', {
                  count: message.attachments.length,
                  names: showUnseen(message.attachments.join(', ')),
                })}
              </p>
            )}
            <a
              className="text-accent inline-flex items-center gap-1"
              href={`https://discord.com/channels/${guild.id}/${message.channel_id}/${message.id}`}
              target="_blank"
              rel="noopener noreferrer"
            >
              {t('openInDiscord')}
              <ExternalLink aria-hidden size={14} />
            </a>
          </Fact>
        )}
        {claimed_by === null ? null : (
          <Fact name={t('claimer')}>
            <Person id={claimed_by} people={people} />
          </Fact>
        )}
        {closed_by === null || closed_at === null ? null : (
          <Fact name={t('closer')}>
            <Person id={closed_by} people={people} />{' '}
            <span className="text-ink-soft">
              <RelativeTime iso={closed_at} />
            </span>
          </Fact>
        )}
        {status !== 'closed' ? null : (
          <Fact name={t('answer')}>{answer === null ? t('noAnswer') : <Written text={answer} />}</Fact>
        )}
      </Facts>
      {status === 'closed' ? null : (
        <ReportActions
          guildId={guild.id}
          reportId={report.id}
          number={number}
          isOpen={status === 'open'}
          mostCharacters={MOST_REPORT_ANSWER_CHARACTERS}
          because={because}
        />
      )}
    </article>
  );
}
