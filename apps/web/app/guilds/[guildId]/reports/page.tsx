import { REPORT_STATUSES } from '@bailiff/core';
import { guildSettings } from '@bailiff/engine/guilds/guild-settings';
import { countReports, listReports } from '@bailiff/engine/reports/report-list';
import { GuideLink } from '#components/documents/guide-link.tsx';
import { kept } from '#components/kept.tsx';
import { Live } from '#components/live.tsx';
import { Messages } from '#components/messages.tsx';
import { NoAccess } from '#components/no-access.tsx';
import { ReportCard } from '#components/reports/report-card.tsx';
import { Link } from '#components/ui/link.tsx';
import { PageLinks } from '#components/ui/page-links.tsx';
import { Callout, EmptyState, PageHeader, Panel } from '#components/ui/panel.tsx';
import { TabLinks } from '#components/ui/tabs.tsx';
import { messagesFor } from '#src/messages.ts';
import { addressWith, choiceIn, cursorIn, pagesBeside } from '#src/page-query.ts';
import { pageTitle } from '#src/page-title.ts';
import { type GuildPageProps, requireGuild } from '#src/pages.ts';
import { peopleOf } from '#src/people.ts';
import { runtime } from '#src/runtime.ts';

export const generateMetadata = () => pageTitle((t) => t('reports'));

const ROWS = 20;
const PARTS = [...REPORT_STATUSES, 'all'] as const;

export default kept(ReportsPage);

async function ReportsPage({ params, searchParams }: GuildPageProps) {
  const { session, guild } = await requireGuild(params);
  const t = await messagesFor('reports');
  if (!guild.capabilities.includes('reports.read'))
    return <NoAccess title={t('title')} needs="reports.read" />;
  const query = await searchParams;
  const here = `/guilds/${guild.id}/reports`;
  const { db } = runtime();
  const part = choiceIn(query, 'status', PARTS) ?? 'open';
  const status = part === 'all' ? undefined : part;
  const viewer = { ...guild, userId: session.userId };
  const [page, counts, settings] = await Promise.all([
    listReports(db, viewer, status, cursorIn(query, ROWS)),
    countReports(db, guild),
    guildSettings(db, guild.id),
  ]);
  const people = await peopleOf(
    guild,
    page.rows.flatMap((row) => [row.user_id, row.reported_by, row.claimed_by, row.closed_by]),
  );
  const given = { status: part === 'open' ? undefined : part };
  return (
    <>
      <PageHeader title={t('title')}>
        {t('lead')} <GuideLink topic="reports" />
      </PageHeader>
      {settings.reportsChannelId === null ? (
        <div className="mb-4">
          <Callout tone="warn" title={t('offTitle')}>
            {guild.isOwner
              ? t.rich('offForOwner', {
                  link: (chunks) => (
                    <Link
                      href={`/guilds/${guild.id}/settings#reports-channel`}
                      className="text-accent underline"
                    >
                      {chunks}
                    </Link>
                  ),
                })
              : t('off')}
          </Callout>
        </div>
      ) : null}
      <TabLinks
        label={t('parts')}
        items={PARTS.map((each) => ({
          href: addressWith(here, { status: each === 'open' ? undefined : each }),
          label: t(`tabs.${each}`),
          current: each === part,
          ...(each === 'open' || each === 'claimed' ? { count: counts[each] } : {}),
        }))}
      />
      <Panel className="divide-line divide-y">
        {page.rows.length === 0 ? (
          <EmptyState title={t(part === 'open' ? 'empty' : 'none')}>
            {t(part === 'open' ? 'emptyHint' : 'noneHint')}
          </EmptyState>
        ) : (
          <Messages namespaces={['reports']}>
            {page.rows.map((report) => (
              <ReportCard
                key={report.id}
                guild={guild}
                report={report}
                people={people}
                readerId={session.userId}
              />
            ))}
          </Messages>
        )}
      </Panel>
      <PageLinks {...pagesBeside(here, given, page)} />
      <Live guildId={guild.id} kinds={['report']} />
    </>
  );
}
