import { ApiError, dropUnseen } from '@bailiff/core';
import { perOwner } from '@bailiff/engine/database/coalesce';
import type { Engine } from '@bailiff/engine/engine';
import { type AskingDiscord, type FoundPeople, searchPeople } from '@bailiff/engine/guilds/people-search';
import type { Database } from '@bailiff/prisma';
import { peopleWire } from '#src/person-wire.ts';
import { createRequestWindow } from '#src/request-window.ts';
import { memberedGuild } from './membered-guild.ts';
import { type DashboardContext, type DashboardRequest, json, type Route } from './route.ts';

/** A person who types a name asks a few times a second. */
const OF_PERSON = { requests: 30, windowSeconds: 10 };
/** Discord answers a bot only so often about one guild. */
const OF_GUILD = { requests: 60, windowSeconds: 10 };

const windowsOf = perOwner((pool: Database['pool']) => ({
  person: createRequestWindow(pool, 'people', OF_PERSON),
  guild: createRequestWindow(pool, 'people of a guild', OF_GUILD),
}));

/** No name is longer. */
const MOST_CHARACTERS = 100;

export const peopleRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/guilds/{guildId}/people',
    handle: async (context, request) => json(200, peopleWire(await foundFor(context, request))),
  },
];

/**
 * People of a guild by `query`: a part of a name, an id or a mention. With `known=only` those whom the database has, at
 * once; otherwise also those whom Discord finds (decisions: People by name).
 */
async function foundFor({ db, engine }: DashboardContext, request: DashboardRequest): Promise<FoundPeople> {
  const guild = await memberedGuild(db, request);
  const text = dropUnseen(request.query.get('query') ?? '').slice(0, MOST_CHARACTERS);
  if (request.query.get('known') === 'only') return searchPeople(db, guild, text);
  return searchPeople(
    db,
    guild,
    text,
    askingFor(engine, guild.id, request.session.userId, request.call.requestId),
  );
}

/** How Discord is asked for somebody who looks at a guild, as often as the limits allow. */
export function askingFor(
  { db, waiters }: Pick<Engine, 'db' | 'waiters'>,
  guildId: string,
  userId: string,
  requestId: string,
): AskingDiscord {
  const { person, guild } = windowsOf(db.pool);
  return {
    waiters,
    requestId,
    mayAsk: () =>
      unlessLimited(async () => {
        await person.count(userId, 'session', 'searches for people');
        await guild.count(guildId, 'session', 'searches for people');
      }),
  };
}

/** Whether the windows had room. Without it the people whom the database has still come. */
async function unlessLimited(count: () => Promise<void>): Promise<boolean> {
  try {
    await count();
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'RATE_LIMITED') return false;
    throw error;
  }
}
