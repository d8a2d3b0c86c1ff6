import type { JsonObject } from '#src/fields.ts';
import type { Guild } from '#src/model.ts';
import { memberPayload } from '#src/payloads.ts';
import { membersStartingWith } from '#src/rest/members.ts';

const CHUNK_MEMBERS = 1000;

/** The GUILD_MEMBERS_CHUNK events that answer a request for members; at least one, even when no member fits. */
export function memberChunks(guild: Guild, given: JsonObject): object[] {
  const { members, notFound } = selectMembers(guild, given);
  const count = Math.max(1, Math.ceil(members.length / CHUNK_MEMBERS));
  return Array.from({ length: count }, (_, index) => ({
    guild_id: guild.id,
    members: members.slice(index * CHUNK_MEMBERS, (index + 1) * CHUNK_MEMBERS).map(memberPayload),
    chunk_index: index,
    chunk_count: count,
    ...(index === 0 && notFound.length > 0 ? { not_found: notFound } : {}),
    ...(typeof given.nonce === 'string' ? { nonce: given.nonce } : {}),
  }));
}

function selectMembers(guild: Guild, given: JsonObject) {
  const asked = given.user_ids;
  if (asked !== undefined) {
    const ids = (Array.isArray(asked) ? asked : [asked]).map(String).slice(0, 100);
    return {
      members: ids.flatMap((id) => guild.members.get(id) ?? []),
      notFound: ids.filter((id) => !guild.members.has(id)),
    };
  }
  const limit = typeof given.limit === 'number' && given.limit > 0 ? given.limit : guild.members.size;
  return {
    members: membersStartingWith(guild, String(given.query ?? '')).slice(0, limit),
    notFound: [],
  };
}
