import { showUnseen } from '@bailiff/core';
import { memberNames } from '@bailiff/engine/guilds/guilds';
import { peopleOfRequests } from '@bailiff/engine/tokens/approval-people';
import { subjectsOf } from '@bailiff/engine/tokens/approval-subjects';
import type { SubjectView } from '#components/approvals/subject-facts.tsx';
import { kindName } from '#components/cases/case-labels.ts';
import { avatarOf } from './avatar.ts';
import { messagesFor } from './messages.ts';
import { runtime } from './runtime.ts';

/** The people whom some requests of a guild are about, by request, as the cards show them. */
export async function subjectViews(
  guild: { readonly id: string },
  requests: readonly { readonly id: string }[],
): Promise<Readonly<Record<string, SubjectView>>> {
  const ids = requests.map(({ id }) => id);
  const subjects = await subjectsOf(runtime().db, guild.id, ids);
  const say = await messagesFor('operations');
  const viewed = Object.entries(subjects).map(([id, subject]): [string, SubjectView] => [
    id,
    {
      name: subject.displayName ?? subject.username ?? subject.userId,
      username: subject.username,
      picture: avatarOf(subject.userId, subject.avatarHash),
      href: `/guilds/${guild.id}/members/${subject.userId}`,
      roles: subject.roles,
      inGuild: subject.inGuild,
      joinedAt: subject.joinedAt?.toISOString() ?? null,
      cases: subject.cases,
      casesHref: `/guilds/${guild.id}/cases?member=${subject.userId}`,
      latestCases: subject.latestCases.map(({ number, kind, issuedAt }) => ({
        label: `#${number} ${say(kindName(kind))}`,
        href: `/guilds/${guild.id}/cases/${number}`,
        at: issuedAt.toISOString(),
      })),
    },
  ]);
  return Object.fromEntries(viewed);
}

/** The people on whom a request about a list would act. */
interface ListedNames {
  readonly count: number;
  /** Each with their name, if it is known. Empty if the page has those of others. */
  readonly people: readonly string[];
}

/** The people on whom some requests of a guild about a list would act, by request: those of the first requests by name. */
export async function listedPeople(
  guild: { readonly id: string },
  requests: readonly { readonly id: string }[],
): Promise<Readonly<Record<string, ListedNames>>> {
  const { db } = runtime();
  const ids = requests.map(({ id }) => id);
  const listed = await peopleOfRequests(db, guild.id, ids);
  const names = await memberNames(
    db,
    guild.id,
    Object.values(listed).flatMap(({ userIds }) => userIds),
  );
  const shown = (id: string) => (names[id] === undefined ? id : `${showUnseen(names[id])} (${id})`);
  return Object.fromEntries(
    Object.entries(listed).map(([id, { count, userIds }]) => [id, { count, people: userIds.map(shown) }]),
  );
}
