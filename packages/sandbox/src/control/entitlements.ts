import { EntitlementType } from 'discord-api-types/v10';
import { createEntitlement, endEntitlement } from '#src/actions/entitlements.ts';
import { ControlError } from '#src/errors.ts';
import { wireTime } from '#src/snowflake.ts';
import type { World } from '#src/world.ts';
import { controlFields, guildOf, userOf } from './resolve.ts';

/** The body of `POST /sandbox/entitlements`: a guild buys a product, lets it end, or gets its money back. */
export interface EntitlementRequest {
  action: 'buy' | 'end' | 'refund';
  sku_id?: string;
  guild_id?: string;
  user?: string;
  entitlement_id?: string;
}

export function controlEntitlements(world: World, body: unknown) {
  const fields = controlFields(body, ['action', 'sku_id', 'guild_id', 'user', 'entitlement_id']);
  const action = fields.requiredChoice('action', ['buy', 'end', 'refund']);
  if (action === 'buy') {
    const guild = guildOf(world, fields);
    const skuId = fields.requiredString('sku_id');
    if (!/^\d{17,20}$/.test(skuId))
      throw new ControlError(400, 'sku_id: Must be a Discord id of 17 to 20 digits.');
    const entitlement = createEntitlement(world, {
      skuId,
      type: EntitlementType.ApplicationSubscription,
      guildId: guild.id,
      userId: fields.has('user') ? userOf(world, fields, 'user').id : guild.ownerId,
      startsAt: wireTime(),
      endsAt: null,
    });
    return { entitlement };
  }
  const id = fields.requiredString('entitlement_id');
  const entitlement = world.entitlements.get(id);
  if (!entitlement) throw new ControlError(404, `entitlement_id: there is no entitlement ${id}.`);
  endEntitlement(world, entitlement, action === 'end' ? 'ended' : 'deleted');
  return { entitlement };
}
