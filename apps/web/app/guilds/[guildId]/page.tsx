import { listAuditLog } from '@bailiff/engine/audit/audit-log';
import { isDatabaseUnavailable } from '@bailiff/engine/database/database-errors';
import { activityOf } from '@bailiff/engine/desk/activity';
import { attentionFor, attentionOnPage } from '@bailiff/engine/desk/attention';
import { type GuildView, memberNames } from '@bailiff/engine/guilds/guilds';
import { RunningActions } from '#components/actions/running-actions.tsx';
import { LiveAuditTable } from '#components/audit/live-audit-table.tsx';
import { NotCounted } from '#components/counted-days.tsx';
import { kept } from '#components/kept.tsx';
import { Messages } from '#components/messages.tsx';
import { ActivityPanels } from '#components/overview/activity-panels.tsx';
import { AttentionList } from '#components/overview/attention-list.tsx';
import { FirstSteps } from '#components/overview/first-steps.tsx';
import { ChoiceLinks } from '#components/ui/choice-links.tsx';
import { Link } from '#components/ui/link.tsx';
import { EmptyState, PageHeader, Panel, Section } from '#components/ui/panel.tsx';
import { activityCharts, countOutcomes, dailyMeanOfWeekBefore } from '#src/activity-charts.ts';
import { auditRow } from '#src/audit-row.ts';
import { messagesFor } from '#src/messages.ts';
import { AUDIT_NAMESPACES } from '#src/operation-titles.ts';
import { pageTitle } from '#src/page-title.ts';
import { type GuildPageProps, requireGuild } from '#src/pages.ts';
import { runtime } from '#src/runtime.ts';

export const generateMetadata = () => pageTitle((t) => t('overview'));

const ROWS = 10;
const SPANS = [14, 30] as const;
type Span = (typeof SPANS)[number];

export default kept(OverviewPage);

async function OverviewPage({ params, searchParams }: GuildPageProps) {
  const { guild, session } = await requireGuild(params);
  const { days } = await searchParams;
  const span = SPANS.find((each) => String(each) === days) ?? SPANS[0];
  const t = await messagesFor('overview');
  const mayReadAudit = guild.capabilities.includes('audit.read');
  const [attention, activity] = await Promise.all([
    attentionOnPage(runtime().db, guild.id),
    mayReadAudit ? findActivity(guild.id, span) : null,
  ]);
  const counted = attention && attentionFor(attention, guild);
  const lastDay =
    activity === null || activity === 'too slow'
      ? null
      : { ...countOutcomes(activity.last24Hours), meanBefore: dailyMeanOfWeekBefore(activity) };
  return (
    <Messages namespaces={['overview', ...AUDIT_NAMESPACES]}>
      <PageHeader title={t('title')}>{t('lead', { guild: guild.name })}</PageHeader>
      <RunningActions guild={guild} userId={session.userId} />
      {counted === null ? null : (
        <>
          <FirstSteps guildId={guild.id} attention={counted} />
          <AttentionList guildId={guild.id} attention={counted} lastDay={lastDay} />
        </>
      )}
      {activity === null ? null : <ActivitySection guild={guild} activity={activity} span={span} />}
      <Latest guild={guild} mayReadAudit={mayReadAudit} />
    </Messages>
  );
}

type FoundActivity = Awaited<ReturnType<typeof activityOf>> | 'too slow';

/** Loads the charts. If that fails, the overview is rendered without them. */
async function findActivity(guildId: string, span: Span): Promise<FoundActivity> {
  try {
    return await activityOf(runtime().db, guildId, span);
  } catch (error) {
    if (isDatabaseUnavailable(error)) return 'too slow';
    throw error;
  }
}

async function ActivitySection({
  guild,
  activity,
  span,
}: {
  guild: GuildView;
  activity: FoundActivity;
  span: Span;
}) {
  const t = await messagesFor('overview');
  const path = `/guilds/${guild.id}`;
  return (
    <Section title={t('activity')} lead={t('utc')}>
      <ChoiceLinks
        label={t('span')}
        items={SPANS.map((days) => ({
          href: days === SPANS[0] ? path : `${path}?days=${days}`,
          label: t('days', { count: days }),
          current: days === span,
        }))}
      />
      <ActivityBody guild={guild} activity={activity} />
    </Section>
  );
}

async function ActivityBody({ guild, activity }: { guild: GuildView; activity: FoundActivity }) {
  if (activity === 'too slow') return <NotCounted />;
  const charts = activityCharts(activity);
  const names = await memberNames(runtime().db, guild.id, charts.byModerator.keys);
  return <ActivityPanels guildId={guild.id} charts={charts} names={names} />;
}

async function Latest({ guild, mayReadAudit }: { guild: GuildView; mayReadAudit: boolean }) {
  const t = await messagesFor('overview');
  const words = await messagesFor('audit');
  const entries = mayReadAudit
    ? await listAuditLog(runtime().db, guild.id, { reads: false, onePerCall: true, limit: ROWS })
    : [];
  return (
    <Section
      title={t('latest')}
      actions={
        mayReadAudit ? (
          <Link href={`/guilds/${guild.id}/audit`} className="text-accent">
            {t('wholeLog')}
          </Link>
        ) : null
      }
    >
      {mayReadAudit ? (
        <LiveAuditTable
          guildId={guild.id}
          caption={t('latestCaption')}
          rows={entries.map((entry) => auditRow(entry, guild))}
          given={{}}
          most={ROWS}
          empty={<EmptyState title={words('emptyTitle')}>{words('emptyHint')}</EmptyState>}
        />
      ) : (
        <Panel>
          <EmptyState title={words('closedTitle')}>{words('closedHint')}</EmptyState>
        </Panel>
      )}
    </Section>
  );
}
