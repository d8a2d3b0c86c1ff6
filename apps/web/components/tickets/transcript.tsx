import { showUnseen } from '@bailiff/core';
import type { TranscriptMessage } from '@bailiff/engine/tickets/ticket-list';
import { CornerUpRight, Paperclip } from 'lucide-react';
import { Badge } from '#components/ui/badge.tsx';
import { Picture } from '#components/ui/picture.tsx';
import { RelativeTime } from '#components/ui/relative-time.tsx';
import { Written } from '#components/ui/written.tsx';
import { messagesFor } from '#src/messages.ts';
import { type Mentioned, MessageText } from './message-text.tsx';

/** Messages of one author within this time are shown under one name, as in Discord. */
const TOGETHER_MS = 7 * 60_000;

/** A message that is replied to, and where it stands. */
interface Quoted {
  readonly message: TranscriptMessage;
  readonly href: string;
}

/**
 * The transcript of a ticket, as it looked in its channel.
 *
 * @param props.elsewhere messages on other pages to which some of these reply
 */
export async function Transcript({
  messages,
  mentioned,
  elsewhere = [],
}: {
  messages: readonly TranscriptMessage[];
  mentioned: Mentioned;
  elsewhere?: readonly Quoted[];
}) {
  const t = await messagesFor('tickets');
  const here = messages.map((message): Quoted => ({ message, href: `#m${message.id}` }));
  const byId = new Map([...elsewhere, ...here].map((quoted) => [quoted.message.id, quoted]));
  return (
    <ol className="grid p-3 sm:p-4">
      {messages.map((message, index) => {
        const isReply = typeof message.reply_to === 'string';
        const follows = !isReply && continues(messages[index - 1], message);
        return (
          <li
            key={message.id}
            id={`m${message.id}`}
            className={
              follows
                ? 'target:bg-accent-tint grid grid-cols-[2.25rem_minmax(0,1fr)] gap-x-3'
                : 'target:bg-accent-tint mt-3 grid grid-cols-[2.25rem_minmax(0,1fr)] gap-x-3 first:mt-0'
            }
          >
            {follows ? <span /> : <Picture name={message.author_name} />}
            <div className="min-w-0">
              {isReply ? <Reply to={byId.get(message.reply_to ?? '')} /> : null}
              {follows ? null : (
                <div className="flex flex-wrap items-baseline gap-x-2">
                  <span className="font-medium wrap-anywhere" title={message.author_id}>
                    <Written text={message.author_name} />
                  </span>
                  {message.author_is_bot === true ? <Badge tone="off">{t('bot')}</Badge> : null}
                  <span className="text-ink-soft text-xs">
                    <RelativeTime iso={new Date(message.sent_at).toISOString()} />
                  </span>
                </div>
              )}
              {message.text === '' ? (
                message.attachments.length === 0 ? (
                  <p className="text-ink-soft italic">{t('hiddenText')}</p>
                ) : null
              ) : (
                <MessageText text={message.text} mentioned={mentioned} />
              )}
              {message.attachments.length === 0 ? null : (
                <ul aria-label={t('attachments')} className="mt-1 flex flex-wrap gap-1.5">
                  {message.attachments.map((name) => (
                    <li
                      key={name}
                      className="border-line bg-raised flex max-w-full items-center gap-1.5 rounded border px-2 py-1 text-xs wrap-anywhere"
                    >
                      <Paperclip aria-hidden size={13} className="shrink-0" />
                      <Written text={name} />
                    </li>
                  ))}
                </ul>
              )}
            </div>
          </li>
        );
      })}
    </ol>
  );
}

function continues(before: TranscriptMessage | undefined, message: TranscriptMessage): boolean {
  return (
    before?.author_id === message.author_id &&
    Date.parse(message.sent_at) - Date.parse(before.sent_at) < TOGETHER_MS
  );
}

const MOST_QUOTED = 120;

async function Reply({ to }: { to: Quoted | undefined }) {
  const t = await messagesFor('tickets');
  return (
    <p className="text-ink-soft flex min-w-0 items-center gap-1.5 text-xs">
      <CornerUpRight aria-hidden size={13} className="shrink-0" />
      {to === undefined ? (
        t('replyGone')
      ) : (
        <>
          <a href={to.href} className="text-accent max-w-[60%] shrink-0 truncate">
            {t('replyTo', { name: showUnseen(to.message.author_name) })}
          </a>
          <span className="truncate">
            <Written text={to.message.text.slice(0, MOST_QUOTED).toWellFormed()} />
          </span>
        </>
      )}
    </p>
  );
}
