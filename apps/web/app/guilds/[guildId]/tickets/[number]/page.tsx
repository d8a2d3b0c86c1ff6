import { showUnseen } from '@bailiff/core';
import { readForPage } from '@bailiff/engine/calls/read-call';
import type { GuildView } from '@bailiff/engine/guilds/guilds';
import { feedbackOf } from '@bailiff/engine/tickets/feedback';
import { mayLackChannel, ticketFile } from '@bailiff/engine/tickets/ticket-list';
import { type TicketRow, ticketHandlers } from '@bailiff/engine/tickets/tickets';
import { transcriptPart } from '@bailiff/engine/tickets/transcript-parts';
import { Download, ExternalLink } from 'lucide-react';
import { notFound } from 'next/navigation';
import { RunningActions } from '#components/actions/running-actions.tsx';
import { kept } from '#components/kept.tsx';
import { Live } from '#components/live.tsx';
import { Person } from '#components/members/person.tsx';
import { Messages } from '#components/messages.tsx';
import { NoAccess } from '#components/no-access.tsx';
import { Notes } from '#components/notes.tsx';
import { Conversation } from '#components/tickets/conversation.tsx';
import {
  AskToClose,
  AssignTicket,
  ClaimTicket,
  CloseTicket,
  ReopenTicket,
} from '#components/tickets/ticket-actions.tsx';
import { STATUS_LABELS } from '#components/tickets/ticket-labels.ts';
import { claimable } from '#components/tickets/ticket-table.tsx';
import { Transcript } from '#components/tickets/transcript.tsx';
import { Badge } from '#components/ui/badge.tsx';
import { buttonClass, LinkButton } from '#components/ui/button.tsx';
import { PageLinks } from '#components/ui/page-links.tsx';
import { Callout, EmptyState, Fact, Facts, PageHeader, Panel, Section } from '#components/ui/panel.tsx';
import { RelativeTime } from '#components/ui/relative-time.tsx';
import { Written } from '#components/ui/written.tsx';
import { lackingOf } from '#src/capability-name.ts';
import { messagesFor } from '#src/messages.ts';
import { isUserId, numberOf, type PageQuery, textIn } from '#src/page-query.ts';
import { numberedTitle } from '#src/page-title.ts';
import { requireGuild } from '#src/pages.ts';
import { runtime } from '#src/runtime.ts';
import { hrefOfMessage, partStartIn, partsBeside } from '#src/transcript-parts.ts';
import { hasTexts, peopleInMessages } from '#src/transcript-people.ts';

export const generateMetadata = ({ params }: Props) => numberedTitle(params, (t) => t('tickets'));

/** More would be no list to choose from; `/ticket assign` names anybody. */
const MOST_HANDLERS = 200;

/** Who can get a ticket: nobody where the reader cannot give it. */
async function handlersOf({ id, capabilities }: GuildView, { status, claimed_by: except }: TicketRow) {
  if (status === 'closed' || !capabilities.includes('tickets.write')) return [];
  const people = await ticketHandlers(runtime().db.pool, id, { except, most: MOST_HANDLERS });
  return people.map(({ user_id, name }) => ({ id: user_id, name: name ?? user_id }));
}

/** The notes on a ticket, which only those see who work on tickets. Null for others. */
async function notesOf(guild: GuildView, userId: string, ticketId: string) {
  if (!guild.capabilities.includes('tickets.write')) return null;
  const { data } = await readForPage(runtime().db, { ...guild, userId }, 'tickets.notes', { ticketId });
  // Code of the browser shows them, which needs no table of what nobody sees.
  return data.map((note) => ({ ...note, text: showUnseen(note.text, '\n\t') }));
}

interface TicketRights {
  readonly mayReopen: boolean;
  readonly mayRelease: boolean;
  /** Whether who claimed it may still work on tickets. */
  readonly isHeld: boolean;
  /** Whether there is somebody to give it to. */
  readonly hasHandlers: boolean;
}

/** Why its buttons cannot be pressed. */
async function obstaclesOf(
  { capabilities }: GuildView,
  { status, closes_at }: TicketRow,
  rights: TicketRights,
) {
  const lacking = await lackingOf(capabilities, ['tickets.write']);
  if (lacking !== undefined) return [lacking];
  const t = await messagesFor('tickets');
  const { mayReopen, mayRelease, isHeld, hasHandlers } = rights;
  if (status === 'closed') return mayReopen ? [] : [t('reopenTooLate')];
  return [
    closes_at === null ? null : t('isAsked'),
    mayRelease ? null : t(isHeld ? 'notYours' : 'claimerGone'),
    hasHandlers || (!mayRelease && isHeld) ? null : t('assignNobody'),
  ];
}

interface Props {
  params: Promise<{ guildId: string; number: string }>;
  searchParams: Promise<PageQuery>;
}

export default kept(TicketPage);

async function TicketPage({ params, searchParams }: Props) {
  const { session, guild } = await requireGuild(params);
  const t = await messagesFor('tickets');
  if (!guild.capabilities.includes('tickets.read'))
    return <NoAccess title={t('title')} needs="tickets.read" />;
  const number = numberOf((await params).number);
  const { db } = runtime();
  const file = number === undefined ? null : await ticketFile(db, guild, number);
  if (file === null) notFound();
  const { ticket, mayReopen, isHeld, isCut, closing, notice } = file;
  const hasTranscript = file.messages > 0;
  const query = await searchParams;
  const before = textIn(query, 'before');
  const transcript = hasTranscript
    ? await transcriptPart(db, guild, ticket.number, partStartIn(query))
    : null;
  const messages = transcript?.messages ?? [];
  const quoted = transcript?.quoted ?? [];
  const feedback = await feedbackOf(db, ticket.id);
  const notes = await notesOf(guild, session.userId, ticket.id);
  const { people, mentioned } = await peopleInMessages(guild, messages, [
    ...(notes ?? []).map(({ written_by }) => written_by),
    ticket.opened_by,
    ticket.claimed_by,
    ticket.assigned_by,
    ticket.closed_by,
    ticket.reopened_by,
    ticket.close_asked_by,
  ]);
  const reader = { userId: session.userId, isOwner: guild.isOwner, capabilities: guild.capabilities };
  const handlers = await handlersOf(guild, ticket);
  const mayRelease = ticket.status !== 'claimed' || guild.isOwner || ticket.claimed_by === session.userId;
  const rights = { mayReopen, mayRelease, isHeld, hasHandlers: handlers.length > 0 };
  const { word, tone } = STATUS_LABELS[ticket.status];
  const path = `/guilds/${guild.id}/tickets/${ticket.number}`;
  return (
    <>
      <PageHeader
        title={t('heading', { number: String(ticket.number) })}
        actions={
          <Messages namespaces={['tickets']}>
            <LinkButton href={`/guilds/${guild.id}/tickets`}>{t('allTickets')}</LinkButton>
            <AskToClose
              guildId={guild.id}
              {...claimable(ticket, reader)}
              isAsked={ticket.closes_at !== null}
            />
            <CloseTicket guildId={guild.id} {...claimable(ticket, reader)} />
            <ReopenTicket guildId={guild.id} {...claimable(ticket, reader)} mayReopen={mayReopen} />
            <AssignTicket
              guildId={guild.id}
              {...claimable(ticket, reader)}
              mayHandOver={mayRelease || !isHeld}
              handlers={handlers}
            />
            <ClaimTicket guildId={guild.id} {...claimable(ticket, reader)} isHeld={isHeld} />
          </Messages>
        }
        obstacles={await obstaclesOf(guild, ticket, rights)}
      >
        <Written text={ticket.subject} />
      </PageHeader>
      {(await mayLackChannel(db, { ...guild, userId: session.userId }, ticket)) ? (
        <div className="mb-4">
          <Callout tone="warn">{t('mayLackChannel')}</Callout>
        </div>
      ) : null}
      <RunningActions guild={guild} userId={session.userId} about={ticket.id} />
      <div className="grid items-start gap-x-6 lg:grid-cols-[minmax(0,20rem)_minmax(0,1fr)]">
        <div className="min-w-0">
          <Panel className="mb-7 p-4">
            <Facts>
              <Fact name={t('state')}>
                <Badge tone={tone}>{t(word)}</Badge>
              </Fact>
              <Fact name={t('openedBy')}>
                <Person id={ticket.opened_by} people={people} />{' '}
                <span className="text-ink-soft">
                  <RelativeTime iso={ticket.opened_at.toISOString()} />
                </span>
              </Fact>
              {ticket.category === null ? null : (
                <Fact name={t('category')}>
                  <Written text={ticket.category} />
                </Fact>
              )}
              {ticket.answers.map(({ question, answer }, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: what was answered does not change
                <Fact key={index} name={question}>
                  <span className="whitespace-pre-wrap">
                    <Written text={answer} />
                  </span>
                </Fact>
              ))}
              {ticket.claimed_by === null ? null : (
                <Fact name={t('claimedBy')}>
                  <Person id={ticket.claimed_by} people={people} />
                </Fact>
              )}
              {ticket.assigned_by === null ? null : (
                <Fact name={t('assignedBy')}>
                  <Person id={ticket.assigned_by} people={people} />
                </Fact>
              )}
              {ticket.reopened_at === null || ticket.reopened_by === null ? null : (
                <Fact name={t('reopenedBy')}>
                  <Person id={ticket.reopened_by} people={people} />{' '}
                  <span className="text-ink-soft">
                    <RelativeTime iso={ticket.reopened_at.toISOString()} />
                  </span>
                </Fact>
              )}
              {ticket.closes_at === null || ticket.close_asked_by === null ? null : (
                <Fact name={t('closesByItself')}>
                  <RelativeTime iso={ticket.closes_at.toISOString()} />{' '}
                  <span className="text-ink-soft">
                    {t.rich('askedBy', {
                      person: () => <Person id={ticket.close_asked_by ?? ''} people={people} />,
                    })}
                  </span>
                </Fact>
              )}
              {ticket.closed_at === null ? null : (
                <>
                  <Fact name={t(ticket.closed_by === null ? 'closed' : 'closedBy')}>
                    {ticket.closed_by === null ? null : <Person id={ticket.closed_by} people={people} />}{' '}
                    <span className="text-ink-soft">
                      <RelativeTime iso={ticket.closed_at.toISOString()} />
                    </span>
                  </Fact>
                  <Fact name={t('closeReason')}>
                    {ticket.close_reason === null ? t('noReason') : <Written text={ticket.close_reason} />}
                  </Fact>
                </>
              )}
              {feedback === null ? null : (
                <Fact name={t('feedback')}>
                  {feedback.rating === null || feedback.rated_at === null ? (
                    t(feedback.state === 'told' ? 'notRated' : `sent.${feedback.state}`)
                  ) : (
                    <>
                      {t('ratingOf', { rating: String(feedback.rating) })}{' '}
                      <span className="text-ink-soft">
                        <RelativeTime iso={feedback.rated_at.toISOString()} />
                      </span>
                    </>
                  )}
                  {feedback.text === null ? null : (
                    <p className="whitespace-pre-wrap">
                      <Written text={feedback.text} />
                    </p>
                  )}
                </Fact>
              )}
              {notice === null ? null : <Fact name={t('sentToOpener')}>{t(`sent.${notice}`)}</Fact>}
              {ticket.status === 'closed' || ticket.channel_id === null ? null : (
                <Fact name={t('channel')}>
                  <a
                    className="text-accent inline-flex items-center gap-1"
                    href={`https://discord.com/channels/${guild.id}/${ticket.channel_id}`}
                    target="_blank"
                    rel="noopener noreferrer"
                  >
                    {t('openInDiscord')}
                    <ExternalLink aria-hidden size={14} />
                  </a>
                </Fact>
              )}
            </Facts>
          </Panel>
          {notes === null ? null : (
            <Section title={t('notes')} lead={t('notesLead')}>
              <Panel>
                <Messages namespaces={['tickets', 'members']}>
                  <Notes
                    subject="tickets"
                    input={{ ticketId: ticket.id }}
                    notes={notes}
                    people={people}
                    capabilities={guild.capabilities}
                  />
                </Messages>
              </Panel>
            </Section>
          )}
        </div>
        <div className="min-w-0">
          {ticket.status === 'closed' || ticket.channel_id === null ? null : (
            <Conversation
              guild={guild}
              session={session}
              ticket={ticket}
              before={before !== undefined && isUserId(before) ? before : null}
            />
          )}
          {ticket.status !== 'closed' && !hasTranscript && closing === null ? null : (
            <Section
              id="transcript"
              title={t('transcript')}
              actions={
                hasTranscript ? (
                  <a
                    className={buttonClass('plain')}
                    download
                    href={`/api/guilds/${guild.id}/tickets/${ticket.number}/transcript`}
                  >
                    <Download aria-hidden size={16} />
                    {t('download')}
                  </a>
                ) : undefined
              }
              lead={
                closing !== null
                  ? t('closing', { count: closing.done })
                  : hasTranscript
                    ? t('messages', { count: file.messages }) + (isCut ? ` (${t('isCut')})` : '')
                    : undefined
              }
            >
              {hasTexts(messages) ? null : <p className="text-warn mb-2 max-w-prose">{t('textsHidden')}</p>}
              {hasTranscript || ticket.status === 'closed' ? (
                <Panel>
                  {hasTranscript ? (
                    <Transcript
                      messages={messages}
                      mentioned={mentioned}
                      elsewhere={quoted.map(({ message, place }) => ({
                        message,
                        href: hrefOfMessage(path, place, message.id),
                      }))}
                    />
                  ) : (
                    <EmptyState title={t(word)}>{t('transcriptEmpty')}</EmptyState>
                  )}
                </Panel>
              ) : null}
              {transcript === null ? null : <PageLinks {...partsBeside(path, transcript, file.messages)} />}
            </Section>
          )}
        </div>
      </div>
      <Live guildId={guild.id} kinds={['ticket']} />
    </>
  );
}
