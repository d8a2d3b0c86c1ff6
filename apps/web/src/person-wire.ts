import { dropUnseen } from '@bailiff/core';
import type { FoundPeople, FoundPerson } from '@bailiff/engine/guilds/people-search';
import { avatarOf } from './avatar.ts';

/** People whom a search found, as pages receive them. */
export function peopleWire({ people, discord }: FoundPeople) {
  return { data: people.map(personWire), discord };
}

export function personWire(person: FoundPerson) {
  const { userId, displayName, username, latestCase } = person;
  return {
    user_id: userId,
    // Characters that nobody sees could disguise one person as another.
    display_name: displayName === null ? null : dropUnseen(displayName).trim() || username,
    username,
    picture: avatarOf(userId, person.avatarHash),
    bot: person.isBot,
    roles: person.roles,
    in_guild: person.inGuild,
    joined_at: person.joinedAt?.toISOString() ?? null,
    banned: person.isBanned,
    muted: person.isMuted,
    latest_case: latestCase && {
      case_number: latestCase.number,
      kind: latestCase.kind,
      issued_at: latestCase.issuedAt.toISOString(),
    },
  };
}

export type PeopleWire = ReturnType<typeof peopleWire>;
export type PersonWire = ReturnType<typeof personWire>;
