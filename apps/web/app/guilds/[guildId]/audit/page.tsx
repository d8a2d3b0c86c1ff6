import { type AuditEntry, type AuditQuery, listAuditLog } from '@bailiff/engine/audit/audit-log';
import type { GuildView } from '@bailiff/engine/guilds/guilds';
import { auditFilters } from '#components/audit/audit-filters.tsx';
import { AuditTable } from '#components/audit/audit-table.tsx';
import { ExportMenu } from '#components/audit/export-menu.tsx';
import { LiveAuditTable } from '#components/audit/live-audit-table.tsx';
import { GuideLink } from '#components/documents/guide-link.tsx';
import { kept } from '#components/kept.tsx';
import { ListFilters, NothingListed } from '#components/list-filters.tsx';
import { ListTools } from '#components/list-tools.tsx';
import { Live } from '#components/live.tsx';
import { Messages } from '#components/messages.tsx';
import { NoAccess } from '#components/no-access.tsx';
import { PageLinks } from '#components/ui/page-links.tsx';
import { EmptyState, PageHeader, Panel } from '#components/ui/panel.tsx';
import { type AuditParameters, readAuditParameters } from '#src/audit-query.ts';
import { auditRow } from '#src/audit-row.ts';
import { searchFilter } from '#src/audit-search.ts';
import { readFilters } from '#src/list-filters.ts';
import { auditTexts, messagesFor } from '#src/messages.ts';
import { AUDIT_NAMESPACES } from '#src/operation-titles.ts';
import { type PageQuery, pagesBeside } from '#src/page-query.ts';
import { pageTitle } from '#src/page-title.ts';
import { columnsOf, type GuildPageProps, requireGuild } from '#src/pages.ts';
import { peopleWith, targetName } from '#src/people.ts';
import { runtime } from '#src/runtime.ts';
import { isTooSlow } from '#src/too-slow.ts';

export const generateMetadata = () => pageTitle((t) => t('audit'));

const ROWS = 50;

export default kept(AuditPage);

async function AuditPage({ params, searchParams }: GuildPageProps) {
  const { session, guild } = await requireGuild(params);
  const t = await messagesFor('audit');
  if (!guild.capabilities.includes('audit.read')) return <NoAccess title={t('title')} needs="audit.read" />;
  const query = await searchParams;
  const { given, wrong } = readAuditParameters((name) => query[name]);
  const cursor = { before: auditIdIn(query.before), after: auditIdIn(query.after) };
  const path = `/guilds/${guild.id}/audit`;
  const filters = readFilters(query, await auditFilters(guild.id, given), wrong);
  const isWrong = filters.some(({ problem }) => problem !== null);
  const [{ names }, target] = await Promise.all([
    peopleWith(guild, session.userId, given.actor),
    given.target === undefined ? {} : targetName(guild, session.userId, given.target),
  ]);
  return (
    <Messages namespaces={AUDIT_NAMESPACES}>
      <PageHeader
        title={t('title')}
        actions={
          <>
            <ListTools userId={session.userId} list="audit" label={(column) => t(column)} />
            <ExportMenu guildId={guild.id} given={isWrong ? null : given} />
          </>
        }
      >
        {t('lead')} <GuideLink topic="audit" />
      </PageHeader>
      <ListFilters
        guildId={guild.id}
        label={t('filters')}
        path={path}
        filters={filters}
        names={{ ...names, ...target }}
        moreLabel={t('byId')}
      />
      {isWrong ? (
        <Panel>
          <NothingListed filters={filters} />
        </Panel>
      ) : (
        <AuditPageRows guild={guild} path={path} given={given} cursor={cursor} />
      )}
    </Messages>
  );
}

interface RowsProps {
  guild: GuildView;
  path: string;
  given: AuditParameters;
  cursor: Pick<AuditQuery, 'before' | 'after'>;
}

async function AuditPageRows({ guild, path, given, cursor }: RowsProps) {
  const t = await messagesFor('audit');
  const found = await findRows(guild.id, given, cursor);
  if (found === 'too slow') {
    return (
      <Panel>
        <EmptyState title={t('tooSlowTitle')}>{t('tooSlowHint')}</EmptyState>
      </Panel>
    );
  }
  const { rows, newer, older } = found;
  const isFirst = cursor.before === undefined && cursor.after === undefined;
  const isFiltered = Object.keys(given).length > 0;
  const empty = isFiltered ? (
    <EmptyState title={t('noneTitle')}>{t('noneHint')}</EmptyState>
  ) : (
    <EmptyState title={t('emptyTitle')}>{isFirst ? t('emptyHint') : t('nothingOlder')}</EmptyState>
  );
  const table = {
    guildId: guild.id,
    caption: t('caption'),
    rows: rows.map((row) => auditRow(row, guild)),
    columns: await columnsOf('audit'),
  };
  // Only the database can match a search, so a change refreshes the page.
  if (isFirst && given.q === undefined) {
    const live = { given, most: ROWS, empty, older: { path, id: older } };
    return <LiveAuditTable key={JSON.stringify(given)} {...table} {...live} />;
  }
  return (
    <>
      <Panel>{rows.length === 0 ? empty : <AuditTable {...table} />}</Panel>
      {isFirst ? <Live guildId={guild.id} kinds={['audit']} /> : null}
      <PageLinks {...pagesBeside(path, given, { newer, older })} />
    </>
  );
}

async function findRows(guildId: string, given: AuditParameters, cursor: RowsProps['cursor']) {
  const { db } = runtime();
  let found: AuditEntry[];
  try {
    const filter = await searchFilter(db, guildId, given, await auditTexts());
    found = await listAuditLog(db, guildId, {
      ...cursor,
      filter,
      reads: given.reads === 'shown',
      onePerCall: true,
      limit: ROWS + 1,
    });
  } catch (error) {
    if (isTooSlow(error)) return 'too slow';
    throw error;
  }
  const hasMore = found.length > ROWS;
  const rows = cursor.after === undefined ? found.slice(0, ROWS) : found.slice(-ROWS);
  const hasNewer = cursor.after === undefined ? cursor.before !== undefined : hasMore;
  const hasOlder = cursor.after === undefined ? hasMore : true;
  return {
    rows,
    newer: (hasNewer ? rows[0]?.id : undefined) ?? null,
    older: (hasOlder ? rows.at(-1)?.id : undefined) ?? null,
  };
}

function auditIdIn(value: PageQuery[string]): string | undefined {
  return typeof value === 'string' && /^aud_[0-9a-f]{32}$/.test(value) ? value : undefined;
}
