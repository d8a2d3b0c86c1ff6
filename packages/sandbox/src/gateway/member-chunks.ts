import type { JsonObject } from '#src/fields.ts';
import type { Guild } from '#src/model.ts';
import { memberPayload } from '#src/payloads.ts';
import { membersStartingWith } from '#src/rest/members.ts';

const CHUNK_MEMBERS = 1000;

/** Discord lists all members of a guild once in this time for one session. */
const ALL_MEMBERS_EVERY_MS = 30_000;

/** Counts requests for all members (opcode 8), which Discord limits by guild. */
export class MemberRequests {
  readonly #answeredAtMs = new Map<string, number>();

  /** The data of RATE_LIMITED, or null if the request is answered. */
  refusal(sessionId: string, guildId: string, given: JsonObject): object | null {
    if (given.user_ids !== undefined || String(given.query ?? '') !== '') return null;
    const key = `${sessionId} ${guildId}`;
    const now = Date.now();
    const waitMs = (this.#answeredAtMs.get(key) ?? Number.NEGATIVE_INFINITY) + ALL_MEMBERS_EVERY_MS - now;
    if (waitMs <= 0) {
      this.#answeredAtMs.set(key, now);
      return null;
    }
    const nonce = typeof given.nonce === 'string' ? { nonce: given.nonce } : {};
    return { opcode: 8, retry_after: waitMs / 1000, meta: { guild_id: guildId, ...nonce } };
  }
}

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
