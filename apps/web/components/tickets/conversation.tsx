import type { Session } from '@bailiff/engine/desk/sessions';
import type { GuildView } from '@bailiff/engine/guilds/guilds';
import type { TicketRow } from '@bailiff/engine/tickets/tickets';
import { sayError } from '@bailiff/messages';
import { Suspense } from 'react';
import { PageLinks } from '#components/ui/page-links.tsx';
import { EmptyState, Panel, Section } from '#components/ui/panel.tsx';
import { conversationFor } from '#src/conversations.ts';
import { messagesFor } from '#src/messages.ts';
import { addressWith } from '#src/page-query.ts';
import { runtime } from '#src/runtime.ts';
import { hasTexts, peopleInMessages } from '#src/transcript-people.ts';
import { LiveConversation } from './live-conversation.tsx';
import { Transcript } from './transcript.tsx';

interface Shown {
  guild: GuildView;
  session: Pick<Session, 'userId' | 'proof'>;
  ticket: TicketRow;
  /** The message before which the messages end; null for the newest. */
  before: string | null;
}

/** What stands in the channel of a ticket at this moment. The rest of the page does not wait for it. */
export async function Conversation(shown: Shown) {
  const t = await messagesFor('tickets');
  const { guild, ticket } = shown;
  return (
    <Section id="conversation" title={t('conversation')} lead={t('conversationLead')}>
      <Suspense
        fallback={
          <div aria-busy="true">
            <Panel>
              <EmptyState title={t('conversationReading')}>{t('conversationReadingHint')}</EmptyState>
            </Panel>
          </div>
        }
      >
        <ChannelMessages {...shown} />
      </Suspense>
      {ticket.channel_id === null ? null : (
        <LiveConversation guildId={guild.id} channelId={ticket.channel_id} />
      )}
    </Section>
  );
}

async function ChannelMessages({ guild, session, ticket, before }: Shown) {
  const t = await messagesFor('tickets');
  const read = await conversationFor(runtime(), session, {
    guildId: guild.id,
    ticketId: ticket.id,
    before,
  });
  if (read === null || !('messages' in read)) {
    return (
      <Panel>
        <EmptyState title={t('conversationNotShown')}>{await whyNot(read)}</EmptyState>
      </Panel>
    );
  }
  const { messages, hasOlder } = read;
  const { mentioned } = await peopleInMessages(guild, messages, []);
  const path = `/guilds/${guild.id}/tickets/${ticket.number}`;
  const [oldest] = messages;
  return (
    <>
      {hasTexts(messages) ? null : (
        <p className="text-warn mb-2 max-w-prose">{t('conversationTextsHidden')}</p>
      )}
      <Panel>
        {oldest === undefined ? (
          <EmptyState title={t('conversationEmpty')}>{t('conversationEmptyHint')}</EmptyState>
        ) : (
          // Upside down, so that it begins with the newest message in sight, and stays there when another one comes. Its
          // lower edge is in sight on the screen of a small laptop, also below the banner of an open window.
          <div
            role="log"
            aria-relevant="additions"
            aria-label={t('conversation')}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled with the keyboard
            tabIndex={0}
            className="flex max-h-[clamp(16rem,calc(100dvh-18rem),40rem)] flex-col-reverse overflow-y-auto"
          >
            <Transcript messages={messages} mentioned={mentioned} />
          </div>
        )}
      </Panel>
      <PageLinks
        newerHref={before === null ? null : path}
        olderHref={hasOlder && oldest !== undefined ? addressWith(path, { before: oldest.id }) : null}
      />
    </>
  );
}

type Read = Awaited<ReturnType<typeof conversationFor>>;

/** Why nothing of the channel is shown, and what to do. */
async function whyNot(read: Exclude<Read, { messages: unknown }>): Promise<string> {
  const t = await messagesFor('tickets');
  if (read === null) return t('conversationNoAnswer');
  if ('isHidden' in read) return t('conversationHidden');
  switch (read.error.code) {
    case 'NOT_FOUND':
      return t('conversationGone');
    case 'FORBIDDEN':
    case 'RATE_LIMITED':
      return sayError(await messagesFor('errors'), read.error);
    default:
      return t('conversationNoAnswer');
  }
}
