import { APPEAL_STATES } from '@bailiff/core';
import { countAppeals, listAppeals } from '@bailiff/engine/appeals/appeal-list';
import type { AppealRow } from '@bailiff/engine/appeals/appeals';
import { STATE_TONES, shownState } from '#components/appeals/appeal-labels.ts';
import { kindName } from '#components/cases/case-labels.ts';
import { GuideLink } from '#components/documents/guide-link.tsx';
import { kept } from '#components/kept.tsx';
import { Live } from '#components/live.tsx';
import { Person } from '#components/members/person.tsx';
import { NoAccess } from '#components/no-access.tsx';
import { Badge } from '#components/ui/badge.tsx';
import { PageLinks } from '#components/ui/page-links.tsx';
import { EmptyState, PageHeader, Panel } from '#components/ui/panel.tsx';
import { RelativeTime } from '#components/ui/relative-time.tsx';
import { Cell, Row, RowLink, Table, TableHead } from '#components/ui/table.tsx';
import { TabLinks } from '#components/ui/tabs.tsx';
import { messagesFor } from '#src/messages.ts';
import { addressWith, choiceIn, pagesBeside, textIn } from '#src/page-query.ts';
import { pageTitle } from '#src/page-title.ts';
import { type GuildPageProps, requireGuild } from '#src/pages.ts';
import { type People, peopleOf } from '#src/people.ts';
import { runtime } from '#src/runtime.ts';

export const generateMetadata = () => pageTitle((t) => t('appeals'));

const ROWS = 50;
const PARTS = [...APPEAL_STATES, 'all'] as const;

/** The appeals of a guild, those that nobody has looked at first. */
export default kept(AppealsPage);

async function AppealsPage({ params, searchParams }: GuildPageProps) {
  const { session, guild } = await requireGuild(params);
  const t = await messagesFor('appeals');
  if (!guild.capabilities.includes('appeals.read'))
    return <NoAccess title={t('title')} needs="appeals.read" />;
  const query = await searchParams;
  const here = `/guilds/${guild.id}/appeals`;
  const { db } = runtime();
  const part = choiceIn(query, 'state', PARTS) ?? 'sent';
  const start = { before: textIn(query, 'before'), after: textIn(query, 'after'), limit: ROWS };
  const viewer = { ...guild, userId: session.userId };
  const [page, counts] = await Promise.all([
    listAppeals(db, viewer, part === 'all' ? undefined : part, start),
    countAppeals(db, viewer),
  ]);
  const people = await peopleOf(
    guild,
    page.rows.map(({ user_id }) => user_id),
  );
  const stateGiven = part === 'sent' ? undefined : part;
  return (
    <>
      <PageHeader title={t('title')}>
        {t('lead')} <GuideLink topic="appeals" />
      </PageHeader>
      <TabLinks
        label={t('states')}
        items={PARTS.map((each) => ({
          href: addressWith(here, { state: each === 'sent' ? undefined : each }),
          label: t(each),
          current: each === part,
          ...(each === 'sent' || each === 'in_review' ? { count: counts[each] } : {}),
        }))}
      />
      <Panel>
        {page.rows.length === 0 ? (
          <EmptyState title={t('none')}>{t('noneHint')}</EmptyState>
        ) : (
          <AppealTable rows={page.rows} people={people} />
        )}
      </Panel>
      <PageLinks {...pagesBeside(here, { state: stateGiven }, page)} />
      <Live guildId={guild.id} kinds={['appeal', 'case']} />
    </>
  );
}

async function AppealTable({ rows, people }: { rows: readonly AppealRow[]; people: People }) {
  const [t, say] = await Promise.all([messagesFor('appeals'), messagesFor('operations')]);
  return (
    <Table caption={t('title')} cards>
      <TableHead columns={[t('case'), t('person'), t('state'), t('votes'), t('sentAt')]} />
      <tbody>
        {rows.map((row) => (
          <Row key={row.id}>
            <Cell label={t('case')}>
              <RowLink href={`/guilds/${people.guildId}/appeals/${row.case_number}`}>
                #{row.case_number}: {say(kindName(row.kind))}
              </RowLink>
            </Cell>
            <Cell label={t('person')}>
              <Person id={row.user_id} people={people} />
            </Cell>
            <Cell label={t('state')}>
              <Badge tone={STATE_TONES[shownState(row)]}>{t(shownState(row))}</Badge>
            </Cell>
            <Cell label={t('votes')}>
              {t('votesCounted', { for: String(row.votes_for), against: String(row.votes_against) })}
            </Cell>
            <Cell label={t('sentAt')} className="text-ink-soft">
              <RelativeTime iso={row.sent_at.toISOString()} />
            </Cell>
          </Row>
        ))}
      </tbody>
    </Table>
  );
}
