'use client';

import { useTranslations } from 'use-intl/react';
import { Link } from '#components/ui/link.tsx';
import { Picture } from '#components/ui/picture.tsx';
import { RelativeTime } from '#components/ui/relative-time.tsx';

/** A person whom a call is about, as far as Bailiff knows them. */
export interface SubjectView {
  name: string;
  username: string | null;
  picture: string | null;
  href: string;
  roles: readonly string[];
  /** Null as long as Discord was not heard. */
  inGuild: boolean | null;
  joinedAt: string | null;
  cases: number;
  casesHref: string;
  latestCases: readonly { label: string; href: string; at: string }[];
}

/** Whom a call is about: picture, name, roles, since when they are in the server, and their earlier cases. */
export function SubjectFacts({ subject }: { subject: SubjectView }) {
  const t = useTranslations('approvals');
  const { name, username, roles, joinedAt, cases, latestCases } = subject;
  return (
    // biome-ignore lint/a11y/useSemanticElements: no field is in it; and no landmark, for each waiting call has one
    <div
      role="group"
      aria-label={t('subject')}
      className="bg-raised mt-2.5 grid grid-cols-[2.25rem_minmax(0,1fr)] gap-x-3 rounded-md px-3 py-2.5"
    >
      <Picture name={name} src={subject.picture} />
      <div className="grid min-w-0 gap-0.5 wrap-anywhere">
        <p>
          <Link href={subject.href} className="text-accent font-medium">
            {name}
          </Link>{' '}
          {username === null ? null : <span className="text-ink-soft">@{username}</span>}
        </p>
        <p className="text-ink-soft">
          {subject.inGuild === null ? t('notHeard') : subject.inGuild ? null : t('notMember')}
          {joinedAt === null ? null : t.rich('joined', { time: () => <RelativeTime iso={joinedAt} /> })}
          {roles.length === 0 ? null : ` · ${t('roles', { roles: roles.join(', ') })}`}
        </p>
        <p className="text-ink-soft">
          <Link href={subject.casesHref} className="text-accent">
            {t('earlierCases', { count: cases })}
          </Link>
          {latestCases.map(({ label, href, at }) => (
            <span key={href}>
              {' · '}
              <Link href={href} className="text-accent">
                {label}
              </Link>{' '}
              <RelativeTime iso={at} />
            </span>
          ))}
        </p>
      </div>
    </div>
  );
}
