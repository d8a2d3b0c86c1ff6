import { type MirroredMember, memberLeft, putGuild, putRoles } from '@bailiff/engine/guilds/mirror';
import type { Database, GuildTier } from '@bailiff/prisma';
import type { Client } from 'discord.js';
import type { DiscordApi } from './discord-api.ts';
import type { Logger } from './log.ts';
import type { GuildDescription } from './mirror-reads.ts';

export interface MirrorSettings {
  readonly db: Database;
  readonly api: DiscordApi;
  readonly client: Client;
  readonly log: Logger;
  /** Tier of a new guild. */
  readonly defaultTier: GuildTier;
  /** Called for members who join a guild, and for muted members without a timeout. May time them out again. */
  readonly renewMutes: (guildId: string, userId: string) => Promise<void>;
}

/** What this process knows about a guild whose events it follows. */
export interface GuildState {
  readonly id: string;
  readonly shardId: number;
  /** Pending writes, executed one after the other in the order of their events. */
  queue: Promise<void>;
  unavailable: boolean;
  /** Incremented by each event about the guild or its roles. */
  revision: number;
  /** Members from events that arrived while the member list is being read. Null: they left. */
  changes: Map<string, MirroredMember | null> | null;
  isDirty: boolean;
  /** Whether its name, owner and roles must be read too. GUILD_CREATE contains them. */
  needsDescription: boolean;
  comparing: Promise<void> | null;
}

export function newGuildState(id: string, shardId: number): GuildState {
  return {
    id,
    shardId,
    queue: Promise.resolve(),
    unavailable: false,
    revision: 0,
    changes: null,
    isDirty: false,
    needsDescription: false,
    comparing: null,
  };
}

/** The bot's own id; empty before the first connection. */
export function botUserId({ client }: MirrorSettings): string {
  return client.user?.id ?? '';
}

/** Writes a guild and all its roles. */
export async function putDescription(
  { db, defaultTier }: MirrorSettings,
  { described, roles }: GuildDescription,
): Promise<void> {
  const { id: guildId } = described;
  if (!roles.some(({ id }) => id === guildId)) {
    // If this were accepted as the list of roles, everybody would lose their grants (hazards H22).
    throw new Error(`Discord described guild ${guildId} without its role @everyone.`);
  }
  await putGuild(db.pool, described, defaultTier);
  await putRoles(db.pool, guildId, roles, { complete: true });
}

/** Removes a member, and revokes the tokens that they issued. */
export async function removeMember(
  { db, log }: MirrorSettings,
  guildId: string,
  userId: string,
): Promise<void> {
  const revoked = await memberLeft(db, guildId, userId);
  if (revoked.length > 0) {
    log.info({ guild_id: guildId, user_id: userId, revoked }, 'issuer left, tokens revoked');
  }
}
