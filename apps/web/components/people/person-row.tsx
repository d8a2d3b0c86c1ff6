'use client';

import { useTranslations } from 'use-intl/react';
import { Badge } from '#components/ui/badge.tsx';
import { Picture } from '#components/ui/picture.tsx';
import { nameOf, type ShownPerson } from './name-of.ts';

/**
 * A person whom a search found: picture, name, username, roles and state. The username tells people apart who go by the
 * same name, and a name cannot change the direction of what stands beside it.
 */
export function PersonRow({ person }: { person: ShownPerson }) {
  const t = useTranslations('people');
  const { user_id: id, username, picture, roles, in_guild: inGuild, bot, banned, muted } = person;
  const name = nameOf(person);
  return (
    <div className="grid min-w-0 grid-cols-[2.25rem_minmax(0,1fr)] gap-x-2.5">
      <Picture name={name} src={picture} />
      <div className="min-w-0">
        <bdi className="block truncate font-medium">{name}</bdi>
        <span className="text-ink-soft block truncate text-xs">
          <bdi>{username === null ? id : `@${username}`}</bdi>
          {(roles ?? []).map((role) => (
            <span key={role.id}>
              {' · '}
              <bdi>{role.name}</bdi>
            </span>
          ))}
        </span>
        {banned || muted || bot || inGuild === false ? (
          <span className="mt-0.5 flex flex-wrap gap-1">
            {banned ? <Badge tone="bad">{t('banned')}</Badge> : null}
            {muted ? <Badge tone="bad">{t('muted')}</Badge> : null}
            {inGuild === false && !banned ? <Badge tone="off">{t('left')}</Badge> : null}
            {bot ? <Badge tone="off">{t('bot')}</Badge> : null}
          </span>
        ) : null}
      </div>
    </div>
  );
}
