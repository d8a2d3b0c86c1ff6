import { tellMember } from '@bailiff/engine/guilds/ask-member';
import type { JobPayloads } from './jobs.ts';
import { depsIn, type PerformerDeps } from './performers/deps.ts';
import { findMember } from './performers/members.ts';

/** Nobody waits for the answer any more. */
const TOO_LATE_MS = 5_000;

/**
 * Asks Discord whether a person is in a guild, and tells the reader who waits for it.
 *
 * @throws DiscordFailure if Discord does not say; then the reader learns that nobody knows
 */
export async function answerMember(
  deps: PerformerDeps,
  { guild_id: guildId, user_id: userId, request_id: requestId, asked_at }: JobPayloads['ask_member'],
  signal: AbortSignal,
): Promise<void> {
  if (Date.now() - Date.parse(asked_at) > TOO_LATE_MS) return;
  const member = await findMember(depsIn(deps, guildId), guildId, userId, signal);
  await tellMember(
    deps.db.pool,
    requestId,
    member && {
      username: member.user.username,
      display_name: member.nick ?? member.user.global_name ?? member.user.username,
      role_ids: member.roles,
      joined_at: member.joined_at ?? null,
    },
  );
}
