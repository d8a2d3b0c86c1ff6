import { purgeArchive } from '@bailiff/engine/desk/purge-archive';
import { partOf } from '@bailiff/engine/tickets/transcript-parts';
import { notFound } from 'next/navigation';
import { kept } from '#components/kept.tsx';
import { Person } from '#components/members/person.tsx';
import { NoAccess } from '#components/no-access.tsx';
import { Transcript } from '#components/tickets/transcript.tsx';
import { PageLinks } from '#components/ui/page-links.tsx';
import { Fact, Facts, PageHeader, Panel, Section } from '#components/ui/panel.tsx';
import { RelativeTime } from '#components/ui/relative-time.tsx';
import { Written } from '#components/ui/written.tsx';
import { messagesFor } from '#src/messages.ts';
import type { PageQuery } from '#src/page-query.ts';
import { pageTitle } from '#src/page-title.ts';
import { requireGuild } from '#src/pages.ts';
import { runtime } from '#src/runtime.ts';
import { partStartIn, partsBeside } from '#src/transcript-parts.ts';
import { peopleInMessages } from '#src/transcript-people.ts';

export const generateMetadata = () => pageTitle((t) => t('archive'));

interface Props {
  params: Promise<{ guildId: string; archiveId: string }>;
  searchParams: Promise<PageQuery>;
}

/** The messages that a purge deleted, as they looked in their channel. */
export default kept(ArchivePage);

async function ArchivePage({ params, searchParams }: Props) {
  const { guild } = await requireGuild(params);
  const title = (await messagesFor('shell'))('archive');
  if (!guild.capabilities.includes('messages.purge'))
    return <NoAccess title={title} needs="messages.purge" />;
  const { archiveId } = await params;
  const archive = await purgeArchive(runtime().db, guild, archiveId);
  if (archive === null) notFound();
  const t = await messagesFor('archives');
  const part = partOf(archive.messages, partStartIn(await searchParams));
  const { messages } = part;
  const { people, mentioned } = await peopleInMessages(guild, messages, [archive.actorUserId]);
  return (
    <>
      <PageHeader title={title}>{t('lead')}</PageHeader>
      <div className="grid items-start gap-x-6 lg:grid-cols-[minmax(0,20rem)_minmax(0,1fr)]">
        <Panel className="mb-7 p-4">
          <Facts>
            <Fact name={t('channel')}>
              {archive.channelName === null ? (
                <span className="font-mono text-xs">{archive.channelId}</span>
              ) : (
                <span title={archive.channelId}>#{archive.channelName}</span>
              )}
            </Fact>
            <Fact name={t('by')}>
              <Person id={archive.actorUserId} people={people} />
              {archive.tokenName === null ? null : ` (${t('withToken', { name: archive.tokenName })})`}
            </Fact>
            <Fact name={t('when')}>
              <RelativeTime iso={archive.purgedAt.toISOString()} />
            </Fact>
            {archive.reason === null ? null : (
              <Fact name={t('reason')}>
                <Written text={archive.reason} />
              </Fact>
            )}
            <Fact name={t('kept')}>
              <RelativeTime iso={archive.expiresAt.toISOString()} />
            </Fact>
          </Facts>
        </Panel>
        <Section id="transcript" title={t('messages', { count: archive.messages.length })}>
          <Panel>
            <Transcript messages={messages} mentioned={mentioned} />
          </Panel>
          <PageLinks
            {...partsBeside(`/guilds/${guild.id}/archives/${archiveId}`, part, archive.messages.length)}
          />
        </Section>
      </div>
    </>
  );
}
