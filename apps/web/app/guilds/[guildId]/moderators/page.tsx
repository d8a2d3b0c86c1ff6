import { CASE_KIND_NAMES, type CaseKind, type OutputOf } from '@bailiff/core';
import { casesOf } from '@bailiff/engine/audit/moderator-statistics';
import { readForPage } from '@bailiff/engine/calls/read-call';
import { readableKinds } from '@bailiff/engine/cases/cases';
import { isDatabaseUnavailable } from '@bailiff/engine/database/database-errors';
import { pageInTurn } from '@bailiff/engine/database/in-turn';
import type { GuildView } from '@bailiff/engine/guilds/guilds';
import Link from 'next/link';
import { kindName } from '#components/cases/case-labels.ts';
import { Person } from '#components/members/person.tsx';
import { NoAccess } from '#components/no-access.tsx';
import { EmptyState, PageHeader, Panel } from '#components/ui/panel.tsx';
import { Cell, Row, Table, TableHead } from '#components/ui/table.tsx';
import { TabLinks } from '#components/ui/tabs.tsx';
import { messagesFor } from '#src/messages.ts';
import { addressWith, type PageQuery, textIn } from '#src/page-query.ts';
import { pageTitle } from '#src/page-title.ts';
import { requireGuild } from '#src/pages.ts';
import { peopleOf } from '#src/people.ts';
import { runtime } from '#src/runtime.ts';

export const generateMetadata = () => pageTitle((t) => t('moderators'));

const SPANS = [7, 30, 90] as const;
const DEFAULT_SPAN = 30;
const DAY_MS = 86_400_000;

type Statistics = OutputOf<'audit.moderators'>;

interface Props {
  params: Promise<{ guildId: string }>;
  searchParams: Promise<PageQuery>;
}

export default async function ModeratorsPage({ params, searchParams }: Props) {
  const { session, guild } = await requireGuild(params);
  const t = await messagesFor('moderators');
  if (!guild.capabilities.includes('audit.read')) return <NoAccess title={t('title')} needs="audit.read" />;
  const asked = textIn(await searchParams, 'days');
  const days = SPANS.find((each) => String(each) === asked) ?? DEFAULT_SPAN;
  const here = `/guilds/${guild.id}/moderators`;
  const counted = await countedFor(guild, session.userId, days);
  return (
    <>
      <PageHeader title={t('title')}>{t('lead')}</PageHeader>
      <TabLinks
        label={t('span')}
        items={SPANS.map((each) => ({
          href: addressWith(here, { days: each === DEFAULT_SPAN ? undefined : String(each) }),
          label: t('days', { count: each }),
          current: each === days,
        }))}
      />
      {counted === 'too slow' ? <TooSlow /> : <Counted guild={guild} counted={counted} />}
    </>
  );
}

/** Counts what was done. If the database cannot do it in time, the page says so and the other periods stay in reach. */
async function countedFor(guild: GuildView, userId: string, days: number): Promise<Statistics | 'too slow'> {
  const { db } = runtime();
  try {
    return await pageInTurn(db, guild.id, () =>
      readForPage(db, { ...guild, userId }, 'audit.moderators', { days }),
    );
  } catch (error) {
    if (isDatabaseUnavailable(error)) return 'too slow';
    throw error;
  }
}

async function TooSlow() {
  const t = await messagesFor('overview');
  return (
    <Panel>
      <EmptyState title={t('notCountedTitle')}>{t('notCountedHint')}</EmptyState>
    </Panel>
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
                        prefetch={false}
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
        <p>{t('hint')}</p>
        <p>{t('apart', { tokens, automatic })}</p>
      </div>
    </>
  );
}
