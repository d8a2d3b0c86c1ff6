import { madeAt } from '@bailiff/core';
import {
  type CaseMessageRow,
  type EvidenceRow,
  MOST_EVIDENCE_MEGABYTES,
} from '@bailiff/engine/cases/evidence';
import { Download, FileX } from 'lucide-react';
import { Person } from '#components/members/person.tsx';
import { Messages } from '#components/messages.tsx';
import { Section } from '#components/ui/panel.tsx';
import { RelativeTime } from '#components/ui/relative-time.tsx';
import { Written } from '#components/ui/written.tsx';
import { currentLocale, messagesFor } from '#src/messages.ts';
import type { People } from '#src/people.ts';
import { AttachEvidence } from './attach-evidence.tsx';

/**
 * The files that were attached to a case: pictures with a preview, each with its size, its digest and a download.
 *
 * @param canAttach whether more can be attached here, to the case `caseId`
 */
export async function Evidence({
  guildId,
  caseId,
  files,
  canAttach,
}: {
  guildId: string;
  caseId: string;
  files: readonly EvidenceRow[];
  canAttach: boolean;
}) {
  if (files.length === 0 && !canAttach) return null;
  const t = await messagesFor('cases');
  const locale = await currentLocale();
  const sizeOf = (bytes: number) =>
    bytes < 1024 * 1024
      ? `${Math.ceil(bytes / 1024).toLocaleString(locale)} KB`
      : `${(bytes / 1024 / 1024).toLocaleString(locale, { maximumFractionDigits: 1 })} MB`;
  return (
    <Section title={t('evidence')}>
      <ul className="grid gap-3 empty:hidden">
        {files.map(({ id, name, media_type, size_bytes, sha256, problem, fetching, attached_at }) => {
          const isKept = problem === null && !fetching;
          const address = `/api/guilds/${guildId}/evidence/${id}`;
          return (
            <li key={id} className="border-line bg-surface grid min-w-0 gap-2 rounded-lg border p-3">
              {isKept && media_type !== null ? (
                // biome-ignore lint/performance/noImgElement: only whoever may read the case gets the file
                <img
                  src={address}
                  alt={name}
                  loading="lazy"
                  className="max-h-64 max-w-full rounded object-contain"
                />
              ) : null}
              <div className="flex min-w-0 items-start gap-2">
                {isKept ? (
                  <Download aria-hidden size={15} className="mt-1 shrink-0" />
                ) : (
                  <FileX aria-hidden size={15} className="mt-1 shrink-0" />
                )}
                <div className="min-w-0 break-words">
                  {isKept ? (
                    <a
                      href={address}
                      download={name}
                      aria-label={t('download', { name })}
                      className="text-accent underline decoration-accent/40 underline-offset-2"
                    >
                      <Written text={name} />
                    </a>
                  ) : (
                    <Written text={name} />
                  )}{' '}
                  <span className="text-ink-soft">
                    {sizeOf(size_bytes)}, <RelativeTime iso={attached_at.toISOString()} />
                  </span>
                  {isKept ? null : (
                    <p className="text-ink-soft text-xs">
                      {problem === null ? t('fetching') : t(`notKept.${problem}`)}
                    </p>
                  )}
                  {sha256 === null ? null : (
                    <p className="text-ink-soft font-mono text-xs break-all">SHA-256 {sha256}</p>
                  )}
                </div>
              </div>
            </li>
          );
        })}
      </ul>
      {canAttach ? (
        <Messages namespaces={['cases']}>
          <AttachEvidence guildId={guildId} caseId={caseId} mostMegabytes={MOST_EVIDENCE_MEGABYTES} />
        </Messages>
      ) : null}
    </Section>
  );
}

/** The messages that a case is about, as they were when it was opened, each with its link. */
export async function AboutMessages({
  guildId,
  messages,
  people,
}: {
  guildId: string;
  messages: readonly CaseMessageRow[];
  people: People;
}) {
  if (messages.length === 0) return null;
  const t = await messagesFor('cases');
  return (
    <Section title={t('aboutMessage')}>
      <ul className="grid gap-3">
        {messages.map(({ id, channel_id, message_id, author_id, text }) => (
          <li key={id} className="border-line bg-surface grid min-w-0 gap-2 rounded-lg border p-3">
            <p className="text-ink-soft text-sm">
              {t.rich('messageBy', {
                person: () => <Person id={author_id} people={people} />,
                time: () => <RelativeTime iso={madeAt(message_id).toISOString()} />,
              })}
            </p>
            {text ? (
              <p className="min-w-0 break-words whitespace-pre-wrap">
                <Written text={text} />
              </p>
            ) : (
              <p className="text-ink-soft">{t(text === null ? 'messageGone' : 'messageNoText')}</p>
            )}
            <a
              href={`https://discord.com/channels/${guildId}/${channel_id}/${message_id}`}
              target="_blank"
              rel="noreferrer"
              className="text-accent w-fit text-sm underline decoration-accent/40 underline-offset-2"
            >
              {t('openMessage')}
            </a>
          </li>
        ))}
      </ul>
    </Section>
  );
}
