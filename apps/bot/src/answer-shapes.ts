import { z } from 'zod';
import type { RequestOptions } from './discord-api.ts';

/** What Bailiff needs of Discord's answers. Everything else in them may come and go. */
const Id = z.string().regex(/^\d+$/);
const WithId = z.looseObject({ id: Id });
const User = z.looseObject({ id: Id, username: z.string() });
const Member = z.looseObject({ user: User, roles: z.array(Id) });
const Role = z.looseObject({ id: Id, name: z.string(), position: z.number(), permissions: z.string() });
const Guild = z.looseObject({ id: Id, name: z.string(), owner_id: Id, roles: z.array(Role) });
const Channel = z.looseObject({ id: Id, type: z.number() });
const Bits = z.string().regex(/^\d+$/);
const OneChannel = Channel.extend({
  permission_overwrites: z.array(z.looseObject({ id: Id, allow: Bits, deny: Bits })).nullish(),
  rate_limit_per_user: z.number().nullish(),
});
const Message = z.looseObject({
  id: Id,
  type: z.number(),
  author: User,
  content: z.string(),
  timestamp: z.string(),
  attachments: z.array(z.looseObject({ filename: z.string() })),
});
/** Each entry is read by itself (audit-entries.ts): one that lacks something keeps no other from being used. */
const AuditLog = z.looseObject({ audit_log_entries: z.array(z.unknown()) });
const GatewayBot = z.looseObject({
  url: z.string(),
  shards: z.number(),
  session_start_limit: z.looseObject({
    total: z.number(),
    remaining: z.number(),
    reset_after: z.number(),
    max_concurrency: z.number(),
  }),
});

/** The answers that are used, by method and route; `*` stands for one segment. */
const SHAPES: readonly (readonly [route: string, shape: z.ZodType])[] = [
  ['GET /gateway/bot', GatewayBot],
  ['GET /applications/@me', WithId],
  ['GET /applications/*/commands', z.array(z.looseObject({ name: z.string() }))],
  ['GET /applications/*/entitlements', z.array(WithId)],
  ['GET /applications/*/entitlements/*', WithId],
  ['GET /channels/*', OneChannel],
  ['GET /channels/*/messages', z.array(Message)],
  ['POST /channels/*/messages', WithId.extend({ channel_id: Id })],
  ['GET /guilds/*', Guild],
  ['GET /guilds/*/audit-logs', AuditLog],
  ['GET /guilds/*/bans/*', z.looseObject({ user: User })],
  ['GET /guilds/*/channels', z.array(Channel)],
  ['POST /guilds/*/channels', WithId],
  ['GET /guilds/*/roles', z.array(Role.extend({ permissions: Bits }))],
  ['GET /guilds/*/members', z.array(Member)],
  ['GET /guilds/*/members/search', z.array(Member)],
  ['GET /guilds/*/members/*', Member],
  ['GET /oauth2/@me', z.looseObject({ application: WithId, user: WithId.optional() })],
  ['GET /users/*', User],
  ['GET /users/@me/guilds', z.array(WithId)],
  ['POST /users/@me/channels', WithId],
];
const BY_LENGTH = Map.groupBy(
  SHAPES.map(([route, shape]) => ({ segments: route.split('/'), shape })),
  ({ segments }) => segments.length,
);

/** What is missing or wrong in an answer, such as `user.id: …`. Null if it has all that is used. */
export function problemOfAnswer(method: string, route: string, answer: unknown): string | null {
  const given = `${method} ${route}`.split('/');
  const known = BY_LENGTH.get(given.length)?.find(({ segments }) =>
    segments.every((segment, index) => segment === '*' || segment === given[index]),
  );
  const parsed = known?.shape.safeParse(answer);
  if (parsed === undefined || parsed.success) return null;
  const [issue] = parsed.error.issues;
  return `${issue?.path.join('.') || 'the body'}: ${issue?.message ?? 'not understood'}`;
}

/**
 * Why a page of a list cannot be the one that was asked for. Null if it is. Whoever reads page after page would never
 * come to an end if Discord gave the same one again.
 */
export function problemOfPage(query: RequestOptions['query'], answer: unknown): string | null {
  const bounds = [query?.before, query?.after].map((id) => (id === undefined ? null : BigInt(id)));
  const [before = null, after = null] = bounds;
  if (before === null && after === null) return null;
  const listed: unknown = Array.isArray(answer) ? answer : Object(answer).audit_log_entries;
  if (!Array.isArray(listed)) return null;
  const isOutside = listed.map(listedId).some((id) => {
    if (id === null) return false;
    return (before !== null && id >= before) || (after !== null && id <= after);
  });
  return isOutside ? 'a page that was not asked for' : null;
}

/** The id of what is listed; of a member, that of the user. */
function listedId(item: unknown): bigint | null {
  const { id, user } = Object(item);
  const parsed = Id.safeParse(id ?? Object(user).id);
  return parsed.success ? BigInt(parsed.data) : null;
}
