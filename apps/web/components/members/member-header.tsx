import type { ReactNode } from 'react';
import { nameOf } from '#components/people/name-of.ts';
import { Badge } from '#components/ui/badge.tsx';
import { Picture } from '#components/ui/picture.tsx';
import { RelativeTime } from '#components/ui/relative-time.tsx';
import { messagesFor } from '#src/messages.ts';
import type { PersonWire } from '#src/person-wire.ts';

/** The title of a person's page: picture, name, roles, since when they are here, and what is not usual about them. */
export async function MemberHeader({
  person,
  isOwner,
  actions,
}: {
  person: PersonWire;
  isOwner: boolean;
  actions: ReactNode;
}) {
  const t = await messagesFor('members');
  const say = await messagesFor('people');
  const { user_id: id, username, roles, in_guild: inGuild, joined_at: joinedAt } = person;
  const name = nameOf(person);
  return (
    <div className="mb-5 flex flex-wrap items-start justify-between gap-3">
      <div className="flex max-w-prose min-w-0 items-start gap-3">
        <Picture name={name} src={person.picture} />
        <div className="min-w-0">
          <h1 className="text-xl font-semibold tracking-tight wrap-anywhere">
            <bdi>{name === id ? t('unknownName', { id }) : name}</bdi>
          </h1>
          <p className="text-ink-soft flex flex-wrap gap-x-3 wrap-anywhere">
            {username === null ? null : <bdi>@{username}</bdi>}
            {joinedAt === null ? null : (
              <span>
                {t('joined')} <RelativeTime iso={joinedAt} />
              </span>
            )}
          </p>
          {roles === null || roles.length === 0 ? null : (
            <ul aria-label={t('roles')} className="mt-1 flex flex-wrap gap-x-3 gap-y-1">
              {roles.map((role) => (
                <li key={role.id} className="flex max-w-full items-center gap-1.5">
                  <RoleColor color={role.color} />
                  <bdi className="truncate">{role.name}</bdi>
                </li>
              ))}
            </ul>
          )}
          <div className="mt-1.5 flex flex-wrap gap-1.5 empty:hidden">
            {isOwner ? <Badge tone="good">{say('owner')}</Badge> : null}
            {person.bot ? <Badge tone="off">{say('bot')}</Badge> : null}
            {inGuild === true ? null : (
              <Badge tone="off">{say(inGuild === false ? 'left' : 'unknownMembership')}</Badge>
            )}
          </div>
        </div>
      </div>
      {actions}
    </div>
  );
}

/** A role's colour in Discord; 0 is none. The name stands beside it. */
function RoleColor({ color }: { color: number }) {
  return (
    <svg aria-hidden viewBox="0 0 8 8" className="text-ink-soft size-2 shrink-0">
      <circle
        cx="4"
        cy="4"
        r="4"
        fill={color === 0 ? 'currentColor' : `#${color.toString(16).padStart(6, '0')}`}
      />
    </svg>
  );
}
