import { ApplicationFlags, RESTJSONErrorCodes as Code, EntitlementType } from 'discord-api-types/v10';
import { createEntitlement, endEntitlement } from '#src/actions/entitlements.ts';
import { refusal, unauthorized } from '#src/errors.ts';
import type { Entitlement } from '#src/model.ts';
import { userPayload } from '#src/payloads.ts';
import { compareIds, wireTime } from '#src/snowflake.ts';
import type { World } from '#src/world.ts';
import { type Call, fieldsOf, queryInteger, route } from './route.ts';

/** The privileged intents that are switched on in the portal, as a bot in fewer than a hundred guilds has them. */
function flagsOf({ hasMessageContent, hasServerMembers }: World): number {
  const { GatewayGuildMembersLimited, GatewayMessageContentLimited } = ApplicationFlags;
  return (
    (hasServerMembers ? GatewayGuildMembersLimited : 0) |
    (hasMessageContent ? GatewayMessageContentLimited : 0)
  );
}

const SESSIONS_PER_DAY = 1000;

function applicationPayload(world: World) {
  const [guild] = world.guilds.values();
  const owner = world.users.get(guild?.ownerId ?? '') ?? world.bot;
  return {
    id: world.applicationId,
    name: 'Bailiff',
    icon: null,
    description: 'Moderation for this guild',
    type: null,
    bot: userPayload(world.bot),
    bot_public: true,
    bot_require_code_grant: false,
    verify_key: '0'.repeat(64),
    flags: flagsOf(world),
    flags_new: String(flagsOf(world)),
    redirect_uris: world.redirectUris,
    interactions_endpoint_url: null,
    role_connections_verification_url: null,
    owner: userPayload(owner),
    approximate_guild_count: [...world.guilds.values()].filter((each) => each.members.has(world.bot.id))
      .length,
    approximate_user_install_count: 0,
    approximate_user_authorization_count: 0,
    explicit_content_filter: 0,
    team: null,
    eligible_oauth2_scopes: [],
  };
}

function entitlementOf(world: World, id: string): Entitlement {
  const entitlement = world.entitlements.get(id);
  if (!entitlement) throw refusal(Code.UnknownEntitlement);
  return entitlement;
}

function listEntitlements({ world, query }: Call): Entitlement[] {
  const limit = queryInteger(query, 'limit', { min: 1, max: 100, fallback: 100 });
  const skus = query.get('sku_ids')?.split(',').filter(Boolean) ?? [];
  const equals = (name: string, value: string | null) => {
    const wanted = query.get(name);
    return wanted === null || wanted === value;
  };
  const is = (name: string) => query.get(name) === 'true';
  const ended = (one: Entitlement) => one.ends_at !== null && Date.parse(one.ends_at) <= Date.now();
  const before = query.get('before');
  const after = query.get('after');
  return [...world.entitlements.values()]
    .filter((one) => equals('user_id', one.user_id) && equals('guild_id', one.guild_id))
    .filter((one) => skus.length === 0 || skus.includes(one.sku_id))
    .filter((one) => !(is('exclude_ended') && ended(one)) && !(is('exclude_deleted') && one.deleted))
    .filter((one) => !is('only_active') || !(ended(one) || one.deleted))
    .filter((one) => before === null || compareIds(one.id, before) < 0)
    .filter((one) => after === null || compareIds(one.id, after) > 0)
    .slice(0, limit);
}

export const applicationRoutes = [
  route('GET', '/gateway', ({ gateway }) => ({ url: gateway.url }), { auth: 'none' }),
  route('GET', '/gateway/bot', ({ gateway }) => ({
    url: gateway.url,
    shards: gateway.shards,
    session_start_limit: {
      total: SESSIONS_PER_DAY,
      remaining: gateway.identifiesLeft(),
      reset_after: gateway.resetAfterMs(),
      max_concurrency: gateway.maxConcurrency,
    },
  })),
  route('GET', '/applications/@me', ({ world }) => applicationPayload(world)),
  route('GET', '/oauth2/applications/@me', ({ world }) => applicationPayload(world)),
  route(
    'GET',
    '/oauth2/@me',
    ({ world, principal }) => {
      if (principal.kind !== 'bearer') throw unauthorized();
      const { applicationId, expiresAtMs, scopes, user } = principal;
      return {
        application: { ...applicationPayload(world), id: applicationId },
        expires: wireTime(expiresAtMs),
        scopes,
        ...(scopes.includes('identify') ? { user: userPayload(user) } : {}),
      };
    },
    { auth: 'any' },
  ),
  route('GET', '/applications/{application_id}/entitlements', listEntitlements),
  route('POST', '/applications/{application_id}/entitlements', ({ world, body }) => {
    const fields = fieldsOf(body);
    const ownerId = fields.requiredString('owner_id');
    const forGuild = fields.integer('owner_type', { min: 1, max: 2 }) === 1;
    return createEntitlement(world, {
      skuId: fields.requiredString('sku_id'),
      type: EntitlementType.TestModePurchase,
      guildId: forGuild ? world.guild(ownerId).id : null,
      userId: forGuild ? world.guild(ownerId).ownerId : world.user(ownerId).id,
      startsAt: null,
      endsAt: null,
    });
  }),
  route('GET', '/applications/{application_id}/entitlements/{entitlement_id}', ({ world, params }) =>
    entitlementOf(world, params.entitlement_id),
  ),
  route('DELETE', '/applications/{application_id}/entitlements/{entitlement_id}', ({ world, params }) => {
    endEntitlement(world, entitlementOf(world, params.entitlement_id), 'deleted');
  }),
  route(
    'POST',
    '/applications/{application_id}/entitlements/{entitlement_id}/consume',
    ({ world, params }) => {
      entitlementOf(world, params.entitlement_id).consumed = true;
      world.changed();
    },
  ),
];
