import { databaseNow } from '@bailiff/engine/database/clock';
import {
  applyDefaultTier,
  disentitleGuild,
  entitledGuilds,
  entitleGuild,
  type TierChange,
} from '@bailiff/engine/guilds/tiers';
import type { Database, GuildTier } from '@bailiff/prisma';
import {
  type APIEntitlement,
  type Client,
  GatewayDispatchEvents,
  RESTJSONErrorCodes,
  Routes,
} from 'discord.js';
import { type DiscordApi, DiscordFailure } from './discord-api.ts';
import { checkGuildTierSoon } from './jobs.ts';
import type { Logger } from './log.ts';

/** The source of guilds' tiers, apart from the operator's command (decisions: Guild tiers). */
export interface TierSettings {
  readonly applicationId: string;
  /** Discord's product whose subscribers are `pro`. Null: nothing is sold. */
  readonly proSkuId: string | null;
  readonly defaultTier: GuildTier;
}

export interface TierDeps {
  readonly db: Database;
  readonly api: DiscordApi;
  readonly log: Logger;
  readonly tiers: TierSettings;
}

/**
 * Checks a guild whenever the gateway sends an event about its entitlement. The event's content is not trusted; Discord
 * is asked.
 */
export function followEntitlements(client: Client, { db, log, tiers }: TierDeps): void {
  const { EntitlementCreate, EntitlementUpdate, EntitlementDelete } = GatewayDispatchEvents;
  for (const event of [EntitlementCreate, EntitlementUpdate, EntitlementDelete]) {
    client.ws.on(event, ({ sku_id: skuId, guild_id: guildId }: APIEntitlement) => {
      if (skuId !== tiers.proSkuId || guildId === undefined || guildId === null) return;
      checkGuildTierSoon(db.pool, guildId).catch((error: unknown) =>
        log.error({ err: error, guild_id: guildId }, 'an entitlement was not followed; the sweep will'),
      );
    });
  }
}

/** Finds what events missed: entitlements that began or ended, and guilds that are not yet at `DEFAULT_TIER`. */
export async function sweepTiers(deps: TierDeps, signal: AbortSignal): Promise<void> {
  const { db, tiers } = deps;
  if (tiers.proSkuId !== null) {
    const before = await entitledGuilds(db);
    const active = await activeEntitlements(deps, tiers.proSkuId, signal);
    for (const [guildId, [first = '', ...others]] of active) {
      const kept = before.get(guildId);
      if (kept !== undefined && [first, ...others].includes(kept)) continue;
      logChange(deps, guildId, await entitleGuild(db, guildId, first));
    }
    for (const guildId of before.keys()) if (!active.has(guildId)) await checkGuildTierSoon(db.pool, guildId);
  }
  for (const { guildName, before, revoked } of await applyDefaultTier(db, tiers.defaultTier)) {
    deps.log.info(
      { guild: guildName, before, tier: tiers.defaultTier, revoked },
      'guild has the default tier now',
    );
  }
}

/**
 * Sets the tier of one guild from its entitlements. A guild loses its tier only if Discord definitely says that its own
 * entitlement has ended: an empty list may be an outage (hazards H22).
 *
 * @throws DiscordFailure, or Error if Discord contradicts itself; the queue tries again
 */
export async function checkGuildTier(deps: TierDeps, guildId: string, signal: AbortSignal): Promise<void> {
  const { db, tiers } = deps;
  if (tiers.proSkuId === null) return;
  const listed = await readEntitlements(deps, { guild_id: guildId, sku_ids: tiers.proSkuId }, signal);
  const nowMs = (await databaseNow(db.pool)).getTime();
  const active = listed.find((entitlement) => isActive(entitlement, nowMs));
  if (active !== undefined) return logChange(deps, guildId, await entitleGuild(db, guildId, active.id));
  const kept = (await entitledGuilds(db, guildId)).get(guildId);
  if (kept === undefined) return;
  if (!(await hasEnded(deps, kept, nowMs, signal))) {
    throw new Error(
      `Discord does not list the entitlement ${kept} of guild ${guildId}, and says that it is active.`,
    );
  }
  logChange(deps, guildId, await disentitleGuild(db, guildId, kept, tiers.defaultTier));
}

const PAGE = 100;

/** Guilds with their present entitlements. */
async function activeEntitlements(
  deps: TierDeps,
  skuId: string,
  signal: AbortSignal,
): Promise<Map<string, string[]>> {
  const nowMs = (await databaseNow(deps.db.pool)).getTime();
  const found = new Map<string, string[]>();
  for (let after = '0'; ; ) {
    const page = await readEntitlements(deps, { sku_ids: skuId, exclude_ended: 'true', after }, signal);
    for (const entitlement of page) {
      if (BigInt(entitlement.id) > BigInt(after)) after = entitlement.id;
      const { id, guild_id: guildId } = entitlement;
      if (!isActive(entitlement, nowMs) || guildId === undefined || guildId === null) continue;
      found.set(guildId, [...(found.get(guildId) ?? []), id]);
    }
    if (page.length < PAGE) return found;
  }
}

function readEntitlements(
  { api, tiers }: TierDeps,
  query: Record<string, string>,
  signal: AbortSignal,
): Promise<APIEntitlement[]> {
  return api.get<APIEntitlement[]>(Routes.entitlements(tiers.applicationId), {
    query: { limit: String(PAGE), ...query },
    signal,
  });
}

async function hasEnded(
  { api, tiers }: TierDeps,
  entitlementId: string,
  nowMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const route = Routes.entitlement(tiers.applicationId, entitlementId);
    return !isActive(await api.get<APIEntitlement>(route, { signal }), nowMs);
  } catch (error) {
    if (error instanceof DiscordFailure && error.code === RESTJSONErrorCodes.UnknownEntitlement) return true;
    throw error;
  }
}

function isActive(entitlement: APIEntitlement, nowMs: number): boolean {
  const { deleted, starts_at: startsAt, ends_at: endsAt } = entitlement;
  const hasBegun = startsAt === null || startsAt === undefined || Date.parse(startsAt) <= nowMs;
  const hasEnded = endsAt !== null && endsAt !== undefined && Date.parse(endsAt) <= nowMs;
  return !deleted && hasBegun && !hasEnded;
}

function logChange({ log }: TierDeps, guildId: string, change: TierChange | null): void {
  if (change === null) return;
  const { before, revoked } = change;
  log.info({ guild_id: guildId, before, revoked }, "a guild's entitlement changed its tier");
}
