import { DISCORD_PERMISSIONS, POWER_PERMISSIONS, permissionsInChannel } from '@bailiff/core';
import { forbidden } from '@bailiff/engine/calls/action-errors';
import type { ActionError, ActionRecord } from '@bailiff/engine/calls/actions';
import { listChannels } from '@bailiff/engine/guilds/channels';
import { sql } from '@bailiff/prisma';
import { type APIGuildChannel, type APIRole, Routes } from 'discord.js';
import type { PerformerDeps } from './deps.ts';
import { type Hierarchy, missingPermissions, permissionsOf } from './members.ts';

const capabilitiesOfBoth = sql.statement({
  parameters: [sql.text, sql.text, sql.text],
  columns: { given: sql.arrayOf(sql.text).orNull, held: sql.arrayOf(sql.text) },
  text: `SELECT (SELECT capabilities FROM role_grants WHERE guild_id = $1 AND role_id = $2) AS given,
      (SELECT capabilities FROM granted_to($1, $3)) AS held`,
});

/**
 * Why an actor may not give a role because of the power it gives; null if they may. A role that moderates, and be it in
 * one channel, would let its holder do what a token needs the owner's consent for, and a person what nobody granted them.
 * What it may do in a channel that the bot may not view nobody knows.
 */
export async function powerRefusal(
  { api, db }: Pick<PerformerDeps, 'api' | 'db'>,
  hierarchy: Hierarchy,
  { guildId, actor }: ActionRecord,
  role: APIRole,
  signal: AbortSignal,
): Promise<ActionError | null> {
  const isByToken = actor.source === 'token';
  if (!isByToken && actor.userId === hierarchy.ownerId) return null;
  const { given, held } = await capabilitiesOfBoth.only(db.pool, [guildId, role.id, actor.userId]);
  const roleIds = hierarchy.actorRoleIds ?? [];
  const permissions = isByToken ? 0n : permissionsOf(hierarchy, hierarchy.actorRoleIds);
  const lacks = (gives: string, has: bigint) => (BigInt(gives) & POWER_PERMISSIONS & ~has) !== 0n;
  const holds = (capability: string) => !isByToken && held.includes(capability);
  if (lacks(role.permissions, permissions) || !(given ?? []).every(holds))
    return forbidden('ROLE_GIVES_POWER');
  const channels = await api.get<APIGuildChannel[]>(Routes.guildChannels(guildId), { signal });
  const givesMore = channels.some(({ permission_overwrites: overwrites = [] }) => {
    const ofRole = overwrites.find(({ id }) => id === role.id);
    if (ofRole === undefined) return false;
    const holder = { guildId, userId: actor.userId, roleIds, permissions };
    return lacks(ofRole.allow, isByToken ? 0n : permissionsInChannel(holder, overwrites));
  });
  if (givesMore) return forbidden('ROLE_GIVES_POWER');
  // Who may give roles in Discord itself can give this one there.
  if ((permissions & DISCORD_PERMISSIONS.ManageRoles) !== 0n) return null;
  const shown = new Set(channels.map(({ id }) => id));
  const hidden = (await listChannels(db, guildId)).find(({ id }) => !shown.has(id));
  return hidden === undefined ? null : missingPermissions(['ViewChannel'], hidden);
}
