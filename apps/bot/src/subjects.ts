import { shownName } from '@bailiff/core';
import { inTransaction } from '@bailiff/engine/database/transaction';
import { keepName } from '@bailiff/engine/guilds/known-names';
import { type HeardSubject, keepSubject, waitingSubject } from '@bailiff/engine/tokens/approval-subjects';
import { type APIGuildMember, type APIUser, RESTJSONErrorCodes as Code, Routes } from 'discord.js';
import { DiscordFailure } from './discord-api.ts';
import type { PerformerDeps } from './performers/index.ts';

/**
 * Stores what Discord says about the person whom a waiting call is about, for the owner who decides about it. Does
 * nothing once the call waits no more.
 *
 * @throws DiscordFailure if Discord does not answer; the queue tries again
 */
export async function learnSubject(
  { db, api }: Pick<PerformerDeps, 'db' | 'api'>,
  approvalId: string,
  signal: AbortSignal,
): Promise<void> {
  const subject = await waitingSubject(db.pool, approvalId);
  if (subject === null) return;
  const { guildId, userId } = subject;
  const member = await unlessAbsent(api.get<APIGuildMember>(Routes.guildMember(guildId, userId), { signal }));
  const user = member?.user ?? (await unlessAbsent(api.get<APIUser>(Routes.user(userId), { signal })));
  // Together: with the request of somebody who is forgotten meanwhile, their name is forgotten too.
  await inTransaction(db, async (tx) => {
    const isKept = await keepSubject(tx, approvalId, heardOf(member, user));
    if (isKept && user !== null) await keepName(tx, { userId, ...namesOf(user), askedBy: guildId });
  });
}

function heardOf(member: APIGuildMember | null, user: APIUser | null): HeardSubject {
  return {
    inGuild: member !== null,
    username: user?.username ?? null,
    displayName: user === null ? null : shownName(member?.nick, user.global_name, user.username),
    avatarHash: user?.avatar ?? null,
    roleIds: member?.roles ?? [],
    joinedAt: member?.joined_at ?? null,
  };
}

function namesOf({ username, global_name, avatar }: APIUser) {
  return { username, displayName: shownName(global_name, username), avatarHash: avatar };
}

const ABSENT: readonly unknown[] = [Code.UnknownMember, Code.UnknownUser];

async function unlessAbsent<Body>(asked: Promise<Body>): Promise<Body | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof DiscordFailure && ABSENT.includes(error.code)) return null;
    throw error;
  }
}
