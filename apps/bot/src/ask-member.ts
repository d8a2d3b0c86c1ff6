import { shownName } from '@bailiff/core';
import type { FoundMember } from '@bailiff/engine/database/waiters';
import { tellMember } from '@bailiff/engine/guilds/ask-member';
import { MOST_FOUND, tellPeople } from '@bailiff/engine/guilds/ask-people';
import { type APIGuildMember, Routes } from 'discord.js';
import { DiscordFailure } from './discord-api.ts';
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
  await tellMember(deps.db.pool, requestId, member && namedMember(member));
}

/** Nobody who looks for people waits longer for Discord's limits. */
const LONGEST_WAIT_MS = 1_000;

/** Asks Discord whose names in a guild begin with a text, and tells whoever waits for it. */
export function answerPeople(
  deps: PerformerDeps,
  { query, ...asked }: JobPayloads['ask_people'],
  signal: AbortSignal,
): Promise<void> {
  return answerFrom(deps, asked, Routes.guildMembersSearch(asked.guild_id), { query }, signal);
}

/** Asks Discord for the members of a guild that follow one, and tells whoever waits for it. */
export function answerMembers(
  deps: PerformerDeps,
  { after, ...asked }: JobPayloads['ask_members'],
  signal: AbortSignal,
): Promise<void> {
  return answerFrom(deps, asked, Routes.guildMembers(asked.guild_id), { after }, signal);
}

async function answerFrom(
  deps: PerformerDeps,
  { guild_id: guildId, request_id: requestId, asked_at }: Omit<JobPayloads['ask_people'], 'query'>,
  path: `/${string}`,
  query: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<void> {
  if (Date.now() - Date.parse(asked_at) > TOO_LATE_MS) return;
  const asking = depsIn(deps, guildId).api.get<APIGuildMember[]>(path, {
    query: { ...query, limit: String(MOST_FOUND) },
    longestWaitMs: LONGEST_WAIT_MS,
    signal,
  });
  const found = await asking.catch((error: unknown) => {
    if (!(error instanceof DiscordFailure)) throw error;
    deps.log.info({ err: error, guild_id: guildId, path }, 'Discord did not list people of a guild');
    return null;
  });
  await tellPeople(deps.db.pool, requestId, found?.map(foundMember) ?? null);
}

function foundMember(member: APIGuildMember): FoundMember {
  return { user_id: member.user.id, ...namedMember(member) };
}

function namedMember({ nick, user, roles, joined_at }: APIGuildMember): Omit<FoundMember, 'user_id'> {
  return {
    username: user.username,
    display_name: shownName(nick, user.global_name, user.username),
    avatar_hash: user.avatar,
    bot: user.bot ?? false,
    role_ids: roles,
    joined_at: joined_at ?? null,
  };
}
