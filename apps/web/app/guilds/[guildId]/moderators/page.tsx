import { CASE_KIND_NAMES, type CaseKind, type OutputOf } from '@bailiff/core';
import { casesOf } from '@bailiff/engine/audit/moderator-statistics';
import { readForPage } from '@bailiff/engine/calls/read-call';
import { readableKinds } from '@bailiff/engine/cases/cases';
import type { GuildView } from '@bailiff/engine/guilds/guilds';
import { kindName } from '#components/cases/case-labels.ts';
import { countedInTime, DaysLinks, daysIn, NotCounted } from '#components/counted-days.tsx';
import { kept } from '#components/kept.tsx';
import { Person } from '#components/members/person.tsx';
import { NoAccess } from '#components/no-access.tsx';
import { Link } from '#components/ui/link.tsx';
import { EmptyState, PageHeader, Panel } from '#components/ui/panel.tsx';
import { Cell, Row, Table, TableHead } from '#components/ui/table.tsx';
import { messagesFor } from '#src/messages.ts';
import { addressWith } from '#src/page-query.ts';
import { pageTitle } from '#src/page-title.ts';
import { type GuildPageProps, requireGuild } from '#src/pages.ts';
import { peopleOf } from '#src/people.ts';
import { runtime } from '#src/runtime.ts';

export const generateMetadata = () => pageTitle((t) => t('moderators'));

const DAY_MS = 86_400_000;

type Statistics = OutputOf<'audit.moderators'>;

export default kept(ModeratorsPage);

async function ModeratorsPage({ params, searchParams }: GuildPageProps) {
  const { session, guild } = await requireGuild(params);
  const t = await messagesFor('moderators');
  if (!guild.capabilities.includes('audit.read')) return <NoAccess title={t('title')} needs="audit.read" />;
  const days = daysIn(await searchParams);
  const here = `/guilds/${guild.id}/moderators`;
  const { db } = runtime();
  const counted = await countedInTime(guild.id, () =>
    readForPage(db, { ...guild, userId: session.userId }, 'audit.moderators', { days }),
  );
  return (
    <>
      <PageHeader title={t('title')}>{t('lead')}</PageHeader>
      <DaysLinks label={t('span')} path={here} days={days} nameOf={(count) => t('days', { count })} />
      {counted === null ? <NotCounted /> : <Counted guild={guild} counted={counted} />}
    </>
  );
}

async function Counted({ guild, counted }: { guild: GuildView; counted: Statistics }) {
  const t = await messagesFor('moderators');
  const operations = await messagesFor('operations');
  const { days, data, more, by_tokens: tokens, automatic } = counted;
  const people = await peopleOf(
    guild,
    data.map(({ user_id }) => user_id),
  );
  const kindsOf = (cases: Readonly<Record<CaseKind, number>>) =>
    CASE_KIND_NAMES.filter((kind) => cases[kind] > 0)
      .map((kind) => `${operations(kindName(kind))} ${cases[kind]}`)
      .join(', ');
  const from = new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
  const mayList = readableKinds(guild.capabilities).length > 0;
  return (
    <>
      <Panel>
        {data.length === 0 ? (
          <EmptyState title={t('empty')}>{t('emptyHint')}</EmptyState>
        ) : (
          <Table caption={t('caption', { count: days })} cards>
            <TableHead
              columns={[
                t('moderator'),
                t('cases'),
                t('kinds'),
                t('lifted'),
                t('appealed'),
                t('reports'),
                t('tickets'),
              ]}
            />
            <tbody>
              {data.map((moderator) => (
                <Row key={moderator.user_id}>
                  <Cell label={t('moderator')} className="wrap-anywhere">
                    <Person id={moderator.user_id} people={people} />
                  </Cell>
                  <Cell label={t('cases')} className="tabular-nums">
                    {mayList && casesOf(moderator) > 0 ? (
                      <Link
                        href={addressWith(`/guilds/${guild.id}/cases`, { by: moderator.user_id, from })}
                        className="text-accent underline decoration-accent/40 underline-offset-2"
                      >
                        {casesOf(moderator)}
                      </Link>
                    ) : (
                      casesOf(moderator)
                    )}
                  </Cell>
                  <Cell label={t('kinds')} className="text-ink-soft wrap-anywhere">
                    {kindsOf(moderator.cases) || '–'}
                  </Cell>
                  {(['lifted', 'appealed', 'reports', 'tickets'] as const).map((what) => (
                    <Cell key={what} label={t(what)} className="tabular-nums">
                      {moderator[what]}
                    </Cell>
                  ))}
                </Row>
              ))}
            </tbody>
          </Table>
        )}
      </Panel>
      <div className="text-ink-soft mt-3 flex max-w-prose flex-col gap-2">
        {more === 0 ? null : <p>{t('more', { count: more })}</p>}
        {mayList && data.length > 0 ? <p>{t('linkHint')}</p> : null}
        <p>{t('hint')}</p>
        <p>{t('apart', { tokens, automatic })}</p>
      </div>
    </>
  );
}
