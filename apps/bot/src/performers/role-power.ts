import { POWER_PERMISSIONS } from '@bailiff/core';
import { forbidden } from '@bailiff/engine/calls/action-errors';
import type { ActionError, ActionRecord } from '@bailiff/engine/calls/actions';
import { sql } from '@bailiff/prisma';
import type { APIRole } from 'discord.js';
import type { PerformerDeps } from './deps.ts';
import { type Hierarchy, permissionsOf } from './members.ts';

const capabilitiesOfBoth = sql.statement({
  parameters: [sql.text, sql.text, sql.text],
  columns: { given: sql.arrayOf(sql.text).orNull, held: sql.arrayOf(sql.text) },
  text: `SELECT (SELECT capabilities FROM role_grants WHERE guild_id = $1 AND role_id = $2) AS given,
      (SELECT capabilities FROM granted_to($1, $3)) AS held`,
});

/**
 * Why an actor may not give a role because of the power it gives; null if they may. A role that moderates would let its
 * holder do what a token needs the owner's consent for, and a person what nobody granted them.
 */
export async function powerRefusal(
  { db }: Pick<PerformerDeps, 'db'>,
  hierarchy: Hierarchy,
  { guildId, actor }: ActionRecord,
  role: APIRole,
): Promise<ActionError | null> {
  const power = BigInt(role.permissions) & POWER_PERMISSIONS;
  const { given, held } = await capabilitiesOfBoth.only(db.pool, [guildId, role.id, actor.userId]);
  if (power === 0n && (given ?? []).length === 0) return null;
  const hasAll =
    actor.userId === hierarchy.ownerId ||
    ((permissionsOf(hierarchy, hierarchy.actorRoleIds) & power) === power &&
      (given ?? []).every((capability) => held.includes(capability)));
  return actor.source !== 'token' && hasAll ? null : forbidden('ROLE_GIVES_POWER');
}
