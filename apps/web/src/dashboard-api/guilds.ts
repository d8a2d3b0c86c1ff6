import { listGrants, ownedGuild, updateGrants } from '@bailiff/engine/guilds/guilds';
import { refusalOfPage } from '#src/front-limits.ts';
import { troubleOf } from '#src/trouble.ts';
import { bodyOf, UpdateGrants } from './input.ts';
import { memberedGuild } from './membered-guild.ts';
import {
  type DashboardContext,
  type DashboardRequest,
  json,
  type Route,
  requireFreshSignIn,
} from './route.ts';

export const guildRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/guilds/{guildId}/state',
    handle: async ({ db, pace, build }, request) => {
      const guild = await memberedGuild(db, request);
      // An open page asks before it is loaded again: where that would be refused, it stays as it is.
      const refusal = await refusalOfPage(db.pool, request.call.address);
      if (refusal !== null) throw refusal;
      return json(200, { trouble: troubleOf(guild, pace), build });
    },
  },
  {
    method: 'GET',
    path: '/api/guilds/{guildId}/grants',
    handle: async ({ db }, request) => json(200, await grantsOf(db, request)),
  },
  {
    method: 'PUT',
    path: '/api/guilds/{guildId}/grants',
    handle: async ({ db }, request) => {
      const { grants } = await bodyOf(request, UpdateGrants);
      if (grants.some(({ capabilities }) => capabilities.length > 0)) requireFreshSignIn(request);
      await updateGrants(
        db,
        request.call,
        request.params.guildId ?? '',
        grants.map(({ role_id, capabilities }) => ({ roleId: role_id, capabilities })),
      );
      return json(200, await grantsOf(db, request));
    },
  },
];

async function grantsOf(db: DashboardContext['db'], { session, params }: DashboardRequest): Promise<object> {
  const guild = await ownedGuild(db, params.guildId ?? '', session.userId, { needsMirror: false });
  const roles = await listGrants(db, guild.id);
  return {
    guild_id: guild.id,
    confirmed_at: guild.grantsConfirmedAt?.toISOString() ?? null,
    roles: roles.map((role) => ({
      role_id: role.roleId,
      name: role.name,
      managed: role.managed,
      capabilities: role.capabilities,
      proposed: role.proposed,
    })),
  };
}
