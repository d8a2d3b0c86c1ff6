import type { EntitlementType } from 'discord-api-types/v10';
import type { Entitlement } from '#src/model.ts';
import { wireTime } from '#src/snowflake.ts';
import type { World } from '#src/world.ts';

export interface NewEntitlement {
  readonly skuId: string;
  readonly type: EntitlementType;
  readonly guildId: string | null;
  readonly userId: string;
  readonly startsAt: string | null;
  readonly endsAt: string | null;
}

export function createEntitlement(world: World, given: NewEntitlement): Entitlement {
  const entitlement: Entitlement = {
    id: world.ids.next(),
    sku_id: given.skuId,
    application_id: world.applicationId,
    user_id: given.userId,
    guild_id: given.guildId,
    deleted: false,
    consumed: false,
    type: given.type,
    starts_at: given.startsAt,
    ends_at: given.endsAt,
  };
  world.entitlements.set(entitlement.id, entitlement);
  world.dispatch('ENTITLEMENT_CREATE', { ...entitlement }, null);
  return entitlement;
}

/**
 * Ends an entitlement the way Discord does: a subscription that is not renewed gets an end (ENTITLEMENT_UPDATE), a refund or
 * a test entitlement is deleted (ENTITLEMENT_DELETE).
 */
export function endEntitlement(world: World, entitlement: Entitlement, how: 'ended' | 'deleted'): void {
  if (how === 'ended') {
    entitlement.ends_at = wireTime();
    world.dispatch('ENTITLEMENT_UPDATE', { ...entitlement }, null);
    return;
  }
  entitlement.deleted = true;
  world.dispatch('ENTITLEMENT_DELETE', { ...entitlement }, null);
}
