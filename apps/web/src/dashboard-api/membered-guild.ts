import { type GuildView, guildFor, noSuchGuild } from '@bailiff/engine/guilds/guilds';
import type { Database } from '@bailiff/prisma';
import type { DashboardRequest } from './route.ts';

/**
 * The guild of a request's path, for people who own or moderate it.
 *
 * @throws ApiError NOT_FOUND if there is no such guild or it is not theirs, with the same answer
 */
export async function memberedGuild(db: Database, { params, session }: DashboardRequest): Promise<GuildView> {
  const guild = await guildFor(db, params.guildId ?? '', session.userId);
  if (guild === null) throw noSuchGuild();
  return guild;
}
